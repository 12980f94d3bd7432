// The state of the page as the text after the # of an address: "flask/<task>?q=text&unit=mJ".
// It omits every part that has its initial value.

import type { Folds } from "./layout/outline";
import { initial, runID, treeID, views, type Action, type State, type View } from "./state";
import { groups, noFilter, verdicts, type Group, type Kind, type SortKey, type TaskFilter } from "./tasks";
import { topKeys, type TopFilter } from "./top";

/** A Param is a part of the state in the address. "" is the initial value. */
interface Param {
  write(s: State): string;
  read(value: string): Action;
}

/** params maps the names in an address to the parts of the state. */
const params: Record<string, Param> = {
  q: filter("query", (f) => f.query, (v) => v),
  verdict: filter("verdict", (f) => f.verdict, (v) => one(v, verdicts.map((x) => x.verdict), "all")),
  kind: filter("kind", (f) => f.kind, (v) => one<Kind | "all">(v, ["task", "code"], "all")),
  package: filter("package", (f) => f.package, (v) => v),
  // A thread may have no name.
  thread: filter("thread", (f) => (f.thread === null ? "" : `=${f.thread}`), (v) => (v ? v.slice(1) : null)),
  own: filter("own", (f) => (f.own ? "1" : ""), (v) => v === "1"),
  group: filter("group", (f) => f.group, (v) => one<Group>(v, groups, "")),
  sort: {
    write: ({ filter: f }) => order(f, noFilter),
    read: (v) => ({ type: "filter", change: ordered(v, sortKeys, noFilter) }),
  },
  find: { write: (s) => s.find, read: (v) => ({ type: "find", query: v }) },
  all: { write: (s) => (s.run.onlyDifferences ? "" : "1"), read: (v) => ({ type: "run", change: { onlyDifferences: v !== "1" } }) },
  outline: { write: (s) => (s.run.table ? "1" : ""), read: (v) => ({ type: "run", change: { table: v === "1" } }) },
  zoom: {
    write: ({ view, run: { zoom } }) => (zoom && view === "run" ? zoom.map((x) => Number(x.toPrecision(6))).join("_") : ""),
    read(v) {
      const [from, to, top] = v.split("_").map(Number);
      const fits = from! >= 0 && to! > from! && to! <= 1 && top! >= 0;
      return { type: "run", change: { zoom: fits ? [from!, to!, top!] : null } };
    },
  },
  methods: top((f) => f.query, (v) => ({ query: v })),
  method: top((f) => f.method, (v) => ({ method: v })),
  app: top((f) => (f.app ? "1" : ""), (v) => ({ app: v === "1" })),
  by: top((f) => order(f, initial.topFilter), (v) => ordered(v, topKeys, initial.topFilter)),
  unit: { write: (s) => (s.unitChosen ? s.unit : ""), read: (v) => ({ type: "unit", unit: v }) },
};

const sortKeys: readonly SortKey[] = ["saving", "method", "here", "there", "counts", "own"];

function filter<K extends keyof TaskFilter>(key: K, write: (f: TaskFilter) => string, read: (value: string) => TaskFilter[K]): Param {
  return {
    write: (s) => (s.filter[key] === noFilter[key] ? "" : write(s.filter)),
    read: (v) => ({ type: "filter", change: { [key]: v ? read(v) : noFilter[key] } }),
  };
}

function top(write: (f: TopFilter) => string, read: (value: string) => Partial<TopFilter>): Param {
  return { write: (s) => write(s.topFilter), read: (v) => ({ type: "top", change: read(v) }) };
}

const one = <T extends string>(value: string, of: readonly T[], otherwise: T): T => (of.includes(value as T) ? (value as T) : otherwise);

/** order writes the sort column, with "-" for ascending order. */
function order<K extends string>(f: { sort: K; descending: boolean }, plain: { sort: K; descending: boolean }): string {
  return f.sort === plain.sort && f.descending === plain.descending ? "" : (f.descending ? "" : "-") + f.sort;
}

function ordered<K extends string>(value: string, keys: readonly K[], plain: { sort: K; descending: boolean }): { sort: K; descending: boolean } {
  const sort = value.replace(/^-/, "");
  return keys.includes(sort as K) ? { sort: sort as K, descending: value === sort } : { sort: plain.sort, descending: plain.descending };
}

/** most is the largest number of folds in an address. More would make it too long to send. */
const most = 300;

/** addressOf writes the address of a state. */
export function addressOf(s: State): string {
  const place = s.view === "flask" && s.task ? `flask/${encodeURIComponent(s.task)}` : s.view;
  const query = new URLSearchParams();
  for (const [name, p] of Object.entries(params)) {
    const value = p.write(s);
    if (value) query.set(name, value);
  }
  const tree = writeTree(s);
  if (tree) query.set("tree", tree);
  const text = query.toString();
  return text ? `${place}?${text}` : place;
}

/** readAddress returns the actions that lead to an address. An empty address gives no actions. */
export function readAddress(text: string): Action[] {
  if (!text) return [];
  const [place = "", query = ""] = text.split(/\?(.*)/s);
  const [view = "", task = ""] = place.split("/");
  if (!(views as readonly string[]).includes(view)) return [{ type: "notice", text: `The address has no known view: “${view.slice(0, 40)}”.` }];
  const values = new URLSearchParams(query);
  const actions: Action[] = Object.entries(params).map(([name, p]) => p.read(values.get(name) ?? ""));
  const id = view === "flask" ? decode(task) : runID;
  actions.push(view === "flask" && id ? { type: "open", task: id } : { type: "view", view: view as View });
  const tree = readTree(id, values.get("tree") ?? "");
  return tree ? [...actions, tree] : actions;
}

/** writeTree writes the number of rows, the selected row and the folds of the shown tree. readTree recognizes the tree by its number of rows. */
function writeTree(s: State): string {
  const id = treeID(s);
  const slot = id === null ? undefined : s.flasks.get(id);
  if (id === null || !slot || !("flask" in slot)) return "";
  const row = s.selected.get(id);
  const folds = s.folds.get(id);
  const list = (rows: Iterable<number>) => [...rows].map((x) => x.toString(36)).join("-");
  if (row === undefined && !folds) return "";
  const parts = [slot.flask.size.toString(36), (row ?? slot.flask.method).toString(36)];
  if (folds && folds.open.size + folds.cheap.size <= most) {
    const by = (open: boolean) => list([...folds.open].filter(([, is]) => is === open).map(([at]) => at));
    parts.push(by(true), by(false), list(folds.cheap));
  }
  return parts.join(".").replace(/\.+$/, "");
}

function readTree(id: string, text: string): Action | null {
  if (!text) return null;
  const number = (t: string) => (/^[0-9a-z]{1,6}$/.test(t) ? parseInt(t, 36) : -1);
  const rows = (t: string) => (t ?? "").split("-").filter(Boolean).map(number);
  const [size = "", row = "", open = "", closed = "", cheap = ""] = text.split(".");
  const folds: Folds = {
    open: new Map([...rows(open).map((at) => [at, true] as const), ...rows(closed).map((at) => [at, false] as const)]),
    cheap: new Set(rows(cheap)),
  };
  return { type: "restore", id, size: number(size), row: number(row), folds };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
