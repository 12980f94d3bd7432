import { describe, expect, it } from "vitest";
import { children, hasReference, readFlask, subjectLabel, Kind } from "../src/flask";
import { fileHost } from "../src/host";
import { energyIcicle } from "../src/layout/icicle";
import { initial, reduce, runID, type Action } from "../src/state";
import { treeFlask, type Context, type Tree } from "../src/tree";
import { makeReport, makeRun, namesOf } from "./fixtures";

const context = (depth: number, method: string, inclusiveNJ: number, exclusiveNJ: number, more: Partial<Context> = {}): Context =>
  ({ depth, method, kind: depth === 0 ? "root" : "framework", inclusiveNJ, exclusiveNJ, calls: 1, samples: null, prunedContexts: 0, prunedNJ: 0, ...more });

const contexts = [
  context(0, "(toplevel)", 100, 0), context(1, "a.B.run()V", 90, 20, { kind: "app", calls: 7 }), context(2, "a.B.c()V", 60, 60), context(2, "a.B.d()V", 4, 4, { prunedContexts: 2, prunedNJ: 6 }),
  context(1, "a.B.c()V", 10, 10),
];
const tree: Tree = {
  schemaVersion: 1, tool: { name: "diffprof", version: "test" }, input: makeReport([]).subject, stage: "merged", counts: "calls", warnings: [], contexts,
  methods: Object.fromEntries(contexts.map((c) => [c.method, namesOf(c.method)])),
};

describe("one run", () => {
  it("is a flask of the subject alone", () => {
    const f = readFlask(treeFlask(tree));
    expect([f.single, f.size, f.labels.length, f.method]).toEqual([true, 5, 4, 0]);
    expect(children(f, 0)).toEqual([1, 4]);
    expect(children(f, 1).map((row) => subjectLabel(f, row))).toEqual(["a.B.c()V", "a.B.d()V"]);
    expect([f.rows.kind[1], f.tallies.subject![1], f.rows.pruned[3], hasReference(f, 1)]).toEqual([Kind.App, 7, 2, false]);
    expect([...energyIcicle(f).subject]).toEqual(contexts.map((c) => c.inclusiveNJ));
  });

  it("is shown in its own views", () => {
    const s = [{ type: "view", view: "tasks" }, { type: "tree", tree, unit: "mJ" }].reduce<typeof initial>((s, a) => reduce(s, a as Action), initial);
    expect([s.view, s.report, s.single!.stage, s.unit, s.flasks.has(runID)]).toEqual(["run", null, "merged", "mJ", true]);
    expect(reduce(s, { type: "report", report: makeReport([]) })).toMatchObject({ single: null });
    expect(reduce(initial, { type: "tree", tree: { ...tree, schemaVersion: 2 } }).error).toContain("schemaVersion 2");
  });

  it("can be read from a file", async () => {
    const sent = await new Promise<Action>((send) => fileHost(Promise.resolve({ tree, unit: "J", names: [] })).start(send));
    expect(sent).toMatchObject({ type: "tree", unit: "J", top: null });
  });

  it("is rejected if it is no tree", () => {
    for (const broken of [[context(1, "a", 1, 1)], [contexts[0]!, context(2, "a", 1, 1)], [contexts[0]!, context(0, "a", 1, 1)]]) {
      expect(() => treeFlask({ ...tree, contexts: broken })).toThrow("not in preorder");
    }
    const s = reduce(initial, { type: "tree", tree: { ...tree, contexts: [] } });
    expect(s.flasks.get(runID)).toEqual({ error: "the flask has no rows" });
  });

  it("may be a single chain", () => {
    const deep = Array.from({ length: 50_000 }, (_, i) => context(i, "a.B.c()V", 50_000 - i, 1));
    expect(readFlask(treeFlask({ ...tree, contexts: deep })).depth[49_999]).toBe(49_999);
  });
});

it("a flask without the mark has two runs", () => expect(readFlask(makeRun(20, 1)).single).toBe(false));
