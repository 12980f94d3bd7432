// The energy of one run by component, thread and library, and the states of its components over
// time. The types list the properties that the views read from `diffprof profile --format json`.

import type { Component, MethodNames } from "./model";
import { amount, type Unit } from "./units";

/** An EnergyRow is a thread or a group of libraries. */
export interface EnergyRow {
  method: string;
  /** the purpose of the group of libraries; empty if unknown */
  category: string;
  exclusiveNJ: number;
  inclusiveNJ: number;
  exclusiveBy: Component[];
  inclusiveBy: Component[];
}

/** A Lane has the times when a component was not idle. */
export interface Lane {
  component: string;
  states: string[];
  /** spans with a shorter gap between them were joined; 0 if none were joined */
  resolutionNS: number;
  /** state is an index into states; tail is 1 for a tail, else 0; times are in nanoseconds */
  spans: [begin: number, end: number, state: number, tail: number, nj: number][];
}

/** An EnergyProfile has the parts of a profile that the view shows. */
export interface EnergyProfile {
  /** the methods that use most of the energy, in words */
  headline?: string;
  components: Component[];
  io: { energyNJ: number; share: number; routines: number; allRoutines: number } | null;
  battery: { share: number } | null;
  threads: EnergyRow[];
  libraries: EnergyRow[];
  lanes?: Lane[];
  /** the times at which the run begins and ends, counted from the beginning of the recording as in lanes */
  beginNS?: number;
  endNS?: number;
  bundles?: Bundles | null;
  /** the names of the methods in bundles and in apiCosts */
  methods?: Record<string, MethodNames>;
  /** the costs of the app's calls into the framework; absent without a table of costs */
  apiCosts?: ApiCosts;
  batteryUse?: BatteryUse;
  activities?: { name: string; minutes: number }[];
}

/** ApiCosts has the first rows of each list. */
export interface ApiCosts {
  /** the methods of the app, the largest average first */
  routines: { method: string; calls: number; energyNJ: number; averageNJ: number; share: number; guessNJ: number }[];
  /** the called methods with a cost, most energy first */
  apis: { method: string; calls: number; eachNJ: number; energyNJ: number; share: number }[];
  /** the called methods without a cost, most calls first */
  missing: { method: string; reason: string; calls: number; guessEachNJ: number; guessNJ: number }[];
  runs: number;
  /** the energy of all costs, without guesses */
  costedNJ: number;
  allRoutines: number;
  allAPIs: number;
  allMissing: number;
  shareMessage: string;
  disclaimer: string;
  batteryLegend: string;
}

/** BatteryUse is Android's own estimate of the charge of the whole phone, in nanoampere-hours. */
export interface BatteryUse {
  computedNAh: number;
  components: { name: string; chargeNAh: number; share: number; appsNAh: number | null }[];
  users: { uid: string; package: string; chargeNAh: number; share: number }[];
  notes: { message: string }[];
}

/** Bundles are the active periods of components, most energy first. */
export interface Bundles {
  energyNJ: number;
  share: number;
  list: Bundle[];
  findings: { id: string; component: string; method: string; energyNJ: number; savingNJ: number; savingShare: number; bundle: number | null; message: string }[];
}

/** A Bundle is an active period of a component, or several periods that the same calls caused. */
export interface Bundle {
  component: string;
  count: number;
  beginNS: number;
  timeNS: number;
  energyNJ: number;
  share: number;
  useNJ: number;
  tailNJ: number;
  /** the number of operations that cut a tail short, and the length of these tails */
  waits: number;
  waitedNS: number;
  /** the energy of the operations if they were batched; null if unknown */
  togetherNJ: number | null;
  whyMany: string;
  whyLong: string;
  states: BundleState[];
}

export interface BundleState {
  name: string;
  kind: string;
  visits: number;
  timeNS: number;
  energyNJ: number;
  drivers: { method: string; path: string[]; operations: number; bytes: number; verbs: string[]; energyNJ: number }[];
  routines: { method: string; timeNS: number }[];
}

/** A Driver is a method that requested operations from a component in one of its states. */
export interface Driver {
  method: string;
  paths: string[][];
  /** such as "25 × open, 4 × send"; empty without operations */
  asked: string;
}

/** byMethod groups drivers by method, in the order of their first occurrence. */
export function byMethod(drivers: BundleState["drivers"]): Driver[] {
  const found = new Map<string, { paths: string[][]; asked: Map<string, number> }>();
  for (const d of drivers) {
    const of = found.get(d.method) ?? { paths: [], asked: new Map<string, number>() };
    found.set(d.method, of);
    of.paths.push(d.path);
    const what = d.verbs.join("/");
    if (d.operations > 0) of.asked.set(what, (of.asked.get(what) ?? 0) + d.operations);
  }
  return [...found].map(([method, { paths, asked }]) => ({ method, paths, asked: [...asked].map(([what, n]) => `${n} × ${what}`).join(", ") }));
}

/** used is the total energy of a component. */
export const used = (c: Component) => c.useNJ + c.tailNJ + c.restNJ;

/** A Piece is a part of a bar. component is an index into the run's components. */
export interface Piece {
  component: number;
  part: "use" | "tail" | "rest";
  nj: number;
}

/** piecesOf returns the parts of a bar in the order of the run's components. It omits parts without energy. */
export function piecesOf(of: Component[], run: Component[], nj: number): Piece[] {
  if (of.length === 0) return nj > 0 ? [{ component: 0, part: "use", nj }] : [];
  const pieces: Piece[] = [];
  run.forEach((r, component) => {
    const c = of.find((x) => x.name === r.name && x.provenance === r.provenance);
    if (!c) return;
    for (const [part, amount] of [["use", c.useNJ], ["tail", c.tailNJ], ["rest", c.restNJ]] as const) {
      if (amount > 0) pieces.push({ component, part, nj: amount });
    }
  });
  return pieces;
}

/** processor is the name of the component that runs code. */
const processor = "cpu";

/** componentsText writes the energy of components as the other reports do: "cellular 20 + 480 tail (90 to 700), cpu 3". It is empty if only the processor is known. */
export function componentsText(list: Component[] | undefined, unit: Unit): string {
  if (!list || list.every((c) => c.name === processor)) return "";
  return list
    .map((c) => {
      const parts = [c.useNJ || (!c.tailNJ && !c.restNJ) ? amount(c.useNJ, unit) : "", c.tailNJ ? `${amount(c.tailNJ, unit)} tail` : "", c.restNJ ? `${amount(c.restNJ, unit)} unattributed` : ""];
      const range = c.leastNJ !== undefined && c.mostNJ !== undefined ? ` (${amount(c.leastNJ, unit)} to ${amount(c.mostNJ, unit)})` : "";
      return `${componentName(c.name)} ${parts.filter(Boolean).join(" + ")}${range}`;
    })
    .join(", ");
}

/** componentName is the name of a component on screen. */
export const componentName = (name: string) => name || "all components";

const sources: Record<string, string> = {
  given: "the recording", "cpu-time": "processor time", "wall-time": "elapsed time", "cycle-time": "cycles at a stated frequency",
  measured: "measured", modelled: "the power model", scaled: "the power model, scaled to what was measured",
};

/** sourceName describes in words the origin of a figure. */
export const sourceName = (provenance: string) => sources[provenance] ?? provenance;

/** extent is the time span of a run and all of its lanes, in nanoseconds. It is never empty. */
export function extent({ lanes = [], beginNS = 0, endNS = 0 }: Pick<EnergyProfile, "lanes" | "beginNS" | "endNS">): [begin: number, end: number] {
  let [begin, end] = [beginNS, endNS];
  for (const { spans } of lanes) {
    for (const [from, to] of spans) {
      begin = Math.min(begin, from);
      end = Math.max(end, to);
    }
  }
  return [begin, Math.max(end, begin + 1)];
}

/** A Block is the drawing of a span; at and width are shares of the time axis. */
export interface Block {
  at: number;
  width: number;
  span: number;
  tail: boolean;
}

/** blocksOf lays out a lane on the time axis. Each block has at least the width least, to be visible. If several blocks have the same place, only the longest is drawn. */
export function blocksOf(lane: Lane, [begin, end]: [number, number], least: number): Block[] {
  const blocks: Block[] = [];
  lane.spans.forEach(([from, to, , tail], span) => {
    const block = { at: (from - begin) / (end - begin), width: Math.max((to - from) / (end - begin), least), span, tail: tail === 1 };
    const last = blocks[blocks.length - 1];
    if (last && block.at - last.at < least / 2) {
      if (block.width > last.width) blocks[blocks.length - 1] = { ...block, at: last.at, width: block.width + block.at - last.at };
      return;
    }
    blocks.push(block);
  });
  return blocks;
}

/** ticks returns five to ten round times from begin to end, in nanoseconds. */
export function ticks([begin, end]: [begin: number, end: number]): number[] {
  const rough = (end - begin) / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
  const first = Math.ceil(begin / step);
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** whyMissing writes in words why a call has no cost. */
export const whyMissing = (reason: string): string => ({ "other-overload": "other overload", "no-cost": "no cost in the table" })[reason] ?? "not in the table";

/** lasting writes a time in minutes. */
export const lasting = (minutes: number): string => (minutes < 1 ? `${(60 * minutes).toFixed(1)} s` : `${minutes.toFixed(1)} min`);

/** charge writes nanoampere-hours in mAh, with three digits. */
export function charge(nAh: number): string {
  const x = nAh / 1e6;
  if (x === 0 || x >= 0.001) return x === 0 ? "0" : x.toFixed(x >= 99.95 ? 0 : x >= 9.995 ? 1 : x >= 0.9995 ? 2 : 3);
  return "<0.001";
}
