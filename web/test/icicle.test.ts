import { describe, expect, it } from "vitest";
import { children, readFlask } from "../src/flask";
import { clamp, differenceIcicle, energyIcicle, neighbour, rowAt, visible, zoomed, type Icicle } from "../src/layout/icicle";
import { makeFlask, makeRun, small, type Spec } from "./fixtures";

function checkNesting(icicle: Icicle) {
  const { flask, left, width, subject, reference } = icicle;
  for (let i = 0; i < flask.size; i++) {
    expect(Math.max(subject[i], reference[i])).toBeLessThanOrEqual(width[i] + 1e-6);
    let end = left[i];
    for (let c = icicle.child[i]; c >= 0; c = icicle.next[c]) {
      expect(flask.rows.parent[c]).toBe(i);
      expect(left[c]).toBeCloseTo(end, 3);
      end = left[c] + width[c];
    }
    expect(end).toBeLessThanOrEqual(left[i] + width[i] + 1e-3);
  }
}

describe("icicle", () => {
  const run = readFlask(makeRun(3000, 11));

  it("nests places and keeps bars inside them", () => {
    for (const icicle of [energyIcicle(run), differenceIcicle(run), energyIcicle(readFlask(small()))]) checkNesting(icicle);
  });

  it("has the energies of the run as bars", () => {
    const icicle = energyIcicle(run);
    expect(icicle.subject[0]).toBe(run.rows.subjectNJ[0]);
    expect(icicle.reference[0]).toBe(run.rows.referenceNJ[0]);
    expect(icicle.total).toBeGreaterThanOrEqual(Math.max(icicle.subject[0], icicle.reference[0]));
  });

  it("adds up to the whole difference if only differences are shown", () => {
    const icicle = differenceIcicle(run);
    expect(icicle.subject[0] - icicle.reference[0]).toBe(run.rows.subjectNJ[0] - run.rows.referenceNJ[0]);
    expect(icicle.total).toBe(icicle.subject[0] + icicle.reference[0]);
  });

  it("is empty without differences", () => {
    const same = readFlask(makeFlask({ label: "(toplevel)", here: [5, 1, 1], there: [5, 1, 1], below: [{ label: "a.B.c", here: [4, 4, 1], there: [4, 4, 2] }] }));
    const icicle = differenceIcicle(same);
    expect(icicle.total).toBe(0);
    visible(icicle, { from: 0, to: 1, top: 0 }, { width: 100, height: 100, level: 20, least: 1 }, () => expect.unreachable());
    expect(rowAt(icicle, { from: 0, to: 1, top: 0 }, { width: 100, level: 20 }, 5, 5)).toBe(-1);
  });

  it("visits the visible rows, compared with a test of every row", () => {
    const icicle = energyIcicle(run);
    const size = { width: 800, height: 300, level: 27, least: 2 };
    for (const [a, b, top] of [[0, 1, 0], [0.3, 0.35, 40], [0.9, 1, 200], [0.5, 0.5001, 500]]) {
      const window = { from: a * icicle.total, to: b * icicle.total, top };
      const scale = size.width / (window.to - window.from);
      const seen = new Set<number>();
      visible(icicle, window, size, (row) => seen.add(row));
      const wide = (row: number): boolean => row < 0 || (icicle.width[row] * scale >= size.least && wide(run.rows.parent[row]));
      for (let row = 0; row < run.size; row++) {
        const y = run.depth[row] * size.level - top;
        const shows = icicle.width[row] > 0 && wide(row) && icicle.left[row] < window.to && icicle.left[row] + icicle.width[row] > window.from && y < size.height && y + size.level > 0;
        expect(seen.has(row), `row ${row}`).toBe(shows);
      }
    }
  });

  it("finds the row under each place's middle", () => {
    const icicle = energyIcicle(run);
    const window = { from: 0, to: icicle.total, top: 0 };
    const size = { width: 1e6, level: 27 };
    for (let row = 0; row < run.size; row++) {
      if (icicle.width[row] === 0) continue;
      const x = ((icicle.left[row] + icicle.width[row] / 2) / icicle.total) * size.width;
      expect(rowAt(icicle, window, size, x, run.depth[row] * 27 + 5)).toBe(row);
    }
    expect(rowAt(icicle, window, size, 5, 27 * 500)).toBe(-1);
  });

  it("keeps windows inside, and zooms about a point", () => {
    const icicle = energyIcicle(run);
    const t = icicle.total;
    expect(clamp(icicle, { from: -5, to: 2 * t, top: -3 }, 100)).toEqual({ from: 0, to: t, top: 0 });
    expect(clamp(icicle, { from: 0.95 * t, to: 1.05 * t, top: 500 }, 100)).toMatchObject({ to: t, top: 100 });
    const z = zoomed({ from: 0, to: 100, top: 0 }, 0.25, 0.5);
    expect(z).toMatchObject({ from: 12.5, to: 62.5 });
    const far = clamp(icicle, zoomed({ from: 0, to: t, top: 0 }, 0.5, 1e-30), 0);
    expect(far.to - far.from).toBeGreaterThan(0);
  });

  it("leads arrow keys to caller, callee and neighbours", () => {
    const icicle = energyIcicle(run);
    const first = icicle.child[0];
    expect(neighbour(icicle, 0, "ArrowDown")).toBe(first);
    expect(neighbour(icicle, first, "ArrowUp")).toBe(0);
    expect(neighbour(icicle, 0, "ArrowUp")).toBe(0);
    const second = neighbour(icicle, first, "ArrowRight");
    expect(children(run, 0)).toContain(second);
    expect(neighbour(icicle, second, "ArrowLeft")).toBe(first);
    expect(neighbour(icicle, first, "ArrowLeft")).toBe(first);
  });

  it("lays out fifty thousand rows quickly", () => {
    const large = readFlask(makeRun(50_000, 5));
    const start = process.cpuUsage();
    energyIcicle(large);
    differenceIcicle(large);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
  });
});

describe("the undrawn rows of an icicle", () => {
  const child = (i: number, nj: number): Spec => ({ label: `a.B.m${i}()V`, here: [nj, nj, 1], there: [nj, nj, 1] });
  const f = readFlask(makeFlask({ label: "(toplevel)", part: 1, kind: 0, here: [1300, 0, 0], there: [1300, 0, 0], below: [child(0, 500), ...Array.from({ length: 600 }, (_, i) => child(i + 1, 1))], pruned: [7, 200, 200] }));

  it("are counted at their place", () => {
    const icicle = energyIcicle(f);
    const gaps: unknown[] = [];
    const rows: number[] = [];
    visible(icicle, { from: 0, to: icicle.total, top: 0 }, { width: 130, height: 100, level: 20, least: 1.2 }, (row) => rows.push(row), (...gap) => gaps.push(gap));
    expect(rows).toEqual([0, 1]);
    expect(gaps).toEqual([[7, "left out", 110, 20, 130], [600, "narrow", 50, 20, 110]]);
  });

  it("are drawn once they are wide enough", () => {
    const icicle = energyIcicle(f);
    const rows: number[] = [];
    visible(icicle, { from: 500, to: 600, top: 0 }, { width: 500, height: 100, level: 20, least: 1.2 }, (row) => rows.push(row), (_, why) => expect(why).toBe("left out"));
    expect(rows.length).toBe(101);
  });

  it("are none if all rows are equal", () => expect(differenceIcicle(f).total).toBe(0));
});
