// A Flask is the aligned tree of a task, or of the whole run. Its rows are in preorder,
// so a subtree is a range of rows and no walk recurses.

import { supportedSchema, type Clock, type Counts, type FlaskJSON, type SourceJSON } from "./model";
import { apart, learnFlask } from "./names";

/** Status is the set of sides that have a row. */
export const enum Status {
  Matched = 0,
  Relabelled = 1,
  SubjectOnly = 2,
  ReferenceOnly = 3,
}

/** Part is the part of the flask that a row belongs to (DiffProf, OSDI 2018, Section 3.2). */
export const enum Part {
  Path = 0,
  Method = 1,
  Subtree = 2,
}

/** Kind is the owner of a row's method. */
export const enum Kind {
  Toplevel = 0,
  Framework = 1,
  App = 2,
}

/** A Source is an original method that was merged into a row. */
export interface Source {
  method: string;
  file: string;
  line: number;
  /** null where calls are not counted */
  calls: number | null;
}

export interface Flask {
  readonly task: string;
  /** the main cause of the task's saving, and its row, -1 if it has none; null without a cause */
  readonly why: { text: string; row: number } | null;
  readonly clocks: { subject: Clock; reference: Clock };
  /** counts is what tallies counts: calls or samples. */
  readonly counts: Counts;
  /** tallies has how often each row ran; null on a side without counts. */
  readonly tallies: { subject: number[] | null; reference: number[] | null };
  readonly size: number;
  /** true for a single run: then all rows are the subject's */
  readonly single: boolean;
  readonly rows: FlaskJSON["rows"];
  readonly labels: string[];
  /** apart distinguishes labels with the same short name. */
  readonly apart: ReadonlyMap<string, string>;
  readonly files: string[];
  /** end[i] is the first row after the subtree of i. */
  readonly end: Int32Array;
  /** depth[i] is the number of ancestors of i. */
  readonly depth: Int32Array;
  /** method is the row of the F-method, 0 in the flask of a whole run. */
  readonly method: number;
}

/**
 * readFlask checks and indexes a flask. It throws an Error with the cause if the flask
 * is malformed: another version of the program may have written it.
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

/** tally returns how often a row ran on a side. It returns 0 if unknown. */
export const tally = (f: Flask, i: number, side: "subject" | "reference") => Math.max(0, f.tallies[side]?.[i] ?? 0);

/** children lists the rows directly below i. */
export function children(f: Flask, i: number): number[] {
  const out: number[] = [];
  for (let c = i + 1; c < f.end[i]; c = f.end[c]) out.push(c);
  return out;
}

/** hasSubject and hasReference report whether a side has a node in row i. */
export const hasSubject = (f: Flask, i: number) => f.rows.status[i] !== Status.ReferenceOnly;
export const hasReference = (f: Flask, i: number) => f.rows.status[i] !== Status.SubjectOnly;

/** subjectEnergy and referenceEnergy are inclusive nanojoules; 0 where the side has no node. */
export const subjectEnergy = (f: Flask, i: number) => Math.max(0, f.rows.subjectNJ[i]);
export const referenceEnergy = (f: Flask, i: number) => Math.max(0, f.rows.referenceNJ[i]);

/** weight is the larger of a row's two energies. */
export const weight = (f: Flask, i: number) => Math.max(f.rows.subjectNJ[i], f.rows.referenceNJ[i], 0);

/** difference is the subject's energy minus the reference's. */
export const difference = (f: Flask, i: number) => subjectEnergy(f, i) - referenceEnergy(f, i);

/** subjectLabel is the row's label in the subject. A row without a node there has the reference's label. */
export const subjectLabel = (f: Flask, i: number) => f.labels[f.rows.label[i]];

/** referenceLabel is the reference's name for a row. */
export const referenceLabel = (f: Flask, i: number) => {
  const own = f.rows.referenceLabel[i];
  return own >= 0 ? f.labels[own] : f.labels[f.rows.label[i]];
};

/** sources lists the original methods that were merged into a row's node on one side. It is empty if there is only one, of the same name. */
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

/** A Place identifies a row in any flask of a comparison by its nodes; -1 means no node. */
export interface Place {
  subject: number;
  reference: number;
}

/** placesOf lists the places of a row and of its ancestors, its own first. */
export function placesOf(f: Flask, i: number): Place[] {
  return ancestors(f, i).reverse().map((v) => ({ subject: f.rows.subjectNode[v], reference: f.rows.referenceNode[v] }));
}

/** rowNear finds the row of the first of the places that the flask contains; -1 if it contains none of them. */
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
