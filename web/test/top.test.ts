import { describe, expect, it } from "vitest";
import { unpackNames } from "../src/host";
import type { MethodListJSON } from "../src/model";
import { initial, reduce } from "../src/state";
import { methodRows, neighbours, type TopFilter } from "../src/top";
import { makeReport } from "./fixtures";

const list: MethodListJSON = {
  total: 4,
  labels: ["(toplevel)", "p.A.run()V", "android.util.Log.i()I", "p.B.run()V"],
  methods: { short: ["(toplevel)", "A.run", "Log.i", "B.run"], owner: ["", "A", "Log", "B"], apart: ["", "", "", ""] },
  owner: [0, 2, 1, 2],
  subjectSelfNJ: [0, 30, 70, 0],
  subjectNJ: [100, 100, 70, 0],
  referenceSelfNJ: [0, 0, 90, 5],
  referenceNJ: [95, 0, 90, 95],
  subjectTimes: [0, 1, 2, 0],
  referenceTimes: [0, 0, 3, 1],
  links: { total: 4, caller: [0, 0, 3, 1], callee: [1, 3, 2, 2], subjectNJ: [100, 0, 0, 70], referenceNJ: [0, 95, 90, 0], subjectTimes: [1, 0, 0, 2], referenceTimes: [0, 1, 3, 0] },
};
const filter: TopFilter = initial.topFilter;
const labels = (f: Partial<TopFilter>) => methodRows(list, { ...filter, ...f }).map((i) => list.labels[i]);

describe("methods", () => {
  it("are sorted by each column, both ways, by the larger energy of both runs", () => {
    expect(labels({})).toEqual(["android.util.Log.i()I", "p.A.run()V", "p.B.run()V", "(toplevel)"]);
    expect(labels({ sort: "all" })).toEqual(["(toplevel)", "p.A.run()V", "p.B.run()V", "android.util.Log.i()I"]);
    expect(labels({ sort: "saving" })).toEqual(["p.A.run()V", "(toplevel)", "p.B.run()V", "android.util.Log.i()I"]);
    expect(labels({ sort: "saving", descending: false })[0]).toBe("android.util.Log.i()I");
  });

  it("are found by all words in any case, and by owner", () => {
    expect(labels({ query: "RUN p.b" })).toEqual(["p.B.run()V"]);
    expect(labels({ app: true })).toEqual(["p.A.run()V", "p.B.run()V"]);
    expect(labels({ query: "nothing" })).toEqual([]);
  });

  it("have callers and callees of both runs, most energy first", () => {
    expect(neighbours(list, 2)).toEqual({ callers: [{ method: 3, link: 2 }, { method: 1, link: 3 }], callees: [] });
    expect(neighbours(list, 0).callees.map((n) => n.method)).toEqual([1, 3]);
  });

  it("arrive with a report, and another report clears the selection", () => {
    const report = makeReport([]);
    let s = reduce(initial, { type: "report", report, top: list });
    s = reduce(s, { type: "top", change: { method: "p.A.run()V", query: "a" } });
    expect([s.top, s.topFilter.method]).toEqual([list, "p.A.run()V"]);
    s = reduce(s, { type: "report", report });
    expect([s.top, s.topFilter.method, s.topFilter.query]).toEqual([null, "", "a"]);
  });

  it("are unpacked with the names of a page", () => {
    const names = list.labels.map((label, i): [string, string, string] => [label, list.methods.short[i]!, list.methods.owner[i]!]);
    expect(unpackNames<MethodListJSON>({ ...list, labels: [0, 1, 2, 3], methods: { apart: {} } }, names)).toEqual(list);
  });
});
