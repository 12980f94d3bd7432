// Tables as CSV (RFC 4180), for other programs. Energies are whole nanojoules, and no figure
// is rounded.

import type { MethodListJSON, Report } from "./model";
import { nameOf } from "./names";
import { likely, type Line } from "./tasks";
import { owners } from "./top";
import { placeOf } from "./where";

type Cell = string | number | null | undefined;

/** csv writes a table. Its first row is the heading. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** cell writes a value. Spreadsheets run a text that looks like a formula, and a name may look like one. Such a text gets an apostrophe. */
function cell(value: Cell): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** tasksCSV is the list of tasks and app code, with its current filter and order. */
export function tasksCSV(report: Report, lines: readonly Line[]): string {
  const count = report.counts || "calls";
  const numbers = new Map(report.tasks.map((t, i) => [t.id, i + 1]));
  const rows: Cell[][] = [[
    "number", "kind", "verdict", "method", "label", "caller", "place", "hereNJ", "thereNJ", "savingNJ", "ownNJ", count, `${count}There`,
    "likely", "counterpart", "inside", "threads", "path", "id", "suspect", "counts", "whyNot",
  ]];
  for (const line of lines) {
    if ("heading" in line) continue;
    const { task: t, number, code } = line;
    const caller = t.callers[0]?.own ?? t.callers[0];
    const other = t.peer ?? t.perhaps;
    const times = (x: { calls: number | null; samples: number | null } | null) => x && (report.counts === "samples" ? x.samples : x.calls);
    rows.push([
      number, code ? `app ${code.kind}` : "task", t.verdict, nameOf(t.method).short, t.method, caller ? nameOf(caller.method).short : "", caller ? placeOf(caller) : "",
      t.energyNJ, other?.energyNJ, t.savingNJ, t.ownNJ, times(t), times(t.peer), likely(t), other?.method,
      t.inside ? numbers.get(t.inside) : null, t.threads.join("; "), t.path.join(" > "), t.id, t.suspect?.message, String(t.counts), t.whyNotMessage,
    ]);
  }
  return csv(rows);
}

/** methodsCSV is the table of methods, with its current filter and order. */
export function methodsCSV(list: MethodListJSON, rows: readonly number[], single: boolean): string {
  const { subjectSelfNJ, subjectNJ, subjectTimes, referenceSelfNJ, referenceNJ, referenceTimes } = list;
  const columns: [name: string, of: (i: number) => Cell][] = [
    ["method", (i) => nameOf(list.labels[i]!).short], ["label", (i) => list.labels[i]], ["owner", (i) => owners[list.owner[i]!]],
    ["selfNJ", (i) => subjectSelfNJ[i]], ["allNJ", (i) => subjectNJ[i]], ["times", (i) => subjectTimes[i]],
  ];
  if (!single) columns.push(["selfThereNJ", (i) => referenceSelfNJ[i]], ["allThereNJ", (i) => referenceNJ[i]], ["timesThere", (i) => referenceTimes[i]]);
  return csv([columns.map(([name]) => name), ...rows.map((i) => columns.map(([, of]) => of(i)))]);
}
