import { describe, expect, it } from "vitest";
import { csv, methodsCSV, tasksCSV } from "../src/csv";
import { readFlask } from "../src/flask";
import { search, step } from "../src/search";
import { initial } from "../src/state";
import { lines } from "../src/tasks";
import { makeCode, makeReport, makeTask, small } from "./fixtures";

describe("csv", () => {
  it("quotes special characters, and lets no text begin like a formula", () => {
    expect(csv([["a", 'say "x"', "1,2", "two\nlines"], ["=1+1", "+x", "-5", "@z"], [-5, null, undefined, 0]])).toBe(
      'a,"say ""x""","1,2","two\nlines"\r\n\'=1+1,\'+x,\'-5,\'@z\r\n-5,,,0\r\n',
    );
  });

  it("has the filtered list in whole nanojoules", () => {
    const report = makeReport([makeTask("a", { suspect: { component: "cellular", message: "it is" } }), makeTask("b", { peer: null, inside: "a" })], [makeCode("x")]);
    const rows = tasksCSV(report, lines(report, { ...initial.filter, group: "class" })).split("\r\n").map((line) => line.split(","));
    expect(rows.length).toBe(5);
    const column = (name: string) => rows.slice(1, 4).map((r) => r[rows[0]!.indexOf(name)]);
    expect(column("id")).toEqual(["a", "b", "x"]);
    expect(column("hereNJ")).toEqual(["100", "100", "80"]);
    expect(column("thereNJ")).toEqual(["40", "", "25"]);
    expect(column("suspect")).toEqual(["it is", "", ""]);
    expect(column("inside")).toEqual(["", "1", ""]);
    expect(column("place")).toEqual(["Clock.java:12", "Clock.java:12", "Sort.java:7"]);
  });

  it("has the methods, for one run without the columns of the reference", () => {
    const list = {
      total: 1, labels: ["a.B.c()V"], methods: { short: ["B.c"], owner: ["B"], apart: [""] }, owner: [2], subjectSelfNJ: [1], subjectNJ: [2], referenceSelfNJ: [3], referenceNJ: [4],
      subjectTimes: [5], referenceTimes: [6], links: { total: 0, caller: [], callee: [], subjectNJ: [], referenceNJ: [], subjectTimes: [], referenceTimes: [] },
    };
    expect(methodsCSV(list, [0], false).split("\r\n")[1]).toMatch(/,a\.B\.c\(\)V,app,1,2,5,3,4,6$/);
    expect(methodsCSV(list, [0], true).split("\r\n")[1]).toMatch(/,app,1,2,5$/);
  });
});

describe("search", () => {
  const f = readFlask(small("a"));

  it("finds rows by either name, most energy first, also undrawn ones", () => {
    const found = search(f, " A.B. ")!;
    expect(found.rows.map((row) => f.labels[f.rows.label[row]!])).toEqual(["a.B.one()V", "a.B.two()V", "a.B.three()V", "a.B.four()V"]);
    expect(search(f, "text.B.measure")!.rows.length).toBe(1);
    expect([search(f, "  "), search(f, "nowhere")!.rows]).toEqual([null, []]);
    expect(search(f, "a.B.", (row) => row !== found.rows[0])!.rows).toEqual(found.rows.slice(1));
  });

  it("wraps around, from any row", () => {
    const found = search(f, "a.B.")!;
    const [first, second, , last] = found.rows as [number, number, number, number];
    expect([step(found, first, 1), step(found, last, 1), step(found, first, -1), step(found, 0, 1), step(found, 0, -1)]).toEqual([second, first, last, first, last]);
  });
});
