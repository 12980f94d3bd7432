// The conclusion of a report. The report has its sentences; the page writes none about figures.

import type { Phrase, Report } from "./model";
import type { State } from "./state";
import { listed, type Listed } from "./tasks";
import { amount, energy, Noun, type Unit } from "./units";

/** first returns the row of the first finding. It returns undefined if there are no findings, or if
 * the report does not list the row. */
export function first(report: Report): Listed | undefined {
  const id = report.judgement.headline.first;
  return id ? listed(report).find(({ task }) => task.id === id) : undefined;
}

/** unlike lists the differences that make the two runs hard to compare. */
export function unlike({ comparability }: Report): string {
  // The headline already has a sentence for little-in-common.
  const notes = comparability.filter((n) => n.code !== "little-in-common");
  return notes.map((n) => n.message).join("; ");
}

/** source names the source of the figures of both runs. */
export function source({ subject, reference }: Report, unit: Unit): string {
  if (subject.unit === "unknown") return "The files do not state the unit of the figures.";
  const [here, there] = [subject.energyFrom, reference.energyFrom];
  return `${Noun(unit)} is ${here === there ? here : `${here} here, and ${there} there`}.`;
}

/** sentences returns the sentences of the headline, in the unit that the reader chose. */
export function sentences(s: State, unit: Unit): readonly string[] {
  return (s.unitChosen && s.spoken?.headline[unit.name]) || s.headline;
}

/** spoken returns a sentence about a row in the chosen unit. If no unit is chosen, it returns the
 * argument otherwise, which is the report's sentence. */
export function spoken(s: State, unit: Unit, id: string, which: keyof NonNullable<State["spoken"]>["rows"][string], otherwise: string): string {
  const phrase: Phrase | undefined = s.unitChosen || s.spoken?.asked ? s.spoken?.rows[id]?.[which] : undefined;
  if (!phrase) return otherwise;
  return phrase.map((part) => (typeof part === "string" ? part : typeof part === "number" ? energy(part, unit) : amount(part[0], unit))).join("");
}
