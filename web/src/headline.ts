// What a report comes to. Its sentences come with it: nothing here makes any about figures.

import type { Report } from "./model";
import { listed, type Listed } from "./tasks";

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
