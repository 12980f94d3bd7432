// The data that the views show: a report (docs/report.schema.json) and flasks.
// The types name what is read here; unknown properties are ignored.

import type { Component } from "./energy";

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
  /** "unknown" where the file states numbers and not their unit, else "nJ" */
  unit?: string;
  /** the provenance in words */
  energyFrom: string;
  clock: string;
  technique: string;
  calls: "counted" | "estimated" | "none";
  vm: string;
  powerSource: string;
  /** untold: the recording names classes without their packages, so that nothing tells the app's own code */
  ownCode: { untold: boolean };
}

/** Counts names the figures that say how often methods ran: calls, or samples if calls are not counted; empty if there are neither. */
export type Counts = "calls" | "samples" | "";

/** Counted says how often something ran; null is an unknown figure. */
export interface Counted {
  calls: number | null;
  samples: number | null;
}

/** A Caller is a method of the app that calls a task's method. */
export interface Caller extends Counted, Place {
  /** the app's own method at or above it, by which the calls came about */
  own: Place | null;
  /** the group of libraries that the method is in; empty for none */
  through: string;
}

/** A Place is a method and where it is declared; file is empty and line 0 where nobody knows. */
export interface Place {
  method: string;
  file: string;
  line: number;
}

/** A Peer is a task's counterpart in the reference. */
export interface Peer extends Counted {
  method: string;
  path: string[];
  /** in the reference's tree, as referenceNode in a flask */
  node: number;
  energyNJ: number;
  share: number;
  /** as a Task has them */
  components?: Component[];
  /** with all that it calls; 0 where the recording has no such clock */
  cpuTimeNS: number;
  wallTimeNS: number;
  threads: string[];
  distance: number;
  match: "exact" | "path" | "hierarchy" | "moved" | "delegate" | "renamed" | "likeness";
  /** how the pair was found, in words; empty where method and path are equal */
  how: string;
  confidence?: Confidence;
}

/** A Perhaps is a counterpart that is likely but not sure. */
export type Perhaps = Pick<Peer, "method" | "path" | "node" | "energyNJ" | "how"> & { confidence: Confidence };

/** Confidence is what a counterpart rests on; message says it, empty for an exact one. */
export interface Confidence {
  /** null where it was not weighed */
  likelihood: number | null;
  message: string;
}

/** A Phrase is a sentence whose energies are still numbers: with their unit, or in a list, without it. */
export type Phrase = (string | number | [number])[];

/** Spoken has a report's sentences for readers who choose a unit. */
export interface Spoken {
  /** whether the page's unit was asked for, so that sentences have it from the start */
  asked: boolean;
  /** the sentences of the judgement by the unit's name */
  headline: Record<string, string[]>;
  /** those sentences of rows that have energies, by the rows' ids */
  rows: Record<string, { message?: Phrase; split?: Phrase; evidence?: Phrase; suspect?: Phrase }>;
}

/** Standing is the judgement on a row. */
export interface Standing {
  /** the row's place among tasks and app code, from 1 */
  rank: number;
  /** whether the row is a finding */
  counts: boolean;
  /** why a row that costs more does not count, in words; empty otherwise */
  whyNotMessage: string;
  /** the ends of the interval of the saving */
  savingLeastNJ: number;
  savingMostNJ: number;
}

/** A Split parts a saving into what more calls cost and what dearer calls cost; message says it in words. */
export interface Split {
  callsNJ: number;
  perCallNJ: number;
  message: string;
}

/** A Task is a framework method that the app calls directly, under one call path. */
export interface Task extends Counted, Standing {
  id: string;
  status: "matched" | "unmatched";
  /** how the subject does on the task, in words */
  verdict: "only here" | "perhaps" | "dearer here" | "cheaper here" | "the same" | "unclear";
  /** the figures in one sentence */
  message: string;
  method: string;
  path: string[];
  /** in the subject's tree, as subjectNode in a flask */
  node: number;
  energyNJ: number;
  share: number;
  /** energyNJ by component; absent where the run tells none apart */
  components?: Component[];
  ownNJ: number;
  /** with all that it calls; 0 where the recording has no such clock */
  cpuTimeNS: number;
  wallTimeNS: number;
  callers: Caller[];
  /** names of the threads that called it; "" is one without a name */
  threads: string[];
  peer: Peer | null;
  /** a counterpart that is likely but not sure */
  perhaps?: Perhaps | null;
  /** the id of the innermost task that this one lies inside of; null for one that lies in none */
  inside?: string | null;
  savingNJ: number;
  split: Split | null;
  /** what repeated runs show of the saving; null or absent where there is one run a side, or too little to test */
  evidence?: Evidence | null;
  /** why a fleet makes the task suspect; absent where it does not */
  suspect?: Suspect;
}

/** A Suspect says why a task may be what a fleet saw. */
export interface Suspect {
  component: string;
  message: string;
}

/** Evidence is what repeated runs show of a saving. */
export interface Evidence {
  verdict: "costlier" | "cheaper" | "no evidence";
  message: string;
  savingLeastNJ: number;
  savingMostNJ: number;
}

/** A CodePart is what a method of the app drains itself in calls from a callback. */
export interface CodePart extends Place {
  callback: string;
  /** whether the method is the app's own, and not a library's */
  own: boolean;
  /** the group of libraries that the method is in; empty for none */
  library: string;
  energyNJ: number;
}

/** An AppCode is what a piece of the app's own code drains itself: a method, or a callback with the methods that it was made of. */
export interface AppCode extends Counted, Place, Standing {
  id: string;
  kind: "method" | "callback";
  status: Task["status"];
  verdict: Task["verdict"];
  message: string;
  /** leads to the callback in which it drains most */
  path: string[];
  /** that callback's, in the subject's tree */
  node: number;
  energyNJ: number;
  share: number;
  /** what of energyNJ lies outside of tasks */
  ownNJ: number;
  parts: CodePart[];
  partCount: number;
  threads: string[];
  peer: (Counted & Place & { path: string[]; energyNJ: number; share: number; how: string }) | null;
  savingNJ: number;
  split: Task["split"];
  evidence?: Task["evidence"];
}

/** An Outside parts what a run drains outside of tasks. */
export interface Outside {
  appCodeNJ: number;
  systemNJ: number;
  recorderNJ: number;
  waitingNJ: number;
  toplevelNJ: number;
}

/** A Note is a warning, or says how the inputs differ. */
export interface Note {
  code: string;
  message: string;
  severity?: string;
}

/** Coverage is the part of the subject's tasks that has a counterpart at one α. */
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

/** A ThreadEnergy is what the threads of one name drained. */
export interface ThreadEnergy {
  name: string;
  subjectNJ: number;
  referenceNJ: number;
}

/** MethodNames are what a method is called; parts that it lacks are empty. */
export interface MethodNames {
  short: string;
  owner: string;
  scope: string;
  class: string;
}

/** FlaskMethods are the methods of a flask's labels, as columns; apart is empty where short is enough. */
export interface FlaskMethods {
  short: string[];
  owner: string[];
  apart: string[];
}

/** A Judgement is what a comparison comes to. */
export interface Judgement {
  headline: {
    /** parts of the difference; they add up to the energies of both runs */
    parts: HeadlinePart[];
    /** why no row counts; empty where rows may count */
    doubt: string;
    /** how many rows count, and the id of the first, empty for none */
    rows: number;
    first: string;
  };
  /** the headline in words */
  sentences: string[];
}

/** A HeadlinePart is a part of the difference of both runs. */
export interface HeadlinePart {
  code: string;
  name: string;
  subjectNJ: number;
  referenceNJ: number;
  differenceNJ: number;
}

/** A Report is a finished comparison. */
export interface Report {
  schemaVersion: number;
  tool: { name: string; version: string };
  alpha: { requested: "auto" | "paper" | number; used: number; coverage: Coverage[] };
  subject: Input;
  reference: Input;
  /** whether the inputs are copies of one recording */
  sameContent?: boolean;
  counts: Counts;
  matching: { size: number; pairs: number };
  summary: {
    tasks: number;
    matched: number;
    unmatched: number;
    /** how many of the unmatched have a counterpart perhaps */
    perhaps?: number;
    /** how much has a counterpart, in words */
    message: string;
    /** nothing is called a saving then */
    littleInCommon?: boolean;
    matchedNJ: number;
    unmatchedNJ: number;
    outsideTasksNJ: number;
    matchedEnergyShare: number;
    unmatchedEnergyShare: number;
    outside: Outside;
    appCode: { oneApp: boolean; rows: number };
    reference: { tasks: number; matched: number; unmatched: number; matchedNJ: number; unmatchedNJ: number; outsideTasksNJ: number; outside: Outside };
  };
  /** what a fleet says of the subject's app; absent unless it was asked for */
  fleet?: { app: string; figure: string; message: string };
  packages: PackageEnergy[];
  threads: ThreadEnergy[];
  comparability: Note[];
  judgement: Judgement;
  tasks: Task[];
  /** ranks with tasks */
  appCode: AppCode[];
  warnings: Note[];
  /** by label */
  methods: Record<string, MethodNames>;
}

/** A Clock says what the times of a side of a flask are. */
export type Clock = "cpu-time" | "wall-time" | "none";

/** A SourceJSON is an original method: its label and file by index, its line, and the calls that it received; null if calls are not counted. */
export type SourceJSON = [label: number, file: number, line: number, calls: number | null];

/** FlaskJSON is a flask in the form of the contract: columns of equal length, one row for each node. */
export interface FlaskJSON {
  schemaVersion: number;
  task: string;
  subjectTime: Clock;
  referenceTime: Clock;
  counts: Counts;
  /** true where the flask was made of one run alone */
  single?: boolean;
  /** the main cause of the task's saving: part of a sentence, and the nodes of the method that it names */
  why: { text: string; subjectNode: number; referenceNode: number } | null;
  labels: string[];
  methods: FlaskMethods;
  files: string[];
  rows: {
    parent: number[];
    /** the row of the parent in the reference, which may differ from parent; -1 without a reference */
    referenceParent: number[];
    part: number[];
    status: number[];
    kind: number[];
    label: number[];
    referenceLabel: number[];
    subjectNJ: number[];
    subjectSelfNJ: number[];
    /** calls and samples are null on a side that has no such figures */
    subjectCalls: number[] | null;
    subjectSamples: number[] | null;
    referenceNJ: number[];
    referenceSelfNJ: number[];
    referenceCalls: number[] | null;
    referenceSamples: number[] | null;
    subjectNS: number[];
    subjectSelfNS: number[];
    referenceNS: number[];
    referenceSelfNS: number[];
    subjectNode: number[];
    referenceNode: number[];
    pruned: number[];
    prunedSubjectNJ: number[];
    prunedReferenceNJ: number[];
    sources: SourceJSON[][];
    referenceSources: SourceJSON[][];
  };
}

/** supportedSchema is the schemaVersion of reports and flasks that the views read. */
export const supportedSchema = 1;

/** MethodListJSON is what methods drained over all of their contexts, as columns of equal length, and what the calls of one by another drained. */
export interface MethodListJSON {
  /** how many methods there are, listed or not */
  total: number;
  labels: string[];
  methods: FlaskMethods;
  /** 1 is the framework's, 2 the app's, 0 whose its caller is */
  owner: number[];
  /** whether a method is the app's own; absent in pages of older programs */
  own?: boolean[];
  /** the group of libraries that a method is in, empty for none */
  library?: string[];
  subjectSelfNJ: number[];
  /** with all that the method calls */
  subjectNJ: number[];
  referenceSelfNJ: number[];
  referenceNJ: number[];
  /** calls or samples, as the report's counts name them; 0 if unknown */
  subjectTimes: number[];
  referenceTimes: number[];
  links: {
    total: number;
    /** by index */
    caller: number[];
    callee: number[];
    subjectNJ: number[];
    referenceNJ: number[];
    subjectTimes: number[];
    referenceTimes: number[];
  };
}
