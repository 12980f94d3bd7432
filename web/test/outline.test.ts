import { describe, expect, it } from "vitest";
import { readFlask, referenceEnergy, subjectEnergy, type Flask } from "../src/flask";
import { edges, noFolds, outline, unfolded, type OutlineLine } from "../src/layout/outline";
import { nodeX, pour, placesWithin, radius, joined, shapeOf, shapesOf, silhouette, top, smallest } from "../src/layout/shape";
import { nameOf } from "../src/names";
import { makeRun, small } from "./fixtures";

const names = (f: Flask, lines: OutlineLine[]) =>
  lines.map((l) => (l.kind === "cheap" ? `… ${l.branches} of ${l.rows} ${l.subjectNJ}:${l.referenceNJ}` : `${"  ".repeat(l.level)}${nameOf(f.labels[f.rows.label[l.row]]).short}`));

describe("outline", () => {
  const f = readFlask(small());

  it("puts the neck of both sides first and folds cheap branches with their sums", () => {
    expect(names(f, outline(f, noFolds))).toEqual([
      "(toplevel)",
      "Handler.dispatchMessage",
      "*.run",
      "*.onTick",
      "TextView.setText",
      "  View.requestLayout",
      "  A.measure",
      expect.stringContaining("<img"),
      "… 3 of 6 30:4",
    ]);
  });

  it("lists cheap branches on demand", () => {
    const shown = outline(f, { open: new Map(), cheap: new Set([f.method]) });
    expect(names(f, shown).slice(-4)).toEqual(["  B.one", "  B.two", "  B.four", "… 3 of 6 30:4"]);
    expect(shown[shown.length - 2]).toMatchObject({ foldable: false });
    expect(shown[shown.length - 3]).toMatchObject({ foldable: true, open: false, hidden: 1 });
  });

  it("unfolds only the ancestors of a row, cheap branches too", () => {
    const closed = { open: new Map([[f.method, false]]), cheap: new Set<number>() };
    for (let row = 0; row < f.size; row++) {
      const lines = outline(f, unfolded(f, closed, row));
      expect(lines.some((l) => l.kind === "node" && l.row === row)).toBe(true);
    }
    expect(unfolded(f, closed, f.method)).toEqual(closed);
    const deep = f.rows.parent.findLastIndex((p) => p > f.method);
    const folds = unfolded(f, closed, deep);
    expect([...folds.open.keys()].sort()).toEqual([f.method, f.rows.parent[deep]].sort());
  });

  it("folds all but the neck", () => {
    expect(names(f, outline(f, { open: new Map([[f.method, false]]), cheap: new Set() }))).toHaveLength(5);
  });

  it("connects the nodes of each side, and each path by itself", () => {
    const lines = outline(f, noFolds);
    expect(edges(f, lines, "subject").map((e) => [e.from, e.to])).toEqual([[0, 1], [1, 2], [2, 4], [4, 5], [4, 6]]);
    expect(edges(f, lines, "reference").map((e) => [e.from, e.to])).toEqual([[0, 1], [1, 3], [3, 4], [4, 6], [4, 7]]);
  });

  it("follows the reference's own parents if they differ", () => {
    const json = small();
    json.rows.referenceParent[6] = 5;
    const g = readFlask(json);
    const lines = outline(g, noFolds);
    const place = (row: number) => lines.findIndex((l) => l.kind === "node" && l.row === row);
    expect(edges(g, lines, "reference").at(-1)).toMatchObject({ from: place(5), to: place(6) });
  });

  it("shows or counts every row of a large run once", () => {
    const run = readFlask(makeRun(5000, 7));
    for (const folds of [noFolds, { open: new Map([[1, false], [5, true]]), cheap: new Set([0, 1]) }]) {
      const lines = outline(run, folds);
      let counted = 0;
      const listed = new Set<number>();
      for (const l of lines) {
        if (l.kind === "node") {
          expect(listed.has(l.row)).toBe(false);
          listed.add(l.row);
          counted += 1 + l.hidden;
        } else if (!l.shown) counted += l.rows;
      }
      expect(counted).toBe(run.size);
    }
  });

  it("conserves energy: the listed and the folded branches of a row add up", () => {
    const run = readFlask(makeRun(2000, 3));
    const lines = outline(run, noFolds);
    for (const l of lines) {
      if (l.kind !== "node" || !l.open) continue;
      let [s, r] = [run.rows.subjectSelfNJ[l.row], run.rows.referenceSelfNJ[l.row]].map((x) => Math.max(0, x));
      for (const other of lines) {
        if (other.kind === "cheap" && other.row === l.row) { s += other.subjectNJ; r += other.referenceNJ; }
        if (other.kind === "node" && run.rows.parent[other.row] === l.row) { s += subjectEnergy(run, other.row); r += referenceEnergy(run, other.row); }
      }
      expect([s, r]).toEqual([subjectEnergy(run, l.row), referenceEnergy(run, l.row)]);
    }
  });
});

describe("shape", () => {
  const lines = outline(readFlask(small()), noFolds);

  it("indents the neck, and separates the rows of body and neck", () => {
    for (const width of [160, 300, 600]) {
      const s = shapeOf(lines, width);
      expect(s.neck).toBe(4);
      expect(nodeX(s, lines[0])).toBeGreaterThan(nodeX(s, lines[4]));
      for (let i = 1; i < lines.length; i++) expect(top(s, i) - top(s, i - 1)).toBeGreaterThanOrEqual(30);
      expect(top(s, lines.length - 1) + 30).toBeLessThan(s.height);
      for (const l of lines) expect(nodeX(s, l)).toBeLessThan(width / 2 + s.inset);
    }
  });

  it("finds all visible places", () => {
    const s = shapeOf(lines, 400);
    for (let y = 0; y < s.height; y += 7) {
      const [first, last] = placesWithin(s, lines.length, y, y + 50);
      lines.forEach((_, at) => {
        if (top(s, at) < y + 50 && top(s, at) + 30 > y) expect(at >= first && at < last).toBe(true);
      });
    }
  });

  it("draws paths of finite numbers, cut or whole", () => {
    const s = shapeOf(lines, 400);
    for (const d of [silhouette(s, 0, s.height), silhouette(s, 200, 250), silhouette(s, 0, 40), pour(s, 60, 10, 20, 200)]) {
      expect(d).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it("gives width to the side with rows", () => {
    const both = shapesOf(readFlask(small()), lines, 1000);
    expect(both.columns).toEqual([444, 112, 444]);
    const json = small();
    json.rows.status = json.rows.status.map((status, i) => (json.rows.part[i] === 0 ? status : 2));
    const alone = shapesOf(readFlask(json), lines, 1000);
    expect(alone.subject.width + alone.reference.width).toBe(888);
    expect(alone.subject.width).toBeGreaterThan(2 * alone.reference.width);
    expect(alone.subject.height).toBe(alone.reference.height);
    const one = shapesOf(readFlask({ ...small(), single: true }), lines, 1000);
    expect(one.columns).toEqual([1000]);
  });

  it("draws both trees as one in narrow windows", () => {
    const two = shapesOf(readFlask(small()), lines, 480);
    expect(joined(two)).toBe(false);
    expect(two.columns.reduce((a, b) => a + b)).toBeLessThanOrEqual(480);
    const one = shapesOf(readFlask(small()), lines, 300);
    expect(joined(one)).toBe(true);
    expect(one.across).toBe(0);
    expect(one.columns.reduce((a, b) => a + b)).toBe(300);
  });

  it("makes areas proportional to energy", () => {
    const [body, neck] = [lines.find((l) => l.kind === "node" && l.part === 1)!, lines[0]!];
    expect(radius(body, 25, 100) * 2).toBeCloseTo(radius(body, 100, 100));
    expect(radius(body, 9, 100) / radius(body, 4, 100)).toBeCloseTo(1.5);
    // Below the smallest size, and in the neck, circles do not show energy.
    expect(radius(body, 0, 100)).toBe(radius(body, 100 * smallest, 100));
    expect(radius(body, 100 * smallest * 1.1, 100)).toBeGreaterThan(radius(body, 0, 100));
    expect(radius(neck, 2000, 100)).toBe(radius(neck, 1, 100));
  });
});
