// The list of tasks, worst first.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { AppCode, Caller, Counted, Counts, Report, Task } from "../model";
import { nameOf } from "../names";
import { callingClass, lines, listed, type Kind, type Listed, packages, tally, threadName, threads, verdictOf, verdicts, type Line, type SortKey, type Verdict } from "../tasks";
import { amount, change, count, energy, grouped, percent } from "../units";
import { Bar, Empty, Mark, Method, unitOf, type Props } from "./parts";
import { reveal, useSeen } from "./window";

const lineHeight = 56;
const headerHeight = 38;

const columns: { key: SortKey; name: string; title: string; class: string }[] = [
  { key: "method", name: "Task", title: "the framework method that the app calls, in its context", class: "task" },
  { key: "here", name: "Here", title: "the subject's energy, with what the method calls", class: "here" },
  { key: "there", name: "There", title: "the counterpart's energy in the reference", class: "there" },
  { key: "saving", name: "Saving", title: "room for saving: here less there", class: "saving" },
  { key: "counts", name: "", title: "", class: "calls" },
  { key: "own", name: "Own", title: "what belongs to no task further inside; these add up", class: "own" },
];

export function Tasks(props: Props) {
  const { s, send } = props;
  const report = s.report!;
  const list = useMemo(() => lines(report, s.filter), [report, s.filter]);
  const all = count(report.tasks.length, "task") + (report.appCode.length > 0 ? ` and ${count(report.appCode.length, "row")} of app code` : "");
  const shown = list.reduce((n, line) => n + ("task" in line ? 1 : 0), 0);
  return (
    <section class="tasks">
      <Toolbar {...props} report={report} />
      <div class="facets">
        <Verdicts {...props} report={report} />
        <p class="note" role="status">
          {shown === listed(report).length ? all : `${grouped(shown)} of ${all}`}
          {report.tasks.length < report.summary.tasks && `, the first of ${grouped(report.summary.tasks)}`}
          . Energy includes what a task calls: tasks inside one another do not add up.{report.appCode.length > 0 && " App code is by itself, without what it calls."}
        </p>
        {report.comparability.length > 0 && <p class="note unlike"><b>The runs are unlike:</b> {report.comparability.map((n) => n.message).join("; ")}.</p>}
      </div>
      {shown > 0 ? <Grid {...props} list={list} /> : listed(report).length === 0 ? (
        <Empty>
          <p>The subject has no tasks: no method of the app calls one of the framework.</p>
          <p>If methods of the app were taken for the framework's, which <code>diffprof packages</code> tells, name their packages with <code>--app-package</code> or in the settings.</p>
        </Empty>
      ) : (
        <Empty>
          <p>No task fits.</p>
          <button type="button" onClick={() => send({ type: "filter", change: { query: "", verdict: "all", kind: "all", package: "", thread: null, own: false } })}>
            Show all tasks
          </button>
        </Empty>
      )}
    </section>
  );
}

function Toolbar({ s, send, report }: Props & { report: Report }) {
  const names = useMemo(() => packages(report), [report]);
  const ran = useMemo(() => threads(report), [report]);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const slash = (e: KeyboardEvent) => {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement) return;
      e.preventDefault();
      search.current?.focus();
    };
    document.addEventListener("keydown", slash);
    return () => document.removeEventListener("keydown", slash);
  }, []);
  const change = (c: Partial<typeof s.filter>) => send({ type: "filter", change: c });
  return (
    <div class="toolbar" role="search" aria-label="Filter tasks">
      <input
        ref={search}
        type="search"
        placeholder="Find a method, class or file  ( / )"
        aria-label="Find tasks by method, path or caller"
        value={s.filter.query}
        onInput={(e) => change({ query: e.currentTarget.value })}
      />
      <select aria-label="Package of the caller" value={s.filter.package} onChange={(e) => change({ package: e.currentTarget.value })}>
        <option value="">Any package</option>
        {names.map((name) => (
          <option value={name} key={name}>{name}</option>
        ))}
      </select>
      {(report.appCode.length > 0 || s.filter.kind !== "all") && (
        <select aria-label="Kind" value={s.filter.kind} onChange={(e) => change({ kind: e.currentTarget.value as Kind | "all" })}>
          <option value="all">Tasks and app code</option>
          <option value="task">Tasks</option>
          <option value="code">App code by itself</option>
        </select>
      )}
      {(ran.length > 1 || s.filter.thread !== null) && (
        <select
          aria-label="Thread"
          value={s.filter.thread === null ? "any" : `=${s.filter.thread}`}
          onChange={(e) => change({ thread: e.currentTarget.value === "any" ? null : e.currentTarget.value.slice(1) })}
        >
          <option value="any">Any thread</option>
          {ran.map((name) => (
            <option value={`=${name}`} key={name}>{threadName(name)}</option>
          ))}
        </select>
      )}
      <label class="check" title="Tasks that a method of the app's own code leads to, itself or through a library">
        <input type="checkbox" checked={s.filter.own} onChange={(e) => change({ own: e.currentTarget.checked })} />
        Only own code
      </label>
      <label class="check">
        <input type="checkbox" checked={s.filter.grouped} onChange={(e) => change({ grouped: e.currentTarget.checked })} />
        By calling class
      </label>
    </div>
  );
}

/** Verdicts are buttons that filter by verdict. They also explain the marks. */
function Verdicts({ s, send, report }: Props & { report: Report }) {
  const counts = useMemo(() => tally(report, s.filter), [report, s.filter]);
  const chip = (verdict: Verdict | "all", inside: ComponentChildren, title: string) => (
    <button
      type="button"
      class="chip"
      key={verdict}
      title={title}
      aria-pressed={s.filter.verdict === verdict}
      onClick={() => send({ type: "filter", change: { verdict } })}
    >
      {inside}
      <span class="figure dim">{grouped(counts[verdict])}</span>
    </button>
  );
  return (
    <div class="chips" role="group" aria-label="Status">
      {chip("all", "All", "tasks of any status")}
      {verdicts.map((v) => chip(v.verdict, (
        <>
          <span class={`mark ${v.verdict}`} aria-hidden="true">{v.glyph}</span>
          {v.name}
        </>
      ), v.meaning))}
    </div>
  );
}

function Grid({ s, send, list }: Props & { list: Line[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const unit = unitOf(s);
  const report = s.report!;
  const largest = useMemo(
    () => listed(report).reduce((max, { task: t }) => Math.max(max, t.energyNJ, t.peer?.energyNJ ?? 0), 1),
    [report],
  );
  const current = Math.max(0, list.findIndex((l) => "task" in l && l.task.id === s.task));
  const first = Math.max(0, Math.floor(seen.top / lineHeight) - 6);
  const last = Math.min(list.length, Math.ceil((seen.top + seen.height) / lineHeight) + 6);

  const moveTo = (from: number, step: 1 | -1) => {
    let at = Math.min(Math.max(from, 0), list.length - 1);
    while (list[at] && !("task" in list[at])) at += step;
    const line = list[at];
    if (!line || !("task" in line)) return;
    send({ type: "cursor", task: line.task.id });
    // Show a group's heading together with its first task.
    const above = at > 0 && "heading" in list[at - 1] ? at - 1 : at;
    reveal(scroller.current, above * lineHeight, (at - above + 1) * lineHeight, headerHeight);
  };
  // A reader who comes back from a flask finds the list as it was.
  useEffect(() => reveal(scroller.current, current * lineHeight, lineHeight, headerHeight), []);

  // App code has no flask of its own: it is a part of the run.
  const open = ({ task, code }: Listed) => send(code ? { type: "locate", places: [{ subject: task.node, reference: -1 }] } : { type: "open", task: task.id });
  const page = Math.max(1, Math.floor(seen.height / lineHeight) - 2);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== scroller.current) return;
    switch (e.key) {
      case "ArrowDown": case "j": moveTo(current + 1, 1); break;
      case "ArrowUp": case "k": moveTo(current - 1, -1); break;
      case "PageDown": moveTo(current + page, 1); break;
      case "PageUp": moveTo(current - page, -1); break;
      case "Home": moveTo(0, 1); break;
      case "End": moveTo(list.length - 1, -1); break;
      case "Enter": case " ": {
        const line = list[current];
        if ("task" in line) open(line);
        break;
      }
      default: return;
    }
    e.preventDefault();
  };

  return (
    <div
      class="scroller grid"
      ref={scroller}
      tabIndex={0}
      role="grid"
      aria-label="Tasks. Arrow keys move, Enter opens the flask."
      aria-rowcount={list.length + 1}
      aria-activedescendant={current >= first && current < last ? `task-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="row header" role="row" aria-rowindex={1}>
        <span class="rank" role="columnheader">#</span>
        <span class="verdict" role="columnheader"><span class="offscreen">Status</span></span>
        {columns.filter((c) => c.key !== "counts" || report.counts).map((c) => {
          const sorted = s.filter.sort === c.key;
          return (
            <span
              key={c.key}
              role="columnheader"
              class={c.class}
              aria-sort={sorted ? (s.filter.descending ? "descending" : "ascending") : "none"}
            >
              <button type="button" title={c.key === "counts" ? `${report.counts} here and there` : c.key === "saving" && report.summary.littleInCommon ? "here less there" : c.title} onClick={() => send({ type: "sort", key: c.key })}>
                {(c.key === "here" || c.key === "there") && <i class={`dot ${c.key}`} aria-hidden="true" />}
                {c.key === "counts" ? title(report.counts) : c.key === "saving" && report.summary.littleInCommon ? "More" : c.name}
                <span aria-hidden="true" class="arrow">{sorted ? (s.filter.descending ? " ▾" : " ▴") : ""}</span>
              </button>
              {c.key === "there" && <span class="dim">{unit.name}</span>}
            </span>
          );
        })}
      </div>
      <div class="lines" role="rowgroup" style={{ height: `${list.length * lineHeight}px` }}>
        {list.slice(first, last).map((line, i) => {
          const at = first + i;
          const style = { top: `${at * lineHeight}px`, height: `${lineHeight}px` };
          if ("heading" in line) {
            return (
              <div class="row heading" role="row" aria-rowindex={at + 2} key={`h ${line.heading}`} style={style}>
                <span role="gridcell" class="name" aria-colspan={8}>
                  <span class="first"><b>{line.heading.slice(line.heading.lastIndexOf(".") + 1) || "(no caller)"}</b></span>
                  <span class="second" title={line.heading}>{`${line.heading}: ${count(line.tasks, "task")}, ${energy(line.ownNJ, unit)} of their own`}</span>
                </span>
              </div>
            );
          }
          const { task, number, code } = line;
          return (
            <div
              class={`row ${verdictOf(task)}${at === current ? " current" : ""}`}
              id={`task-${at}`}
              role="row"
              aria-rowindex={at + 2}
              aria-selected={at === current}
              key={task.id}
              style={style}
              onClick={() => open(line)}
            >
              <span class="rank" role="gridcell">{number ?? <abbr title="the app's own code, by itself">app</abbr>}</span>
              <span class="verdict" role="gridcell"><Mark verdict={verdictOf(task)} /></span>
              <span class="task" role="gridcell">
                <span class="first"><Method label={task.method} />{code?.kind === "callback" && <span class="dim"> by itself</span>}</span>
                <span class="second" title={task.path.join("\n")}>{code ? inside(code) : context(task)}</span>
              </span>
              <span class="here" role="gridcell">
                <Bar of="here" share={task.energyNJ / largest} />
                <span class="figure">{amount(task.energyNJ, unit)}</span>
              </span>
              <span class="there" role="gridcell">
                <Bar of="there" share={(task.peer?.energyNJ ?? 0) / largest} />
                <span class="figure">{task.peer ? amount(task.peer.energyNJ, unit) : task.perhaps ? `perhaps ${amount(task.perhaps.energyNJ, unit)}` : "none"}</span>
              </span>
              <span class="saving" role="gridcell">
                <span class="first">{change(task.savingNJ, unit)}</span>
                <span class="second">{percent(task.savingNJ / Math.max(report.subject.energyNJ, 1))}</span>
              </span>
              <span class="calls" role="gridcell">
                <span class="first">{counted(task, report.counts)}</span>
                <span class="second">{task.peer ? counted(task.peer, report.counts, " there") : ""}</span>
              </span>
              <span class="own" role="gridcell">{amount(task.ownNJ, unit)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** title is a name as a heading. */
const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** counted writes how often something ran. */
function counted(of: Counted, counts: Counts, where = ""): string {
  const n = counts && of[counts];
  return n ? grouped(n) + where : counts && "–";
}

/** context says in a line where a task is called from: by whom, during what. */
function context(t: Task): string {
  const caller = t.callers[0];
  const at = caller?.own ?? caller;
  const from = at ? `from ${nameOf(at.method).short}${at.line ? ` (${at.file}:${at.line})` : ""}${through(caller)}` : callingClass(t);
  const more = t.callers.length > 1 ? ` and ${t.callers.length - 1} more` : "";
  const start = t.path[1] && t.path.length > 3 ? `, via ${nameOf(t.path[1]).short}` : "";
  return from + more + start + on(t);
}

/** inside says in a line where app code is: its place and the callbacks that lead to it, or the methods that a callback is made of. */
function inside(c: AppCode): string {
  const [first] = c.parts;
  const more = c.partCount > 1 ? ` and ${c.partCount - 1} more` : "";
  const at = (p: { file: string; line: number }) => (p.file ? ` (${p.file}${p.line ? `:${p.line}` : ""})` : "");
  if (c.kind === "callback") return `in ${nameOf(first.method).short}${at(first)}${more}`;
  const of = first.library && `${first.library}, `;
  return `${of}within ${nameOf(first.callback).short}${more}${at(c)}`;
}

/** through names the library between the app's own method and a task. */
function through(c: Caller): string {
  if (!c.own) return c.through && ` in ${c.through}`;
  return c.own.method === c.method ? "" : ` through ${[c.through, nameOf(c.method).owner].filter(Boolean).join(" ")}`;
}

/** on names the threads that a task ran on. */
function on({ threads: [first, ...rest] }: Task): string {
  return first ? `, on ${first}${rest.length > 0 ? ` and ${count(rest.length, "other thread")}` : ""}` : "";
}
