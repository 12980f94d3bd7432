// The whole run as one icicle of both trees. Each row has one place with two bars, the
// subject's above the reference's. Both start at the same left edge and have the same
// scale. Matched methods share a place, even if their names differ.

import { weight, type Flask } from "../flask";

/** An Icicle has the place of each row on an axis of nanojoules. */
export interface Icicle {
  readonly flask: Flask;
  /** left edge and width of each row's place */
  readonly left: Float64Array;
  readonly width: Float64Array;
  /** lengths of its two bars, at most width */
  readonly subject: Float64Array;
  readonly reference: Float64Array;
  /** first child and next sibling, widest first; -1 if none */
  readonly child: Int32Array;
  readonly next: Int32Array;
  /** the number of a row and the siblings after it */
  readonly rest: Int32Array;
  /** the right edge of the last child; the row's own left edge if it has none */
  readonly filled: Float64Array;
  /** the width of the callees of a row that the data omits; their place is after the row's last child */
  readonly leftOut: Float64Array;
  readonly total: number;
  readonly levels: number;
}

/**
 * energyIcicle makes each place as wide as the larger of its two inclusive energies, or wider if
 * the places below it are wider together. The bars are inclusive energies.
 */
export function energyIcicle(f: Flask): Icicle {
  const width = new Float64Array(f.size);
  const subject = new Float64Array(f.size);
  const reference = new Float64Array(f.size);
  const leftOut = new Float64Array(f.size);
  const { subjectSelfNJ, referenceSelfNJ, prunedSubjectNJ, prunedReferenceNJ, parent } = f.rows;
  for (let i = f.size - 1; i >= 0; i--) {
    leftOut[i] = Math.max(prunedSubjectNJ[i], prunedReferenceNJ[i], 0);
    const own = Math.max(subjectSelfNJ[i], referenceSelfNJ[i], 0) + leftOut[i];
    width[i] = Math.max(weight(f, i), width[i] + own);
    if (i > 0) width[parent[i]] += width[i];
    subject[i] = Math.max(0, f.rows.subjectNJ[i]);
    reference[i] = Math.max(0, f.rows.referenceNJ[i]);
  }
  return place(f, width, subject, reference, leftOut);
}

/**
 * differenceIcicle shows only differences. For each row, it compares the energy that the row uses by
 * itself on both sides. The subject's bar is the sum of the amounts by which the row and those below
 * it use more in the subject. The reference's bar is the sum for the reference. A place is as wide as
 * both bars together.
 */
export function differenceIcicle(f: Flask): Icicle {
  const width = new Float64Array(f.size);
  const subject = new Float64Array(f.size);
  const reference = new Float64Array(f.size);
  const { subjectSelfNJ, referenceSelfNJ, prunedSubjectNJ, prunedReferenceNJ, parent } = f.rows;
  const leftOut = new Float64Array(f.size);
  for (let i = f.size - 1; i >= 0; i--) {
    const self = Math.max(0, subjectSelfNJ[i]) - Math.max(0, referenceSelfNJ[i]);
    const pruned = prunedSubjectNJ[i] - prunedReferenceNJ[i];
    leftOut[i] = Math.abs(pruned);
    subject[i] += Math.max(0, self) + Math.max(0, pruned);
    reference[i] += Math.max(0, -self) + Math.max(0, -pruned);
    width[i] = subject[i] + reference[i];
    if (i > 0) {
      subject[parent[i]] += subject[i];
      reference[parent[i]] += reference[i];
    }
  }
  return place(f, width, subject, reference, leftOut);
}

function place(f: Flask, width: Float64Array, subject: Float64Array, reference: Float64Array, leftOut: Float64Array): Icicle {
  const left = new Float64Array(f.size);
  const child = new Int32Array(f.size).fill(-1);
  const next = new Int32Array(f.size).fill(-1);
  const rest = new Int32Array(f.size).fill(1);
  const filled = new Float64Array(f.size);
  let levels = 0;
  const list: number[] = [];
  for (let i = 0; i < f.size; i++) {
    if (width[i] > 0) levels = Math.max(levels, f.depth[i] + 1);
    list.length = 0;
    for (let c = i + 1; c < f.end[i]; c = f.end[c]) if (width[c] > 0) list.push(c);
    if (list.length > 1) list.sort((a, b) => width[b] - width[a] || a - b);
    let at = left[i];
    let before = -1;
    list.forEach((c, k) => {
      left[c] = at;
      at += width[c];
      rest[c] = list.length - k;
      if (before < 0) child[i] = c;
      else next[before] = c;
      before = c;
    });
    filled[i] = at;
  }
  return { flask: f, left, width, subject, reference, child, next, rest, filled, leftOut, total: width[0], levels };
}

/** A Window is the visible part of an icicle. */
export interface Window {
  /** nanojoules at the left and right edge */
  from: number;
  to: number;
  /** pixels scrolled down */
  top: number;
}

/**
 * visible calls visit for each row with a place in the window, parents first. It omits rows
 * narrower than least pixels, with all rows below them. For adjacent omitted siblings it calls gap
 * once with their number. It also calls gap for rows that the data omits.
 */
export function visible(
  icicle: Icicle,
  window: Window,
  size: { width: number; height: number; level: number; least: number },
  visit: (row: number, x: number, y: number, scale: number) => void,
  gap: (rows: number, why: "narrow" | "left out", x: number, y: number, right: number) => void = () => {},
): void {
  const scale = size.width / (window.to - window.from);
  const least = size.least / scale;
  const stack = icicle.total > 0 ? [0] : [];
  while (stack.length > 0) {
    let row = stack.pop()!;
    for (; row >= 0; row = icicle.next[row]) {
      const { left, width, flask, child } = icicle;
      // Siblings are sorted by width, so all others are narrower still.
      if (left[row] >= window.to) break;
      const y = flask.depth[row] * size.level - window.top;
      if (y >= size.height) break;
      if (width[row] < least) {
        const end = icicle.filled[flask.rows.parent[row]];
        if (end > window.from && y + size.level > 0) gap(icicle.rest[row], "narrow", (left[row] - window.from) * scale, y, (end - window.from) * scale);
        break;
      }
      if (left[row] + width[row] <= window.from) continue;
      if (y + size.level > 0) visit(row, (left[row] - window.from) * scale, y, scale);
      const end = icicle.filled[row];
      if (icicle.leftOut[row] > 0 && y + size.level < size.height) gap(flask.rows.pruned[row], "left out", (end - window.from) * scale, y + size.level, (end + icicle.leftOut[row] - window.from) * scale);
      if (child[row] >= 0) stack.push(child[row]);
    }
  }
}

/** rowAt finds the row at a point; -1 for none. */
export function rowAt(icicle: Icicle, window: Window, size: { width: number; level: number }, x: number, y: number): number {
  const at = window.from + (x / size.width) * (window.to - window.from);
  const level = Math.floor((y + window.top) / size.level);
  let row = icicle.total > 0 && at >= 0 && at < icicle.total ? 0 : -1;
  while (row >= 0 && icicle.flask.depth[row] < level) {
    let c = icicle.child[row];
    while (c >= 0 && at >= icicle.left[c] + icicle.width[c]) c = icicle.next[c];
    row = c >= 0 && at >= icicle.left[c] ? c : -1;
  }
  return level >= 0 ? row : -1;
}

/** clamp keeps a window inside the icicle, and limits its zoom. */
export function clamp(icicle: Icicle, window: Window, heightLeft: number): Window {
  const total = Math.max(icicle.total, 1);
  const span = Math.min(Math.max(window.to - window.from, total * 1e-7), total);
  const from = Math.min(Math.max(window.from, 0), total - span);
  return { from, to: from + span, top: Math.min(Math.max(window.top, 0), Math.max(heightLeft, 0)) };
}

/** zoomed narrows or widens a window around a point, given as a share of the width. */
export function zoomed(window: Window, at: number, factor: number): Window {
  const span = (window.to - window.from) * factor;
  const centre = window.from + at * (window.to - window.from);
  return { ...window, from: centre - at * span, to: centre + (1 - at) * span };
}

/** neighbour finds the row that an arrow key leads to, or the row itself. */
export function neighbour(icicle: Icicle, row: number, key: "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight"): number {
  const parent = icicle.flask.rows.parent[row];
  switch (key) {
    case "ArrowUp":
      return parent >= 0 ? parent : row;
    case "ArrowDown":
      return icicle.child[row] >= 0 ? icicle.child[row] : row;
    case "ArrowRight":
      return icicle.next[row] >= 0 ? icicle.next[row] : row;
    case "ArrowLeft": {
      if (parent < 0) return row;
      let c = icicle.child[parent];
      while (c >= 0 && icicle.next[c] !== row) c = icicle.next[c];
      return c >= 0 ? c : row;
    }
  }
}
