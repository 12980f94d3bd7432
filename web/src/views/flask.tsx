// A task's flask: call path, F-method and subtree of both runs, side by side.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Flask } from "../flask";
import type { Counts, Task } from "../model";
import { nameOf } from "../names";
import { threadName, verdictOf } from "../tasks";
import { count, duration, energy, grouped, percent, ratio, type Unit } from "../units";
import { Detail } from "./detail";
import { Outline } from "./outline";
import { broken, Empty, Mark, unitOf, type Props } from "./parts";

export function FlaskView(props: Props) {
  const { s, send } = props;
  const report = s.report!;
  const place = report.tasks.findIndex((t) => t.id === s.task);
  const task = report.tasks[place];
  useFlask(props, task?.id);
  useEffect(() => {
    const turn = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.key !== "[" && e.key !== "]")) return;
      const to = report.tasks[place + (e.key === "]" ? 1 : -1)];
      if (to) send({ type: "open", task: to.id });
    };
    document.addEventListener("keydown", turn);
    return () => document.removeEventListener("keydown", turn);
  }, [report, place]);
  if (!task) {
    return (
      <Empty>
        <p>{report.tasks.length === 0 ? "The subject has no tasks: no method of the app calls one of the framework." : "This report has no such task."}</p>
        <button type="button" onClick={() => send({ type: "view", view: "tasks" })}>To the tasks</button>
      </Empty>
    );
  }
  const slot = s.flasks.get(task.id);
  const unit = unitOf(s);
  return (
    <section class="flaskview">
      <div class="lead">
        <div class="headline">
          <Mark verdict={verdictOf(task)} />
          <h2 title={task.method}>{broken(nameOf(task.method).short)}</h2>
          <span class="turn">
            <button type="button" class="small" disabled={place === 0} title="The task before ( [ )" onClick={() => send({ type: "open", task: report.tasks[place - 1].id })}>‹ Before</button>
            <span class="dim">{`${grouped(place + 1)} of ${grouped(report.tasks.length)}`}</span>
            <button type="button" class="small" disabled={place === report.tasks.length - 1} title="The next task ( ] )" onClick={() => send({ type: "open", task: report.tasks[place + 1].id })}>Next ›</button>
          </span>
        </div>
        <p>
          {sentence(task, unit, s.report?.summary.littleInCommon)}
          {slot && "flask" in slot && slot.flask.why && <Cause {...props} flask={slot.flask} />}
        </p>
        <p class="dim">
          {took(task)}
          {task.threads.some(Boolean) && <span title={task.threads.map(threadName).join("\n")}>{` On ${list(task.threads.map(threadName))}.`}</span>}
        </p>
      </div>
      {!slot || "waiting" in slot ? <Empty><p role="status">Fetching the call trees…</p></Empty> : "error" in slot ? <Empty><p role="alert">{slot.error}</p></Empty> : (
        <Trees {...props} id={task.id} />
      )}
    </section>
  );
}

/** Trees shows a flask, with the details of the selected row. */
export function Trees(props: Props & { id: string; whole?: boolean; found?: Uint8Array; children?: ComponentChildren }) {
  const { s, send, id } = props;
  const slot = s.flasks.get(id);
  if (!slot || !("flask" in slot)) return null;
  const f = slot.flask;
  const chosen = s.selected.get(id);
  const selected = chosen !== undefined && chosen < f.size ? chosen : f.method;
  return (
    <>
      <div class="toolbar">
        {props.children}
        <button type="button" class="small" onClick={() => send({ type: "foldAll", id, open: true })}>Unfold all</button>
        <button type="button" class="small" onClick={() => send({ type: "foldAll", id, open: false })}>Fold all</button>
        <Legend counts={f.counts} />
      </div>
      <div class="split">
        <Outline key={id} {...props} flask={f} selected={selected} />
        <Detail {...props} flask={f} row={selected} whole={props.whole ?? false} />
      </div>
    </>
  );
}

/** Legend explains the marks of the drawing. */
function Legend({ counts }: { counts: Counts }) {
  return (
    <ul class="legend" aria-label="Key">
      <li><svg width="30" height="16" aria-hidden="true"><circle class="key" cx="6" cy="8" r="3" /><circle class="key" cx="21" cy="8" r="7" /></svg>area: energy</li>
      <li><svg width="16" height="16" aria-hidden="true"><circle class="key full" cx="8" cy="8" r="6" /></svg>fuller: more than the other side</li>
      <li class="plain"><svg width="26" height="16" aria-hidden="true"><path class="link s0" d="M0,8 H26" /></svg>matched</li>
      <li><svg width="26" height="16" aria-hidden="true"><path class="link s1" d="M0,8 H26" /></svg>≈ by another name</li>
      <li class="own"><span><i>italic</i>, dashed: the app's own</span></li>
      {counts && <li class="calls">58×: {counts}</li>}
    </ul>
  );
}

/** useFlask asks for a flask once. */
export function useFlask({ s, send, host }: Props, id: string | undefined): void {
  const missing = id !== undefined && !s.flasks.has(id);
  useEffect(() => {
    if (!missing) return;
    send({ type: "wait", id });
    host.flask(id);
  }, [id, missing]);
}

/** sentence says what the figures of a task mean. */
function sentence(t: Task, unit: Unit, little: boolean | undefined): string {
  const here = `${energy(t.energyNJ, unit)} here (${percent(t.share)} of the run)`;
  if (t.perhaps) {
    const { method, energyNJ, how, confidence } = t.perhaps;
    return `${here}; perhaps ${nameOf(method).short}, ${energy(energyNJ, unit)} there: ${how}, ${confidence.message}.`;
  }
  if (!t.peer) return `${here}. The reference has no such task${little ? "" : ": all of it could be saved"}.`;
  const times = ratio(t.energyNJ, t.peer.energyNJ);
  const there = `${energy(t.peer.energyNJ, unit)} there (${percent(t.peer.share)})`;
  const name = t.peer.match === "path" ? "" : `${nameOf(t.peer.method).short}, `;
  const sure = t.peer.confidence?.message;
  const found = t.peer.how && ` The counterpart is ${name}${t.peer.how}${sure ? ` (${sure})` : ""}.`;
  const calls = t.calls && t.peer.calls ? ` Calls: ${grouped(t.calls)} here, ${grouped(t.peer.calls)} there.` : "";
  return `${here}, ${there}${times ? `: ${times}` : ""}.${calls}${why(t, unit)}${found}`;
}

/** Cause names the main cause of the difference, and leads to its row. */
function Cause({ send, flask: { task, why, method } }: Props & { flask: Flask }) {
  const { text, row } = why!;
  return (
    <>
      {` ${text[0].toUpperCase()}${text.slice(1)}. `}
      {row > method && (
        <button type="button" class="inline" onClick={() => send({ type: "select", id: task, row, unfold: true })}>Show it</button>
      )}
    </>
  );
}

/** took says how long a task ran on both sides, by the clocks that the recordings have. */
function took(t: Task): string {
  const clocks = [["CPU time", t.cpuTimeNS, t.peer?.cpuTimeNS], ["Wall time", t.wallTimeNS, t.peer?.wallTimeNS]] as const;
  return clocks.map(([name, here, there]) => {
    if (!here && !there) return "";
    const time = (ns: number | undefined) => (ns ? duration(ns) : "–");
    return ` ${name}: ${t.peer ? `${time(here)} here, ${time(there)} there` : time(here)}.`;
  }).join("");
}

/** list names the first few things, and counts the rest. */
function list(names: string[]): string {
  const shown = names.slice(0, 4);
  return names.length > shown.length ? `${shown.join(", ")} and ${count(names.length - shown.length, "more thread")}` : shown.join(", ");
}

function why(t: Task, unit: Unit): string {
  if (!t.split || t.savingNJ === 0) return "";
  const say = (nj: number, more: string, fewer: string) => (nj === 0 ? "" : `${energy(Math.abs(nj), unit)} ${nj > 0 ? more : fewer}`);
  const parts = [say(t.split.callsNJ, "for more calls", "less for fewer calls"), say(t.split.perCallNJ, "for dearer calls", "less for cheaper calls")].filter(Boolean);
  return ` Of the difference, ${parts.join(", ")}.`;
}
