import { describe, expect, it } from "vitest";
import { first, unlike } from "../src/headline";
import { lines, listed, noFilter, noTasks } from "../src/tasks";
import { initial, reduce } from "../src/state";
import { makeCode, makeReport, makeTask } from "./fixtures";

describe("the headline", () => {
  it("leads to the row that the report names first, task or app code", () => {
    expect(first(makeReport([makeTask("a", { counts: false, savingNJ: 90 }), makeTask("b")]))?.task.id).toBe("b");
    expect(first(makeReport([], [makeCode("x")]))?.code?.id).toBe("x");
    expect(first(makeReport([makeTask("a", { counts: false })]))).toBeUndefined();
    const cut = makeReport([makeTask("a")]);
    cut.judgement.headline.first = "left out";
    expect(first(cut)).toBeUndefined();
  });

  it("has the sentences of the page's unit, else those of the report", () => {
    const report = makeReport([]);
    expect(reduce(initial, { type: "report", report, headline: ["In joules."] }).headline).toEqual(["In joules."]);
    expect(reduce(initial, { type: "report", report }).headline).toEqual(report.judgement.sentences);
  });

  it("names what makes the runs unlike, and how little they have in common once", () => {
    const report = makeReport([]);
    report.comparability = [{ code: "length", message: "one is longer" }, { code: "little-in-common", message: "little" }, { code: "vm", message: "another machine" }];
    expect(unlike(report)).toBe("one is longer; another machine");
  });

  it("says why there are no tasks, and that nothing tells them where packages are left out", () => {
    const report = makeReport([]);
    expect(noTasks(report)).toBe("The subject has no tasks: no method of the app calls one of the framework.");
    for (const side of ["subject", "reference"] as const) {
      expect(noTasks({ ...report, [side]: { ...report[side], ownCode: { untold: true } } })).toMatch(/^No tasks: without the packages of classes, nothing tells/);
    }
  });
});

describe("the list", () => {
  it("has the order of the ranks: rows that count before larger ones that do not", () => {
    const report = makeReport([makeTask("a", { savingNJ: 90, rank: 3, counts: false, verdict: "unclear" }), makeTask("b", { savingNJ: 5, rank: 1 })], [makeCode("x", { savingNJ: 2, rank: 2 })]);
    expect(listed(report).map(({ task }) => task.id)).toEqual(["b", "x", "a"]);
    const ids = (change: Partial<typeof noFilter>) => lines(report, { ...noFilter, ...change }).map((l) => "task" in l && l.task.id);
    expect([ids({}), ids({ descending: false })]).toEqual([["b", "x", "a"], ["a", "x", "b"]]);
    expect(ids({ verdict: "unclear" })).toEqual(["a"]);
  });
});
