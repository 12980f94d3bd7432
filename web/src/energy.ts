// Where the energy of one run went, by component, thread and library, and when its components
// were in which states. The types name what is read of `diffprof profile --format json`.

import type { MethodNames } from "./model";
import { amount, type Unit } from "./units";

/** A Component is what a part of the device drained for something. */
export interface Component {
  /** empty where the recording does not say */
  name: string;
  provenance: string;
  useNJ: number;
  /** drained while it waited for more to do */
  tailNJ: number;
  /** nobody's */
  restNJ: number;
}

/** An EnergyRow is a thread or a group of libraries. */
export interface EnergyRow {
  method: string;
  /** what the group of libraries is for; empty if unknown */
  category: string;
  exclusiveNJ: number;
  inclusiveNJ: number;
  exclusiveBy: Component[];
  inclusiveBy: Component[];
}

/** A Lane says when a component was away from its base state. */
export interface Lane {
  component: string;
  states: string[];
  /** the time below which spans were put together, 0 where none were */
  resolutionNS: number;
  /** begin and end in nanoseconds, an index of states, 1 for a tail, nanojoules */
  spans: [begin: number, end: number, state: number, tail: number, nj: number][];
}

/** An EnergyProfile is the part of a profile that the view shows. */
export interface EnergyProfile {
  /** which methods use most of the energy, in words */
  headline?: string;
  components: Component[];
  io: { energyNJ: number; share: number; routines: number; allRoutines: number } | null;
  battery: { share: number } | null;
  threads: EnergyRow[];
  libraries: EnergyRow[];
  lanes?: Lane[];
  /** the first and the last moment of the run, on the time line of the lanes; 0 is the beginning of the recording */
  beginNS?: number;
  endNS?: number;
  bundles?: Bundles | null;
  /** what the methods of bundles are called */
  methods?: Record<string, MethodNames>;
}

/** Bundles are the stays of components away from their base states, most energy first. */
export interface Bundles {
  energyNJ: number;
  share: number;
  list: Bundle[];
  findings: { id: string; component: string; method: string; energyNJ: number; savingNJ: number; savingShare: number; bundle: number | null; message: string }[];
}

/** A Bundle is one stay, or several that the same calls drove. */
export interface Bundle {
  component: string;
  count: number;
  beginNS: number;
  timeNS: number;
  energyNJ: number;
  share: number;
  useNJ: number;
  tailNJ: number;
  /** how often an operation cut a tail short, and how long these tails took */
  waits: number;
  waitedNS: number;
  /** what the operations would drain together; null if that is unknown */
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

/** A Driver is a method, with all that it asked a component for in a state. */
export interface Driver {
  method: string;
  paths: string[][];
  /** such as "25 × open, 4 × send"; empty if it asked for nothing there */
  asked: string;
}

/** byMethod puts the drivers together that are one method by several paths, in the order of the first. */
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

/** drained is what a component drained in all. */
export const drained = (c: Component) => c.useNJ + c.tailNJ + c.restNJ;

/** A Piece is a part of a bar: of a component, by its place among those of the run. */
export interface Piece {
  component: number;
  part: "use" | "tail" | "rest";
  nj: number;
}

/** piecesOf are the parts of a bar, components in the order of the run, those of nothing left out. */
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

/** processor is the component that runs code. */
const processor = "cpu";

/** spentText says what components drained, as the other reports do: "cellular 20 + 480 tail, cpu 3"; empty where that is the processor alone, or nobody tells. */
export function spentText(list: Component[] | undefined, unit: Unit): string {
  if (!list || list.every((c) => c.name === processor)) return "";
  return list
    .map((c) => {
      const parts = [c.useNJ || (!c.tailNJ && !c.restNJ) ? amount(c.useNJ, unit) : "", c.tailNJ ? `${amount(c.tailNJ, unit)} tail` : "", c.restNJ ? `${amount(c.restNJ, unit)} nobody's` : ""];
      return `${componentName(c.name)} ${parts.filter(Boolean).join(" + ")}`;
    })
    .join(", ");
}

/** componentName is what people read of a component. */
export const componentName = (name: string) => name || "not told apart";

const sources: Record<string, string> = {
  given: "the recording", "cpu-time": "processor time", "wall-time": "elapsed time", "cycle-time": "cycles at a stated frequency",
  measured: "measured", modelled: "the power model", scaled: "the power model, scaled to what was measured",
};

/** sourceName says in words where a figure comes from. */
export const sourceName = (provenance: string) => sources[provenance] ?? provenance;

/** extent is the first and the last moment of a run and all of its lanes, in nanoseconds; it is never empty. */
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

/** A Block is a span as it is drawn, from 0 to 1. */
export interface Block {
  at: number;
  width: number;
  span: number;
  tail: boolean;
}

/** blocksOf lays out a lane over a time, each block at least as wide as can be seen. Where several begin at one place, the longest is drawn. */
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

/** ticks are round moments from begin to end, five to ten of them, in nanoseconds. */
export function ticks([begin, end]: [begin: number, end: number]): number[] {
  const rough = (end - begin) / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
  const first = Math.ceil(begin / step);
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, i) => (first + i) * step);
}
