// The parameters and results of the language server's own methods; docs/lsp.md
// describes them.

import type { Range } from "vscode-languageclient/node";

export interface Comparison {
  error?: string;
  subject?: string;
  reference?: string;
  alpha: number;
  tasks: number;
  unmatched: number;
  /** how much has a counterpart, in words */
  matched?: string;
  /** nothing is called a saving then */
  littleInCommon?: boolean;
  energyNJ: number;
  savingNJ: number;
  outsideShare: number;
}

export interface TaskLocation {
  uri: string;
  range: Range;
  caller: string;
  /** what the caller is called; as of a task */
  short: string;
  exact: boolean;
  stale: string;
}

export interface Task {
  id: string;
  status: "matched" | "unmatched";
  /** how the subject does on the task, in words */
  verdict: string;
  method: string;
  /** what the method is called, such as TextView.setText; the list has it from its page's methods */
  short: string;
  energyNJ: number;
  share: number;
  savingNJ: number;
  message: string;
  ignored: boolean;
  callers: { method: string; short: string; file: string; line: number; calls: number | null }[];
  peer: { method: string } | null;
  locations: TaskLocation[];
}

export interface TasksPage {
  comparison: Comparison | null;
  total: number;
  offset: number;
  tasks: Task[];
  /** what the methods of tasks are called, by label */
  methods: Record<string, { short: string }>;
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
  flask: "diffprof/flask",
  source: "diffprof/source",
  report: "diffprof/report",
  didCompare: "diffprof/didCompare",
  didChange: "diffprof/didChange",
} as const;

/** pageSize is the largest page of tasks that the server gives. */
export const pageSize = 1000;

/** flaskRows is how many rows of a flask the view asks for; it folds the rest. */
export const flaskRows = 20_000;
