// The parameters and results of the language server's own methods; docs/protocol.md
// describes them.

import type { Range } from "vscode-languageclient/node";

export interface Comparison {
  error?: string;
  subject?: string;
  reference?: string;
  alpha: number;
  tasks: number;
  /** the matched part, in words */
  matched?: string;
  /** the conclusion of the comparison; the most important sentence is first */
  sentences?: string[];
  /** the number of findings among tasks and app code */
  findings: number;
  energyNJ: number;
  outsideShare: number;
}

export interface TaskLocation {
  uri: string;
  range: Range;
  caller: string;
  /** the short name of the caller, as in Task */
  short: string;
  exact: boolean;
  /** the energy of the calls at this place. If a call has several possible places, only the first has it. */
  energyNJ: number;
  stale: string;
}

/** A Caller is a method of the app that calls a task, or a part of app code. */
export interface Caller {
  method: string;
  /** its name on screen */
  short: string;
  file: string;
  line: number;
  calls: number | null;
  /** the own method that leads to the task; null without one */
  own: { method: string } | null;
  /** the group of libraries that has the method, empty for none */
  through: string;
}

/** A Counterpart is a task's match in the reference. */
export interface Counterpart {
  method: string;
  /** how the pair was matched, in words; empty for equal name and path */
  how: string;
  /** how likely the pair is, in words */
  confidence?: { message: string };
}

/** A Task is a row of the list: a task, or app code converted to a task whose callers are its parts. */
export interface Task {
  kind: "task" | "code";
  id: string;
  status: "matched" | "unmatched";
  /** a code: verdictNames has the words for it */
  verdict: Verdict;
  method: string;
  /** the short name of the method, such as TextView.setText, from the methods of the page */
  short: string;
  energyNJ: number;
  share: number;
  /** the part of the energy that belongs to no other row of the list */
  ownNJ: number;
  savingNJ: number;
  /** the rank among tasks and app code, from 1 */
  rank: number;
  /** whether the row is a finding; if a row costs more but is no finding, whyNotMessage has the
   * reason */
  counts: boolean;
  whyNotMessage: string;
  calls: number | null;
  message: string;
  ignored: boolean;
  callers: Caller[];
  peer: Counterpart | null;
  perhaps: Counterpart | null;
  /** the id of the task that contains this one */
  inside: string | null;
  /** why a fleet finding points to the task; absent where none does */
  suspect?: { message: string };
  locations: TaskLocation[];
}

/** A Verdict is a code of package report/words. */
export type Verdict = "only here" | "perhaps" | "dearer here" | "cheaper here" | "the same" | "unclear";

export interface TasksPage {
  comparison: Comparison | null;
  lineHeat: boolean;
  total: number;
  offset: number;
  tasks: Omit<Task, "kind" | "short">[];
  methods: Methods;
}

/** Methods has the names and places of methods, by label. */
export type Methods = Record<string, { short: string; scope: string }>;

/** AppCode is the exclusive energy of a piece of the app's own code. */
export interface AppCode extends Omit<Task, "kind" | "short" | "callers" | "ignored" | "perhaps" | "inside"> {
  parts: { method: string; file: string; line: number; own: boolean; library: string; energyNJ: number }[];
}

/** An Outside is a part of the run's energy outside tasks. */
export interface Outside {
  name: string;
  energyNJ: number;
  share: number;
}

export interface AppCodePage {
  total: number;
  appCode: AppCode[];
  methods: Methods;
  outside: Outside[];
}

/** A SourceLine is a line of a source file with its energy in the subject, without callees. */
export interface SourceLine {
  /** counted from 0 */
  line: number;
  /** the colour, from 1 for a small share of the run to 6 for a tenth and more; 0 if there are too few samples for a figure, or if a meter did not determine it */
  heat: number;
  /** "fitted" for measured energy, otherwise the source of the modelled energy */
  provenance: string;
  /** the figure with its interval and unit, and a sentence about the line */
  text: string;
  message: string;
  /** why the line may be wrong; empty if it is right */
  stale: string;
}

/** SourceLines are the lines of a file whose energy is large enough to show. */
export interface SourceLines {
  lineHeat: boolean;
  /** how finely the run can be divided by line; empty until the server has read the lines */
  carry: string;
  lines: SourceLine[];
}

/** A Source is the place of a method's declaration, or of the code from which the compiler generated the method. */
export interface Source {
  locations: { uri: string; range: Range }[];
  /** the short name of the method */
  short: string;
  stale: string;
}

export const methods = {
  tasks: "diffprof/tasks",
  appCode: "diffprof/appCode",
  flask: "diffprof/flask",
  lines: "diffprof/lines",
  source: "diffprof/source",
  report: "diffprof/report",
  run: "diffprof/run",
  didCompare: "diffprof/didCompare",
  didChange: "diffprof/didChange",
} as const;

/** pageSize is the largest page of tasks that the server returns. */
export const pageSize = 1000;

/** flaskRows is the number of rows of a flask that the view requests. The server folds the rest. */
export const flaskRows = 20_000;
