// The keys of each view, which the key ? lists.

import type { View } from "./state";

/** Keys are pairs of keys and their effect, in order. */
export type Keys = readonly (readonly [keys: string, does: string])[];

export const everywhere: Keys = [
  ["?", "the keys of a view"],
  ["/", "search; Esc goes back"],
  ["1 to 5", "a view, in the order of the tabs"],
];

const move = "↑ ↓ or k j, Page Up, Page Down, Home, End";

export const keysOf: Record<View, Keys> = {
  tasks: [
    [move, "move"],
    ["Enter", "open the task's flask"],
    ["o", "only tasks from your code, or all"],
  ],
  flask: [
    [move, "move"],
    ["→ ←", "unfold and fold, or go to callee and caller"],
    ["Enter", "fold or unfold"],
    ["m", "show or fold the cheap branches next to or below the row"],
    ["n N", "the next or previous search result"],
    ["c", "copy the method's name"],
    ["w", "show the method in the whole run"],
    ["[ ]", "the previous or next task of the list"],
    ["{ }", "in a group: the previous or next app"],
    ["d", "show or hide the details"],
    ["Esc", "back to the list"],
  ],
  run: [
    ["↑ ↓ ← →", "caller, callee, neighbours"],
    ["Enter", "zoom to the selected method"],
    ["+ −", "zoom"],
    ["Esc or 0", "show all"],
    ["n N", "the next or previous search result"],
    ["f", "the flask of the method's task"],
  ],
  top: [[move, "move"]],
  api: [],
  energy: [],
  summary: [],
  apps: [],
  article: [],
  common: [["↑ ↓ ← → Home End", "move from square to square"]],
  ranking: [
    [move, "move"],
    ["Enter", "open the call trees side by side"],
  ],
};
