// What a report comes to. Its sentences come with it: nothing here makes any about figures.

import type { Phrase, Report } from "./model";
import type { State } from "./state";
import { listed, type Listed } from "./tasks";
import { amount, energy, type Unit } from "./units";

/** first is the line to begin with; undefined where none counts, or where the report leaves it out. */
export function first(report: Report): Listed | undefined {
  const id = report.judgement.headline.first;
  return id ? listed(report).find(({ task }) => task.id === id) : undefined;
}

/** unlike says what makes the two runs unlike. */
export function unlike({ comparability }: Report): string {
  // The sentences of the headline say how little the runs have in common.
  const notes = comparability.filter((n) => n.code !== "little-in-common");
  return notes.map((n) => n.message).join("; ");
}

/** sentences are those of the headline, in the unit that the reader chose. */
export function sentences(s: State, unit: Unit): readonly string[] {
  return (s.unitChosen && s.spoken?.headline[unit.name]) || s.headline;
}

/** spoken is a sentence of a row in the unit that the reader chose, or that the page was asked for; otherwise is the same as the report has it. */
export function spoken(s: State, unit: Unit, id: string, which: keyof NonNullable<State["spoken"]>["rows"][string], otherwise: string): string {
  const phrase: Phrase | undefined = s.unitChosen || s.spoken?.asked ? s.spoken?.rows[id]?.[which] : undefined;
  if (!phrase) return otherwise;
  return phrase.map((part) => (typeof part === "string" ? part : typeof part === "number" ? energy(part, unit) : amount(part[0], unit))).join("");
}
