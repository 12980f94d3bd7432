// The list of recent pairs of traces: newest first, each pair once.

export interface Run {
  subject: string;
  reference: string;
  /** when the pair was last compared, in milliseconds since 1970 */
  when: number;
  alpha: number;
  /** the result of the comparison: the number of findings, and the first sentence; absent in lists of older versions */
  findings?: number;
  sentence?: string;
}

const most = 20;

export function same(a: Partial<Run>, b: Partial<Run>): boolean {
  return a.subject === b.subject && a.reference === b.reference;
}

export function remember(runs: readonly Run[], run: Run): Run[] {
  return [run, ...runs.filter((r) => !same(r, run))].slice(0, most);
}

export function forget(runs: readonly Run[], run: Pick<Run, "subject" | "reference">): Run[] {
  return runs.filter((r) => !same(r, run));
}

/** valid keeps only valid runs: another version may have stored the list. */
export function valid(stored: unknown): Run[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (r): r is Run =>
      typeof r === "object" && r !== null && typeof r.subject === "string" && typeof r.reference === "string" &&
      ["when", "alpha"].every((k) => typeof r[k] === "number") &&
      (r.findings === undefined || typeof r.findings === "number") && (r.sentence === undefined || typeof r.sentence === "string"),
  );
}
