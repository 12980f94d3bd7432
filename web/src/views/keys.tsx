// Keys that work wherever the focus is, and the list of them.

import { useLayoutEffect, useRef } from "preact/hooks";
import { everywhere, keysOf, type Keys } from "../keys";
import type { View } from "../state";

/** useKeys calls act for each key that no control wants for itself. act returns whether it knew the key. */
export function useKeys(act: (e: KeyboardEvent) => boolean): void {
  const latest = useRef(act);
  latest.current = act;
  // What is drawn takes its keys at once, and not only after the next frame.
  useLayoutEffect(() => {
    const onKeyDown = (e: KeyboardEvent) => {
      if (!e.defaultPrevented && !e.ctrlKey && !e.metaKey && !e.altKey && !wanted(e) && latest.current(e)) e.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** wanted reports whether the element in focus wants a key for itself. */
function wanted({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog") || target.matches("input:not([type=checkbox]), select, textarea")) return true;
  if (target.matches("button, summary, input")) return key === "Enter" || key === " ";
  // Regions that scroll by themselves.
  return target.closest("[data-scrolls]") !== null && /^(Arrow|Page|Home|End)/.test(key);
}

/** Help lists the keys of a view and of all. */
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
