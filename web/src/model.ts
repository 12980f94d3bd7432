// The data that the views show: a report (docs/report.schema.json) and flasks.
// The types list the properties that the views read. All other properties are ignored.

/** A Component is the energy that a part of the device used for a task, a thread or a run. */
export interface Component {
  /** empty where the recording does not name components */
  name: string;
  provenance: string;
  useNJ: number;
  /** used while the component waited for more work */
  tailNJ: number;
  /** used for no known call */
  restNJ: number;
  /** the range by the assumed figures of the power model; absent if it is narrow */
  leastNJ?: number;
  mostNJ?: number;
}

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
  /** "unknown" where the file states no unit for its numbers, else "nJ" */
  unit?: string;
  /** the provenance in words */
  energyFrom: string;
  clock: string;
  technique: string;
  calls: "counted" | "estimated" | "none";
  vm: string;
  powerSource: string;
  /** untold is set if the recording names classes without their packages: Own code is then unknown. */
  ownCode: { untold: boolean };
}

/** Counts names the figure for how often methods ran: calls, or samples if calls are not counted. It is empty if neither is known. */
export type Counts = "calls" | "samples" | "";

/** Counted is how often a method ran. null is an unknown figure. */
export interface Counted {
  calls: number | null;
  samples: number | null;
}

/** A Caller is a method of the app that calls a task's method. */
export interface Caller extends Counted, Place {
  /** the nearest method of the app's own code at or above it */
  own: Place | null;
  /** the group of libraries that has the method; empty for none */
  through: string;
}

/** A Place is a method and its declaration. An unknown file is empty, an unknown line 0. */
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
  /** as in Task */
  components?: Component[];
  /** with its callees; 0 where the recording lacks the clock */
  cpuTimeNS: number;
  wallTimeNS: number;
  threads: string[];
  distance: number;
  match: "exact" | "path" | "hierarchy" | "moved" | "delegate" | "renamed" | "likeness";
  /** how the pair was matched, in words; empty where method and path are equal */
  how: string;
  confidence?: Confidence;
}

/** A Perhaps is a counterpart that is likely but not sure. */
export type Perhaps = Pick<Peer, "method" | "path" | "node" | "energyNJ" | "how"> & { confidence: Confidence };

/** Confidence describes how likely a counterpart is. message has it in words; it is empty for an exact match. */
export interface Confidence {
  /** null where it was not estimated */
  likelihood: number | null;
  message: string;
}

/** A Phrase is a sentence in parts. An energy is a number, to be shown with its unit, or a list of one number, to be shown without. */
export type Phrase = (string | number | [number])[];

/** Spoken has a report's sentences for each unit that the reader may choose. */
export interface Spoken {
  /** whether the user chose a unit when the page was written: sentences then have it from the start */
  asked: boolean;
  /** the sentences of the judgement, by the name of the unit */
  headline: Record<string, string[]>;
  /** the rows' sentences that contain energies, by the id of the row */
  rows: Record<string, { message?: Phrase; split?: Phrase; evidence?: Phrase; suspect?: Phrase }>;
}

/** Standing is a row's rank, and whether it counts as a finding. */
export interface Standing {
  /** the row's rank among tasks and app code, from 1 */
  rank: number;
  /** whether the row is a finding */
  counts: boolean;
  /** why a row that costs more is not a finding, in words; empty otherwise */
  whyNotMessage: string;
  /** the ends of the interval of the saving */
  savingLeastNJ: number;
  savingMostNJ: number;
}

/** A Split divides a saving into two parts: from fewer calls, and from less energy per call. message has it in words. */
export interface Split {
  callsNJ: number;
  perCallNJ: number;
  message: string;
}

/** A Task is a framework method that the app calls directly, under one call path. */
export interface Task extends Counted, Standing {
  id: string;
  status: "matched" | "unmatched";
  /** a code: the views show their own words for it */
  verdict: "only here" | "perhaps" | "dearer here" | "cheaper here" | "the same" | "unclear";
  /** the figures in one sentence */
  message: string;
  method: string;
  path: string[];
  /** in the subject's tree, as subjectNode in a flask */
  node: number;
  energyNJ: number;
  share: number;
  /** energyNJ by component; absent where the recording names no components */
  components?: Component[];
  ownNJ: number;
  /** with its callees; 0 where the recording lacks the clock */
  cpuTimeNS: number;
  wallTimeNS: number;
  callers: Caller[];
  /** names of the threads that called it; "" is a thread without a name */
  threads: string[];
  peer: Peer | null;
  /** a counterpart that is likely but not sure */
  perhaps?: Perhaps | null;
  /** the id of the innermost task that contains this one; null for an outermost task */
  inside?: string | null;
  savingNJ: number;
  split: Split | null;
  /** what repeated runs show about the saving; null or absent if there are too few runs for a test */
  evidence?: Evidence | null;
  /** why the task may explain a fleet finding; absent if it explains none */
  suspect?: Suspect;
}

/** A Suspect is the reason why a task may explain a fleet finding. */
export interface Suspect {
  component: string;
  message: string;
}

/** Evidence is what repeated runs show about a saving. */
export interface Evidence {
  verdict: "costlier" | "cheaper" | "no evidence";
  message: string;
  savingLeastNJ: number;
  savingMostNJ: number;
}

/** A CodePart is the energy that one method of the app uses by itself below a callback. */
export interface CodePart extends Place {
  callback: string;
  /** true for your code, false for a library's */
  own: boolean;
  /** the group of libraries that has the method; empty for none */
  library: string;
  energyNJ: number;
}

/** An AppCode is the energy that a piece of the app's code uses by itself: one method, or a callback with the methods merged into it. */
export interface AppCode extends Counted, Place, Standing {
  id: string;
  kind: "method" | "callback" | "slice";
  status: Task["status"];
  verdict: Task["verdict"];
  message: string;
  /** leads to the callback in which it uses most */
  path: string[];
  /** the callback's node in the subject's tree */
  node: number;
  energyNJ: number;
  share: number;
  /** the part of energyNJ outside tasks */
  ownNJ: number;
  parts: CodePart[];
  partCount: number;
  threads: string[];
  peer: (Counted & Place & { path: string[]; energyNJ: number; share: number; how: string }) | null;
  savingNJ: number;
  split: Task["split"];
  evidence?: Task["evidence"];
}

/** An Outside divides the energy of a run outside tasks. */
export interface Outside {
  appCodeNJ: number;
  systemNJ: number;
  recorderNJ: number;
  waitingNJ: number;
  toplevelNJ: number;
}

/** A Note is a warning, or a way in which the inputs differ. */
export interface Note {
  code: string;
  message: string;
  severity?: string;
}

/** Coverage is the share of the subject's tasks that are matched at one α. */
export interface Coverage {
  alpha: number;
  matched: number;
  matchedShare: number;
  matchedNJ: number;
  matchedEnergyShare: number;
}

/** A PackageEnergy is the energy that a package's methods used by themselves. */
export interface PackageEnergy {
  name: string;
  class: "app" | "framework" | "";
  subjectNJ: number;
  referenceNJ: number;
}

/** A ThreadEnergy is the energy that all threads of one name used. */
export interface ThreadEnergy {
  name: string;
  subjectNJ: number;
  referenceNJ: number;
}

/** MethodNames are the names of a method. A missing name is empty. */
export interface MethodNames {
  short: string;
  owner: string;
  scope: string;
  class: string;
}

/** FlaskMethods has the names of a flask's labels, as columns. apart distinguishes methods with equal short names, and is empty for other methods. */
export interface FlaskMethods {
  short: string[];
  owner: string[];
  apart: string[];
}

/** A Judgement is the conclusion of a comparison. */
export interface Judgement {
  headline: {
    /** the parts of both runs; each column of them adds up to the energy of a run */
    parts: HeadlinePart[];
    /** why no row is a finding; empty where rows may be findings */
    doubt: string;
    /** the number of findings, and the id of the first; empty without findings */
    rows: number;
    first: string;
  };
  /** the headline in words */
  sentences: string[];
}

/** A HeadlinePart is a part of the difference between both runs. */
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
    /** how many of the unmatched tasks have a likely counterpart */
    perhaps?: number;
    /** how much is matched, in words */
    message: string;
    /** true if too little is matched to call a difference a saving */
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
  /** the finding of a fleet about the subject's app; absent without a fleet */
  fleet?: { app: string; figure: string; message: string };
  packages: PackageEnergy[];
  threads: ThreadEnergy[];
  comparability: Note[];
  judgement: Judgement;
  tasks: Task[];
  /** ranked together with tasks */
  appCode: AppCode[];
  warnings: Note[];
  /** by label */
  methods: Record<string, MethodNames>;
}

/** A Clock is the kind of time that a side of a flask has. */
export type Clock = "cpu-time" | "wall-time" | "none";

/** A SourceJSON is an original method: the indices of its label and file, its line, and its calls. calls is null if they are not counted. */
export type SourceJSON = [label: number, file: number, line: number, calls: number | null];

/** FlaskJSON is a flask as the schema defines it: columns of equal length, with one row for each node. */
export interface FlaskJSON {
  schemaVersion: number;
  task: string;
  subjectTime: Clock;
  referenceTime: Clock;
  counts: Counts;
  /** true for the flask of a single run */
  single?: boolean;
  /** the main cause of the task's saving: a phrase, and the nodes of the method that it names */
  why: { text: string; subjectNode: number; referenceNode: number } | null;
  labels: string[];
  methods: FlaskMethods;
  files: string[];
  rows: {
    parent: number[];
    /** the row of the parent in the reference; it may differ from parent, and is -1 without a reference */
    referenceParent: number[];
    part: number[];
    status: number[];
    kind: number[];
    label: number[];
    referenceLabel: number[];
    subjectNJ: number[];
    subjectSelfNJ: number[];
    /** calls and samples are null on a side without such figures */
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

/** MethodListJSON has the energy of each method over all of its contexts, and the energy of each pair of caller and callee. Both are columns of equal length. */
export interface MethodListJSON {
  /** the number of methods, listed or not */
  total: number;
  labels: string[];
  methods: FlaskMethods;
  /** 1 is the framework, and 2 is the app. 0 is a method that belongs to whoever calls it. */
  owner: number[];
  /** whether a method is the app's own code; absent in pages of older programs */
  own?: boolean[];
  /** the group of libraries that has a method, empty for none */
  library?: string[];
  subjectSelfNJ: number[];
  /** with callees */
  subjectNJ: number[];
  referenceSelfNJ: number[];
  referenceNJ: number[];
  /** calls or samples, whichever the report's counts names; 0 if unknown */
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
