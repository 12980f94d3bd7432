// Colours for lines, from blue to red by the share of the run's energy that the
// dearest task called there has: the overlay of SeeSoft and vLens.

import type { Task } from "./protocol.ts";

/** steps are how many colours there are. */
export const steps = 6;

/** step picks a colour: each is about three times the share of the one before, and the last begins at a tenth. */
export function step(share: number): number {
  if (!(share > 0)) return 0;
  const s = steps - 1 + Math.floor(Math.log(share / 0.1) / Math.log(3));
  return Math.max(0, Math.min(steps - 1, s));
}

/** colours go from blue to red by way of violet, and differ in lightness too. */
export function colour(i: number): { line: string; ruler: string } {
  const hue = [215, 230, 270, 320, 350, 5][i] ?? 215;
  const alpha = [0.1, 0.12, 0.15, 0.18, 0.24, 0.32][i] ?? 0.1;
  return { line: `hsla(${hue}, 80%, 50%, ${alpha})`, ruler: `hsla(${hue}, 80%, 50%, 0.9)` };
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
