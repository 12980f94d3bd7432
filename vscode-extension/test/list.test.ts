import { describe, expect, it } from "vitest";
import { callersOf, everything, list, passing, tasksAt, type Branch, type Listing } from "../src/list.ts";
import type { Caller, Methods, Task } from "../src/protocol.ts";

const methods: Methods = {
  "com.mine.Feed.load()V": { short: "Feed.load", scope: "com.mine" },
  "com.mine.ui.Row.bind()V": { short: "Row.bind", scope: "com.mine.ui" },
  "lib.Adapter.run()V": { short: "Adapter.run", scope: "lib" },
};

const caller = (method: string, own: string | null = method): Caller =>
  ({ method, short: methods[method]!.short, file: "", line: 0, calls: 1, own: own ? { method: own } : null, through: "" });

const task = (id: string, savingNJ: number, of: Partial<Task> = {}): Task => ({
  kind: "task", id, status: "matched", verdict: "dearer here", method: `android.A.${id}()V`, short: `A.${id}`, energyNJ: 10, share: 0.1, ownNJ: 5, savingNJ,
  rank: 100 - savingNJ, counts: savingNJ > 0, whyNotMessage: "",
  calls: 1, message: "", ignored: false, callers: [caller("com.mine.Feed.load()V")], peer: null, perhaps: null, inside: null, locations: [], ...of,
});

// written writes the lines as an indented outline.
function written(tasks: Task[], listing: Partial<Listing> = {}, outside = [{ name: "the system's own work", energyNJ: 3, share: 0.2 }, { name: "nothing", energyNJ: 0, share: 0 }]): string[] {
  const lines = (branches: Branch[], indent: string): string[] =>
    branches.flatMap((b) => [
      indent + (b.type === "task" ? b.task.id : b.type === "group" ? `${b.name}: ${b.tasks}, ${b.ownNJ}` : b.type === "part" ? b.part.name : b.type === "rest" ? `rest: ${b.tasks}` : `outside: ${b.share}`),
      ...lines(b.children, `${indent}  `),
    ]);
  return lines(list(tasks, outside, methods, { ...everything, ...listing }), "");
}

describe("tasksAt", () => {
  const at = (line: number, from: number, to: number, uri = "file:///Feed.java") =>
    [{ uri, range: { start: { line, character: from }, end: { line, character: to } }, caller: "", short: "", exact: true, energyNJ: 1, stale: "" }];
  const tasks = [
    task("first", 9, { locations: at(4, 8, 14) }), task("second", 5, { locations: at(4, 20, 26) }), task("same", 4, { locations: at(4, 20, 26) }),
    task("ignored", 8, { locations: at(7, 0, 5), ignored: true }), task("code", 8, { kind: "code", locations: at(7, 0, 5) }), task("elsewhere", 7, { locations: at(4, 8, 14, "file:///Row.java") }),
  ];
  const found = (line: number, character: number) => tasksAt(tasks, "file:///Feed.java", { line, character }).map((t) => t.id);

  it("finds the tasks of the call at the cursor, else the tasks of its line", () => {
    expect(found(4, 10)).toEqual(["first"]);
    expect(found(4, 26)).toEqual(["second", "same"]);
    expect(found(4, 0)).toEqual(["first", "second", "same"]);
    expect(found(5, 10)).toEqual([]);
    expect(found(7, 2)).toEqual([]);
  });
});

describe("list", () => {
  it("puts tasks below the tasks that contain them, and tasks without a saving last", () => {
    const tasks = [task("a", 9), task("b", 8, { inside: "a" }), task("c", 7), task("d", 0), task("e", -1, { inside: "d" }), task("f", 0, { inside: "a" }), task("g", 5, { inside: "d" })];
    expect(written(tasks)).toEqual(["a", "  b", "c", "g", "rest: 3", "  d", "    e", "  f", "outside: 0.2", "  the system's own work"]);
  });

  it("has each task once, for any nesting", () => {
    const tasks = [task("a", 9, { inside: "x" }), task("b", 8, { inside: "a" }), task("c", 7, { inside: "b" })];
    for (const sort of ["saving", "place", "energy", "calls", "name"] as const)
      expect(written(tasks, { sort }, []).map((l) => l.trim()).sort(), sort).toEqual(["a", "b", "c"]);
  });

  it("puts last the tasks whose difference may be chance", () => {
    const tasks = [task("a", 9, { counts: false, rank: 3, verdict: "unclear" }), task("b", 2, { rank: 1 }), task("c", 1, { rank: 2 })];
    expect(written(tasks, {}, [])).toEqual(["b", "c", "rest: 1", "  a"]);
  });

  it("keeps a suspect task among the first, for any saving", () => {
    const suspect = { rank: 1, suspect: { message: "cellular used 1 mJ for it" } };
    expect(written([task("a", 9), task("b", 8, suspect), task("c", 0, suspect), task("d", 0)], {}, [])).toEqual(["b", "c", "a", "rest: 1", "  d"]);
  });

  it("puts tasks with a place in the sources first", () => {
    const here = { locations: [{ uri: "file:///A.java" } as Task["locations"][0]] };
    const tasks = [task("a", 9), task("b", 8, { inside: "a", ...here }), task("c", 7, here), task("d", 6, { inside: "c", ...here }), task("e", 0, here), task("f", 5)];
    expect(written(tasks, { sort: "place" }, [])).toEqual(["b", "c", "  d", "a", "f", "rest: 1", "  e"]);
  });

  it("omits the energy outside tasks if the list is filtered", () => {
    expect(written([task("a", 9)], { text: "a" })).toEqual(["a"]);
    expect(written([task("a", 9)], { own: true })).toEqual(["a"]);
  });

  it("shows only tasks that the app's own code calls", () => {
    const foreign = task("b", 8, { callers: [caller("lib.Adapter.run()V", null)] });
    const through = task("c", 7, { callers: [caller("lib.Adapter.run()V", "com.mine.Feed.load()V")] });
    expect(written([task("a", 9), foreign, through], { own: true })).toEqual(["a", "c"]);
    expect(callersOf(through, methods)).toEqual(["Feed.load"]);
    expect(callersOf(foreign, methods)).toEqual(["Adapter.run"]);
  });

  it.each([["A.A", "a"], ["FEED", "a b"], ["row.bind", "b"], ["com.mine", "a b"], ["nothing", ""]])("finds the letters %s", (text, found) => {
    const tasks = [task("a", 9), task("b", 8, { short: "B.b", method: "B", callers: [caller("com.mine.Feed.load()V"), caller("com.mine.ui.Row.bind()V")] })];
    expect(passing(tasks, { ...everything, text }).map((t) => t.id).join(" ")).toBe(found);
  });

  it("finds the letters of the app's own method above a library", () => {
    const through = task("c", 7, { callers: [caller("lib.Adapter.run()V", "com.mine.Feed.load()V")] });
    expect(passing([through], { ...everything, text: "feed.load" })).toEqual([through]);
  });

  it.each([["saving", "c b a"], ["energy", "b a c"], ["calls", "a c b"], ["name", "a b c"]] as const)("sorts by %s", (sort, order) => {
    const tasks = [task("a", 1, { energyNJ: 2, calls: 9 }), task("b", 2, { energyNJ: 3, calls: null }), task("c", 3, { energyNJ: 1, calls: 4 })];
    expect(passing(tasks, { ...everything, sort }).map((t) => t.id).join(" ")).toBe(order);
  });

  it("adds up the tasks of a group, each nanojoule once", () => {
    const row = [caller("com.mine.ui.Row.bind()V")];
    const tasks = [task("a", 9), task("b", 8, { callers: row, inside: "a" }), task("c", 7, { short: "A.a" }), task("d", 6, { callers: [] })];
    expect(written(tasks, { group: "method" }, [])).toEqual(["A.a: 2, 10", "  a", "  c", "A.b: 1, 5", "  b", "A.d: 1, 5", "  d"]);
    expect(written(tasks, { group: "caller" }, [])).toEqual(["Feed.load: 2, 10", "  a", "  c", "Row.bind: 1, 5", "  b", "(no caller): 1, 5", "  d"]);
    expect(written(tasks, { group: "package" }, [])).toEqual(["com.mine: 2, 10", "  a", "  c", "com.mine.ui: 1, 5", "  b", "(no caller): 1, 5", "  d"]);
  });
});
