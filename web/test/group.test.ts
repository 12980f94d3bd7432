import { describe, expect, it } from "vitest";
import { addressOf, readAddress } from "../src/address";
import { dutiesFor, folded, pairOf, rankingOf, type Group } from "../src/group";
import { initial, inputsOf, namesOf, reduce, type State } from "../src/state";

const app = (name: string, energyNJ: number) => ({ name, path: `${name}.trace`, runs: 1, energyNJ, tasks: 1, with: [0, 1, 0], exactWith: [1, 0, 0], uniqueNJ: 0, uniqueShare: 0, others: 2 });
const pair = (a: number, b: number) => ({ a, b, alpha: 0, methods: 0.5, tasks: (a + b) / 10, oneApp: false, unlike: [], ranked: true });
const user = (of: number, energyNJ: number) => ({ app: of, energyNJ, calls: 2, task: "0123456789abcdef", verdict: "" as const });
const group: Group = {
  schemaVersion: 1, tool: { name: "diffprof", version: "1" }, unit: "nJ", energyFrom: ["modelled"], apps: [app("a", 10), app("b", 20), app("c", 30)],
  pairs: [pair(0, 1), pair(0, 2), pair(1, 2)], total: 2,
  duties: [
    { method: "View.draw", short: "View.draw", under: "*.run", perCall: true, roomNJ: 5, users: [user(2, 1), user(0, 4)] },
    { method: "Log.d", short: "Log.d", under: "*.onClick", perCall: true, roomNJ: 0, users: [user(0, 1), user(1, 1), user(2, 2)] },
  ],
  failures: [], spread: "one run per app", notes: [],
};
const about = { tasks: "", overlap: "", duties: "", none: "" };
const shown = reduce(initial, { type: "group", group, about, volts: 3.7, unit: "nJ" });

describe("group", () => {
  it("finds pairs by their apps in either order, and undefined for a missing one", () => {
    expect(pairOf(group, 2, 1)).toBe(group.pairs[2]);
    expect(pairOf(group, 0, 1)).toBe(group.pairs[0]);
    expect(pairOf({ ...group, pairs: [pair(0, 2)] }, 0, 1)).toBeUndefined();
  });

  it("accepts only the ids of its rankings", () => {
    expect(rankingOf(group, "1/2")).toEqual({ duty: 1, user: 2 });
    for (const id of ["", "0/0", "0/2", "2/1", "0/1/1", "-1/1", "0/1x"]) expect(rankingOf(group, id), id).toBeNull();
  });

  it("sums the counts without a column of their own", () => {
    expect(folded([1, 2, 3, 4, 5], 3)).toEqual([1, 2, 12]);
    expect(folded([1, 2, 3], 3)).toEqual([1, 2, 3]);
  });

  it("searches methods, callers and apps", () => {
    expect(dutiesFor(group, "DRAW")).toEqual([0]);
    expect(dutiesFor(group, "onclick")).toEqual([1]);
    expect(dutiesFor(group, "b")).toEqual([1]);
    expect(dutiesFor(group, " ")).toEqual([0, 1]);
  });

  it("shows all apps, or the two with call trees on screen", () => {
    expect(shown.view).toBe("apps");
    expect(inputsOf(shown).map((i) => i.path)).toEqual(["a", "b", "c"]);
    const flask = reduce(shown, { type: "open", task: "1/2" });
    expect(namesOf(flask)).toEqual(["c", "a"]);
  });

  it("restores the state of an address", () => {
    const flask = reduce(shown, { type: "open", task: "1/2" });
    const again = readAddress(addressOf(flask)).reduce<State>(reduce, initial);
    const loaded = reduce(again, { type: "group", group, about });
    expect([loaded.view, loaded.task]).toEqual(["flask", "1/2"]);
  });

  it("refuses a group of another version", () => {
    expect(reduce(initial, { type: "group", group: { ...group, schemaVersion: 2 }, about }).error).toContain("schemaVersion 2");
  });
});
