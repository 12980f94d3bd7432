// The list of methods: filter, order, callers and callees.

import type { MethodListJSON } from "./model";
import { nameOf } from "./names";

/** topKeys are the columns to sort methods by. */
export const topKeys = ["self", "all", "saving", "method"] as const;
export type TopKey = (typeof topKeys)[number];

/** A TopFilter is the filter and order of the list of methods. */
export interface TopFilter {
  query: string;
  /** only the app's own code */
  app: boolean;
  sort: TopKey;
  descending: boolean;
  /** the label of the selected method, shown with callers and callees */
  method: string;
}

/** owners has the names of the codes in MethodListJSON.owner. */
export const owners = ["", "framework", "app"] as const;

/** isOwn reports whether a method is the app's own code. */
export const isOwn = (list: MethodListJSON, i: number): boolean => list.own?.[i] ?? owners[list.owner[i]!] === "app";

/** methodRows lists the indices of the methods that pass a filter. */
export function methodRows(list: MethodListJSON, f: TopFilter): number[] {
  const words = f.query.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...list.labels.keys()].filter((i) => {
    if (f.app && !isOwn(list, i)) return false;
    const text = list.labels[i]!.toLowerCase();
    return words.every((w) => text.includes(w));
  });
  const { subjectSelfNJ, referenceSelfNJ, subjectNJ, referenceNJ } = list;
  const figure: Record<Exclude<TopKey, "method">, (i: number) => number> = {
    self: (i) => Math.max(subjectSelfNJ[i]!, referenceSelfNJ[i]!),
    all: (i) => Math.max(subjectNJ[i]!, referenceNJ[i]!),
    saving: (i) => subjectSelfNJ[i]! - referenceSelfNJ[i]!,
  };
  const sign = f.descending ? -1 : 1;
  const key = f.sort;
  if (key === "method") {
    const names = new Map(rows.map((i) => [i, nameOf(list.labels[i]!).short]));
    return rows.sort((a, b) => sign * names.get(a)!.localeCompare(names.get(b)!) || a - b);
  }
  return rows.sort((a, b) => sign * (figure[key](a) - figure[key](b)) || a - b);
}

/** A Neighbour is a caller or a callee of a method: its index in the list, and the index of the link. */
export interface Neighbour {
  method: number;
  link: number;
}

/** neighbours lists the callers and the callees of a method, most energy first. */
export function neighbours(list: MethodListJSON, method: number): { callers: Neighbour[]; callees: Neighbour[] } {
  const { caller, callee, subjectNJ, referenceNJ } = list.links;
  const callers: Neighbour[] = [];
  const callees: Neighbour[] = [];
  for (let link = 0; link < caller.length; link++) {
    if (callee[link] === method) callers.push({ method: caller[link]!, link });
    if (caller[link] === method) callees.push({ method: callee[link]!, link });
  }
  const most = (n: Neighbour) => Math.max(subjectNJ[n.link]!, referenceNJ[n.link]!);
  for (const side of [callers, callees]) side.sort((a, b) => most(b) - most(a) || a.method - b.method);
  return { callers, callees };
}
