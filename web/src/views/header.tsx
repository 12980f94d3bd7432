// The header: what is compared, the tabs of the views, the unit of energy.

import { useRef } from "preact/hooks";
import { fileNames } from "../names";
import { views, type State, type View } from "../state";
import { unitOf, unitsOf, type Props } from "./parts";

export const viewNames: Record<View, string> = { tasks: "Tasks", flask: "Flask", run: "Whole run", top: "Top", summary: "Summary" };

/** viewsOf lists the views that there are. */
export const viewsOf = (_: State): readonly View[] => views;

export function Header({ s, send, compact, help }: Props & { help: () => void }) {
  const tabs = useRef<HTMLDivElement>(null);
  const shown = viewsOf(s);
  const onKeyDown = (e: KeyboardEvent) => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    e.preventDefault();
    const to = shown[(shown.indexOf(s.view) + step + shown.length) % shown.length]!;
    send({ type: "view", view: to });
    tabs.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  const files = s.report && fileNames(s.report.subject.path, s.report.reference.path);
  return (
    <header>
      <h1>
        <span class="brand">diffprof</span>
        {s.report && (
          <span class="pair">
            <span class="subject" title={s.report.subject.path}><i class="dot here" aria-hidden="true" />{files![0]}</span>
            <span class="dim"> against </span>
            <span class="reference" title={s.report.reference.path}><i class="dot there" aria-hidden="true" />{files![1]}</span>
          </span>
        )}
      </h1>
      <div class="tabs" role="tablist" aria-label="Views" ref={tabs} onKeyDown={onKeyDown}>
        {shown.map((v) => (
          <button
            type="button"
            role="tab"
            key={v}
            id={`tab-${v}`}
            aria-selected={s.view === v}
            aria-controls="view"
            tabIndex={s.view === v ? 0 : -1}
            onClick={() => send({ type: "view", view: v })}
          >
            {viewNames[v]}
          </button>
        ))}
      </div>
      {s.report && (
        <span class="tools">
          <select aria-label="Unit of energy" class="unit" value={unitOf(s).name} onChange={(e) => send({ type: "unit", unit: e.currentTarget.value })}>
            {unitsOf(s).map((u) => <option value={u.name} key={u.name}>{u.name}</option>)}
          </select>
          <button type="button" class="small" aria-expanded={!compact} aria-label="What stands around the drawing" title={compact ? "Show all that stands around the drawing" : "Fold what stands around the drawing"} onClick={() => send({ type: "compact", is: !compact })}>{compact ? "▾" : "▴"}</button>
          <button type="button" class="small" aria-label="Keys" title="Keys ( ? )" onClick={help}>?</button>
        </span>
      )}
    </header>
  );
}
