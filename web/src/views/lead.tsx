// The text above a flask: the task, its callers, and its figures.

import { useState } from "preact/hooks";
import { componentsText } from "../energy";
import type { Flask } from "../flask";
import { spoken } from "../headline";
import type { Caller, Report, Task } from "../model";
import { nameOf } from "../names";
import { threadName, verdictOf } from "../tasks";
import { count, duration, grouped, type Unit } from "../units";
import { placeOf, through } from "../where";
import { broken, Mark, unitOf, type Props } from "./parts";

/** A Turn has the previous and the next task of the list. */
export interface Turn {
  /** from 0; -1 for a task that the list does not show */
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
          <button type="button" class="small" disabled={!turn.before} title="Previous task ( [ )" aria-label={compact ? "Previous" : undefined} onClick={() => go(turn.before)}>{compact ? "‹" : "‹ Previous"}</button>
          <span class="dim">{turn.place < 0 ? `not among the ${grouped(turn.of)} listed` : `${grouped(turn.place + 1)} of ${grouped(turn.of)}`}</span>
          <button type="button" class="small" disabled={!turn.next} title="Next task ( ] )" aria-label={compact ? "Next" : undefined} onClick={() => go(turn.next)}>{compact ? "›" : "Next ›"}</button>
        </span>
      </div>
      <Callers {...props} key={task.id} />
      {!compact && (
        <>
          <p class="figures">
            {`${message}.`}
            {task.whyNotMessage && <b>{` This is no finding: ${task.whyNotMessage}.`}</b>}
            {task.split?.message && ` Of the difference: ${inUnit("split", task.split.message)}.`}
            {task.evidence && ` Over all runs: ${inUnit("evidence", task.evidence.message)}.`}
            <Counterpart task={task} />
            {flask?.why && <Cause {...props} flask={flask} />}
          </p>
          <Spent task={task} unit={unit} />
          {task.suspect && <p class="doubt"><b>Suspect:</b> {`${inUnit("suspect", task.suspect.message)}.`}{report.fleet && ` In the fleet, ${report.fleet.app} used ${report.fleet.figure}.`}</p>}
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

/** Spent is the energy of a task by component, on both sides. */
function Spent({ task, unit }: { task: Task; unit: Unit }) {
  const here = componentsText(task.components, unit);
  const there = componentsText(task.peer?.components, unit);
  if (!here && !there) return null;
  const side = (text: string) => text || "the processor";
  return <p class="spent">{`By component, in ${unit.name}: ${task.peer ? `${side(here)} here; ${side(there)} there` : here}.`}</p>;
}

/** few is the number of callers listed at first. */
const few = 2;

/** Callers lists the callers of a task with their places in the source. */
function Callers({ task, host, s }: Props & { task: Task }) {
  const [all, showAll] = useState(false);
  const list = all ? task.callers : task.callers.slice(0, few);
  if (list.length === 0) return <p class="callers dim">No known method of the app calls it.</p>;
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
      {!task.callers.some((c: Caller) => c.own) && <span class="dim">. Your code does not lead to it</span>}.
    </p>
  );
}

/** insideOf names the task that contains a task. */
function insideOf(t: Task, report: Report): string {
  const at = t.inside ? report.tasks.findIndex((o) => o.id === t.inside) : -1;
  return at < 0 ? "" : `This is a part of task ${at + 1}, ${nameOf(report.tasks[at]!.method).short}. `;
}

/** brief is the report's sentence about a task, without the task's name. The reason why the task is not a finding comes first, because a narrow window cuts the end. */
function brief(t: Task, message: string): string {
  const { short } = nameOf(t.method);
  const sentence = message.startsWith(short) ? message.slice(short.length).replace(/^:? /, "") : message;
  return t.whyNotMessage ? `No finding: ${t.whyNotMessage}; ${sentence}` : sentence;
}

/** Counterpart names the counterpart, and how it was matched. */
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

/** Cause names the main cause of the difference, with a button to its row. */
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

/** took writes the time of a task on both sides, for each clock of the recordings. */
function took(t: Task): string {
  const threads = Math.max(t.threads.length, t.peer?.threads.length ?? 0);
  const sum = threads > 1 ? ", sum over its threads" : "";
  const clocks = [["CPU time", t.cpuTimeNS, t.peer?.cpuTimeNS], ["Wall time", t.wallTimeNS, t.peer?.wallTimeNS]] as const;
  return clocks.map(([name, here, there]) => {
    if (!here && !there) return "";
    const time = (ns: number | undefined) => (ns ? duration(ns) : "–");
    return ` ${name}${sum}: ${t.peer ? `${time(here)} here, ${time(there)} there` : time(here)}.`;
  }).join("");
}

/** list names the first few threads, and counts the rest. */
function list(names: string[]): string {
  const shown = names.slice(0, 4);
  return names.length > shown.length ? `${shown.join(", ")} and ${count(names.length - shown.length, "more thread")}` : shown.join(", ");
}
