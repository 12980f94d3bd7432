// The parameters and results of the language server's own methods; docs/lsp.md
// describes them.

import type { Range } from "vscode-languageclient/node";

export interface Comparison {
  error?: string;
  subject?: string;
  reference?: string;
  alpha: number;
  tasks: number;
  /** how much has a counterpart, in words */
  matched?: string;
  /** what the comparison comes to, the most important first */
  sentences?: string[];
  /** how many tasks and rows of app code count */
  findings: number;
  energyNJ: number;
  outsideShare: number;
}

export interface TaskLocation {
  uri: string;
  range: Range;
  caller: string;
  /** what the caller is called; as of a task */
  short: string;
  exact: boolean;
  /** what the calls there drained: the caller's part of the task, or 0 at all but the first of several places */
  energyNJ: number;
  stale: string;
}

/** A Caller is a method of the app that calls a task, or that has a part of app code. */
export interface Caller {
  method: string;
  /** what it is called */
  short: string;
  file: string;
  line: number;
  calls: number | null;
  /** the app's own method that leads to the task; null where there is none */
  own: { method: string } | null;
  /** the group of libraries that the method is in, empty for none */
  through: string;
}

/** A Counterpart says what of a task is in the reference, and how that was found. */
export interface Counterpart {
  method: string;
  /** how the pair was found, in words; empty for one of equal name and path */
  how: string;
  /** what the pair rests on */
  confidence?: { message: string };
}

/** A Task is a row of the list: a task, or app code in the form of a task, whose callers are its parts. */
export interface Task {
  kind: "task" | "code";
  id: string;
  status: "matched" | "unmatched";
  /** how the subject does on the task, in words */
  verdict: Verdict;
  method: string;
  /** what the method is called, such as TextView.setText; the list has it from its page's methods */
  short: string;
  energyNJ: number;
  share: number;
  /** what of the energy belongs to no other row of the list */
  ownNJ: number;
  savingNJ: number;
  /** the place among tasks and app code, from 1 */
  rank: number;
  /** whether the row is a finding; if it costs more and is none, whyNotMessage says why */
  counts: boolean;
  whyNotMessage: string;
  calls: number | null;
  message: string;
  ignored: boolean;
  callers: Caller[];
  peer: Counterpart | null;
  perhaps: Counterpart | null;
  /** the task that this one lies inside of, by its id */
  inside: string | null;
  /** why a fleet makes the task suspect; absent where it does not */
  suspect?: { message: string };
  locations: TaskLocation[];
}

/** A Verdict is one of report/words. */
export type Verdict = "only here" | "perhaps" | "dearer here" | "cheaper here" | "the same" | "unclear";

export interface TasksPage {
  comparison: Comparison | null;
  lineHeat: boolean;
  total: number;
  offset: number;
  tasks: Omit<Task, "kind" | "short">[];
  methods: Methods;
}

/** Methods are what methods are called, and where they are, by label. */
export type Methods = Record<string, { short: string; scope: string }>;

/** AppCode is what the app's own code drains itself. */
export interface AppCode extends Omit<Task, "kind" | "short" | "callers" | "ignored" | "perhaps" | "inside"> {
  parts: { method: string; file: string; line: number; own: boolean; library: string; energyNJ: number }[];
}

/** An Outside is a part of what the run drains outside of tasks. */
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

/** A Source is where a method is declared, or the code that the compiler generated it from. */
export interface Source {
  locations: { uri: string; range: Range }[];
  /** what the method is called */
  short: string;
  stale: string;
}

export const methods = {
  tasks: "diffprof/tasks",
  appCode: "diffprof/appCode",
  flask: "diffprof/flask",
  source: "diffprof/source",
  report: "diffprof/report",
  run: "diffprof/run",
  didCompare: "diffprof/didCompare",
  didChange: "diffprof/didChange",
} as const;

/** pageSize is the largest page of tasks that the server gives. */
export const pageSize = 1000;

/** flaskRows is how many rows of a flask the view asks for; it folds the rest. */
export const flaskRows = 20_000;
