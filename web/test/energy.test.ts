import { describe, expect, it } from "vitest";
import { blocksOf, byMethod, charge, componentsText, extent, lasting, piecesOf, ticks, used, whyMissing, type Lane } from "../src/energy";
import type { Component } from "../src/model";
import { readAddress } from "../src/address";
import { fromExtension } from "../src/host";
import { initial, reduce } from "../src/state";
import { viewsOf } from "../src/views/header";

const component = (name: string, useNJ: number, tailNJ = 0, restNJ = 0): Component => ({ name, provenance: "modelled", useNJ, tailNJ, restNJ });
const run = [component("cellular", 50, 100, 3), component("cpu", 40), component("gps", 0, 0, 9)];

describe("a bar", () => {
  it("has the components in the order of the run, each with its parts, and adds up", () => {
    const pieces = piecesOf([component("cpu", 7), component("cellular", 1, 4)], run, 12);
    expect(pieces.map((p) => [p.component, p.part, p.nj])).toEqual([[0, "use", 1], [0, "tail", 4], [1, "use", 7]]);
    expect(piecesOf(run, run, 202).reduce((sum, p) => sum + p.nj, 0)).toBe(run.reduce((sum, c) => sum + used(c), 0));
  });

  it("is one piece without components", () => {
    expect(piecesOf([], [], 12)).toEqual([{ component: 0, part: "use", nj: 12 }]);
    expect(piecesOf([], [], 0)).toEqual([]);
  });
});

const lane: Lane = { component: "cellular", states: ["base", "high", "tail"], resolutionNS: 0, spans: [[100, 200, 1, 0, 5], [200, 600, 2, 1, 9], [700, 701, 1, 0, 1], [702, 1100, 1, 0, 1]] };

describe("a time line", () => {
  it("covers the run, not the time between the first span and the last", () => {
    expect(extent({ lanes: [lane], beginNS: 0, endNS: 9561 })).toEqual([0, 9561]);
    expect(extent({ lanes: [lane, { ...lane, spans: [[-50, 60, 1, 0, 1]] }], beginNS: -50, endNS: 1000 })).toEqual([-50, 1100]);
    expect(extent({ lanes: [lane] })).toEqual([0, 1100]);
    expect(extent({})).toEqual([0, 1]);
  });

  it("places a span at its time of the run", () => {
    const time = extent({ lanes: [{ ...lane, spans: [[3746, 3750, 1, 0, 1]] }], endNS: 9561 });
    expect(blocksOf({ ...lane, spans: [[3746, 3750, 1, 0, 1]] }, time, 0.0001)[0]!.at).toBeCloseTo(3746 / 9561);
  });

  it("draws each span in its place, wide enough to see, the longest of those at one place", () => {
    const blocks = blocksOf(lane, [100, 1100], 0.01);
    expect(blocks.map((b) => [b.span, b.tail])).toEqual([[0, false], [1, true], [3, false]]);
    expect(blocks[0]).toMatchObject({ at: 0, width: 0.1 });
    expect(blocks[2]!.at).toBeCloseTo(0.6);
    expect(blocks[2]!.at + blocks[2]!.width).toBeCloseTo(1);
    for (const b of blocksOf({ ...lane, spans: Array.from({ length: 4096 }, (_, i) => [i, i + 1, 1, 0, 1]) }, [0, 4096], 0.002)) expect(b.width).toBeGreaterThanOrEqual(0.002);
  });

  it("has round ticks", () => {
    expect(ticks([0, 30e9])).toEqual([0, 5e9, 10e9, 15e9, 20e9, 25e9, 30e9]);
    expect(ticks([-2.5e9, 4e9])).toEqual([-2e9, -1e9, 0, 1e9, 2e9, 3e9, 4e9]);
    for (const length of [1, 7, 123, 9e3, 4.2e6, 31e9]) {
      expect(ticks([0, length]).length).toBeGreaterThan(4);
      expect(ticks([0, length]).length).toBeLessThan(12);
    }
  });
});

describe("drivers", () => {
  it("are one per method, with all of its operations", () => {
    const driver = (method: string, operations: number, verbs: string[], path: string[] = []) => ({ method, path, operations, bytes: 0, verbs, energyNJ: 1 });
    const list = [driver("a", 25, ["open"], ["x"]), driver("b", 0, []), driver("a", 4, ["send"], ["y"]), driver("a", 1, ["open"])];
    expect(byMethod(list)).toEqual([{ method: "a", paths: [["x"], ["y"], []], asked: "26 × open, 4 × send" }, { method: "b", paths: [[]], asked: "" }]);
  });
});

describe("the view", () => {
  const tree = { schemaVersion: 1, tool: { name: "", version: "" }, input: { energyNJ: 1 } as never, stage: "merged" as const, counts: "" as const, contexts: [], warnings: [], methods: {} };
  const profile = { components: run, io: null, battery: null, threads: [], libraries: [] };

  it("exists only for a run with a profile", () => {
    const told = reduce(initial, { type: "tree", tree, profile });
    expect(viewsOf(told)).toEqual(["run", "top", "energy", "summary"]);
    expect(viewsOf(reduce(initial, { type: "tree", tree }))).toEqual(["run", "top", "summary"]);
    expect(reduce(reduce(told, { type: "view", view: "energy" }), { type: "tree", tree }).view).toBe("run");
    expect(reduce(reduce(told, { type: "view", view: "energy" }), { type: "tree", tree, profile }).view).toBe("energy");
    expect(readAddress("energy")).toContainEqual({ type: "view", view: "energy" });
    expect(fromExtension({ type: "tree", tree, profile })).toMatchObject({ type: "tree", profile });
  });
});

describe("a task's energy by component", () => {
  const of = (name: string, useNJ: number, tailNJ = 0, restNJ = 0): Component => ({ name, provenance: "modelled", useNJ, tailNJ, restNJ });
  const mJ = { name: "mJ", nanojoules: 1e6 };

  it("is written as in the other reports", () => {
    expect(componentsText([of("cellular", 20e6, 480e6), of("cpu", 3e6), of("gps", 0, 0, 5e6)], mJ)).toBe("cellular 20.0 + 480 tail, cpu 3.00, gps 5.00 unattributed");
  });

  it("is empty if only the processor is known", () => {
    const ranged = { ...of("cellular", 20e6, 480e6), leastNJ: 90e6, mostNJ: 700e6 };
    expect(componentsText([ranged], mJ)).toBe("cellular 20.0 + 480 tail (90.0 to 700)");
    expect([componentsText(undefined, mJ), componentsText([], mJ), componentsText([of("cpu", 3e6)], mJ)]).toEqual(["", "", ""]);
  });
});

describe("API costs", () => {
  it("writes charges with three digits, and times as the other reports do", () => {
    expect([0, 400, 17_000, 999_600, 9_996_000, 180_000_000].map(charge)).toEqual(["0", "<0.001", "0.017", "1.00", "10.0", "180"]);
    expect([0.007, 12.34].map(lasting)).toEqual(["0.4 s", "12.3 min"]);
  });

  it("says why a call has no cost", () => {
    expect(["not-listed", "other-overload", "no-cost"].map(whyMissing)).toEqual(["not in the table", "other overload", "no cost in the table"]);
  });
});
