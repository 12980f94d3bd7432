// The flask as an outline: which rows are shown, one below the other, the neck
// first. Both sides share the rows, which is what aligns them.

import { children, hasReference, hasSubject, referenceEnergy, subjectEnergy, tally, weight, Part, type Flask } from "../flask";
import type { Folds } from "../state";

/** Branches below this share of the F-method's energy are cheap: folded into one line with a count. */
export const cheapShare = 0.01;

/** A row opens by itself down to this share of the F-method's energy. */
export const openShare = 0.04;

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

/** A CheapLine stands for the cheap branches of a row, and for what is left out of the data below it. */
export interface CheapLine {
  kind: "cheap";
  /** the row that they hang under */
  row: number;
  level: number;
  /** branches that the line unfolds to; 0 if all are left out of the data */
  branches: number;
  /** rows in those branches, and left out below this row */
  rows: number;
  subjectNJ: number;
  referenceNJ: number;
  /** whether the branches are listed above it */
  shown: boolean;
}

export type OutlineLine = NodeLine | CheapLine;

/** outline lists the lines that are to be shown, in order. */
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
  // What is still to be listed, last first: rows, and the cheap lines behind them.
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

/** unfolded adds to folds what it takes for a row to be listed. */
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

/** An Edge joins two lines on one side, by their places in the outline. */
export interface Edge {
  from: number;
  to: number;
  /** how often the callee ran, 0 where that is not known */
  times: number;
}

/**
 * edges lists the edges of one side: from each line that the side has a node in to
 * the nearest line above it in the tree that it also has one in.
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
