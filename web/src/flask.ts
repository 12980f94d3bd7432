// A Flask is the aligned tree of a task, or of the whole run, ready to be walked:
// rows in preorder, so that a subtree is a range of rows and nothing recurses.

import { supportedSchema, type Clock, type Counts, type FlaskJSON, type SourceJSON } from "./model";
import { apart, learnFlask } from "./names";

/** Status says which sides a row stands for. */
export const enum Status {
  Matched = 0,
  Relabelled = 1,
  SubjectOnly = 2,
  ReferenceOnly = 3,
}

/** Part says where in the flask a row lies (DiffProf, OSDI 2018, Section 3.2). */
export const enum Part {
  Path = 0,
  Method = 1,
  Subtree = 2,
}

/** Kind says whose code a row's method is. */
export const enum Kind {
  Toplevel = 0,
  Framework = 1,
  App = 2,
}

/** A Source is an original method that became part of a row. */
export interface Source {
  method: string;
  file: string;
  line: number;
  /** null where calls are not counted */
  calls: number | null;
}

export interface Flask {
  readonly task: string;
  /** the main cause of the task's saving, and the row that shows it, -1 if no row does; null without a cause */
  readonly why: { text: string; row: number } | null;
  readonly clocks: { subject: Clock; reference: Clock };
  /** counts names the figures of tallies. */
  readonly counts: Counts;
  /** tallies say how often each row ran; null on a side that does not tell. */
  readonly tallies: { subject: number[] | null; reference: number[] | null };
  readonly size: number;
  /** whether there is one run alone: then all rows are the subject's */
  readonly single: boolean;
  readonly rows: FlaskJSON["rows"];
  readonly labels: string[];
  /** apart has what tells labels from others with the same short name. */
  readonly apart: ReadonlyMap<string, string>;
  readonly files: string[];
  /** end[i] is the row after the last row of i's subtree. */
  readonly end: Int32Array;
  /** depth[i] counts the rows above i. */
  readonly depth: Int32Array;
  /** method is the row of the F-method, 0 in the flask of a whole run. */
  readonly method: number;
}

/**
 * readFlask checks a flask and indexes it. It throws an Error that says what is
 * wrong: the program that wrote the flask may be of another version.
 */
export function readFlask(json: FlaskJSON): Flask {
  if (json?.schemaVersion !== supportedSchema) {
    throw new Error(`the flask has schemaVersion ${String(json?.schemaVersion)}; this view reads ${supportedSchema}`);
  }
  const { rows, labels, files } = json;
  const size = rows.parent.length;
  if (size === 0) throw new Error("the flask has no rows");
  for (const [name, column] of Object.entries(rows)) {
    if (column && column.length !== size) throw new Error(`the flask's column ${name} has ${column.length} rows, parent has ${size}`);
  }
  const end = new Int32Array(size);
  const depth = new Int32Array(size);
  let method = 0;
  const open: number[] = [];
  for (let i = 0; i < size; i++) {
    const parent = rows.parent[i];
    while (open.length > 0 && open[open.length - 1] !== parent) end[open.pop()!] = i;
    if (i === 0 ? parent !== -1 : open.length === 0) throw new Error(`the flask's row ${i} is not in preorder`);
    if (!(rows.label[i] in labels)) throw new Error(`the flask's row ${i} has no label`);
    depth[i] = open.length;
    open.push(i);
    if (rows.part[i] === Part.Method) method = i;
  }
  for (const i of open) end[i] = size;
  const tallies = json.counts === "calls" ? { subject: rows.subjectCalls, reference: rows.referenceCalls } : { subject: rows.subjectSamples, reference: rows.referenceSamples };
  learnFlask(labels, json.methods);
  const f = { task: json.task, counts: json.counts, tallies, clocks: { subject: json.subjectTime, reference: json.referenceTime }, size, rows, labels, apart: apart(labels, json.methods), single: json.single ?? false, files, end, depth, method };
  const why = json.why ? { text: json.why.text, row: rowNear(f, [{ subject: json.why.subjectNode, reference: json.why.referenceNode }]) } : null;
  return { ...f, why };
}

/** tally is how often a row ran on a side; 0 where that is not known. */
export const tally = (f: Flask, i: number, side: "subject" | "reference") => Math.max(0, f.tallies[side]?.[i] ?? 0);

/** children lists the rows directly below i. */
export function children(f: Flask, i: number): number[] {
  const out: number[] = [];
  for (let c = i + 1; c < f.end[i]; c = f.end[c]) out.push(c);
  return out;
}

/** hasSubject and hasReference say whether a side has a node in row i. */
export const hasSubject = (f: Flask, i: number) => f.rows.status[i] !== Status.ReferenceOnly;
export const hasReference = (f: Flask, i: number) => f.rows.status[i] !== Status.SubjectOnly;

/** subjectEnergy and referenceEnergy are inclusive nanojoules, 0 where the side has no node. */
export const subjectEnergy = (f: Flask, i: number) => Math.max(0, f.rows.subjectNJ[i]);
export const referenceEnergy = (f: Flask, i: number) => Math.max(0, f.rows.referenceNJ[i]);

/** weight is the larger of a row's two energies. */
export const weight = (f: Flask, i: number) => Math.max(f.rows.subjectNJ[i], f.rows.referenceNJ[i], 0);

/** difference is how much more the subject's side drains; negative if it drains less. */
export const difference = (f: Flask, i: number) => subjectEnergy(f, i) - referenceEnergy(f, i);

/** subjectLabel is the row's label in the subject, or in the reference if only that has a node. */
export const subjectLabel = (f: Flask, i: number) => f.labels[f.rows.label[i]];

/** referenceLabel is the reference's name for a row. */
export const referenceLabel = (f: Flask, i: number) => {
  const own = f.rows.referenceLabel[i];
  return own >= 0 ? f.labels[own] : f.labels[f.rows.label[i]];
};

/** sources lists the original methods that became a row's node on one side, if they have other names or are several. */
export function sources(f: Flask, i: number, side: "subject" | "reference"): Source[] {
  const list: SourceJSON[] = side === "subject" ? f.rows.sources[i] : f.rows.referenceSources[i];
  return list.map(([label, file, line, calls]) => ({
    method: f.labels[label] ?? "",
    file: f.files[file] ?? "",
    line,
    calls,
  }));
}

/** ancestors lists the rows from the root to i, both included. */
export function ancestors(f: Flask, i: number): number[] {
  const out: number[] = [];
  for (let v = i; v >= 0; v = f.rows.parent[v]) out.push(v);
  return out.reverse();
}

/** A Place names a row in any flask of a comparison by its nodes; -1 stands for no node. */
export interface Place {
  subject: number;
  reference: number;
}

/** placesOf lists the places of a row and of the rows above it, the row's own first. */
export function placesOf(f: Flask, i: number): Place[] {
  return ancestors(f, i).reverse().map((v) => ({ subject: f.rows.subjectNode[v], reference: f.rows.referenceNode[v] }));
}

/** rowNear finds the row of the first place that is in the flask; -1 if none is. */
export function rowNear(f: Pick<Flask, "rows" | "size">, places: Place[]): number {
  const { subjectNode, referenceNode } = f.rows;
  let row = -1;
  let best = places.length;
  const subjects = new Map(places.map((p, k) => [p.subject, k]));
  const references = new Map(places.map((p, k) => [p.reference, k]));
  subjects.delete(-1);
  references.delete(-1);
  for (let i = 0; i < f.size; i++) {
    const k = subjects.get(subjectNode[i]) ?? references.get(referenceNode[i]) ?? places.length;
    if (k < best) {
      best = k;
      row = i;
    }
  }
  return row;
}
