// What the apps of a group have in common, and who does a task for least: the JSON of
// `diffprof group` (docs/group.schema.json), and what the views ask of it.

import type { Note } from "./model";

/** A Group is each app of a group compared with each other. */
export interface Group {
  schemaVersion: number;
  tool: { name: string; version: string };
  /** "unknown" where a recording does not state the unit of its numbers */
  unit: string;
  energyFrom: string[];
  apps: GroupApp[];
  /** each two apps once, a < b */
  pairs: GroupPair[];
  /** how many duties there are, listed or not */
  total: number;
  duties: Duty[];
  failures: { a: number; b: number; message: string }[];
  spread: string;
  notes: Note[];
}

/** A GroupApp is an app, or a version of one. */
export interface GroupApp {
  name: string;
  path: string;
  runs: number;
  energyNJ: number;
  tasks: number;
  /** at place k how many of its tasks k of the others do, too; exactWith by equal call paths alone */
  with: number[];
  exactWith: number[];
  uniqueNJ: number;
  uniqueShare: number;
  others: number;
}

/** A GroupPair is what two apps have in common, as shares from 0 to 1. */
export interface GroupPair {
  a: number;
  b: number;
  alpha: number;
  methods: number;
  tasks: number;
  oneApp: boolean;
  unlike: string[];
  ranked: boolean;
}

/** A Duty is a task that several apps do. */
export interface Duty {
  method: string;
  short: string;
  /** what calls it in the first app */
  under: string;
  perCall: boolean;
  roomNJ: number;
  /** those that spend least first */
  users: User[];
}

/** A User is what an app spends on a task. */
export interface User {
  app: number;
  energyNJ: number;
  calls: number | null;
  task: string;
  verdict: "costlier" | "cheaper" | "no evidence" | "";
}

/** About has the sentences above the tables of a group. */
export interface About {
  tasks: string;
  overlap: string;
  duties: string;
  none: string;
}

/** A Ranking is a user of a duty beside the first one, both by their places. */
export interface Ranking {
  duty: number;
  user: number;
}

/** rankingID is the id of the call trees of a ranking. */
export const rankingID = ({ duty, user }: Ranking): string => `${duty}/${user}`;

/** rankingOf reads the id of a ranking; null if the group has no such one. */
export function rankingOf(group: Group, id: string): Ranking | null {
  const [, duty, user] = /^(\d+)\/(\d+)$/.exec(id) ?? [];
  const found = { duty: Number(duty), user: Number(user) };
  return found.user > 0 && group.duties[found.duty]?.users[found.user] ? found : null;
}

/** spent is what an app spends on a task in the measure that apps are ranked by: a call where calls are counted. */
export const spent = (duty: Duty, { energyNJ, calls }: User): number => (duty.perCall && calls ? energyNJ / calls : energyNJ);

/** pairOf finds what two apps have in common; undefined where they were not compared. */
export function pairOf(group: Group, a: number, b: number): GroupPair | undefined {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  let [from, to] = [0, group.pairs.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const p = group.pairs[middle]!;
    if (p.a < low || (p.a === low && p.b < high)) from = middle + 1;
    else to = middle;
  }
  const p = group.pairs[from];
  return p && p.a === low && p.b === high ? p : undefined;
}

/** folded sums the counts of tasks up that many others do, so that a table has so many columns at most. */
export const folded = (counts: number[], columns: number): number[] =>
  counts.length <= columns ? counts : [...counts.slice(0, columns - 1), counts.slice(columns - 1).reduce((sum, n) => sum + n, 0)];

/** duties are the places of those that a text fits: a method's name, what calls it, or an app. */
export function dutiesFor(group: Group, query: string): number[] {
  const text = query.trim().toLowerCase();
  return group.duties.flatMap((d, i) => (!text || [d.method, d.short, d.under, ...d.users.map((u) => group.apps[u.app]!.name)].some((name) => name.toLowerCase().includes(text)) ? [i] : []));
}
