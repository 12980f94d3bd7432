import { describe, expect, it } from "vitest";
import { addressOf, readAddress } from "../src/address";
import { initial, reduce, type Action, type State } from "../src/state";
import { makeReport, makeTask, small } from "./fixtures";

const report = makeReport([makeTask("a"), makeTask("b")]);
const after = (...actions: Action[]): State => actions.reduce(reduce, initial);

/** opened is the state of a page opened at an address. */
const opened = (address: string, ...then: Action[]) => after(...readAddress(address), { type: "report", report }, ...then);

describe("an address", () => {
  it("is short for the initial state", () => {
    expect(addressOf(after({ type: "report", report }))).toBe("tasks");
    expect(addressOf(after({ type: "report", report }, { type: "open", task: "b" }))).toBe("flask/b");
    expect(readAddress("")).toEqual([]);
  });

  it("keeps the unit of the page, unless it has one", () => {
    const page = after({ type: "report", report, unit: "µAh" });
    expect(readAddress("run").reduce(reduce, page).unit).toBe("µAh");
    expect(readAddress("run?unit=mJ").reduce(reduce, page).unit).toBe("mJ");
    expect(opened("run", { type: "report", report, unit: "µAh" }).unit).toBe("µAh");
  });

  it("restores each choice", () => {
    const choices: Action[] = [
      { type: "filter", change: { query: "a b&c=ü", verdict: "dearer", kind: "task", package: "org.mozilla", thread: "", own: true, group: "package", sort: "here", descending: false } },
      { type: "filter", change: { thread: "main" } },
      { type: "sort", key: "method" },
      { type: "find", query: "on?#/%" },
      { type: "run", change: { onlyDifferences: false, table: true, zoom: [0.25, 0.5, 90] } },
      { type: "top", change: { query: "x", app: true, method: "a.B.c()V", sort: "method", descending: false } },
      { type: "unit", unit: "µAh" },
      { type: "view", view: "run" },
    ];
    for (let n = 1; n <= choices.length; n++) {
      const s = after({ type: "report", report }, ...choices.slice(0, n), { type: "view", view: "run" });
      const { filter, find, run, topFilter, unit, view } = opened(addressOf(s));
      expect({ filter, find, run, topFilter, unit, view }).toEqual({ filter: s.filter, find: s.find, run: s.run, topFilter: s.topFilter, unit: s.unit, view: s.view });
    }
  });

  it("resets what another address omits", () => {
    const s = [...readAddress("tasks?q=x&unit=J&sort=-own"), ...readAddress("tasks")].reduce(reduce, initial);
    expect(s).toEqual(initial);
  });

  it("restores folds and the selected row once the tree arrives", () => {
    const flask: Action = { type: "flask", id: "b", flask: small("b") };
    const s = after({ type: "report", report }, { type: "open", task: "b" }, flask, { type: "fold", id: "b", row: 5, open: false }, { type: "cheap", id: "b", row: 4, shown: true }, { type: "select", id: "b", row: 6 });
    const address = addressOf(s);
    const back = opened(address, flask);
    expect([back.selected.get("b"), back.folds.get("b"), back.notice]).toEqual([6, s.folds.get("b"), ""]);
    expect(addressOf(back)).toBe(address);
  });

  it("does not wait for a tree that failed", () => {
    expect(opened("flask/b?tree=8.1", { type: "flaskFailed", id: "b", message: "left out" }).aim).toBeNull();
  });

  it("shows a message if the tree has changed since the link was made", () => {
    const s = opened("flask/b?tree=zz.3.1", { type: "flask", id: "b", flask: small("b") });
    expect(s.notice).toContain("has changed");
    expect([s.selected.size, s.folds.size]).toEqual([0, 0]);
  });

  it("keeps an unknown task, so that the view shows a message", () => {
    expect(opened("flask/gone")).toMatchObject({ view: "flask", task: "gone" });
    expect(after({ type: "report", report }, { type: "open", task: "b" }, { type: "report", report: makeReport([makeTask("z")]) }).task).toBe("z");
  });

  it("is always validated", () => {
    const nonsense = ["nowhere", "flask/%E0%A4%A", "run?zoom=5_2_x&tree=-1.-2..&sort=x&verdict=y&group=z", "run?zoom=0_1", "tasks?thread=&kind=&by=--self", "?", "/", "flask?tree=a.b.c.d.e.f"];
    for (const text of nonsense) {
      const s = opened(text);
      expect(s.report).toBe(report);
      expect(s.run.zoom).toBeNull();
      expect(s.filter).toEqual(initial.filter);
      expect(s.topFilter).toEqual(initial.topFilter);
    }
    expect(opened("nowhere").notice).toContain("nowhere");
  });
});
