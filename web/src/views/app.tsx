// The frame of the page: the header, the current view, and short messages.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { addressOf, readAddress } from "../address";
import { rankingOf } from "../group";
import type { Host } from "../host";
import { nameOf } from "../names";
import { treeID, type Action, type State } from "../state";
import type { Store } from "../store";
import { Apis } from "./apis";
import { Apps } from "./apps";
import { ArticleView } from "./article";
import { Common } from "./common";
import { Energy } from "./energy";
import { FlaskView } from "./flask";
import { Header, viewNames, viewsOf } from "./header";
import { Help, useKeys } from "./keys";
import { Empty, type Props } from "./parts";
import { SideBySide, Rankings } from "./ranking";
import { Run } from "./run";
import { OneRun, Summary } from "./summary";
import { Tasks } from "./tasks";
import { Top } from "./top";
import { useMedia, usePrinting } from "./window";

/** small matches windows in which the drawing would have less than two thirds of the height. */
const small = "(max-height: 700px), (max-width: 620px)";

export function App({ store, host }: { store: Store<State, Action>; host: Host }) {
  const [s, set] = useState(store.state);
  useLayoutEffect(() => {
    set(store.state);
    return store.subscribe(() => set(store.state));
  }, [store]);
  const [message, say] = useState({ text: "", time: 0 });
  useEffect(() => {
    if (!message.text) return;
    const timer = setTimeout(() => say({ text: "", time: 0 }), 4000);
    return () => clearTimeout(timer);
  }, [message]);
  const [help, showHelp] = useState(false);
  useAddress(s, store.send, host);
  useFocus(s);
  useKeys((e) => {
    const tabs = viewsOf(s);
    const view = /^[1-9]$/.test(e.key) ? tabs[Number(e.key) - 1] : undefined;
    if (view) store.send({ type: "view", view });
    else if (e.key === "?") showHelp(true);
    else if (e.key === "/") document.querySelector<HTMLElement>("main input[type=search]")?.focus();
    else return false;
    return true;
  });
  const title = titleOf(s);
  useEffect(() => host.title?.(title), [title]);
  const isSmall = useMedia(small);
  const printing = usePrinting();
  const compact = !printing && (s.compact ?? isSmall);
  const props: Props = { s, send: store.send, host, say: (text) => say({ text, time: Date.now() }), compact };
  return (
    <div class={`page${compact ? " compact" : ""}${host.open ? " hosted" : ""}`}>
      {!s.article && <Header {...props} help={() => showHelp(true)} />}
      {s.notice && (
        <p class="notice" role="status">
          {s.notice}
          <button type="button" class="small" onClick={() => store.send({ type: "notice", text: "" })}>Close</button>
        </p>
      )}
      <main onKeyDown={leaveSearch}>
        <div id="view" {...(viewsOf(s).length > 0 ? { role: "tabpanel", "aria-labelledby": `tab-${s.view}` } : {})} tabIndex={["summary", "api", "energy", "apps", "common", "article"].includes(s.view) ? 0 : undefined} class={`view ${s.view}`}>
          <Body {...props} />
        </div>
      </main>
      <div class="message" role="status">{message.text}</div>
      {help && <Help view={s.view} close={() => showHelp(false)} />}
    </div>
  );
}

/** leaveSearch returns the focus from the search to the view. The browser clears the text. */
function leaveSearch({ key, target }: KeyboardEvent): void {
  if (key !== "Escape" || !(target instanceof HTMLInputElement) || target.type !== "search") return;
  target.blur();
  focusView();
}

const focusView = () => document.querySelector<HTMLElement>("main [tabindex='0']")?.focus({ preventScroll: true });

function titleOf({ view, task, report, group }: State): string {
  if (view === "article") return "";
  const ranked = view === "flask" && group && rankingOf(group, task);
  if (ranked) return `Flask: ${group.duties[ranked.duty]!.short}`;
  const shown = view === "flask" && report?.tasks.find((t) => t.id === task);
  return shown ? `Flask: ${nameOf(shown.method).short}` : `Diffprof: ${viewNames[view]}`;
}

function Body(props: Props) {
  const { s } = props;
  if (s.error) return <Empty><p role="alert">{s.error}</p></Empty>;
  if (s.single) return s.view === "top" ? <Top {...props} /> : s.view === "api" && s.profile?.apiCosts ? <Apis {...props} profile={s.profile} costs={s.profile.apiCosts} /> : s.view === "energy" && s.profile ? <Energy {...props} profile={s.profile} /> : s.view === "summary" ? <OneRun {...props} single={s.single} /> : <Run {...props} />;
  if (s.group) {
    const of = { ...props, group: s.group };
    return s.view === "flask" ? <SideBySide {...of} /> : s.view === "common" ? <Common {...of} /> : s.view === "ranking" ? <Rankings {...of} /> : <Apps {...of} />;
  }
  if (s.article) return <ArticleView article={s.article} />;
  if (!s.report) return <Empty><p role="status">{props.host.waiting}</p></Empty>;
  switch (s.view) {
    case "tasks": return <Tasks {...props} />;
    case "flask": return <FlaskView {...props} />;
    case "run": return <Run {...props} />;
    case "top": return <Top {...props} />;
    case "summary": return <Summary {...props} />;
    // A comparison lacks the views of single runs and of groups: show the summary instead.
    default: return <Summary {...props} />;
  }
}

/** useFocus moves the focus to a new view if no element has it, so that keys work at once. */
function useFocus(s: State): void {
  useEffect(() => {
    // In an editor the focus may be in another part: leave it there.
    if ((s.report || s.single || s.group) && document.hasFocus() && document.activeElement === document.body) {
      focusView();
    }
  }, [s.view, s.task, s.flasks, s.report, s.single, s.group]);
}

/** useAddress keeps the address and the state equal. */
function useAddress(s: State, send: (a: Action) => void, { address }: Host): void {
  const now = addressOf(s);
  // The last address that the app wrote, so that it does not read it back.
  const written = useRef<string | null>(null);
  useLayoutEffect(() => {
    const read = () => {
      const text = address.read();
      if (text === written.current) return;
      written.current = text;
      readAddress(text).forEach(send);
    };
    read();
    return address.onChange(read);
  }, []);
  const place = `${s.view}/${s.task}`;
  const before = useRef(place);
  const first = useRef(true);
  useEffect(() => {
    // Apply the initial address first. Its selection in a tree waits until the tree arrives.
    if (first.current || s.aim?.id === treeID(s)) return void (first.current = false);
    const [view] = before.current.split("/");
    const anew = view !== s.view || (s.view === "flask" && before.current !== place);
    const write = () => {
      before.current = place;
      if (written.current === now) return;
      written.current = now;
      address.write(now, anew);
    };
    if (anew) return write();
    // Typing and zooming change it often, and browsers limit the rate of changes.
    const timer = setTimeout(write, 200);
    return () => clearTimeout(timer);
  }, [now, s.aim]);
}
