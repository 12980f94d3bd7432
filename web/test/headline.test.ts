import { describe, expect, it } from "vitest";
import { fewMatched, figures, first, matched, nothing, spread, totals, unlike } from "../src/headline";
import { lines, listed, noFilter, noTasks } from "../src/tasks";
import { unitFor } from "../src/units";
import { makeCode, makeReport, makeTask } from "./fixtures";

const mJ = unitFor(1e9);
const library = { callers: [{ method: "kotlin.A.b()V", file: "A.kt", line: 1, calls: 1, samples: null, own: null, through: "Kotlin" }] };

describe("the headline", () => {
  it("begins with the dearest finding that own code leads to", () => {
    const report = makeReport([makeTask("a", { savingNJ: 90, ...library }), makeTask("b", { savingNJ: 40 })], [makeCode("x", { savingNJ: 70, parts: [{ ...makeCode("x").parts[0]!, own: false }] })]);
    const begin = first(report)!;
    expect([begin.line.task.id, begin.own]).toEqual(["b", { method: "com.app.ui.Clock.show()V", file: "Clock.java", line: 12 }]);
    expect(first(makeReport([], [makeCode("x")]))).toMatchObject({ own: { file: "Sort.java", line: 7 } });
  });

  it("begins with the dearest of all where no own code leads to any", () => {
    expect(first(makeReport([makeTask("a", library)]))).toMatchObject({ line: { number: 1 }, own: null });
  });

  it("begins with nothing that is perhaps matched", () => {
    expect(first(makeReport([makeTask("a", { verdict: "perhaps" })]))).toBeNull();
  });

  it("says that there is nothing to save", () => {
    const equal = makeReport([makeTask("a", { savingNJ: 0 })]);
    expect([first(equal), nothing(equal)]).toEqual([null, "Nothing to save: every task drains the same in both runs."]);
    expect(nothing(makeReport([makeTask("a", { savingNJ: -5 })]))).toContain("no task drains more here");
    expect([nothing(makeReport([makeTask("a")])), nothing(makeReport([]))]).toEqual(["", ""]);
  });

  it("adds both runs up", () => {
    const report = makeReport([]);
    report.subject = { ...report.subject, energyNJ: 3e6 };
    expect(totals(report, unitFor(1e7))).toBe("3.00 mJ here, 0.00100 mJ there: 3.00 mJ more here (×3\u202f000).");
    expect(totals(makeReport([]), unitFor(1e4))).toBe("1.00 µJ here, 1.00 µJ there: the same.");
    expect(figures(first(makeReport([makeTask("a", { peer: null })]))!.line, mJ)).toContain("no counterpart there");
  });

  it("doubts what is only here where most has no counterpart", () => {
    const report = makeReport([makeTask("a"), ...["b", "c"].map((id) => makeTask(id, { status: "unmatched", peer: null }))]);
    expect([fewMatched(report), matched(report)]).toEqual([true, expect.stringMatching(/^1 of 3 tasks has a counterpart .* Most have none: /)]);
    report.summary.littleInCommon = true;
    expect(matched(report)).toContain("hardly be compared");
    expect(fewMatched(makeReport([makeTask("a")]))).toBe(false);
    expect(matched(makeReport([makeTask("a")]))).toBe("1 of 1 task has a counterpart (9.0% of the energy).");
    const unstated = makeReport([makeTask("a")]);
    unstated.reference.unit = "unknown";
    expect(matched(unstated)).toBe("1 of 1 task has a counterpart (9.0% of the total).");
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

describe("repeated runs", () => {
  it("put first what there is evidence for, and begin there", () => {
    const evidence = (verdict: "costlier" | "no evidence") => ({ verdict, message: "", savingLeastNJ: -1, savingMostNJ: 9 });
    const report = makeReport([makeTask("a", { savingNJ: 90, evidence: evidence("no evidence") }), makeTask("b", { savingNJ: 5, evidence: evidence("costlier") })]);
    const repeated = { ...report, repeats: { evident: 1 }, spread: "5 runs against 5" };
    expect(listed(repeated).map(({ task }) => task.id)).toEqual(["b", "a"]);
    const suspect = { component: "cellular", message: "cellular drained 1 mJ for it" };
    const doubted = { ...repeated, tasks: repeated.tasks.map((t) => (t.id === "a" ? { ...t, suspect } : t)) };
    expect(listed(doubted).map(({ task }) => task.id)).toEqual(["a", "b"]);
    expect(lines(doubted, noFilter).map((l) => "task" in l && l.task.id)).toEqual(["a", "b"]);
    expect(first(repeated)?.line.task.id).toBe("b");
    expect(spread(repeated)).toBe("5 runs against 5.");
    expect(nothing({ ...repeated, repeats: { evident: 0 } })).toBe("The runs are evidence of no difference in any task.");
  });
});
