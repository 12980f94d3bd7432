import { describe, expect, it } from "vitest";
import { first, sentences, spoken, unlike } from "../src/headline";
import type { Spoken } from "../src/model";
import { lines, listed, noFilter, noTasks } from "../src/tasks";
import { initial, reduce } from "../src/state";
import { unitsAt } from "../src/units";
import { makeCode, makeReport, makeTask } from "./fixtures";

describe("the headline", () => {
  it("leads to the first finding of the report, task or app code", () => {
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

  it("lists how the runs differ in kind, and little-in-common only once", () => {
    const report = makeReport([]);
    report.comparability = [{ code: "length", message: "one is longer" }, { code: "little-in-common", message: "little" }, { code: "vm", message: "another machine" }];
    expect(unlike(report)).toBe("one is longer; another machine");
  });

  it("has the reason for an empty list of tasks, also without package names", () => {
    const report = makeReport([]);
    expect(noTasks(report)).toBe("The subject has no tasks: no method of the app calls one of the framework.");
    for (const side of ["subject", "reference"] as const) {
      expect(noTasks({ ...report, [side]: { ...report[side], ownCode: { untold: true } } })).toMatch(/^No tasks: the recording names classes without packages/);
    }
  });
});

describe("the list", () => {
  it("is ordered by rank: findings before larger rows that are no findings", () => {
    const report = makeReport([makeTask("a", { savingNJ: 90, rank: 3, counts: false, verdict: "unclear" }), makeTask("b", { savingNJ: 5, rank: 1 })], [makeCode("x", { savingNJ: 2, rank: 2 })]);
    expect(listed(report).map(({ task }) => task.id)).toEqual(["b", "x", "a"]);
    const ids = (change: Partial<typeof noFilter>) => lines(report, { ...noFilter, ...change }).map((l) => "task" in l && l.task.id);
    expect([ids({}), ids({ descending: false })]).toEqual([["b", "x", "a"], ["a", "x", "b"]]);
    expect(ids({ verdict: "unclear" })).toEqual(["a"]);
  });
});

describe("sentences", () => {
  const report = makeReport([makeTask("a", { message: "A uses 1.5 J" })]);
  const [joules, milli] = unitsAt(0);
  const spokenOf: Spoken = { asked: false, headline: { J: ["In joules."], mJ: ["In millijoules."] }, rows: { a: { message: ["A uses ", 1.5e9], evidence: ["", 2e9, " (", [1e9], " to ", [3e9], "), costs more"] } } };
  const page = reduce(initial, { type: "report", report, headline: ["As made."], spoken: spokenOf, unit: "mJ" });
  const chosen = (unit: string) => reduce(page, { type: "unit", unit });

  it("are the report's own until the reader chooses a unit, then in that unit", () => {
    expect([sentences(page, milli!), sentences(chosen("J"), joules!), sentences(chosen("mJ"), milli!), sentences(chosen(""), milli!)])
      .toEqual([["As made."], ["In joules."], ["In millijoules."], ["As made."]]);
    expect([spoken(page, milli!, "a", "message", "A uses 1.5 J"), spoken(chosen("J"), joules!, "a", "message", ""), spoken(chosen("mJ"), milli!, "a", "evidence", "")])
      .toEqual(["A uses 1.5 J", "A uses 1.50 J", "2\u202f000 mJ (1\u202f000 to 3\u202f000), costs more"]);
    const asked = reduce(initial, { type: "report", report, headline: ["As made."], spoken: { ...spokenOf, asked: true }, unit: "mJ" });
    expect(spoken(asked, milli!, "a", "message", "")).toBe("A uses 1\u202f500 mJ");
  });

  it("stay unchanged if the page has no others", () => {
    expect(spoken(chosen("J"), joules!, "b", "message", "as it is")).toBe("as it is");
    const old = reduce(reduce(initial, { type: "report", report, headline: ["As made."] }), { type: "unit", unit: "J" });
    expect(sentences(old, joules!)).toEqual(["As made."]);
  });

  it("are in the unit of the settings again once the settings change", () => {
    expect(sentences(reduce(chosen("J"), { type: "report", report, headline: ["Anew."], spoken: spokenOf, unit: "µAh" }), joules!)).toEqual(["Anew."]);
  });
});
