// Lines by the share of the run's energy that the dearest task called there has, for
// colours from blue to red: the overlay of SeeSoft and vLens. The colours themselves
// are contributed to themes: diffprof.heat1 to diffprof.heat6.

import type { Task } from "./protocol.ts";

/** steps are how many colours there are. */
export const steps = 6;

/** step picks a colour: each is about three times the share of the one before, and the last begins at a tenth. */
export function step(share: number): number {
  if (!(share > 0)) return 0;
  const s = steps - 1 + Math.floor(Math.log(share / 0.1) / Math.log(3));
  return Math.max(0, Math.min(steps - 1, s));
}

export interface Hot {
  line: number;
  share: number;
  messages: string[];
}

/** lines finds the lines of a file that call tasks, with the share of the dearest. */
export function lines(tasks: readonly Task[], uri: string): Hot[] {
  const found = new Map<number, Hot>();
  for (const task of tasks) {
    if (task.ignored) continue;
    for (const at of task.locations) {
      if (at.uri !== uri) continue;
      const line = at.range.start.line;
      const hot = found.get(line) ?? { line, share: 0, messages: [] };
      hot.share = Math.max(hot.share, task.share);
      if (hot.messages.length < 5) hot.messages.push(task.message);
      found.set(line, hot);
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}
