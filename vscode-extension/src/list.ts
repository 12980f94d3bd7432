// The lines of the Tasks view: filter, order and headings. Nothing here depends on VS Code.

import type { Methods, Outside, Task, Verdict } from "./protocol.ts";

/** A Listing is the filter, order and grouping of the view. */
export interface Listing {
  /** a part of the name of a method or of its caller; empty lists all */
  text: string;
  /** only tasks that your code calls, itself or through a library */
  own: boolean;
  sort: Sort;
  group: Group;
}

/** orders are the ways to sort tasks, with their names. */
export const orders = { saving: "Saving", place: "In These Sources First", energy: "Energy", calls: "Calls", name: "Name" } as const;
export type Sort = keyof typeof orders;

/** groups are the ways to group tasks, with their names. */
export const groups = { none: "No Groups", method: "Method", caller: "Method of the App That Calls Them", package: "Package of the App That Calls Them" } as const;
export type Group = keyof typeof groups;

/** everything is the initial listing. */
export const everything: Listing = { text: "", own: false, sort: "saving", group: "none" };

/** signs are the verdicts as one character, the same as in the reports. */
export const signs: Record<Verdict, string> = { "only here": "+", perhaps: "?", "dearer here": ">", "cheaper here": "<", "the same": "=", unclear: "~" };

/** verdictNames are the words for verdicts on screen. */
export const verdictNames: Record<Verdict, string> = {
  "only here": "only here", perhaps: "perhaps", "dearer here": "costs more", "cheaper here": "costs less", "the same": "the same", unclear: "unclear",
};

/** A Branch is a line of the list: a task with the tasks inside it, a heading with tasks, or a part of the energy outside tasks. */
export type Branch =
  | { type: "task"; task: Task; parent: Branch | null; children: Branch[] }
  | { type: "group"; name: string; tasks: number; ownNJ: number; parent: null; children: Branch[] }
  | { type: "rest"; tasks: number; parent: null; children: Branch[] }
  | { type: "outside"; share: number; parent: null; children: Branch[] }
  | { type: "part"; part: Outside; parent: Branch; children: [] };

/** mine reports whether the app's own code calls a task, itself or through a library. */
export const mine = (task: Task): boolean => task.callers.some((c) => c.own !== null);

/** placed reports whether the workspace's sources contain a call of a task. */
const placed = (task: Task): boolean => task.locations.length > 0;

/** bySaving compares tasks by the order of the reports. */
export const bySaving = (a: Task, b: Task): number => a.rank - b.rank;

/** callersOf names the app's methods that call a task, or its own methods that lead to them. */
export function callersOf(task: Task, methods: Methods): string[] {
  const own = task.callers.flatMap((c) => (c.own ? [methods[c.own.method]?.short ?? c.own.method] : []));
  return [...new Set(own.length > 0 ? own : task.callers.map((c) => c.short))];
}

/** passing returns the tasks that pass a listing's filter, in its order. */
export function passing(tasks: readonly Task[], listing: Listing): Task[] {
  const text = listing.text.toLowerCase();
  const mentions = (label: string) => label.toLowerCase().includes(text);
  const list = tasks.filter((t) => (!listing.own || mine(t)) && [t, ...t.callers].some((m) => mentions(m.method) || mentions(m.short) || ("own" in m && mentions(m.own?.method ?? ""))));
  const by: Record<Sort, (a: Task, b: Task) => number> = {
    saving: bySaving,
    place: (a, b) => Number(placed(b)) - Number(placed(a)) || bySaving(a, b),
    energy: (a, b) => b.energyNJ - a.energyNJ,
    calls: (a, b) => (b.calls ?? 0) - (a.calls ?? 0),
    // Compare code units: the order is then the same in every locale.
    name: (a, b) => (a.short < b.short ? -1 : a.short > b.short ? 1 : 0),
  };
  return list.sort(by[listing.sort]);
}

/** list returns the lines of the view. */
export function list(tasks: readonly Task[], outside: readonly Outside[], methods: Methods, listing: Listing): Branch[] {
  const shown = passing(tasks, listing);
  const lines = listing.group === "none" ? nested(shown, listing) : grouped(shown, methods, listing.group);
  const parts = outside.filter((p) => p.energyNJ !== 0);
  if (parts.length === 0 || listing.text !== "" || listing.own) return lines;
  const line: Branch = { type: "outside", share: parts.reduce((sum, p) => sum + p.share, 0), parent: null, children: [] };
  line.children.push(...parts.map((part): Branch => ({ type: "part", part, parent: line, children: [] })));
  return [...lines, line];
}

/** tasksAt returns the tasks called at a position in a source or, if there are none, on its line. */
export function tasksAt(tasks: readonly Task[], uri: string, { line, character }: { line: number; character: number }): Task[] {
  const at = (task: Task, whole: boolean) =>
    task.locations.some(({ uri: file, range: { start, end } }) => file === uri && start.line === line && (whole || (start.character <= character && character <= end.character)));
  const listed = tasks.filter((task) => task.kind === "task" && !task.ignored);
  const called = listed.filter((task) => at(task, false));
  return called.length > 0 ? called : listed.filter((task) => at(task, true));
}

// nested puts each task below the task that contains it. In the orders by saving and by place, tasks
// without a sure saving are in a group at the end, except suspect ones. In the order by place, a task
// with a place is never below a task without one.
function nested(shown: Task[], listing: Listing): Branch[] {
  const branches = new Map(shown.map((task) => [task.id, { type: "task", task, parent: null, children: [] } as Branch & { type: "task" }]));
  const folds = (task: Task) => (listing.sort === "saving" || listing.sort === "place") && (task.savingNJ <= 0 || task.verdict === "unclear") && !task.suspect;
  const below = (task: Task, outer: Task) => folds(outer) === folds(task) && (listing.sort !== "place" || placed(outer) === placed(task));
  const rest: Branch = { type: "rest", tasks: 0, parent: null, children: [] };
  const top: Branch[] = [];
  for (const branch of branches.values()) {
    const outer = branches.get(branch.task.inside ?? "");
    if (folds(branch.task)) rest.tasks++;
    if (outer && below(branch.task, outer.task)) branch.parent = outer;
    else if (folds(branch.task)) branch.parent = rest;
    (branch.parent?.children ?? top).push(branch);
  }
  return rest.tasks > 0 ? [...top, rest] : top;
}

// grouped puts tasks under headings. Tasks without callers share one heading.
function grouped(shown: Task[], methods: Methods, group: Group): Branch[] {
  const found = new Map<string, Branch & { type: "group" }>();
  for (const task of shown) {
    const name = headingOf(task, methods, group);
    let branch = found.get(name);
    if (!branch) found.set(name, (branch = { type: "group", name, tasks: 0, ownNJ: 0, parent: null, children: [] }));
    branch.tasks++;
    branch.ownNJ += task.ownNJ;
    branch.children.push({ type: "task", task, parent: branch, children: [] });
  }
  return [...found.values()];
}

function headingOf(task: Task, methods: Methods, group: Group): string {
  if (group === "method") return task.short;
  const caller = task.callers.find((c) => c.own) ?? task.callers[0];
  if (!caller) return "(no caller)";
  const label = caller.own?.method ?? caller.method;
  if (group === "caller") return methods[label]?.short ?? label;
  return methods[label]?.scope || "(no package)";
}
