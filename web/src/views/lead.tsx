// What stands above a flask: which task it is, who calls it and where, and what its figures mean.

import { useState } from "preact/hooks";
import { spentText } from "../energy";
import type { Flask } from "../flask";
import { spoken } from "../headline";
import type { Caller, Report, Task } from "../model";
import { nameOf } from "../names";
import { threadName, verdictOf } from "../tasks";
import { count, duration, grouped, type Unit } from "../units";
import { placeOf, through } from "../where";
import { broken, Mark, unitOf, type Props } from "./parts";

/** A Turn is the tasks before and after, in the order of the list. */
export interface Turn {
  /** from 0; -1 for a task that the list leaves out */
  place: number;
  of: number;
  before: Task | undefined;
  next: Task | undefined;
}

export function Lead(props: Props & { task: Task; turn: Turn; flask: Flask | null }) {
  const { s, send, task, turn, flask, compact } = props;
  const report = s.report!;
  const unit = unitOf(s);
  const inUnit = (which: "message" | "split" | "evidence" | "suspect", otherwise: string) => spoken(s, unit, task.id, which, otherwise);
  const message = inUnit("message", task.message);
  const go = (to: Task | undefined) => to && send({ type: "open", task: to.id });
  return (
    <div class="lead">
      <div class="headline">
        <Mark verdict={verdictOf(task)} />
        <h2 title={task.method}>{broken(nameOf(task.method).short)}</h2>
        {compact && <span class="brief" title={brief(task, message)}>{brief(task, message)}</span>}
        <span class="turn">
          <button type="button" class="small" disabled={!turn.before} title="The task before ( [ )" aria-label={compact ? "Previous" : undefined} onClick={() => go(turn.before)}>{compact ? "‹" : "‹ Previous"}</button>
          <span class="dim">{turn.place < 0 ? `not among the ${grouped(turn.of)} listed` : `${grouped(turn.place + 1)} of ${grouped(turn.of)}`}</span>
          <button type="button" class="small" disabled={!turn.next} title="The next task ( ] )" aria-label={compact ? "Next" : undefined} onClick={() => go(turn.next)}>{compact ? "›" : "Next ›"}</button>
        </span>
      </div>
      <Callers {...props} key={task.id} />
      {!compact && (
        <>
          <p class="figures">
            {`${message}.`}
            {task.whyNotMessage && <b>{` This does not count: ${task.whyNotMessage}.`}</b>}
            {task.split?.message && ` Of the difference: ${inUnit("split", task.split.message)}.`}
            {task.evidence && ` Over the runs: ${inUnit("evidence", task.evidence.message)}.`}
            <Counterpart task={task} />
            {flask?.why && <Cause {...props} flask={flask} />}
          </p>
          <Spent task={task} unit={unit} />
          {task.suspect && <p class="doubt"><b>Suspect:</b> {`${inUnit("suspect", task.suspect.message)}.`}{report.fleet && ` The fleet saw ${report.fleet.app} take ${report.fleet.figure}.`}</p>}
          <p class="dim took">
            {insideOf(task, report)}
            {took(task)}
            {task.threads.some(Boolean) && <span title={task.threads.map(threadName).join("\n")}>{` On ${list(task.threads.map(threadName))}.`}</span>}
          </p>
        </>
      )}
    </div>
  );
}

/** Spent says what components drained of a task on both sides. */
function Spent({ task, unit }: { task: Task; unit: Unit }) {
  const here = spentText(task.components, unit);
  const there = spentText(task.peer?.components, unit);
  if (!here && !there) return null;
  const side = (text: string) => text || "the processor";
  return <p class="spent">{`By component, in ${unit.name}: ${task.peer ? `${side(here)} here; ${side(there)} there` : here}.`}</p>;
}

/** few is how many callers stand in the sentence unless the reader asks for all. */
const few = 2;

/** Callers says who calls a task, and where that is written. */
function Callers({ task, host, s }: Props & { task: Task }) {
  const [all, showAll] = useState(false);
  const list = all ? task.callers : task.callers.slice(0, few);
  if (list.length === 0) return <p class="callers dim">No method of the app is known to call it.</p>;
  const counts = s.report!.counts;
  return (
    <p class="callers">
      {"Called by "}
      {list.map((c, i) => {
        const at = c.own ?? c;
        const place = placeOf(at);
        const times = counts && c[counts];
        return (
          <span key={`${c.method} ${i}`}>
            {i > 0 && ", "}
            <b title={at.method}>{broken(nameOf(at.method).short)}</b>
            {place && <> (<span class="place">{place}</span>)</>}
            {through(c)}
            {times && task.callers.length > 1 && <span class="dim">{` ${grouped(times)}×`}</span>}
            {host.open && <> <button type="button" class="small" onClick={() => host.open!(at.method, at.file, at.line)}>Open source</button></>}
          </span>
        );
      })}
      {list.length < task.callers.length && <> <button type="button" class="inline" onClick={() => showAll(true)}>{`and ${grouped(task.callers.length - list.length)} more`}</button></>}
      {!task.callers.some((c: Caller) => c.own) && <span class="dim">. No code of the app's own leads to it</span>}.
    </p>
  );
}

/** insideOf names the task that a task lies inside of. */
function insideOf(t: Task, report: Report): string {
  const at = t.inside ? report.tasks.findIndex((o) => o.id === t.inside) : -1;
  return at < 0 ? "" : `Inside of task ${at + 1}, ${nameOf(report.tasks[at]!.method).short}, of which this is a part. `;
}

/** brief is the report's sentence about a task, without the task's name. */
function brief(t: Task, message: string): string {
  const { short } = nameOf(t.method);
  const said = message.startsWith(short) ? message.slice(short.length).replace(/^:? /, "") : message;
  return t.whyNotMessage ? `${said}; does not count: ${t.whyNotMessage}` : said;
}

/** Counterpart says which the counterpart is, and how it was found. */
function Counterpart({ task: { peer, perhaps } }: { task: Task }) {
  const other = peer ?? perhaps;
  if (!other) return null;
  const exact = peer?.match === "exact";
  const sure = other.confidence?.message;
  return (
    <>
      {" Counterpart: "}
      {exact ? "the same method under the same call path" : <>{broken(nameOf(other.method).short)}{other.how && `, ${other.how}`}</>}
      {sure && ` (${sure})`}.
    </>
  );
}

/** Cause names the main cause of the difference, and leads to its row. */
function Cause({ send, flask: { task, why, method } }: Props & { flask: Flask }) {
  const { text, row } = why!;
  return (
    <>
      {` ${text[0]!.toUpperCase()}${text.slice(1)}. `}
      {row > method && (
        <button type="button" class="inline" onClick={() => send({ type: "select", id: task, row, unfold: true })}>Show it</button>
      )}
    </>
  );
}

/** took says how long a task ran on both sides, by the clocks that the recordings have. */
function took(t: Task): string {
  const threads = Math.max(t.threads.length, t.peer?.threads.length ?? 0);
  const sum = threads > 1 ? ", summed up over its threads" : "";
  const clocks = [["CPU time", t.cpuTimeNS, t.peer?.cpuTimeNS], ["Wall time", t.wallTimeNS, t.peer?.wallTimeNS]] as const;
  return clocks.map(([name, here, there]) => {
    if (!here && !there) return "";
    const time = (ns: number | undefined) => (ns ? duration(ns) : "–");
    return ` ${name}${sum}: ${t.peer ? `${time(here)} here, ${time(there)} there` : time(here)}.`;
  }).join("");
}

/** list names the first few things, and counts the rest. */
function list(names: string[]): string {
  const shown = names.slice(0, 4);
  return names.length > shown.length ? `${shown.join(", ")} and ${count(names.length - shown.length, "more thread")}` : shown.join(", ");
}
