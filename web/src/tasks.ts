// The list of tasks: filter, order and groups.

import { hasSubject, type Flask } from "./flask";
import type { AppCode, Counted, Report, Task } from "./model";
import { nameOf } from "./names";

/** A SortKey is a column to sort tasks by. */
export type SortKey = "saving" | "method" | "here" | "there" | "counts" | "own";

/** A TaskFilter is the filter, order and grouping of the list of tasks. */
export interface TaskFilter {
  query: string;
  verdict: Verdict | "all";
  kind: Kind | "all";
  package: string;
  /** the name of a thread; null is any thread, "" a thread without a name */
  thread: string | null;
  /** only tasks that the app's own code calls, itself or through a library */
  own: boolean;
  group: Group;
  sort: SortKey;
  descending: boolean;
}

/** groups are the ways to group tasks; "" is no group. */
export const groups = ["", "class", "package", "method"] as const;
export type Group = (typeof groups)[number];

/** noFilter lists all tasks. */
export const noFilter: TaskFilter = { query: "", verdict: "all", kind: "all", package: "", thread: null, own: false, group: "", sort: "saving", descending: true };

/** A Kind is the kind of a line: a task, or a piece of app code by itself. */
export type Kind = "task" | "code";

/** A Verdict is the result of comparing a task. The terminal shows the same marks. */
export type Verdict = "only" | "perhaps" | "dearer" | "cheaper" | "same" | "unclear";

/** verdicts has for each verdict the report's code, and the mark and the words that the views show. */
export const verdicts: { verdict: Verdict; code: Task["verdict"]; glyph: string; name: string; meaning: string }[] = [
  { verdict: "only", code: "only here", glyph: "+", name: "only here", meaning: "not matched: the reference has no counterpart" },
  { verdict: "perhaps", code: "perhaps", glyph: "?", name: "perhaps", meaning: "a likely counterpart in the reference, but not a certain one" },
  { verdict: "dearer", code: "dearer here", glyph: ">", name: "costs more", meaning: "matched; costs more here than in the reference" },
  { verdict: "cheaper", code: "cheaper here", glyph: "<", name: "costs less", meaning: "matched; costs less here than in the reference" },
  { verdict: "unclear", code: "unclear", glyph: "~", name: "unclear", meaning: "matched; the difference may be chance" },
  { verdict: "same", code: "the same", glyph: "=", name: "the same", meaning: "matched; costs the same in both" },
];

/** verdictOf is the short code of a task's verdict. */
export const verdictOf = (t: Task): Verdict => verdicts.find((v) => v.code === t.verdict)!.verdict;

/** callingMethod is the own method that calls the task most often, directly or through a library. For a task without callers, it is the last method of its path. */
const callingMethod = (t: Task): string => t.callers[0]?.own?.method ?? t.callers[0]?.method ?? t.path[t.path.length - 2] ?? "";

/** callingClass is the class of the calling method. */
export function callingClass(t: Task): string {
  const method = callingMethod(t);
  return nameOf(method).class || method;
}

/** headings has, for each grouping, the function that returns the heading of a task. */
const headings: Record<Exclude<Group, "">, (t: Task) => string> = {
  class: callingClass,
  package: (t) => nameOf(callingMethod(t)).package || callingClass(t),
  method: (t) => t.method,
};

/** likely is the likelihood of a task's counterpart, from 0 to 1; null if it is certain or missing. */
export function likely(t: Task): number | null {
  const other = t.peer ?? t.perhaps;
  return other?.confidence?.message ? other.confidence.likelihood : null;
}

/** taskOf finds the innermost task that contains a row in the subject, or else in the reference. */
export function taskOf(report: Report, f: Flask, row: number): Task | undefined {
  const { tasks, peers } = nodes(report);
  const { parent, referenceParent, subjectNode, referenceNode } = f.rows;
  const here = hasSubject(f, row);
  for (let v = row; v >= 0; v = here ? parent[v] : referenceParent[v]) {
    const found = here ? tasks.get(subjectNode[v]) : peers.get(referenceNode[v]);
    if (found) return found;
  }
  return undefined;
}

/** taskRows marks the rows where tasks begin, on either side. */
export function taskRows(report: Report, f: Flask): Uint8Array {
  const { tasks, peers } = nodes(report);
  return Uint8Array.from(f.rows.subjectNode, (node, i) => (tasks.has(node) || peers.has(f.rows.referenceNode[i]) ? 1 : 0));
}

const nodesOf = new WeakMap<Report, { tasks: Map<number, Task>; peers: Map<number, Task> }>();

/** nodes indexes tasks by their node in the subject's tree, and by their peer's node in the reference's tree. */
function nodes(report: Report) {
  let found = nodesOf.get(report);
  if (!found) {
    found = { tasks: new Map(report.tasks.map((t) => [t.node, t])), peers: new Map(report.tasks.flatMap((t) => (t.peer ? [[t.peer.node, t]] : []))) };
    nodesOf.set(report, found);
  }
  return found;
}

/** calling lists the methods that call a task. It includes the own methods that call it through a library. */
const calling = (t: Task): string[] => t.callers.flatMap((c) => (c.own ? [c.method, c.own.method] : [c.method]));

/** A Package is a choice of the package filter. */
export interface Package {
  name: string;
  /** the number of subpackages that call tasks; 0 for a package that calls tasks itself */
  below: number;
}

/** packages lists the packages of the methods that call tasks, and each parent that several of them share. */
export function packages(report: Report): Package[] {
  const found = new Set<string>();
  for (const { task } of listed(report)) {
    for (const m of calling(task)) found.add(nameOf(m).package);
  }
  found.delete("");
  // For each package, the next part of its subpackages' names.
  const below = new Map<string, Set<string>>();
  const inside = new Map<string, number>();
  for (const name of found) {
    for (let dot = name.indexOf("."); dot > 0; dot = name.indexOf(".", dot + 1)) {
      const outer = name.slice(0, dot);
      inside.set(outer, (inside.get(outer) ?? 0) + 1);
      const next = name.slice(dot + 1).split(".", 1)[0]!;
      below.set(outer, (below.get(outer) ?? new Set()).add(next));
    }
  }
  const outer = [...below].filter(([name, parts]) => parts.size > 1 || found.has(name)).map(([name]) => ({ name, below: inside.get(name)! }));
  const own = [...found].filter((name) => !inside.has(name)).map((name) => ({ name, below: 0 }));
  return [...outer, ...own].sort((a, b) => compareText(a.name, b.name));
}

/** threads lists the names of the threads that tasks ran on, most energy first. */
export function threads(report: Report): string[] {
  const found = new Set(report.tasks.flatMap((t) => t.threads));
  const listed = report.threads.map((t) => t.name).filter((name) => found.delete(name));
  return [...listed, ...[...found].sort()];
}

/** threadName is the name of a thread on screen. */
export const threadName = (name: string) => name || "(unnamed)";

/** A Listed is a task with its number, or app code converted to a task whose callers are its parts. */
export interface Listed {
  task: Task;
  /** null for app code */
  number: number | null;
  code: AppCode | null;
}

/** A Line is a row of the list, or the heading of a group. */
export type Line = Listed | { heading: string; tasks: number; ownNJ: number };

const listedOf = new WeakMap<Report, Listed[]>();

/** listed merges the tasks and the app code of a report into one list by rank. */
export function listed(report: Report): Listed[] {
  let list = listedOf.get(report);
  if (!list) {
    list = report.tasks.map((task, i): Listed => ({ task, number: i + 1, code: null }));
    list.push(...report.appCode.map((code): Listed => ({ task: asTask(code), number: null, code })));
    list.sort((a, b) => a.task.rank - b.task.rank);
    listedOf.set(report, list);
  }
  return list;
}

/** untold reports whether the app's own code of one of the runs is unknown. */
export const untold = (report: Report): boolean => report.subject.ownCode.untold || report.reference.ownCode.untold;

/** noTasks is the reason why the subject has no tasks. */
export const noTasks = (report: Report): string =>
  untold(report)
    ? "No tasks: the recording names classes without packages, so framework and app methods cannot be distinguished."
    : "The subject has no tasks: no method of the app calls one of the framework.";

/** asTask converts app code to a task. */
function asTask(c: AppCode): Task {
  const { kind: _, parts, partCount: __, file: ___, line: ____, peer, ...rest } = c;
  return {
    ...rest, cpuTimeNS: 0, wallTimeNS: 0,
    callers: parts.map(({ method, file, line, own, library }) => ({ method, file, line, calls: null, samples: null, own: own ? { method, file, line } : null, through: library })),
    peer: peer && { ...peer, node: -1, cpuTimeNS: 0, wallTimeNS: 0, threads: [], distance: 0, match: "exact" },
  };
}

/** passes returns a function that reports whether a line passes a filter, except for the filter by verdict. */
function passes(filter: TaskFilter): (line: Listed) => boolean {
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ task, code }) => {
    if (filter.kind !== "all" && filter.kind !== (code ? "code" : "task")) return false;
    if (filter.thread !== null && !task.threads.includes(filter.thread)) return false;
    if (filter.package && !calling(task).some((m) => within(nameOf(m).package, filter.package))) return false;
    if (filter.own && !task.callers.some((c) => c.own)) return false;
    if (words.length === 0) return true;
    const text = haystack(task);
    return words.every((w) => text.includes(w));
  };
}

/** tally counts the tasks that pass all of a filter except the verdict, for each verdict. */
export function tally(report: Report, filter: TaskFilter): Record<Verdict | "all", number> {
  const counts = { all: 0, only: 0, perhaps: 0, dearer: 0, cheaper: 0, unclear: 0, same: 0 };
  for (const { task } of listed(report).filter(passes(filter))) {
    counts.all++;
    counts[verdictOf(task)]++;
  }
  return counts;
}

/** lines lists the tasks and the app code that pass a filter. */
export function lines(report: Report, filter: TaskFilter): Line[] {
  const pass = passes(filter);
  const list = listed(report).filter((line) => (filter.verdict === "all" || verdictOf(line.task) === filter.verdict) && pass(line));
  const compare = order[filter.sort];
  const sign = filter.descending ? -1 : 1;
  list.sort((a, b) => sign * compare(a.task, b.task) || a.task.rank - b.task.rank);
  return filter.group ? group(list, headings[filter.group]) : list;
}

const within = (name: string, outer: string) => name === outer || name.startsWith(`${outer}.`);

const haystacks = new WeakMap<Task, string>();

/** haystack is the searchable text of a task: its method, path, callers and counterpart. */
function haystack(t: Task): string {
  let text = haystacks.get(t);
  if (text === undefined) {
    const parts = [...t.path, ...t.callers.flatMap((c) => [c.method, c.file, c.own?.method ?? ""])];
    if (t.peer) parts.push(t.peer.method);
    if (t.perhaps) parts.push(t.perhaps.method);
    text = parts.join("\n").toLowerCase();
    haystacks.set(t, text);
  }
  return text;
}

/** often is how often a method ran; 0 if unknown. */
const often = (x: Counted) => x.calls ?? x.samples ?? 0;

const order: Record<SortKey, (a: Task, b: Task) => number> = {
  // All findings come before the other rows.
  saving: (a, b) => b.rank - a.rank,
  here: (a, b) => a.energyNJ - b.energyNJ,
  there: (a, b) => (a.peer?.energyNJ ?? -1) - (b.peer?.energyNJ ?? -1),
  counts: (a, b) => often(a) - often(b),
  own: (a, b) => a.ownNJ - b.ownNJ,
  method: (a, b) => compareText(nameOf(a.method).short, nameOf(b.method).short),
};

// Compare code units: that is fast, and equal in every locale.
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** group groups tasks under headings. Groups are in the order of their first task. */
function group(list: Listed[], headingOf: (t: Task) => string): Line[] {
  const groups = new Map<string, Listed[]>();
  for (const line of list) {
    const key = headingOf(line.task);
    const members = groups.get(key);
    if (members) members.push(line);
    else groups.set(key, [line]);
  }
  const out: Line[] = [];
  for (const [heading, members] of groups) {
    // Only own energy: tasks nest, so their inclusive energies must not be summed.
    out.push({ heading, tasks: members.length, ownNJ: members.reduce((sum, m) => sum + m.task.ownNJ, 0) }, ...members);
  }
  return out;
}
