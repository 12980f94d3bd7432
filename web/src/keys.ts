// The keys of each view. docs/html-report.md has the same table, which a test compares.

import type { View } from "./state";

/** Keys are what keys do, as "key  what it does", in their order. */
export type Keys = readonly (readonly [keys: string, does: string])[];

export const everywhere: Keys = [
  ["?", "this list"],
  ["/", "search; Esc goes back"],
  ["1 to 5", "a view, in the order of the tabs"],
];

const move = "↑ ↓ or k j, Page Up, Page Down, Home, End";

export const keysOf: Record<View, Keys> = {
  tasks: [
    [move, "move"],
    ["Enter", "open the task's flask"],
    ["o", "only own code, or all again"],
  ],
  flask: [
    [move, "move"],
    ["→ ←", "unfold and fold, else go in and out"],
    ["Enter", "fold or unfold"],
    ["m", "show or fold the cheap branches of the row, or those that the row is one of"],
    ["n N", "the next result of the search, the one before"],
    ["c", "copy the method's name"],
    ["w", "show the method's place in the whole run"],
    ["[ ]", "the task before, the next task, as the list has them"],
    ["{ }", "in a group: the app before, the next app"],
    ["d", "show or hide the details"],
    ["Esc", "back to the list"],
  ],
  run: [
    ["↑ ↓ ← →", "caller, callee, neighbours"],
    ["Enter", "zoom to the selected method"],
    ["+ −", "zoom"],
    ["Esc or 0", "show all"],
    ["n N", "the next result of the search, the one before"],
    ["f", "the flask of the task that the method belongs to"],
  ],
  top: [[move, "move"]],
  energy: [],
  summary: [],
  apps: [],
  common: [["↑ ↓ ← → Home End", "move from square to square"]],
  ranking: [
    [move, "move"],
    ["Enter", "open the call trees side by side"],
  ],
};
