import { describe, expect, it } from "vitest";
import { placesOf, readFlask, rowNear } from "../src/flask";
import { initial, reduce, runID, type Action } from "../src/state";
import { taskOf, taskRows } from "../src/tasks";
import { makeReport, makeRun, makeTask, small } from "./fixtures";

const f = readFlask(small());
const rowOf = (part: string) => f.rows.label.findIndex((l) => f.labels[l].includes(part));

describe("rowNear", () => {
  it("finds each row by its own places", () => {
    const run = readFlask(makeRun(3000, 3));
    for (let i = 0; i < run.size; i += 7) expect(rowNear(run, placesOf(run, i))).toBe(i);
  });

  it("finds the nearest ancestor of a missing row", () => {
    const places = placesOf(f, rowOf("requestLayout"));
    expect(rowNear(f, [{ subject: 99, reference: -1 }, ...places])).toBe(rowOf("requestLayout"));
    expect(rowNear(f, [{ subject: 99, reference: 98 }, ...places.slice(1)])).toBe(f.method);
    expect(rowNear(f, [{ subject: -1, reference: -1 }, { subject: 99, reference: 98 }])).toBe(-1);
  });
});

describe("a flask's cause", () => {
  const why = (subjectNode: number, referenceNode: number) => readFlask({ ...small(), why: { text: "most of it", subjectNode, referenceNode } }).why!.row;

  it("leads to its row, on either side, or to none if the row is missing", () => {
    const row = rowOf("requestLayout");
    expect(why(f.rows.subjectNode[row], -1)).toBe(row);
    const there = f.rows.status.lastIndexOf(3);
    expect(why(-1, f.rows.referenceNode[there])).toBe(there);
    expect(why(99, -1)).toBe(-1);
    expect(f.why).toBeNull();
  });
});

describe("taskOf", () => {
  const report = makeReport([makeTask("a"), makeTask("b", { node: 99, peer: null })]);
  const id = (part: string) => taskOf(report, f, rowOf(part))?.id;

  it("finds the innermost task at or above a row, on the row's own side", () => {
    expect([id("setText"), id("requestLayout"), id("<img")]).toEqual(["a", "a", "a"]);
    expect([id("dispatchMessage"), id("onTick")]).toEqual([undefined, undefined]);
  });

  it("marks the rows where tasks begin", () => {
    expect([...taskRows(report, f)].flatMap((m, i) => (m ? [i] : []))).toEqual([f.method]);
  });
});

describe("jumping", () => {
  const report = makeReport([makeTask("a")]);
  const after = (...actions: Action[]) => actions.reduce(reduce, initial);
  const places = placesOf(f, rowOf("requestLayout"));

  it("selects in a flask that has arrived, and in one that arrives later", () => {
    const come: Action = { type: "flask", id: "a", flask: small("a") };
    for (const s of [after(come, { type: "open", task: "a", places }), after({ type: "open", task: "a", places }, come)]) {
      expect(s).toMatchObject({ view: "flask", task: "a", aim: null });
      expect(s.selected.get("a")).toBe(rowOf("requestLayout"));
    }
  });

  it("leads to the whole run, with all rows shown", () => {
    const s = after({ type: "run", change: { onlyDifferences: true } }, { type: "locate", places }, { type: "flask", id: runID, flask: small("") });
    expect(s).toMatchObject({ view: "run", run: { onlyDifferences: false } });
    expect(s.selected.get(runID)).toBe(rowOf("requestLayout"));
  });

  it("is dropped with another report, or another task", () => {
    expect(after({ type: "open", task: "a", places }, { type: "report", report }).aim).toBeNull();
    expect(after({ type: "open", task: "a", places }, { type: "open", task: "b" }).aim).toBeNull();
  });
});
