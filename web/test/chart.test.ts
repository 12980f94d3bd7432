import { describe, expect, it } from "vitest";
import { labelsOf, pathOf, roomy, scaleOf } from "../src/layout/chart";

describe("chart", () => {
  it("maps values to pixels, linear or logarithmic, and keeps values beyond the axis at its ends", () => {
    const linear = scaleOf({ from: -1, to: 4, ticks: [] }, 184, 4);
    expect([4, 1, -1, 9, -9].map(linear)).toEqual([4, 112, 184, 4, 184]);
    const log = scaleOf({ from: 1, to: 100, log: true, ticks: [] }, 55, 640);
    expect([1, 10, 100].map(log)).toEqual([55, 347.5, 640]);
    expect(scaleOf({ from: 5, to: 5, ticks: [] }, 0, 10)(5)).toBe(5);
  });

  it("leaves out ticks without room", () => {
    const ticks = [0, 1, 2, 3, 4].map((at) => ({ at, text: `${at}` }));
    expect(roomy(ticks, (at) => at * 30, 80).map((t) => t.at)).toEqual([0, 3]);
    expect(roomy(ticks, (at) => at * 80, 80).length).toBe(5);
  });

  it("places texts of rules so that none meets another, and none leaves the chart", () => {
    const labels = labelsOf([{ at: 10, text: "0123456789" }, { at: 60, text: "0123456789" }, { at: 190, text: "0123456789" }], (at) => at, 10, 200);
    expect(labels).toEqual([{ x: 16, end: false, row: 0 }, { x: 66, end: false, row: 1 }, { x: 184, end: true, row: 2 }]);
  });

  it("joins points", () => expect(pathOf([[0, 1], [2, 3]])).toBe("M0 1L2 3"));
});
