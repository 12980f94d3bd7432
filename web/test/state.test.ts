import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { codeHost, fileHost, fromExtension, unpack } from "../src/host";
import { initial, reduce, runID, type Action, type State } from "../src/state";
import { createStore } from "../src/store";
import { makeCode, makeReport, makeTask, pack, small } from "./fixtures";

const report = makeReport([makeTask("a"), makeTask("b")]);
const after = (...actions: Action[]): State => actions.reduce(reduce, initial);

describe("reduce", () => {
  it("takes a report and puts the cursor on its first task", () => {
    expect(after({ type: "report", report, volts: 3.8 })).toMatchObject({ report, task: "a", cursor: "a", volts: 3.8, error: "" });
  });

  it("puts the cursor on the first line of the list, for equal savings", () => {
    const equal = makeReport([makeTask("a", { savingNJ: 0, energyNJ: 5 }), makeTask("b", { savingNJ: 0, energyNJ: 9 })]);
    expect(after({ type: "report", report: equal })).toMatchObject({ task: "b", cursor: "b" });
  });

  it("puts the cursor on app code, too, which has no flask", () => {
    const first = makeReport([makeTask("a", { savingNJ: 1 })], [makeCode("c", { savingNJ: 2 })]);
    const shown: Action = { type: "report", report: first };
    expect(after(shown)).toMatchObject({ task: "a", cursor: "c" });
    expect(after(shown, { type: "open", task: "a" })).toMatchObject({ task: "a", cursor: "a" });
    expect(after(shown, { type: "open", task: "a" }, { type: "cursor", line: "c" })).toMatchObject({ task: "a", cursor: "c" });
  });

  it("shows energy in the unit of the settings, until the reader chooses another", () => {
    const given = (unit?: string): Action => ({ type: "report", report, unit });
    expect(after(given("mJ")).unit).toBe("mJ");
    expect(after(given("mJ"), { type: "unit", unit: "J" }, given("mJ")).unit).toBe("J");
    expect(after(given("mJ"), { type: "unit", unit: "J" }, given("µAh")).unit).toBe("µAh");
    expect(after(given("mJ"), given()).unit).toBe("mJ");
  });

  it("refuses a report of another schema", () => {
    const s = after({ type: "report", report: { ...report, schemaVersion: 2 } });
    expect(s.report).toBeNull();
    expect(s.error).toContain("schemaVersion 2");
  });

  it("keeps view, filter and task with a new report, and drops old trees", () => {
    const s = after(
      { type: "report", report }, { type: "open", task: "b" }, { type: "filter", change: { query: "x" } },
      { type: "flask", id: "b", flask: small("b") }, { type: "select", id: "b", row: 3 }, { type: "report", report },
    );
    expect(s).toMatchObject({ task: "b", view: "flask", filter: { query: "x" } });
    expect(s.flasks.size + s.selected.size).toBe(0);
  });

  it("sorts figures from the largest, names from A, and reverses on the second press", () => {
    expect(after({ type: "sort", key: "here" }).filter).toMatchObject({ sort: "here", descending: true });
    expect(after({ type: "sort", key: "method" }).filter).toMatchObject({ sort: "method", descending: false });
    expect(after({ type: "sort", key: "here" }, { type: "sort", key: "here" }).filter.descending).toBe(false);
  });

  it("keeps folds for each flask", () => {
    const s = after({ type: "fold", id: "a", row: 4, open: false }, { type: "cheap", id: "b", row: 1, shown: true }, { type: "cheap", id: "b", row: 1, shown: false });
    expect(s.folds.get("a")!.open.get(4)).toBe(false);
    expect(s.folds.get("b")!.cheap.size).toBe(0);
  });

  it("folds all below the F-method", () => {
    const s = after({ type: "flask", id: "a", flask: small("a") }, { type: "foldAll", id: "a", open: false });
    const open = s.folds.get("a")!.open;
    expect([...open.values()].filter(Boolean)).toHaveLength(1);
    expect(open.size).toBeGreaterThan(1);
  });

  it("has the reason why a flask cannot be shown", () => {
    const broken = small("a");
    broken.rows.parent[3] = 99;
    const slots = after({ type: "flask", id: "a", flask: broken }, { type: "flaskFailed", id: "b", message: "gone" }).flasks;
    expect(slots.get("a")).toMatchObject({ error: expect.stringContaining("preorder") });
    expect(slots.get("b")).toEqual({ error: "gone" });
    const short = small("a");
    short.rows.kind.pop();
    expect(after({ type: "flask", id: "a", flask: short }).flasks.get("a")).toMatchObject({ error: expect.stringContaining("kind") });
  });

  it("does not change its argument", () => {
    const frozen = Object.freeze({ ...initial, filter: Object.freeze({ ...initial.filter }) });
    for (const a of [{ type: "sort", key: "own" }, { type: "run", change: { query: "y" } }, { type: "unit", unit: "µAh" }] as Action[]) reduce(frozen, a);
  });
});

describe("createStore", () => {
  it("calls listeners only on changes", () => {
    const store = createStore(reduce, initial);
    const listen = vi.fn();
    const stop = store.subscribe(listen);
    store.send({ type: "view", view: "tasks" });
    expect(listen).not.toHaveBeenCalled();
    store.send({ type: "view", view: "run" });
    expect(listen).toHaveBeenCalledTimes(1);
    stop();
    store.send({ type: "view", view: "summary" });
    expect(listen).toHaveBeenCalledTimes(1);
    expect(store.state.view).toBe("summary");
  });
});

describe("hosts", () => {
  it("serve a file's own data", async () => {
    const sent: Action[] = [];
    const { packed, names } = pack([small("a"), small("")]);
    const page = unpack(gzipSync(JSON.stringify({ report, unit: "J", flasks: { a: packed[0] }, run: packed[1], names })).toString("base64"));
    const host = fileHost(page);
    host.start((a) => sent.push(a));
    await page;
    for (const id of ["a", runID, "b", "__proto__"]) host.flask(id);
    expect(sent.map((a) => a.type)).toEqual(["report", "flask", "flask", "flaskFailed", "flaskFailed"]);
    expect(sent[0]).toMatchObject({ report, unit: "J" });
    expect(sent[1]).toMatchObject({ flask: small("a") });
    expect(host.open).toBeNull();
  });

  it("report a damaged file", async () => {
    const packed = gzipSync("{}").toString("base64");
    for (const text of ["", "?", packed.slice(0, 12), gzipSync("{").toString("base64")]) {
      const said = await new Promise<Action>((send) => fileHost(unpack(text)).start(send));
      expect(said).toMatchObject({ type: "failed", message: expect.stringContaining("damaged") });
    }
  });

  it("report that a report cannot be shown, for any error", async () => {
    const said: Action[] = [];
    await new Promise<void>((done) => fileHost(Promise.resolve({ report, headline: [], flasks: {}, run: null, names: [] })).start((a) => {
      said.push(a);
      if (a.type === "report") throw new Error("a figure is missing");
      done();
    }));
    expect(said.at(-1)).toMatchObject({ type: "failed", message: expect.stringContaining("a figure is missing") });
  });

  it("exchange messages with the extension", async () => {
    const posted: unknown[] = [];
    let hear: (e: unknown) => void = () => {};
    let state: unknown;
    const sent: Action[] = [];
    const host = codeHost({ postMessage: (m) => posted.push(m), getState: () => state, setState: (s) => { state = s; } }, "Comparing…", { addEventListener: (_: string, l: never) => { hear = l; } } as never);
    expect(host.waiting).toBe("Comparing…");
    host.start((a) => sent.push(a));
    host.flask("a");
    host.open!("m", "F.java", 3);
    await host.copy("m");
    hear({ data: { type: "flask", id: "a", flask: small("a") } });
    hear({ data: { type: "unheard of" } });
    expect(posted).toEqual([{ type: "ready" }, { type: "flask", id: "a" }, { type: "open", method: "m", file: "F.java", line: 3 }, { type: "copy", text: "m" }]);
    expect(sent.map((a) => a.type)).toEqual(["flask"]);
    expect(host.address.read()).toBe("");
    host.address.write("flask/a", true);
    expect(host.address.read()).toBe("flask/a");
  });

  it("handle each known message and ignore the rest", () => {
    expect(fromExtension({ type: "report", report, volts: "x", unit: "µAh" })).toMatchObject({ type: "report", volts: 0, unit: "µAh" });
    expect(fromExtension({ type: "flaskFailed", id: "a", message: "m" })).toEqual({ type: "flaskFailed", id: "a", message: "m" });
    expect(fromExtension({ type: "failed", message: "m" })).toEqual({ type: "failed", message: "m" });
    expect(fromExtension({ type: "open", task: "a" })).toEqual({ type: "open", task: "a" });
    expect(fromExtension({ type: "view", view: "run" })).toEqual({ type: "view", view: "run" });
    for (const m of [null, 3, "open", {}, { type: "view", view: "elsewhere" }]) expect(fromExtension(m)).toBeNull();
  });
});
