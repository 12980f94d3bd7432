// The state of the app, and the actions that change it.

import type { Article } from "./article";
import type { EnergyProfile } from "./energy";
import { readFlask, rowNear, type Flask, type Place } from "./flask";
import { rankingOf, type About, type Group } from "./group";
import { noFolds, unfolded, type Folds } from "./layout/outline";
import { supportedSchema, type Counts, type FlaskJSON, type Input, type MethodListJSON, type Report, type Spoken } from "./model";
import { fileNames, learn, learnFlask } from "./names";
import { plainAll } from "./plain";
import { listed, noFilter, type SortKey, type TaskFilter } from "./tasks";
import type { TopFilter } from "./top";
import { treeFlask, type Tree } from "./tree";

export const views = ["tasks", "flask", "run", "top", "api", "energy", "summary", "apps", "common", "ranking", "article"] as const;
export type View = (typeof views)[number];

/** runID is the id of the flask of the whole run. */
export const runID = "";

/** A Slot has a flask, or a mark that it is requested, or the reason why it failed. */
export type Slot = { flask: Flask } | { waiting: true } | { error: string };

export interface State {
  view: View;
  report: Report | null;
  /** the sentences of the headline, in the unit that the page was written with */
  headline: readonly string[];
  /** the sentences for other units; null with a single unit */
  spoken: Spoken | null;
  /** a single run; null with a report */
  single: Single | null;
  /** the energy profile of the single run; null if unknown */
  profile: EnergyProfile | null;
  /** a group of apps, and the sentences above its tables; null with a report or a single run */
  group: Group | null;
  about: About | null;
  /** a page of sentences, tables and charts; null with any other data */
  article: Article | null;
  /** why the page shows no data; empty otherwise */
  error: string;
  /** voltage of the battery, for units of charge; 0 if unknown */
  volts: number;
  /** the name of the unit of energy; empty for automatic choice */
  unit: string;
  /** whether the reader chose the unit; sentences then have it too */
  unitChosen: boolean;
  /** the unit from the settings, sent with the report */
  unitGiven: string;
  filter: TaskFilter;
  /** the id of the task in the flask view; for a group, the id of a ranking */
  task: string;
  /** the id of the current line of the list: a task or app code */
  cursor: string;
  flasks: ReadonlyMap<string, Slot>;
  /** folds and selected rows of each tree, by the flask's id */
  folds: ReadonlyMap<string, Folds>;
  selected: ReadonlyMap<string, number>;
  /** the row to select once its flask arrives: a place, or a row from an address */
  aim: Aim | null;
  /** the search text for the trees */
  find: string;
  run: { onlyDifferences: boolean; table: boolean; zoom: Zoom | null };
  /** whether the panels around the drawing are folded; null decides by the window's size */
  compact: boolean | null;
  /** a message that stays until the next action of the reader; empty for none */
  notice: string;
  /** the list of methods; null if unknown */
  top: MethodListJSON | null;
  topFilter: TopFilter;
}

/** A Single is a single run. Its contexts are the flask of the run. */
export type Single = Omit<Tree, "contexts">;

/** A Zoom is the visible part of the icicle: its left and right edge as shares of the whole, and the pixels scrolled down. null is the whole icicle. */
export type Zoom = readonly [from: number, to: number, top: number];

/** An Aim is the row to select in a flask that may not have arrived yet. */
type Aim = { id: string; places: Place[] } | { id: string; size: number; row: number; folds: Folds };

export type Action =
  | { type: "report"; report: Report; headline?: string[] | undefined; spoken?: Spoken | null | undefined; volts?: number; unit?: string; top?: MethodListJSON | null }
  | { type: "tree"; tree: Tree; volts?: number; unit?: string; top?: MethodListJSON | null; profile?: EnergyProfile | null }
  | { type: "group"; group: Group; about: About; volts?: number; unit?: string }
  | { type: "article"; article: Article }
  | { type: "failed"; message: string }
  | { type: "view"; view: View }
  | { type: "filter"; change: Partial<TaskFilter> }
  | { type: "sort"; key: SortKey }
  | { type: "cursor"; line: string }
  | { type: "open"; task: string; places?: Place[] }
  | { type: "choose"; task: string }
  | { type: "locate"; places: Place[] }
  | { type: "wait"; id: string }
  | { type: "flask"; id: string; flask: FlaskJSON }
  | { type: "flaskFailed"; id: string; message: string }
  | { type: "fold"; id: string; row: number; open: boolean }
  | { type: "cheap"; id: string; row: number; shown: boolean }
  | { type: "foldAll"; id: string; open: boolean }
  | { type: "select"; id: string; row: number; unfold?: boolean }
  | { type: "restore"; id: string; size: number; row: number; folds: Folds }
  | { type: "find"; query: string }
  | { type: "run"; change: Partial<State["run"]> }
  | { type: "compact"; is: boolean }
  | { type: "notice"; text: string }
  | { type: "top"; change: Partial<TopFilter> }
  | { type: "unit"; unit: string };

export const initial: State = {
  view: "tasks",
  report: null,
  headline: [],
  spoken: null,
  single: null,
  profile: null,
  group: null,
  about: null,
  article: null,
  error: "",
  volts: 0,
  unit: "",
  unitChosen: false,
  unitGiven: "",
  filter: noFilter,
  task: "",
  cursor: "",
  flasks: new Map(),
  folds: new Map(),
  selected: new Map(),
  aim: null,
  find: "",
  run: { onlyDifferences: true, table: false, zoom: null },
  compact: null,
  notice: "",
  top: null,
  topFilter: { query: "", app: false, sort: "self", descending: true, method: "" },
};

export function reduce(s: State, a: Action): State {
  switch (a.type) {
    case "report": {
      if (a.report?.schemaVersion !== supportedSchema) {
        return { ...s, error: `The report has schemaVersion ${String(a.report?.schemaVersion)}; this view reads ${supportedSchema}.` };
      }
      const report = plainAll(a.report);
      const anew = !!a.unit && a.unit !== s.unitGiven && !(s.unit && !s.report);
      const top = plainAll(a.top ?? null);
      learn(report.methods);
      if (top) learnFlask(top.labels, top.methods);
      // Another report has other tasks, so only the reader's choices are kept.
      return {
        ...s,
        report,
        headline: plainAll(a.headline ?? null) ?? report.judgement.sentences,
        spoken: plainAll(a.spoken ?? null),
        single: null,
        profile: null,
        error: "",
        volts: a.volts ?? s.volts,
        // A choice of the reader, or from the address, is kept until the settings change.
        unit: anew ? a.unit! : s.unit,
        unitChosen: s.unitChosen && !anew,
        unitGiven: a.unit || s.unitGiven,
        // If an address has a task that the report does not list, the view shows a message.
        task: s.task && (!s.report || report.tasks.some((t) => t.id === s.task)) ? s.task : (listed(report).find((line) => !line.code)?.task.id ?? ""),
        cursor: s.task && !s.report ? s.task : listed(report).some((line) => line.task.id === s.cursor) ? s.cursor : (listed(report)[0]?.task.id ?? ""),
        flasks: new Map(),
        folds: new Map(),
        selected: new Map(),
        // A selection from an address waits for its tree.
        aim: !s.report && s.aim && "folds" in s.aim ? s.aim : null,
        top,
        topFilter: s.report ? { ...s.topFilter, method: "" } : s.topFilter,
      };
    }
    case "tree": {
      if (a.tree?.schemaVersion !== supportedSchema) return { ...s, error: `The tree has schemaVersion ${String(a.tree?.schemaVersion)}; this view reads ${supportedSchema}.` };
      const { contexts, ...single } = plainAll(a.tree);
      const top = plainAll(a.top ?? null);
      learn(single.methods);
      if (top) learnFlask(top.labels, top.methods);
      if (a.profile?.methods) learn(a.profile.methods);
      return selectAim({
        ...s, report: null, single, profile: plainAll(a.profile ?? null), error: "", volts: a.volts ?? s.volts, unit: s.unit || a.unit || "", unitGiven: a.unit || s.unitGiven,
        view: s.view === "top" || s.view === "summary" || (s.view === "energy" && a.profile) || (s.view === "api" && a.profile?.apiCosts) ? s.view : "run",
        flasks: new Map([[runID, slot(() => treeFlask({ ...single, contexts }))]]),
        folds: new Map(), selected: new Map(), top,
      });
    }
    case "group": {
      if (a.group?.schemaVersion !== supportedSchema) return { ...s, error: `The group has schemaVersion ${String(a.group?.schemaVersion)}; this view reads ${supportedSchema}.` };
      const group = plainAll(a.group);
      const first = group.duties[0] ? `0/${group.duties[0].users.length - 1}` : "";
      const view = s.view === "common" || s.view === "ranking" || s.view === "flask" ? s.view : "apps";
      return { ...s, group, about: a.about, error: "", volts: a.volts ?? s.volts, unit: s.unit || a.unit || "", unitGiven: a.unit || s.unitGiven, view, task: s.task || first };
    }
    case "article":
      return { ...s, article: plainAll(a.article), error: "", view: "article" };
    case "failed":
      return { ...s, error: a.message };
    case "view":
      return s.view === a.view ? s : { ...s, view: a.view, notice: "" };
    case "filter":
      return { ...s, filter: { ...s.filter, ...a.change } };
    case "sort": {
      // Names are first sorted from A to Z, and figures from the largest down.
      const again = s.filter.sort === a.key;
      const descending = again ? !s.filter.descending : a.key !== "method";
      return { ...s, filter: { ...s.filter, sort: a.key, descending } };
    }
    case "cursor":
      // App code has no flask of its own.
      return s.cursor === a.line ? s : { ...s, cursor: a.line, task: s.report?.tasks.some((t) => t.id === a.line) ? a.line : s.task };
    case "open":
      return selectAim({ ...s, task: a.task, cursor: a.task, view: "flask", notice: "", aim: a.places ? { id: a.task, places: a.places } : null });
    case "choose":
      return { ...s, task: a.task };
    case "locate":
      // Show all rows, because this row may have no difference, and zoom to its surroundings.
      return selectAim({ ...s, view: "run", notice: "", aim: { id: runID, places: a.places }, run: { ...s.run, onlyDifferences: false, zoom: null } });
    case "restore":
      return selectAim({ ...s, aim: { id: a.id, size: a.size, row: a.row, folds: a.folds } });
    case "wait":
      return { ...s, flasks: put(s.flasks, a.id, { waiting: true }) };
    case "flask":
      return selectAim({ ...s, flasks: put(s.flasks, a.id, slot(() => plainAll(a.flask))) });
    case "flaskFailed":
      return { ...s, flasks: put(s.flasks, a.id, { error: a.message }), aim: s.aim?.id === a.id ? null : s.aim };
    case "fold": {
      const folds = s.folds.get(a.id) ?? noFolds;
      return { ...s, folds: put(s.folds, a.id, { ...folds, open: put(folds.open, a.row, a.open) }) };
    }
    case "cheap": {
      const folds = s.folds.get(a.id) ?? noFolds;
      const cheap = new Set(folds.cheap);
      if (a.shown) cheap.add(a.row);
      else cheap.delete(a.row);
      return { ...s, folds: put(s.folds, a.id, { ...folds, cheap }) };
    }
    case "foldAll": {
      const slot = s.flasks.get(a.id);
      if (!slot || !("flask" in slot)) return s;
      const open = new Map<number, boolean>();
      for (let i = slot.flask.method; i < slot.flask.end[slot.flask.method]; i++) {
        if (slot.flask.end[i] > i + 1) open.set(i, a.open || i === slot.flask.method);
      }
      return { ...s, folds: put(s.folds, a.id, { open, cheap: new Set() }) };
    }
    case "select":
      return a.unfold ? selectRow(s, a.id, a.row) : s.selected.get(a.id) === a.row ? s : { ...s, selected: put(s.selected, a.id, a.row) };
    case "find":
      return { ...s, find: a.query };
    case "run":
      return { ...s, run: { ...s.run, ...a.change } };
    case "compact":
      return { ...s, compact: a.is };
    case "notice":
      return { ...s, notice: a.text };
    case "top":
      return { ...s, topFilter: { ...s.topFilter, ...a.change } };
    case "unit":
      // An address without a unit means the unit of the page.
      return { ...s, unit: a.unit || s.unitGiven, unitChosen: a.unit !== "" };
  }
}

/** selectAim selects the row of the aim, if its flask has arrived. */
function selectAim(s: State): State {
  const { aim } = s;
  const slot = aim && s.flasks.get(aim.id);
  if (!aim || !slot || !("flask" in slot)) return s;
  if ("places" in aim) {
    const row = rowNear(slot.flask, aim.places);
    return row >= 0 ? selectRow({ ...s, aim: null }, aim.id, row) : { ...s, aim: null };
  }
  const { size } = slot.flask;
  if (aim.size !== size || aim.row < 0 || aim.row >= size) {
    return { ...s, aim: null, notice: "This call tree has changed since the link was made, so its selection and folds are not restored." };
  }
  return { ...s, aim: null, selected: put(s.selected, aim.id, aim.row), folds: put(s.folds, aim.id, aim.folds) };
}

/** Shown has the properties of a run that all views use. */
type Shown = Pick<Input, "path" | "energyNJ" | "unit">;

/** inputsOf returns the runs on screen. For a group these are the two with call trees on screen, or all. */
export function inputsOf(s: State): Shown[] {
  if (s.report) return [s.report.subject, s.report.reference];
  if (s.single) return [s.single.input];
  if (!s.group) return [];
  const { apps, duties, unit } = s.group;
  const at = s.view === "flask" ? rankingOf(s.group, s.task) : null;
  const shown = at ? [at.user, 0].map((k) => apps[duties[at.duty]!.users[k]!.app]!) : apps;
  return shown.map(({ name, energyNJ }) => ({ path: name, energyNJ, unit }));
}

/** namesOf returns distinct names for the two runs side by side; empty without two runs. */
export function namesOf(s: State): [here: string, there: string] {
  const [here, there] = s.single ? [] : inputsOf(s);
  if (!here || !there) return ["", ""];
  return s.group ? [here.path, there.path] : fileNames(here.path, there.path);
}

/** countsOf names the figure that counts how often methods ran. */
export const countsOf = (s: State): Counts => (s.report ?? s.single)?.counts ?? "";

/** treeID is the id of the call tree on screen; null in views without one. */
export function treeID({ view, task }: State): string | null {
  return view === "run" ? runID : view === "flask" && task ? task : null;
}

/** selectRow selects a row, and unfolds its ancestors. */
function selectRow(s: State, id: string, row: number): State {
  const slot = s.flasks.get(id);
  if (!slot || !("flask" in slot)) return s;
  const folds = unfolded(slot.flask, s.folds.get(id) ?? noFolds, row);
  return { ...s, selected: put(s.selected, id, row), folds: put(s.folds, id, folds) };
}

function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** slot reads a flask, or keeps the reason why it cannot be read. */
function slot(make: () => FlaskJSON): Slot {
  try {
    return { flask: readFlask(make()) };
  } catch (e) {
    return { error: e instanceof Error ? e.message : String(e) };
  }
}
