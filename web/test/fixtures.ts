// Test data: a small flask written by hand, large ones from a seeded generator.

import type { Packed, Page } from "../src/host";
import type { AppCode, FlaskJSON, MethodListJSON, MethodNames, Report, Task } from "../src/model";

/** namesOf returns the names of the JVM labels in tests. */
export function namesOf(label: string): MethodNames {
  const [, scope = "", type = "", name] = /^(?:([\w.]+)\.)?([\w$*]+)\.([\w<>$]+)\(/.exec(label) ?? [];
  if (!name) return { short: label, owner: "", scope: "", class: "" };
  return { short: `${type}.${name}`, owner: type, scope, class: scope ? `${scope}.${type}` : type };
}

/** A Spec describes a node of a flask; the figures of a side are [inclusive, self, calls]. */
export interface Spec {
  label: string;
  other?: string;
  here?: [number, number, number];
  there?: [number, number, number];
  part?: number;
  kind?: number;
  pruned?: [rows: number, subject: number, reference: number];
  sources?: [string, string, number, number][];
  below?: Spec[];
}

/** makeFlask returns a flask in columns. */
export function makeFlask(root: Spec, task = ""): FlaskJSON {
  const json: FlaskJSON = {
    schemaVersion: 1, task, subjectTime: "cpu-time", referenceTime: "cpu-time", counts: "calls", why: null, labels: [], methods: { short: [], owner: [], apart: [] }, files: [],
    rows: {
      parent: [], referenceParent: [], part: [], status: [], kind: [], label: [], referenceLabel: [],
      subjectNJ: [], subjectSelfNJ: [], subjectCalls: [], subjectSamples: null, referenceNJ: [], referenceSelfNJ: [], referenceCalls: [], referenceSamples: null,
      subjectNS: [], subjectSelfNS: [], referenceNS: [], referenceSelfNS: [],
      subjectNode: [], referenceNode: [], pruned: [], prunedSubjectNJ: [], prunedReferenceNJ: [], sources: [], referenceSources: [],
    },
  };
  const at = (table: string[], places: Map<string, number>, text: string) => {
    let i = places.get(text);
    if (i === undefined) places.set(text, (i = table.push(text) - 1));
    return i;
  };
  const labels = new Map<string, number>();
  const files = new Map<string, number>();
  const r = json.rows;
  const nodes = { here: 0, there: 0 };
  const todo: [Spec, number][] = [[root, -1]];
  while (todo.length > 0) {
    const [n, parent] = todo.pop()!;
    const row = r.parent.push(parent) - 1;
    let above = n.there ? parent : -1;
    while (above >= 0 && r.referenceNode[above] < 0) above = r.parent[above];
    r.referenceParent.push(above);
    r.part.push(n.part ?? 2);
    r.status.push(!n.there ? 2 : !n.here ? 3 : n.other ? 1 : 0);
    r.kind.push(n.kind ?? 1);
    r.label.push(at(json.labels, labels, n.label));
    r.referenceLabel.push(n.other ? at(json.labels, labels, n.other) : -1);
    const none: [number, number, number] = [-1, -1, -1];
    const [si, ss, sc] = n.here ?? none;
    const [ri, rs, rc] = n.there ?? none;
    r.subjectNJ.push(si); r.subjectSelfNJ.push(ss); r.subjectCalls!.push(sc);
    r.referenceNJ.push(ri); r.referenceSelfNJ.push(rs); r.referenceCalls!.push(rc);
    // Artificial times: one microsecond per nanojoule.
    const time = (nj: number) => (nj < 0 ? -1 : 1000 * nj);
    r.subjectNS.push(time(si)); r.subjectSelfNS.push(time(ss)); r.referenceNS.push(time(ri)); r.referenceSelfNS.push(time(rs));
    r.referenceSources.push([]);
    r.subjectNode.push(n.here ? nodes.here++ : -1);
    r.referenceNode.push(n.there ? nodes.there++ : -1);
    const [count, ps, pr] = n.pruned ?? [0, 0, 0];
    r.pruned.push(count); r.prunedSubjectNJ.push(ps); r.prunedReferenceNJ.push(pr);
    r.sources.push((n.sources ?? []).map(([m, f, line, calls]) => [at(json.labels, labels, m), at(json.files, files, f), line, calls]));
    for (const c of [...(n.below ?? [])].reverse()) todo.push([c, row]);
  }
  const named = json.labels.map(namesOf);
  json.methods = { short: named.map((m) => m.short), owner: named.map((m) => m.owner), apart: named.map(() => "") };
  return json;
}

/** pack converts flasks and lists of methods to the form in a page, with shared names. A changed label is its own name. */
export function pack<T extends FlaskJSON | MethodListJSON>(documents: readonly T[]): { packed: Packed<T>[]; names: Page["names"] } {
  const names: Page["names"] = [];
  const at = new Map<string, number>();
  const packed = documents.map((f) => ({
    ...f,
    labels: f.labels.map((label, i) => {
      if (!at.has(label)) {
        const { short, owner } = label === hostile || !f.methods.short[i] ? namesOf(label) : { short: f.methods.short[i]!, owner: f.methods.owner[i]! };
        at.set(label, names.push([label, short, owner]) - 1);
      }
      return at.get(label)!;
    }),
    methods: { apart: Object.fromEntries(f.methods.apart.flatMap((text, i) => (text ? [[i, text]] : []))) },
  }));
  return { packed, names };
}

/** hostile is a method's name that would run as a script if a page wrote it as HTML. */
export const hostile = "<img src=x onerror=globalThis.hit=1></script><script>globalThis.hit=2</script>";

/** small is a task with all kinds of rows: different necks, unmatched rows on both sides, a row with two names, cheap and pruned branches. */
export function small(task = "0123456789abcdef"): FlaskJSON {
  return makeFlask({
    label: "(toplevel)", part: 0, kind: 0, here: [2000, 0, 0], there: [1500, 0, 0], below: [{
      label: "android.os.Handler.dispatchMessage(Landroid/os/Message;)V", part: 0, here: [1500, 0, 60], there: [900, 0, 50], below: [
        { label: "*.run()V", part: 0, kind: 2, here: [1200, 100, 29], sources: [["com.app.Ticker.run()V", "Ticker.java", 12, 29], ["com.app.Helper.show()V", "Helper.java", 40, 58]], below: [{
          label: "android.widget.TextView.setText(Ljava/lang/CharSequence;)V", part: 1, here: [1000, 10, 58], there: [100, 10, 58], below: [
            { label: "android.view.View.requestLayout()V", here: [900, 900, 58] },
            { label: "android.text.A.measure()V", other: "android.text.B.measure()V", here: [60, 60, 58], there: [50, 50, 58] },
            { label: hostile, there: [36, 36, 2] },
            { label: "a.B.one()V", here: [9, 9, 1], there: [1, 1, 1] },
            { label: "a.B.two()V", here: [8, 4, 1], there: [1, 1, 1], below: [{ label: "a.B.three()V", here: [4, 4, 1] }] },
            { label: "a.B.four()V", here: [3, 3, 1], there: [1, 1, 1], pruned: [0, 0, 0] },
          ], pruned: [2, 10, 1],
        }] },
        { label: "*.onTick()V", part: 0, kind: 2, there: [800, 700, 29] },
      ],
    }],
  }, task);
}

/** random returns a generator of numbers from 0 to 1, determined by the seed (mulberry32). */
export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** makeRun generates a whole run of the given number of rows. */
export function makeRun(rows: number, seed: number): FlaskJSON {
  const next = random(seed);
  interface Grown extends Spec { depth: number; side: number; below: Grown[] }
  const name = () => `com.pkg${Math.floor(next() * 40)}.Type${Math.floor(next() * 60)}.method${Math.floor(next() * 30)}(I)V`;
  const root: Grown = { label: "(toplevel)", kind: 0, part: 1, depth: 0, side: 0, below: [] };
  const all: Grown[] = [root];
  while (all.length < rows) {
    // Mostly below the last row, like call trees: deep, with some wide levels.
    const parent = next() < 0.75 ? all[all.length - 1 - Math.floor(next() * Math.min(12, all.length))] : all[Math.floor(next() * all.length)];
    if (parent.depth > 90) continue;
    const side = parent.side || (next() < 0.08 ? 1 : next() < 0.06 ? 2 : 0);
    const child: Grown = { label: name(), depth: parent.depth + 1, side, below: [] };
    if (side === 0 && next() < 0.03) child.other = name();
    parent.below.push(child);
    all.push(child);
  }
  for (let i = all.length - 1; i >= 0; i--) {
    const n = all[i];
    const figures = (side: number, of: "here" | "there"): [number, number, number] | undefined => {
      if (n.side !== 0 && n.side !== side) return undefined;
      const self = Math.floor(1e6 * next() ** 4);
      return [n.below.reduce((sum, c) => sum + (c[of]?.[0] ?? 0), self), self, 1 + Math.floor(next() * 500)];
    };
    n.here = figures(1, "here");
    n.there = figures(2, "there");
    if (n.side !== 0) delete n.other;
  }
  return makeFlask(root);
}

/** counting is the standing of a finding. makeReport sets its rank. */
const counting = { rank: 0, counts: true, whyNotMessage: "", savingLeastNJ: 50, savingMostNJ: 70 };

export function makeTask(id: string, change: Partial<Task> = {}): Task {
  const { peer = {}, savingNJ = 60 } = change;
  const verdict = !peer ? "only here" : savingNJ > 0 ? "dearer here" : savingNJ < 0 ? "cheaper here" : "the same";
  return {
    ...counting, id, status: "matched", verdict, message: "TextView.setText: 100 nJ here, 40 nJ in old.trace (2.5 times)", method: "android.widget.TextView.setText(I)V",
    path: ["(toplevel)", "android.os.Handler.dispatchMessage(Landroid/os/Message;)V", "*.run()V", "android.widget.TextView.setText(I)V"],
    node: 3, energyNJ: 100, share: 0.1, ownNJ: 90, calls: 5, samples: null, cpuTimeNS: 9e6, wallTimeNS: 12e6,
    callers: [{ method: "com.app.ui.Clock.show()V", file: "Clock.java", line: 12, calls: 5, samples: null, own: { method: "com.app.ui.Clock.show()V", file: "Clock.java", line: 12 }, through: "" }],
    threads: ["main"],
    peer: { method: "android.widget.TextView.setText(I)V", path: ["(toplevel)", "android.widget.TextView.setText(I)V"], node: 2, energyNJ: 40, share: 0.05, calls: 5, samples: null, cpuTimeNS: 4e6, wallTimeNS: 0, threads: ["main"], distance: 2, match: "path", how: "the same method, path 2 steps apart" },
    savingNJ: 60, split: { callsNJ: 0, perCallNJ: 60, message: "60 nJ for calls that cost more" },
    ...change,
  };
}

/** makeCode returns a method of the app that uses more than in the reference. */
export function makeCode(id: string, change: Partial<AppCode> = {}): AppCode {
  const place = { method: "com.app.Sort.bubble()V", file: "Sort.java", line: 7 };
  return {
    ...counting, id, kind: "method", status: "matched", verdict: "dearer here", message: "Sort.bubble: 80 nJ here, 25 nJ in old.trace (3.2 times)", ...place, path: ["(toplevel)", "*.run()V"], node: 2,
    energyNJ: 80, share: 0.08, ownNJ: 80, calls: 9, samples: null,
    parts: [{ ...place, callback: "*.run()V", own: true, library: "", energyNJ: 80 }], partCount: 1, threads: ["main"],
    peer: { ...place, path: ["(toplevel)", "*.run()V"], energyNJ: 25, share: 0.02, calls: 9, samples: null, how: "" }, savingNJ: 55, split: null,
    ...change,
  };
}

export function makeReport(tasks: Task[], appCode: AppCode[] = []): Report {
  const input = {
    path: "new.trace", format: "art", methods: 10, threads: 2, events: 100, cctNodes: 20, treeNodes: 18, energyNJ: 1000, cpuTimeNS: 5_000_000,
    provenance: "cpu-time", energyFrom: "modelled from CPU time", wallTimeNS: 9_000_000, clock: "dual", technique: "instrumented", calls: "counted" as const, vm: "art", powerSource: "a profile", ownCode: { untold: false },
  };
  const ranked = [...tasks, ...appCode].sort((a, b) => b.savingNJ - a.savingNJ || b.energyNJ - a.energyNJ);
  ranked.forEach((row, i) => (row.rank ||= i + 1));
  const matched = tasks.filter((t) => t.status === "matched");
  const own = (list: Task[]) => list.reduce((sum, t) => sum + t.ownNJ, 0);
  return {
    schemaVersion: 1, tool: { name: "diffprof", version: "test" }, alpha: {
      requested: "auto", used: 1,
      coverage: [0, 1].map((alpha) => ({ alpha, matched: alpha, matchedShare: alpha / 2, matchedNJ: alpha * 90, matchedEnergyShare: alpha * 0.09 })),
    },
    subject: input, reference: { ...input, path: "old.trace" }, counts: "calls", matching: { size: 5, pairs: 6 },
    summary: {
      tasks: tasks.length, matched: matched.length, unmatched: tasks.length - matched.length, message: `${matched.length} of ${tasks.length} tasks matched`, matchedNJ: own(matched),
      unmatchedNJ: own(tasks) - own(matched), outsideTasksNJ: 1000 - own(tasks), matchedEnergyShare: own(matched) / 1000, unmatchedEnergyShare: 0,
      outside: { appCodeNJ: 0, systemNJ: 1000 - own(tasks), recorderNJ: 0, waitingNJ: 0, toplevelNJ: 0 }, appCode: { oneApp: true, rows: appCode.length },
      reference: { tasks: 0, matched: 0, unmatched: 0, matchedNJ: 0, unmatchedNJ: 0, outsideTasksNJ: 1000, outside: { appCodeNJ: 0, systemNJ: 1000, recorderNJ: 0, waitingNJ: 0, toplevelNJ: 0 } },
    },
    packages: [{ name: "android.widget", class: "framework", subjectNJ: 1000, referenceNJ: 1000 }],
    threads: [{ name: "main", subjectNJ: 800, referenceNJ: 1000 }, { name: "worker", subjectNJ: 200, referenceNJ: 0 }],
    judgement: {
      headline: {
        parts: [{ code: "costlier-tasks", name: "tasks that cost more", subjectNJ: 900, referenceNJ: 300, differenceNJ: 600 }, { code: "system", name: "the system's own work", subjectNJ: 100, referenceNJ: 700, differenceNJ: -600 }],
        doubt: "", rows: ranked.filter((row) => row.counts).length, first: ranked.find((row) => row.counts)?.id ?? "",
      },
      sentences: ["new.trace uses as much as old.trace.", "60 nJ could be saved."],
    },
    comparability: [], tasks, appCode, warnings: [],
    methods: Object.fromEntries([...appCode.flatMap((c) => [c.method, ...c.path]), ...tasks.flatMap((t) => [t.method, ...t.path, ...t.callers.map((c) => c.method), ...(t.peer?.path ?? [])])].map((label) => [label, namesOf(label)])),
  };
}
