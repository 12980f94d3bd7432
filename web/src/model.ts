// The data that the views show: a report (docs/report.schema.json) and flasks.
// The types name what is read here; unknown properties are ignored.

/** An Input is one of the two recordings. */
export interface Input {
  path: string;
  format: string;
  methods: number;
  threads: number;
  events: number;
  cctNodes: number;
  treeNodes: number;
  energyNJ: number;
  cpuTimeNS: number;
  wallTimeNS: number;
  provenance: string;
  clock: string;
  technique: string;
  vm: string;
  powerSource: string;
}

/** A Caller is a method of the app that calls a task's method. */
export interface Caller {
  method: string;
  file: string;
  line: number;
  calls: number;
}

/** A Peer is a task's counterpart in the reference. */
export interface Peer {
  method: string;
  path: string[];
  energyNJ: number;
  share: number;
  calls: number;
  distance: number;
  match: "exact" | "path" | "hierarchy" | "renamed";
}

/** A Task is a framework method that the app calls directly, under one call path. */
export interface Task {
  id: string;
  status: "matched" | "unmatched";
  method: string;
  path: string[];
  energyNJ: number;
  share: number;
  ownNJ: number;
  calls: number;
  callers: Caller[];
  peer: Peer | null;
  savingNJ: number;
  split: { callsNJ: number; perCallNJ: number } | null;
}

/** A Note is a warning, or a way in which the inputs are unlike. */
export interface Note {
  code: string;
  message: string;
  severity?: string;
}

/** Coverage is what of the subject has a counterpart at one α. */
export interface Coverage {
  alpha: number;
  matched: number;
  matchedShare: number;
  matchedNJ: number;
  matchedEnergyShare: number;
}

/** A PackageEnergy is what a package's methods drained by themselves. */
export interface PackageEnergy {
  name: string;
  class: "app" | "framework" | "";
  subjectNJ: number;
  referenceNJ: number;
}

/** A Report is a finished comparison. */
export interface Report {
  schemaVersion: number;
  tool: { name: string; version: string };
  alpha: { requested: "auto" | number; used: number; coverage: Coverage[] };
  subject: Input;
  reference: Input;
  matching: { size: number; pairs: number };
  summary: {
    tasks: number;
    matched: number;
    unmatched: number;
    matchedNJ: number;
    unmatchedNJ: number;
    outsideTasksNJ: number;
    matchedEnergyShare: number;
    unmatchedEnergyShare: number;
  };
  packages: PackageEnergy[];
  comparability: Note[];
  tasks: Task[];
  warnings: Note[];
}

/** FlaskJSON is a flask as it is written: columns of equal length, a row a node. */
export interface FlaskJSON {
  schemaVersion: number;
  task: string;
  labels: string[];
  files: string[];
  rows: {
    parent: number[];
    /** the row of the parent in the reference, which may be another one; -1 without a reference */
    referenceParent: number[];
    part: number[];
    status: number[];
    kind: number[];
    label: number[];
    referenceLabel: number[];
    subjectNJ: number[];
    subjectSelfNJ: number[];
    subjectCalls: number[];
    referenceNJ: number[];
    referenceSelfNJ: number[];
    referenceCalls: number[];
    subjectNode: number[];
    referenceNode: number[];
    pruned: number[];
    prunedSubjectNJ: number[];
    prunedReferenceNJ: number[];
    sources: [label: number, file: number, line: number, calls: number][][];
  };
}

/** supportedSchema is the schemaVersion of reports and flasks that the views read. */
export const supportedSchema = 1;
