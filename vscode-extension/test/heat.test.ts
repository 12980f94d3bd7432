import { describe, expect, it } from "vitest";
import figures from "../../report/words/testdata/figures.json";
import { few, hatching, lines, marks, step, steps, undetermined } from "../src/heat.ts";
import type { SourceLine, Task } from "../src/protocol.ts";

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

describe("step and the server's heat", () => {
  it("are the same colours", () => {
    expect(figures.percents.map((p) => step(p.share) + 1)).toEqual(figures.heats);
  });
});

describe("lines", () => {
  it("takes the largest share of a line, in one file, without ignored tasks", () => {
    const got = lines([task(0.1, [["a", 4], ["b", 4]]), task(0.3, [["a", 4]]), task(0.9, [["a", 4]], true), task(0.2, [["a", 1]]), task(0.8, [["a", 1, 0.1], ["a", 9, 0]])], "a", 1000);
    expect(got.map((h) => [h.line, h.share])).toEqual([[1, 0.2], [4, 0.3]]);
    expect(lines([], "a", 1000)).toEqual([]);
  });
});

describe("marks", () => {
  const source = (line: number, heat: number) => ({ line, heat }) as SourceLine;
  it("joins both kinds of lines, and takes the hotter colour", () => {
    const got = marks([{ line: 4, share: 0.2 }, { line: 9, share: 0.002 }], [source(1, 0), source(4, 2), source(7, 3), source(9, 6)]);
    expect(got).toEqual([{ line: 1, step: -1 }, { line: 4, step: steps - 1 }, { line: 7, step: 2 }, { line: 9, step: steps - 1 }]);
    expect(marks([{ line: 3, share: 0.0001 }], [source(3, 0)])).toEqual([{ line: 3, step: 0 }]);
    expect(marks([], [])).toEqual([]);
  });
  it("hatches lines that a meter did not determine", () => {
    const measured = (line: number, heat: number) => ({ line, heat, provenance: "fitted" }) as SourceLine;
    expect(marks([{ line: 3, share: 0.5 }], [measured(1, 0), measured(2, 6), measured(3, 0), source(4, 0)])).toEqual([
      { line: 1, step: undetermined }, { line: 2, step: steps - 1 }, { line: 3, step: steps - 1 }, { line: 4, step: few },
    ]);
    expect(decodeURIComponent(hatching)).toContain("<svg ");
  });
});
