// The frame around the views: the header, the views, and short messages.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Host } from "../host";
import { fileNames, nameOf } from "../names";
import { views, type Action, type State, type View } from "../state";
import type { Store } from "../store";
import { unitOf, unitsOf, Empty, type Props } from "./parts";
import { FlaskView } from "./flask";
import { Run } from "./run";
import { Summary } from "./summary";
import { Tasks } from "./tasks";
import { Top } from "./top";

const names: Record<View, string> = { tasks: "Tasks", flask: "Flask", run: "Whole run", top: "Top", summary: "Summary" };

export function App({ store, host }: { store: Store<State, Action>; host: Host }) {
  const [s, set] = useState(store.state);
  useLayoutEffect(() => {
    set(store.state);
    return store.subscribe(() => set(store.state));
  }, [store]);
  const [said, say] = useState({ text: "", time: 0 });
  useEffect(() => {
    if (!said.text) return;
    const timer = setTimeout(() => say({ text: "", time: 0 }), 4000);
    return () => clearTimeout(timer);
  }, [said]);
  useAddress(s, store.send, host);
  useFocus(s);
  const title = titleOf(s);
  useEffect(() => host.title?.(title), [title]);
  const props: Props = { s, send: store.send, host, say: (text) => say({ text, time: Date.now() }) };
  return (
    <>
      <Header {...props} />
      <main>
        <div id="view" role="tabpanel" tabIndex={s.view === "summary" ? 0 : undefined} aria-labelledby={`tab-${s.view}`} class={`view ${s.view}`}>
          <Body {...props} />
        </div>
      </main>
      <div class="said" role="status">{said.text}</div>
    </>
  );
}

function titleOf({ view, task, report }: State): string {
  const shown = view === "flask" && report?.tasks.find((t) => t.id === task);
  return shown ? `Flask: ${nameOf(shown.method).short}` : `Diffprof: ${names[view]}`;
}

function Body(props: Props) {
  const { s } = props;
  if (s.error) return <Empty><p role="alert">{s.error}</p></Empty>;
  if (!s.report) return <Empty><p role="status">Waiting for the comparison…</p></Empty>;
  switch (s.view) {
    case "tasks": return <Tasks {...props} />;
    case "flask": return <FlaskView {...props} />;
    case "run": return <Run {...props} />;
    case "top": return <Top {...props} />;
    case "summary": return <Summary {...props} />;
  }
}

function Header({ s, send }: Props) {
  const tabs = useRef<HTMLDivElement>(null);
  const onKeyDown = (e: KeyboardEvent) => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    e.preventDefault();
    const to = views[(views.indexOf(s.view) + step + views.length) % views.length];
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
        {views.map((v) => (
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
            {names[v]}
          </button>
        ))}
      </div>
      {s.report && (
        <select aria-label="Unit of energy" class="unit" value={unitOf(s).name} onChange={(e) => send({ type: "unit", unit: e.currentTarget.value })}>
          {unitsOf(s).map((u) => <option value={u.name} key={u.name}>{u.name}</option>)}
        </select>
      )}
    </header>
  );
}

/** useFocus moves the focus into a view that was reached by key: the element that had the focus is no longer there. */
function useFocus(s: State): void {
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current && document.activeElement === document.body) {
      document.querySelector<HTMLElement>("main [tabindex='0']")?.focus({ preventScroll: true });
    }
    begun.current ||= s.report !== null;
  }, [s.view, s.task, s.flasks]);
}

/** useAddress keeps the view and the task in the address. */
function useAddress(s: State, send: (a: Action) => void, { address }: Host): void {
  const now = s.view === "flask" && s.task ? `flask/${encodeURIComponent(s.task)}` : s.view;
  useLayoutEffect(() => {
    const read = () => {
      const [view, task] = (address.read() || views[0]).split("/");
      if (view === "flask" && task) send({ type: "open", task: decode(task) });
      else if ((views as readonly string[]).includes(view)) send({ type: "view", view: view as View });
    };
    read();
    return address.onChange(read);
  }, []);
  const first = useRef(true);
  useLayoutEffect(() => {
    // The address that the app was started with comes first.
    if (first.current) first.current = false;
    else if (address.read() !== now) address.write(now);
  }, [now]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
