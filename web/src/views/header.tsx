// The header: the compared runs, the tabs of the views and the unit of energy.

import { useRef } from "preact/hooks";
import { fileName } from "../names";
import { inputsOf, namesOf, views, type State, type View } from "../state";
import { count } from "../units";
import { unitOf, unitsOf, type Props } from "./parts";

export const viewNames: Record<View, string> = { tasks: "Tasks", flask: "Flask", run: "Whole run", top: "Top", api: "API costs", energy: "Energy", summary: "Summary", apps: "Apps", common: "In common", ranking: "Rankings", article: "Article" };

/** viewsOf lists the views of the data; none if it could not be shown. */
export const viewsOf = (s: State): readonly View[] => (s.error ? [] : s.group ? ["apps", "common", "ranking", "flask"] : s.single ? (s.profile ? [...(s.profile.apiCosts ? (["api"] as const) : []), "run", "top", "energy", "summary"] : ["run", "top", "summary"]) : s.report ? views.slice(0, views.indexOf("apps")).filter((v) => v !== "energy" && v !== "api") : []);

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
  const [here, there] = inputsOf(s);
  const files = s.single && here ? [fileName(here.path)] : namesOf(s);
  const several = s.group && s.view !== "flask" ? `${count(s.group.apps.length, "app")}, ${count(s.group.pairs.length, "comparison")}` : "";
  return (
    <header>
      <h1>
        <span class="brand">diffprof</span>
        {several ? <span class="pair"><span>{several}</span></span> : here && (
          <span class="pair">
            <span class="subject" title={here.path}>{there && <i class="dot here" aria-hidden="true" />}{files[0]}</span>
            {there && (
              <>
                <span class="dim">compared with</span>
                <span class="reference" title={there.path}><i class="dot there" aria-hidden="true" />{files[1]}</span>
              </>
            )}
          </span>
        )}
      </h1>
      {shown.length > 0 && (
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
              {s.single && v === "run" ? "The run" : viewNames[v]}
            </button>
          ))}
        </div>
      )}
      {here && (
        <span class="tools">
          <select aria-label="Unit" class="unit" value={unitOf(s).name} onChange={(e) => send({ type: "unit", unit: e.currentTarget.value })}>
            {unitsOf(s).map((u) => <option value={u.name} key={u.name}>{u.name}</option>)}
          </select>
          <button type="button" class="small" aria-expanded={!compact} aria-label="Text around the drawing" title={compact ? "Show the text around the drawing" : "Hide the text around the drawing"} onClick={() => send({ type: "compact", is: !compact })}>{compact ? "▾" : "▴"}</button>
          <button type="button" class="small" aria-label="Keys" title="Keys ( ? )" onClick={help}>?</button>
        </span>
      )}
    </header>
  );
}
