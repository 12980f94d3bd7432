// The flask as an outline: which rows are shown, one below the other, the neck
// first. Both sides share the rows, so they are aligned.

import { children, hasReference, hasSubject, referenceEnergy, subjectEnergy, tally, weight, Part, type Flask } from "../flask";

/** Branches below this share of the F-method's energy are cheap: folded into one line with a count. */
export const cheapShare = 0.01;

/** A row opens by itself down to this share of the F-method's energy. */
export const openShare = 0.04;

/** Folds are the reader's changes to which rows an outline shows. */
export interface Folds {
  /** rows opened (true) or closed (false) by hand */
  open: ReadonlyMap<number, boolean>;
  /** rows whose cheap branches are listed */
  cheap: ReadonlySet<number>;
}

export const noFolds: Folds = { open: new Map(), cheap: new Set() };

/** A NodeLine shows a row of the flask. */
export interface NodeLine {
  kind: "node";
  row: number;
  part: Part;
  /** how far below the F-method; 0 in the neck */
  level: number;
  foldable: boolean;
  open: boolean;
  /** rows below that are not listed because this one is closed */
  hidden: number;
}

/** A CheapLine stands for the cheap branches of a row, and for the rows below it that the data leaves out. */
export interface CheapLine {
  kind: "cheap";
  /** the row whose branches they are */
  row: number;
  level: number;
  /** branches that the line unfolds to; 0 if all are left out of the data */
  branches: number;
  /** rows in those branches, and rows below that the data leaves out */
  rows: number;
  subjectNJ: number;
  referenceNJ: number;
  /** whether the branches are listed above it */
  shown: boolean;
}

export type OutlineLine = NodeLine | CheapLine;

/** outline lists the lines to show, in order. */
export function outline(f: Flask, folds: Folds): OutlineLine[] {
  const out: OutlineLine[] = [];
  const full = Math.max(weight(f, f.method), 1);
  // The two paths may differ: then the neck branches, and the flask's body lies
  // between its parts in preorder. Neck rows come first all the same.
  for (let i = 0; i < f.size; i++) {
    if (i === f.method) i = f.end[i] - 1;
    else if (f.rows.part[i] === Part.Path) {
      out.push({ kind: "node", row: i, part: Part.Path, level: 0, foldable: false, open: true, hidden: 0 });
    }
  }
  const base = f.depth[f.method];
  // The lines that are still to be listed, the next one last: rows, and cheap lines
  // after the rows that they follow.
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
    // Siblings come dearest first, but for those that another depends on.
    const list = children(f, next);
    const dear = list.filter((c) => weight(f, c) >= cheapShare * full);
    let rest = list.filter((c) => weight(f, c) < cheapShare * full);
    // One cheap branch is as short as the line that would stand for it.
    if (rest.length === 1) {
      dear.push(rest[0]);
      rest = [];
    }
    const cheap = cheapLine(f, next, level + 1, rest, folds.cheap.has(next));
    if (cheap) todo.push(cheap);
    const listed = cheap?.shown ? [...dear, ...rest] : dear;
    for (let i = listed.length - 1; i >= 0; i--) todo.push(listed[i]);
  }
  return out;
}

/** unfolded returns folds with which the outline also lists a row. */
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

/** An Edge joins two lines on one side. from and to are indices into the outline. */
export interface Edge {
  from: number;
  to: number;
  /** how often the callee ran, 0 where that is not known */
  times: number;
}

/**
 * edges lists the edges of one side. Each line in which the side has a node is joined
 * to the nearest line above it in the tree in which the side also has a node.
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
    // In the neck a side's nodes form one chain, whichever rows they share.
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
