// The tasks that the apps of a group share, and the app that uses least for each: the JSON of
// `diffprof group` (docs/group.schema.json), and queries on it for the views.

import type { Note } from "./model";

/** A Group is the comparison of each app of a group with each other app. */
export interface Group {
  schemaVersion: number;
  tool: { name: string; version: string };
  /** "unknown" where a recording states no unit for its numbers */
  unit: string;
  energyFrom: string[];
  apps: GroupApp[];
  /** each pair of apps once, a < b */
  pairs: GroupPair[];
  /** the number of shared tasks, listed or not */
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
  /** element k is the number of its tasks that exactly k other apps share; exactWith counts only tasks with equal call paths */
  with: number[];
  exactWith: number[];
  uniqueNJ: number;
  uniqueShare: number;
  others: number;
}

/** A GroupPair is the overlap of two apps, as shares from 0 to 1. */
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

/** A Duty is a task that several apps share. */
export interface Duty {
  method: string;
  short: string;
  /** its caller in the first app */
  under: string;
  perCall: boolean;
  roomNJ: number;
  /** the app that uses least first */
  users: User[];
}

/** A User is an app's use of a shared task. */
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

/** A Ranking is a comparison of one app with the cheapest one on a shared task. Both numbers are indices. */
export interface Ranking {
  duty: number;
  user: number;
}

/** rankingID is the id of the call trees of a ranking. */
export const rankingID = ({ duty, user }: Ranking): string => `${duty}/${user}`;

/** rankingOf parses the id of a ranking; null if the group does not have it. */
export function rankingOf(group: Group, id: string): Ranking | null {
  const [, duty, user] = /^(\d+)\/(\d+)$/.exec(id) ?? [];
  const found = { duty: Number(duty), user: Number(user) };
  return found.user > 0 && group.duties[found.duty]?.users[found.user] ? found : null;
}

/** spent is the energy that ranks an app on a task: per call where calls are counted, else in total. */
export const spent = (duty: Duty, { energyNJ, calls }: User): number => (duty.perCall && calls ? energyNJ / calls : energyNJ);

/** pairOf finds the comparison of two apps; undefined if they were not compared. */
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

/** folded limits counts to a number of columns. The last column has the sum of the remaining counts. */
export const folded = (counts: number[], columns: number): number[] =>
  counts.length <= columns ? counts : [...counts.slice(0, columns - 1), counts.slice(columns - 1).reduce((sum, n) => sum + n, 0)];

/** dutiesFor returns the indices of the shared tasks whose method, caller or apps contain a text. */
export function dutiesFor(group: Group, query: string): number[] {
  const text = query.trim().toLowerCase();
  return group.duties.flatMap((d, i) => (!text || [d.method, d.short, d.under, ...d.users.map((u) => group.apps[u.app]!.name)].some((name) => name.toLowerCase().includes(text)) ? [i] : []));
}
