// The outline in pixels: the positions of rows and nodes, and the flask around them
// (DiffProf, OSDI 2018, Figure 3: an Erlenmeyer flask whose neck is the call path).

import { line as makeLine, curveBumpY } from "d3-shape";
import { difference, weight, Kind, Part, Status, type Flask } from "../flask";
import type { OutlineLine } from "./outline";

export const rowHeight = 30;

/** A Shape places the lines of an outline in columns of a given width. */
export interface Shape {
  /** lines in the neck */
  neck: number;
  /** pixels between the neck and the side's edge */
  inset: number;
  /** height of the shoulder between neck and body; 0 without a neck */
  shoulder: number;
  /** pixels by which a level is indented */
  indent: number;
  /** width of a side */
  width: number;
  height: number;
}

const bottom = 18;
const rim = 8;

export function shapeOf(lines: OutlineLine[], width: number): Shape {
  let neck = 0;
  let levels = 0;
  for (const l of lines) {
    if (l.kind === "node" && l.part === 0) neck++;
    levels = Math.max(levels, l.level);
  }
  const shoulder = neck > 0 ? 26 : 0;
  return {
    neck,
    inset: neck > 0 ? Math.min(Math.round(width * 0.1), 60) : 0,
    shoulder,
    // Names need some 240 pixels; the levels share the rest.
    indent: Math.max(5, Math.min(20, (width - 240) / Math.max(levels, 1))),
    width,
    height: rim + lines.length * rowHeight + shoulder + bottom,
  };
}

/** top is the upper edge of the line at index at. */
export const top = (s: Shape, at: number) => rim + at * rowHeight + (at >= s.neck ? s.shoulder : 0);

/** placesWithin returns the range of lines between two heights; its end is exclusive. */
export function placesWithin(s: Shape, count: number, from: number, to: number): [number, number] {
  const over = 4 * rowHeight;
  return [
    Math.max(0, Math.floor((from - s.shoulder - over) / rowHeight)),
    Math.min(count, Math.ceil((to + over) / rowHeight)),
  ];
}

/** nodeX is the centre of a line's node within its side. */
export const nodeX = (s: Shape, l: OutlineLine) => (l.kind === "node" && l.part === 0 ? s.inset : 0) + 26 + l.level * s.indent;

/** The smallest and the largest radius, and the radius in the neck, which does not show energy. */
const [least, largest, inNeck] = [1.75, 11, 4];

/** smallest is the share of the F-method's energy below which all circles have the same visible size. */
export const smallest = (least / largest) ** 2;

/** radius makes a node's area proportional to its energy. Circles of that size would not fit into the neck, so it has small ones. */
export const radius = (l: OutlineLine, nj: number, full: number) =>
  l.kind === "node" && l.part === 0 ? inNeck : Math.max(least, largest * Math.sqrt(Math.min(1, Math.max(0, nj) / Math.max(full, 1))));

/** edgeWidth grows with the number of calls. */
export const edgeWidth = (times: number) => 1 + Math.min(3, Math.log10(Math.max(1, times)) * 0.7);

/** heat is the strength of a node's fill, from 0 to 1. The more this side exceeds the other, the stronger it is. In a single run, the app's own code has the strongest fill. */
export function heat(f: Flask, row: number, side: "subject" | "reference"): number {
  if (f.single) return f.rows.kind[row] === Kind.App ? 0.9 : 0.25;
  const more = side === "subject" ? difference(f, row) : -difference(f, row);
  return 0.18 + 0.82 * Math.max(0, more / Math.max(weight(f, row), 1));
}

/** Shapes has the shapes of both sides. Their rows are at the same heights. */
export interface Shapes {
  subject: Shape;
  reference: Shape;
  /** the left edge of the reference's tree; 0 if both are drawn as one */
  across: number;
  /** widths of the columns: for two trees, the sides with the difference between them; for a joined tree, the tree and the reference's figures; for a single run, the tree */
  columns: readonly number[];
}

/** joined reports whether both trees are drawn as one. */
export const joined = (s: Shapes) => s.columns.length === 2;

/** If the window is narrower than apart, both trees are drawn as one, and the reference's figures have their own column. A tree narrower than leastTree scrolls. */
const [apart, figures, leastTree] = [470, 58, 200];

/** shapesOf gives both sides the same width. If the reference has no row below the neck, the subject also gets most of the reference's width. */
export function shapesOf(f: Flask, lines: OutlineLine[], width: number): Shapes {
  if (f.single || width < apart) {
    const shape = shapeOf(lines, Math.max(leastTree, width - (f.single ? 0 : figures)));
    return { subject: shape, reference: shape, across: 0, columns: f.single ? [shape.width] : [shape.width, figures] };
  }
  const gap = width < 580 ? 56 : width < 700 ? 88 : 112;
  const half = Math.floor((width - gap) / 2);
  const alone = f.method > 0 && f.rows.status.slice(f.method, f.end[f.method]).every((status) => status === Status.SubjectOnly);
  const there = alone ? Math.min(half, 230) : half;
  const here = 2 * half - there;
  return { subject: shapeOf(lines, here), reference: shapeOf(lines, there), across: here + gap, columns: [here, gap, there] };
}

/** link connects the two sides of a matched row. */
export function link({ subject, reference, across }: Shapes, l: OutlineLine, y: number): string {
  const inNeck = l.kind === "node" && l.part === Part.Path;
  return `M${subject.width - (inNeck ? subject.inset : 0)},${y} H${across + (inNeck ? reference.inset : 0)}`;
}

/**
 * silhouette is the flask's outline between two heights, as an SVG path. The rest of the
 * flask is not visible, so it is not drawn.
 */
export function silhouette(s: Shape, from: number, to: number): string {
  const w = s.width - 1;
  const neckEnd = rim + s.neck * rowHeight;
  const bodyStart = neckEnd + s.shoulder;
  const end = s.height - 6;
  const y0 = Math.max(1, from);
  const y1 = Math.min(end, to);
  if (s.neck === 0) return `M1,${y0} H${w} V${y1} H1 Z`;
  const shoulder = makeLine<[number, number]>().curve(curveBumpY);
  const lip = 7;
  let d: string;
  if (y0 < bodyStart) {
    // This draws rim, neck and shoulder, clockwise from the upper left.
    d = `M${s.inset - lip},1 H${w - s.inset + lip} q4,0 4,3 q0,3 -4,3 H${w - s.inset} V${neckEnd} `;
    d += shoulder([[w - s.inset, neckEnd], [w, bodyStart]])!.replace("M", "L");
  } else {
    d = `M1,${y0} H${w}`;
  }
  d += y1 >= end ? ` V${end - 16} q0,16 -16,16 H17 q-16,0 -16,-16` : ` V${y1} H1`;
  if (y0 < bodyStart) {
    d += ` V${bodyStart} ` + shoulder([[1, bodyStart], [s.inset, neckEnd]])!.replace("M", "L");
    d += ` V7 H${s.inset - lip} q-4,0 -4,-3 q0,-3 4,-3`;
  }
  return `${d} Z`;
}

/** pour draws the edge from a node of the neck to the F-method: down the neck, then along the shoulder. */
export function pour(s: Shape, x0: number, y0: number, x1: number, y1: number): string {
  const end = Math.max(y0, y1 - s.shoulder - rowHeight);
  return `M${x0},${y0} V${end} ` + makeLine<[number, number]>().curve(curveBumpY)([[x0, end], [x1, y1]])!.replace("M", "L");
}

/** elbow draws the edge between two nodes of the body, or of the neck: down from the upper node, then across to the lower one. */
export function elbow(x0: number, y0: number, x1: number, y1: number): string {
  if (x0 === x1) return `M${x0},${y0} V${y1}`;
  const r = Math.min(6, Math.abs(x1 - x0), Math.abs(y1 - y0));
  return `M${x0},${y0} V${y1 - r} q0,${r} ${r},${r} H${x1}`;
}
