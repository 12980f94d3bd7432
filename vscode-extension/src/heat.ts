// The heat of lines, in colours from blue to red, as in the overlays of SeeSoft and
// vLens: the share of the run's energy of the dearest task that a line calls. Themes
// can set the colours, diffprof.heat1 to diffprof.heat6.

import type { Task } from "./protocol.ts";

/** steps is the number of colours. */
export const steps = 6;

/** step picks the colour of a share. The last colour begins at a tenth; each colour begins at about a third of the next. */
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

/** lines finds the lines of a file that call tasks, with the share of the dearest task of each. */
export function lines(tasks: readonly Task[], uri: string): Hot[] {
  const found = new Map<number, Hot>();
  for (const task of tasks) {
    if (task.ignored || task.kind === "code") continue;
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
