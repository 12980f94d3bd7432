// A flask as a picture to save: the outline with its names and figures.

import { hasReference, hasSubject, referenceEnergy, referenceLabel, subjectEnergy, subjectLabel, tally, weight, Kind, Part, Status, type Flask } from "../flask";
import { edges, type OutlineLine } from "../layout/outline";
import { elbow, edgeWidth, heat, link, nodeX, pour, radius, rowHeight, shapeOf, silhouette, top } from "../layout/shape";
import { halves } from "../names";
import { fitName, type Pen } from "../pen";
import { amount, change, count, grouped, type Unit } from "../units";
import type { Picture } from "./export";
import { resolve } from "./paint";

/** The width of a side and of the gap, and the height of the heading, in pixels. */
const [side, gap, heading] = [460, 112, 40];

/** mostLines is the largest number of lines in a picture. */
const mostLines = 1_000;

/** flaskPicture draws the lines of an outline below the names of both sides. It reads the style sheet's colours from element. */
export function flaskPicture(element: HTMLElement, f: Flask, all: OutlineLine[], names: readonly [string, string], unit: Unit): Picture {
  const lines = all.slice(0, mostLines);
  const shape = shapeOf(lines, side);
  const shapes = { subject: shape, reference: shape, across: side + gap, columns: [side, gap, side] };
  const c = resolve(element, ["background", "ink", "dim", "line", "edge", "here", "there", "here-tint", "there-tint"] as const);
  const family = getComputedStyle(element).fontFamily;
  const font = `13px ${family}`;
  const small = `11px ${family}`;
  const width = 2 * side + gap;
  const full = Math.max(weight(f, f.method), 1);
  const sides = [
    { key: "subject", x: 0, has: hasSubject, energy: subjectEnergy, label: subjectLabel, color: c.here, tint: c["here-tint"], name: `here: ${names[0]}` },
    { key: "reference", x: side + gap, has: hasReference, energy: referenceEnergy, label: referenceLabel, color: c.there, tint: c["there-tint"], name: `there: ${names[1]}` },
  ] as const;
  const middle = (at: number) => heading + top(shape, at) + rowHeight / 2;
  const draw = (pen: Pen) => {
    for (const s of f.single ? sides.slice(0, 1) : sides) {
      pen.text(fitName(pen, "", ["", s.name], side - 60, `bold ${font}`), s.x + 10, heading / 2, { fill: s.color, font: `bold ${font}` });
      pen.text(unit.name, s.x + side - 10, heading / 2, { fill: c.dim, font, anchor: "end" });
      pen.path(silhouette(shape, 0, shape.height), { fill: s.tint, stroke: s.color, width: 1 }, s.x, heading);
      for (const e of edges(f, lines, s.key)) {
        const [a, b] = [lines[e.from]!, lines[e.to]!];
        const ends = [nodeX(shape, a), middle(e.from) - heading, nodeX(shape, b), middle(e.to) - heading] as const;
        pen.path(e.from < shape.neck && e.to >= shape.neck ? pour(shape, ...ends) : elbow(...ends), { stroke: c.edge, width: edgeWidth(e.times) }, s.x, heading);
      }
    }
    lines.forEach((l, at) => {
      const y = middle(at);
      if (l.kind === "cheap") {
        const text = l.branches > 0 ? count(l.branches, "cheap branch", "cheap branches") : `${count(l.rows, "more row")}, left out of the file`;
        pen.text(text, nodeX(shape, l), y, { fill: c.dim, font: small });
        if (l.subjectNJ > 0) pen.text(amount(l.subjectNJ, unit), side - 10, y, { fill: c.dim, font: small, anchor: "end" });
        if (l.referenceNJ > 0) pen.text(amount(l.referenceNJ, unit), width - 10, y, { fill: c.dim, font: small, anchor: "end" });
        return;
      }
      const status = f.rows.status[l.row]!;
      const inset = l.part === Part.Path ? shape.inset : 0;
      const [here, there] = [hasSubject(f, l.row), hasReference(f, l.row)];
      if (here && there) pen.path(link(shapes, l, y), { stroke: c.edge, width: 1.5, dash: status === Status.Relabelled ? [4, 3] : [] });
      for (const s of sides) {
        if (!s.has(f, l.row)) continue;
        const nj = s.energy(f, l.row);
        const x = s.x + nodeX(shape, l);
        const r = radius(l, nj, full);
        const fill = l.part === Part.Path ? c.background : mix(s.color, c.background, heat(f, l.row, s.key));
        pen.circle(x, y, r, { fill, stroke: s.color, width: 1.5, dash: f.rows.kind[l.row] === Kind.App ? [2.5, 1.5] : [] });
        const times = tally(f, l.row, s.key);
        let left = x + r + 5;
        if (times > 0) {
          const text = `${grouped(times)}×`;
          pen.text(text, left, y, { fill: c.dim, font: small });
          left += pen.measure(text, small) + 6;
        }
        const figure = amount(nj, unit);
        const right = s.x + side - inset - 10;
        const style = `${f.rows.kind[l.row] === Kind.App ? "italic " : ""}${l.part === Part.Method ? "bold " : ""}${font}`;
        const name = fitName(pen, "", halves(s.label(f, l.row)), right - pen.measure(figure, font) - 8 - left, style);
        pen.text(name, left, y, { fill: here && there || f.single ? c.ink : s.color, font: style });
        pen.text(figure, right, y, { fill: c.ink, font, anchor: "end" });
      }
      if (f.single) return;
      const text = !there ? "+ only here" : !here ? "− only there" : `${status === Status.Relabelled ? "≈ " : ""}${change(subjectEnergy(f, l.row) - referenceEnergy(f, l.row), unit)}`;
      const w = pen.measure(text, small) + 12;
      const at0 = side + (gap - w) / 2;
      pen.rects([at0, y - 8, w, 16], c.background);
      pen.text(text, side + gap / 2, y, { fill: !there ? c.here : !here ? c.there : c.ink, font: small, anchor: "middle" });
    });
    const left = all.length - lines.length;
    if (left > 0) pen.text(`${grouped(left)} more lines are not in this picture.`, 10, heading + shape.height + 8, { fill: c.dim, font: small });
  };
  return { width: f.single ? side : width, height: heading + shape.height + (all.length > lines.length ? 24 : 0), background: c.background, draw };
}

/** mix mixes two colours #rrggbb. share is the weight of the first colour, from 0 to 1. */
function mix(a: string, b: string, share: number): string {
  const part = (text: string, i: number) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  return `#${[0, 1, 2].map((i) => Math.round(share * part(a, i) + (1 - share) * part(b, i)).toString(16).padStart(2, "0")).join("")}`;
}
