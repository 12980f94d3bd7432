// Keys that work in every part of the page, and their list.

import { useLayoutEffect, useRef } from "preact/hooks";
import { everywhere, keysOf, type Keys } from "../keys";
import type { View } from "../state";

/** useKeys calls act for each key that no control uses itself. act returns whether it handled the key. */
export function useKeys(act: (e: KeyboardEvent) => boolean): void {
  const latest = useRef(act);
  latest.current = act;
  // A layout effect makes keys work at once, not only after the next frame.
  useLayoutEffect(() => {
    const onKeyDown = (e: KeyboardEvent) => {
      if (!e.defaultPrevented && !e.ctrlKey && !e.metaKey && !e.altKey && !wanted(e) && latest.current(e)) e.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** wanted reports whether the focused element uses a key itself. */
function wanted({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog") || target.matches("input:not([type=checkbox]), select, textarea")) return true;
  if (target.matches("button, summary, input")) return key === "Enter" || key === " ";
  // Scrollable regions use these keys.
  return target.closest("[data-scrolls]") !== null && /^(Arrow|Page|Home|End)/.test(key);
}

/** Help lists the keys of a view and of all views. */
export function Help({ view, close }: { view: View; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const list = (keys: Keys) => keys.map(([key, does]) => <div key={key}><dt>{key.split(" ").map((k, i) => (/^(or|to|Page)$/.test(k) ? `${k} ` : <><kbd key={i}>{k}</kbd>{" "}</>))}</dt><dd>{does}</dd></div>);
  return (
    <dialog class="keys" ref={dialog} aria-labelledby="keys" onClose={close} onClick={(e) => e.target === dialog.current && close()}>
      <h2 id="keys">Keys</h2>
      <dl>{list(keysOf[view])}{list(everywhere)}</dl>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
