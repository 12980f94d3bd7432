// The flask as an outline: a list of rows, the neck first. Both sides share the rows, so
// they are aligned.

import { children, hasReference, hasSubject, referenceEnergy, subjectEnergy, tally, weight, Part, type Flask } from "../flask";

/** A branch below this share of the F-method's energy is cheap. One line with a count replaces the cheap branches of a row. */
export const cheapShare = 0.01;

/** Rows with at least this share of the F-method's energy are open at first. */
export const openShare = 0.04;

/** Folds are the reader's changes to the set of rows in an outline. */
export interface Folds {
  /** rows opened (true) or closed (false) by hand */
  open: ReadonlyMap<number, boolean>;
  /** rows with their cheap branches listed */
  cheap: ReadonlySet<number>;
}

export const noFolds: Folds = { open: new Map(), cheap: new Set() };

/** A NodeLine shows a row of the flask. */
export interface NodeLine {
  kind: "node";
  row: number;
  part: Part;
  /** levels below the F-method; 0 in the neck */
  level: number;
  foldable: boolean;
  open: boolean;
  /** the number of rows below that are not listed because this one is closed */
  hidden: number;
}

/** A CheapLine replaces the cheap branches of a row, and the callees that the data omits. */
export interface CheapLine {
  kind: "cheap";
  /** the parent of the branches */
  row: number;
  level: number;
  /** the number of branches that it unfolds to; 0 if the data omits all of them */
  branches: number;
  /** the number of rows in these branches, with the rows that the data omits */
  rows: number;
  subjectNJ: number;
  referenceNJ: number;
  /** whether the branches are listed, above this line */
  shown: boolean;
}

export type OutlineLine = NodeLine | CheapLine;

/** outline lists the lines to show, in order. */
export function outline(f: Flask, folds: Folds): OutlineLine[] {
  const out: OutlineLine[] = [];
  const full = Math.max(weight(f, f.method), 1);
  // If the two paths differ, the neck branches, and in preorder its second part comes after the
  // flask's body. List all rows of the neck first.
  for (let i = 0; i < f.size; i++) {
    if (i === f.method) i = f.end[i] - 1;
    else if (f.rows.part[i] === Part.Path) {
      out.push({ kind: "node", row: i, part: Part.Path, level: 0, foldable: false, open: true, hidden: 0 });
    }
  }
  const base = f.depth[f.method];
  // A stack of the lines to list: rows and cheap lines. The next line is the last element.
  const todo: (number | CheapLine)[] = [f.method];
  while (todo.length > 0) {
    const next = todo.pop()!;
    if (typeof next !== "number") {
      out.push(next);
      continue;
    }
    const below = f.end[next] - next - 1;
    const foldable = below > 0;
    const open = foldable && (folds.open.get(next) ?? (next === f.method || weight(f, next) >= openShare * full));
    const level = f.depth[next] - base;
    const hidden = open ? 0 : below + f.rows.pruned[next];
    out.push({ kind: "node", row: next, part: f.rows.part[next], level, foldable, open, hidden });
    if (!open) continue;
    // In the data, siblings are mostly sorted by energy, but a cheap sibling may come before a
    // costly one.
    const list = children(f, next);
    const costly = list.filter((c) => weight(f, c) >= cheapShare * full);
    let rest = list.filter((c) => weight(f, c) < cheapShare * full);
    // A single cheap branch is listed itself, because a cheap line takes as much space.
    if (rest.length === 1) {
      costly.push(rest[0]);
      rest = [];
    }
    const cheap = cheapLine(f, next, level + 1, rest, folds.cheap.has(next));
    if (cheap) todo.push(cheap);
    const listed = cheap?.shown ? [...costly, ...rest] : costly;
    for (let i = listed.length - 1; i >= 0; i--) todo.push(listed[i]);
  }
  return out;
}

/** unfolded returns folds that make the outline list a row. */
export function unfolded(f: Flask, folds: Folds, row: number): Folds {
  const full = Math.max(weight(f, f.method), 1);
  const open = new Map(folds.open);
  const cheap = new Set(folds.cheap);
  const { parent } = f.rows;
  for (let v = row; v > f.method && parent[v] >= 0; v = parent[v]) {
    open.set(parent[v], true);
    if (weight(f, v) < cheapShare * full) cheap.add(parent[v]);
  }
  return { open, cheap };
}

function cheapLine(f: Flask, row: number, level: number, branches: number[], shown: boolean): CheapLine | null {
  const pruned = f.rows.pruned[row];
  if (branches.length === 0 && pruned === 0) return null;
  let rows = pruned;
  let subjectNJ = f.rows.prunedSubjectNJ[row];
  let referenceNJ = f.rows.prunedReferenceNJ[row];
  for (const b of branches) {
    rows += f.end[b] - b;
    subjectNJ += subjectEnergy(f, b);
    referenceNJ += referenceEnergy(f, b);
  }
  return { kind: "cheap", row, level, branches: branches.length, rows, subjectNJ, referenceNJ, shown };
}

/** An Edge connects two lines on one side. from and to are indices into the outline. */
export interface Edge {
  from: number;
  to: number;
  /** how often the callee ran, 0 if unknown */
  times: number;
}

/**
 * edges lists the edges of one side. They connect each line with a node on that side to
 * the nearest ancestor's line with a node on that side.
 */
export function edges(f: Flask, lines: OutlineLine[], side: "subject" | "reference"): Edge[] {
  const has = side === "subject" ? hasSubject : hasReference;
  const up = side === "subject" ? f.rows.parent : f.rows.referenceParent;
  const place = new Map<number, number>();
  const out: Edge[] = [];
  let neck = -1;
  lines.forEach((line, at) => {
    if (line.kind !== "node" || !has(f, line.row)) return;
    place.set(line.row, at);
    // In the neck the nodes of a side form one chain.
    if (line.part === Part.Path || line.row === f.method) {
      if (neck >= 0) out.push({ from: neck, to: at, times: tally(f, line.row, side) });
      neck = at;
      return;
    }
    let above = up[line.row];
    while (above >= 0 && !place.has(above)) above = up[above];
    if (above >= 0) out.push({ from: place.get(above)!, to: at, times: tally(f, line.row, side) });
  });
  return out;
}
