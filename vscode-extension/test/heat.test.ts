import { describe, expect, it } from "vitest";
import { lines, step, steps } from "../src/heat.ts";
import type { Task } from "../src/protocol.ts";

const task = (share: number, places: [string, number, number?][], ignored = false) =>
  ({
    share, ignored, message: `${share}`,
    locations: places.map(([uri, line, part]) => ({ uri, energyNJ: 1000 * (part ?? share), range: { start: { line, character: 0 }, end: { line, character: 1 } }, caller: "", exact: true, stale: "" })),
  }) as unknown as Task;

describe("step", () => {
  it("rises with the share, from the first to the last", () => {
    const shares = [NaN, -1, 0, 1e-9, 0.001, 0.002, 0.01, 0.02, 0.05, 0.11, 0.5, 1, 2];
    const got = shares.map(step);
    expect(got).toEqual([...got].sort((a, b) => a - b));
    expect(got[0]).toBe(0);
    expect(step(0.1)).toBe(steps - 1);
    expect(got.at(-1)).toBe(steps - 1);
  });
});

describe("lines", () => {
  it("takes the largest share of a line, in one file, without ignored tasks", () => {
    const got = lines([task(0.1, [["a", 4], ["b", 4]]), task(0.3, [["a", 4]]), task(0.9, [["a", 4]], true), task(0.2, [["a", 1]]), task(0.8, [["a", 1, 0.1], ["a", 9, 0]])], "a", 1000);
    expect(got.map((h) => [h.line, h.share])).toEqual([[1, 0.2], [4, 0.3]]);
    expect(lines([], "a", 1000)).toEqual([]);
  });
});
