import { describe, expect, it } from "vitest";
import { apart, fileName, fileNames, halves, learn, learnFlask, nameOf } from "../src/names";
import { plain as shown, plainAll } from "../src/plain";
import { amount, change, count, duration, energy, grouped, noun, Noun, percent, ratio, rounded, unitFor, unitsAt } from "../src/units";
import { callingClass, lines, packages, tally, threads, verdictOf } from "../src/tasks";
import { initial } from "../src/state";
import figures from "../../report/words/testdata/figures.json";
import { hostile, makeCode, makeReport, makeTask } from "./fixtures";

describe("nameOf", () => {
  const serve = "net/http.(*conn).serve";
  const wait = "art::Monitor::Wait(art::Thread*)";
  learn({
    [serve]: { short: "(*conn).serve", owner: "(*conn)", scope: "net/http", class: "net/http.(*conn)" },
    [wait]: { short: "Monitor::Wait", owner: "Monitor", scope: "art", class: "art::Monitor" },
  });

  it("learns from a report", () => {
    expect(nameOf(serve)).toEqual({ label: serve, short: "(*conn).serve", owner: "(*conn)", package: "net/http", class: "net/http.(*conn)" });
  });

  it("learns from a flask, but prefers the report", () => {
    learnFlask([serve, "a.B.c()V"], { short: ["x", "B.c"], owner: ["", "B"], apart: ["", ""] });
    expect([nameOf(serve).short, nameOf("a.B.c()V").short]).toEqual(["(*conn).serve", "B.c"]);
  });

  it("splits names where they may be cut", () => {
    expect(halves(serve)).toEqual(["(*conn)", ".serve"]);
    expect(halves(wait)).toEqual(["Monitor", "::Wait"]);
    expect(halves("unknown.to.all")).toEqual(["", "unknown.to.all"]);
    expect(halves("")).toEqual(["", ""]);
  });

  it("shows invisible characters", () => {
    expect(shown("evil\u202enur.live\u0000\n")).toBe("evil\\u202enur.live\\u0000\\u000a");
    const report = makeReport([makeTask("a", { method: "x.\u202ey()V", threads: ["a\u200bb"] })]);
    expect(plainAll(report).tasks[0]).toMatchObject({ method: "x.\\u202ey()V", threads: ["a\\u200bb"], energyNJ: 100 });
    expect(Object.keys(plainAll({ "a\u0007": 1 }))).toEqual(["a\\u0007"]);
    const clean = makeReport([makeTask("a")]);
    expect(plainAll(clean)).toBe(clean);
  });
  it("leaves strange names unchanged", () => expect(nameOf(hostile).short).toBe(hostile));
  it("shortens paths of both kinds", () => expect([fileName("a/b.trace"), fileName("C:\\x\\c.trace"), fileName("-")]).toEqual(["b.trace", "c.trace", "-"]));
  it("distinguishes files of the same name by their folders", () => {
    expect(fileNames("a/new.trace", "a/old.trace")).toEqual(["new.trace", "old.trace"]);
    expect(fileNames("/x/v1/app.trace", "C:\\v2\\app.trace")).toEqual(["v1/app.trace", "v2/app.trace"]);
    expect(fileNames("app.trace", "x/app.trace")).toEqual(["app.trace", "app.trace"]);
  });
});

describe("apart", () => {
  it("distinguishes methods of the same name", () => {
    const labels = ["a.B.c(I)V", "a.B.d()V", "b.B.d()V", "(toplevel)"];
    expect([...apart(labels, { short: ["B.c", "B.d", "B.d", "(toplevel)"], owner: ["B", "B", "B", ""], apart: ["B.c(int)", "a.B.d()", "b.B.d()", ""] })]).toEqual([
      [labels[0], "(int)"],
      [labels[1], " a.B.d()"],
      [labels[2], " b.B.d()"],
    ]);
  });
});

describe("figures", () => {
  const mJ = unitFor(2_068_196_400);
  it("choose a unit with one to five digits", () => expect([unitFor(0).name, unitFor(9_999).name, unitFor(10_000).name, mJ.name, unitFor(1e10).name]).toEqual(["nJ", "nJ", "µJ", "mJ", "J"]));
  it("have three digits", () => {
    expect([581151600, 9856800, 999_950, 99_960_000, 0, -25_300_000, 400, -400].map((x) => amount(x, mJ))).toEqual(["581", "9.86", "1.00", "100", "0", "−25.3", "~0", "~0"]);
    expect(energy(2_068_196_400, mJ)).toBe("2\u202f068 mJ");
    expect(change(571294800, mJ)).toBe("+571");
  });
  it("convert to charge with a known voltage", () => {
    expect([5, 4000, -7, 0.25].map((x) => amount(x, unitFor(5)))).toEqual(["5", "4\u202f000", "−7", "0.250"]);
    expect(amount(581151600, unitsAt(3.7).at(-1)!)).toBe("43.6");
    expect(unitsAt(0).map((u) => u.name)).toEqual(["J", "mJ", "µJ", "nJ"]);
    const [stated, unstated] = [unitFor(1e9), unitsAt(3.7, { unit: "nJ" }, { unit: "unknown" })[0]!];
    expect([Noun(stated), noun(unstated), energy(1, unstated), energy(-1, unstated), energy(12, unstated)]).toEqual(["Energy", "total", "1 unit", "−1 unit", "12 units"]);
  });
  // The page separates thousands by thin spaces and uses long minus signs. The terminal separates only those of plain numbers, by commas.
  const plain = (text: string) => text.replaceAll("\u202f", "").replaceAll("−", "-");
  it.each(figures.percents)("$share is $text, as in the reports", ({ share, text }) => expect(percent(share)).toBe(text));
  it.each(figures.energies.filter((e) => e.unit))("$nanojoules nJ are $text, as in the reports", ({ nanojoules, unit, volts, text }) => {
    const units = [...unitsAt(volts), ...unitsAt(volts, { unit: "unknown" })];
    expect(plain(energy(nanojoules, units.find((u) => u.name === unit)!))).toBe(text.replaceAll(",", ""));
  });
  it("have a note if shares do not add up", () => expect([rounded([1, 1, 1], 3), rounded([250, 400, 50], 700), rounded([0, 7], 7), rounded([], 0)]).toEqual(["rounded", "rounded", "", ""]));
  it("are short", () => {
    expect([percent(0), percent(0.0001), percent(0.281), percent(-0.05)]).toEqual(["0.0%", "<0.1%", "28.1%", "−5.0%"]);
    expect([ratio(581, 9.86), ratio(1, 2), ratio(100, 99), ratio(0, 5), ratio(3, 2)]).toEqual(["×59", "÷2.0", "", "", "×1.5"]);
    expect([count(1, "task"), count(1234567, "task"), grouped(999)]).toEqual(["1 task", "1\u202f234\u202f567 tasks", "999"]);
    expect([duration(4_658_100_000), duration(30e9), duration(1_500_000), duration(5_000)]).toEqual(["4.66 s", "30.0 s", "1.50 ms", "5.00 µs"]);
    expect([duration(0), duration(999), duration(150_300_000), duration(-110_300_000), duration(999_700_000)]).toEqual(["0", "999 ns", "150 ms", "−110 ms", "1.00 s"]);
  });
});

describe("lines", () => {
  const other = { callers: [{ method: "com.app.net.Sync.pull()V", file: "Sync.kt", line: 3, calls: 1, samples: null, own: null, through: "Kotlin" }] };
  const report = makeReport([
    makeTask("a"),
    makeTask("b", { status: "unmatched", peer: null, split: null, savingNJ: 50, energyNJ: 50, method: "java.io.File.read()V", ...other }),
    makeTask("c", { savingNJ: 0, energyNJ: 500 }),
    makeTask("d", { savingNJ: -7, callers: [] }),
  ]);
  learn(report.methods);
  const ids = (change: Partial<typeof initial.filter>) => lines(report, { ...initial.filter, ...change }).map((l) => ("task" in l ? l.task.id : `(${l.heading})`));

  it("are sorted by possible saving", () => expect(ids({})).toEqual(["a", "b", "c", "d"]));
  it("sort by each column, both ways, ties in the order of the report", () => {
    expect(ids({ sort: "here" })).toEqual(["c", "a", "d", "b"]);
    expect(ids({ sort: "method", descending: false })).toEqual(["b", "a", "c", "d"]);
    expect(ids({ sort: "there", descending: false })).toEqual(["b", "a", "c", "d"]);
  });
  it("filter by words in method, path, caller and file", () => {
    expect(ids({ query: "sync.kt" })).toEqual(["b"]);
    expect(ids({ query: "TEXTVIEW clock" })).toEqual(["a", "c"]);
    expect(ids({ query: "nowhere" })).toEqual([]);
  });
  it("filter by verdict and by package, with its subpackages", () => {
    expect(ids({ verdict: "only" })).toEqual(["b"]);
    expect(report.tasks.map(verdictOf)).toEqual(["dearer", "only", "same", "cheaper"]);
    expect(ids({ package: "com.app" })).toEqual(["a", "b", "c"]);
    expect(ids({ package: "com.app.ne" })).toEqual([]);
    expect(packages(report)).toEqual([{ name: "com.app", below: 2 }, { name: "com.app.net", below: 0 }, { name: "com.app.ui", below: 0 }]);
  });
  it("filter by thread, also without a name", () => {
    const on = makeReport([makeTask("a"), makeTask("b", { threads: ["worker", "main"] }), makeTask("c", { threads: [""] }), makeTask("d", { threads: ["aside"] })]);
    const listed = (thread: string | null) => lines(on, { ...initial.filter, thread }).map((l) => ("task" in l ? l.task.id : ""));
    expect([null, "main", "worker", ""].map(listed)).toEqual([["a", "b", "c", "d"], ["a", "b"], ["b"], ["c"]]);
    expect(threads(on)).toEqual(["main", "worker", "", "aside"]);
    expect(tally(on, { ...initial.filter, thread: "main", verdict: "only" })).toEqual({ all: 2, only: 0, perhaps: 0, dearer: 2, cheaper: 0, unclear: 0, same: 0 });
  });
  it("rank app code with the tasks, and filter by kind", () => {
    const mixed = makeReport([makeTask("a"), makeTask("b", { savingNJ: 50 })], [makeCode("x"), makeCode("y", { savingNJ: 50, kind: "callback" })]);
    learn(mixed.methods);
    const of = (kind: "all" | "task" | "code", change = {}) => lines(mixed, { ...initial.filter, kind, ...change }).map((l) => ("task" in l ? `${l.task.id}${l.number ?? ""}` : ""));
    expect(of("all")).toEqual(["a1", "x", "b2", "y"]);
    expect(of("task")).toEqual(["a1", "b2"]);
    expect(of("code", { query: "sort.java" })).toEqual(["x", "y"]);
    expect(of("all", { own: true, sort: "here", descending: false })).toEqual(["x", "y", "a1", "b2"]);
    expect(packages(mixed)).toEqual([{ name: "com.app", below: 1 }, { name: "com.app.ui", below: 0 }]);
  });
  it("group by calling class, calling package and method, with the sum of own energy", () => {
    expect(ids({ own: true })).toEqual(["a", "c"]);
    expect(ids({ group: "class" })).toEqual(["(com.app.ui.Clock)", "a", "c", "(com.app.net.Sync)", "b", "(*)", "d"]);
    expect(ids({ group: "package" })).toEqual(["(com.app.ui)", "a", "c", "(com.app.net)", "b", "(*)", "d"]);
    expect(ids({ group: "method" })).toEqual(["(android.widget.TextView.setText(I)V)", "a", "c", "d", "(java.io.File.read()V)", "b"]);
    expect(lines(report, { ...initial.filter, group: "class" })[0]).toMatchObject({ tasks: 2, ownNJ: 180 });
    expect(callingClass(report.tasks[3])).toBe("*");
  });
});
