// The search in a call tree, for flasks and for the whole run.

import { step, type Found } from "../search";
import { grouped } from "../units";
import { useKeys } from "./keys";
import type { Props } from "./parts";

/** Finder searches a tree, and steps through the results. */
export function Finder({ s, send, id, selected, found }: Props & { id: string; selected: number; found: Found | null }) {
  const results = found ? found.rows.length : 0;
  const go = (by: 1 | -1): boolean => {
    if (found && results > 0) send({ type: "select", id, row: step(found, selected, by), unfold: true });
    return results > 0;
  };
  useKeys((e) => (e.key === "n" ? go(1) : e.key === "N" ? go(-1) : false));
  const at = found ? found.rows.indexOf(selected) : -1;
  return (
    <span class="finder" role="search">
      <input
        type="search"
        placeholder="Find a method  ( / )"
        aria-label="Find methods in both call trees"
        value={s.find}
        onInput={(e) => send({ type: "find", query: e.currentTarget.value })}
        onKeyDown={(e) => {
          if (e.key === "Enter") go(e.shiftKey ? -1 : 1);
        }}
      />
      <button type="button" class="small" aria-label="Previous result" title="Previous result ( N )" disabled={results === 0} onClick={() => go(-1)}>‹</button>
      <button type="button" class="small" aria-label="Next result" title="Next result ( n )" disabled={results === 0} onClick={() => go(1)}>›</button>
      <span role="status" class="dim results">{found && (at >= 0 ? `${grouped(at + 1)} of ${grouped(results)}` : `${grouped(results)} found`)}</span>
    </span>
  );
}
