// What a report comes to, in four sentences: how much, where to begin, and how far to believe it.

import type { Place, Report } from "./model";
import { evident, listed, type Listed } from "./tasks";
import { count, energy, grouped, noun, percent, ratio, unitsAt, type Unit } from "./units";

/** A First is the finding to begin with, and the place in the app's own code that leads to it; null if none does. */
export interface First {
  line: Listed;
  own: Place | null;
}

/** first finds what saves most among what the app's own code leads to, else among all; null if nothing saves. */
export function first(report: Report): First | null {
  const saving = listed(report).filter(({ task }) => task.savingNJ > 0 && task.verdict !== "perhaps" && (!report.repeats || evident(task)));
  for (const line of saving) {
    const own = ownPlace(line);
    if (own) return { line, own };
  }
  return saving[0] ? { line: saving[0], own: null } : null;
}

/** ownPlace is where in the app's own code a line's energy comes from; null if that is a library's. */
function ownPlace({ task, code }: Listed): Place | null {
  if (code) return code.parts.find((p) => p.own) ?? null;
  return task.callers.find((c) => c.own)?.own ?? null;
}

/** totals says what both runs drained. */
export function totals({ subject, reference }: Report, unit: Unit): string {
  const [here, there] = [subject.energyNJ, reference.energyNJ];
  const times = ratio(here, there);
  const more = here === there ? "the same" : `${energy(Math.abs(here - there), unit)} ${here > there ? "more" : "less"} here${times && ` (${times})`}`;
  return `${energy(here, unit)} here, ${energy(there, unit)} there: ${more}.`;
}

/** figures says what a task drains on both sides. */
export function figures({ task }: Listed, unit: Unit): string {
  const here = `${energy(task.energyNJ, unit)} here`;
  if (!task.peer) return `${here}, no counterpart there`;
  const times = ratio(task.energyNJ, task.peer.energyNJ);
  return `${here}, ${energy(task.peer.energyNJ, unit)} there${times && ` (${times})`}`;
}

/** nothing says why there is nothing to begin with; empty if there is something. */
export function nothing(report: Report): string {
  const list = listed(report);
  if (report.repeats && report.repeats.evident === 0) return "The runs are evidence of no difference in any task.";
  if (list.length === 0 || list.some(({ task }) => task.savingNJ > 0)) return "";
  return list.every(({ task }) => task.savingNJ === 0) ? "Nothing to save: every task drains the same in both runs." : "Nothing to save: no task drains more here than there.";
}

/** fewMatched reports whether most tasks have no counterpart: then "only here" says little. */
export const fewMatched = ({ summary }: Report) => summary.littleInCommon || 2 * summary.matched < summary.tasks;

/** matched says how many tasks have a counterpart, and what follows from it. */
export function matched(report: Report): string {
  const { summary, subject } = report;
  const more = summary.perhaps ? `, ${grouped(summary.perhaps)} more perhaps` : "";
  const share = percent(summary.matchedNJ / Math.max(subject.energyNJ, 1));
  const have = `${grouped(summary.matched)} of ${count(summary.tasks, "task")} ${summary.matched === 1 ? "has" : "have"} a counterpart (${share} of the ${noun(unitsAt(0, subject, report.reference)[0]!)})${more}.`;
  if (summary.tasks === 0 || !fewMatched(report)) return have;
  return `${have} ${summary.littleInCommon ? "The runs can hardly be compared" : "Most have none"}: “only here” may mean no more than that none was found.`;
}

/** spread says what stands behind the savings, as a sentence; empty in reports that do not say. */
export function spread({ spread: said }: Report): string {
  return said ? `${said.charAt(0).toUpperCase()}${said.slice(1)}.` : "";
}

/** unlike says what makes the two runs unlike. */
export function unlike({ comparability }: Report): string {
  // How little the runs have in common stands beside it.
  const notes = comparability.filter((n) => n.code !== "little-in-common");
  return notes.map((n) => n.message).join("; ");
}
