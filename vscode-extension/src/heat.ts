// The heat of a line is its share of the run's energy, shown in colours from blue to red, as
// in the overlays of SeeSoft and vLens. Themes can set the colours, diffprof.heat1 to
// diffprof.heat6.

import type { SourceLine, Task } from "./protocol.ts";

/** steps is the number of colours. */
export const steps = 6;

/** step picks the colour of a share. The last colour is for a tenth and more. Each other colour
 * begins at a third of the share at which the next colour begins. */
export function step(share: number): number {
  if (!(share > 0)) return 0;
  const s = steps - 1 + Math.floor(Math.log(share / 0.1) / Math.log(3));
  return Math.max(0, Math.min(steps - 1, s));
}

export interface Hot {
  line: number;
  share: number;
}

/** lines finds the lines of a file that call tasks. If a line calls several tasks, its share is the largest of theirs. */
export function lines(tasks: readonly Task[], uri: string, energyNJ: number): Hot[] {
  const found = new Map<number, Hot>();
  for (const task of tasks) {
    if (task.ignored || task.kind === "code") continue;
    for (const at of task.locations) {
      // If a call has several possible places, the server puts its energy on the first one.
      if (at.uri !== uri || !(at.energyNJ > 0)) continue;
      const line = at.range.start.line;
      const hot = found.get(line) ?? { line, share: 0 };
      hot.share = Math.max(hot.share, at.energyNJ / energyNJ);
      found.set(line, hot);
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

/** few is the colour of a line with too few samples for a figure. undetermined is the colour of a
 * line that a meter did not determine. */
export const few = -1;
export const undetermined = -2;

/** A Mark is a coloured line. The colour is the index of a step, or few or undetermined. */
export interface Mark {
  line: number;
  step: number;
}

/** marks joins the lines that call tasks and the lines that use energy themselves. A line that is
 * both has the hotter colour. */
export function marks(hot: readonly Hot[], sources: readonly SourceLine[]): Mark[] {
  const found = new Map<number, number>(hot.map((h) => [h.line, step(h.share)]));
  for (const { line, heat, provenance } of sources) {
    const colour = heat > 0 ? Math.min(heat, steps) - 1 : provenance === "fitted" ? undetermined : few;
    found.set(line, Math.max(found.get(line) ?? undetermined, colour));
  }
  return [...found].map(([line, step]) => ({ line, step })).sort((a, b) => a.line - b.line);
}

/** hatching is the icon of lines whose energy is unknown, as a URI. It is grey, which is readable on
 * dark and on light backgrounds. */
export const hatching =
  "data:image/svg+xml;utf8," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><path d="M4 6 8 2M4 11 12 3M4 15 12 7M8 15 12 11" stroke="#808080" stroke-width="1.5"/></svg>',
  );
