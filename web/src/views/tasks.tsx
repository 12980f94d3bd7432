// The list of tasks, worst first.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { tasksCSV } from "../csv";
import type { Counted, Counts, Evidence, Task } from "../model";
import { source, spoken } from "../headline";
import { likely, lines, listed, noFilter, noTasks, untold, verdictOf, type Line, type SortKey } from "../tasks";
import { amount, change, count, energy, grouped, percent, type Unit } from "../units";
import { context, inside } from "../where";
import { Csv } from "./export";
import { Toolbar, Verdicts } from "./filters";
import { Headline } from "./headline";
import { useKeys } from "./keys";
import { Bar, Empty, Mark, Method, openLine, unitOf, type Props } from "./parts";
import { OnPaper } from "./export";
import { reveal, useSeen } from "./window";

const lineHeight = 56;
const headerHeight = 38;

const columns: { key: SortKey; name: string; title: string; class: string }[] = [
  { key: "method", name: "Task", title: "the framework method that the app calls, with its caller", class: "task" },
  { key: "here", name: "Here", title: "what the subject uses, with callees", class: "here" },
  { key: "there", name: "There", title: "what the counterpart uses in the reference, with callees", class: "there" },
  { key: "saving", name: "Saving", title: "possible saving: here minus there", class: "saving" },
  { key: "counts", name: "", title: "", class: "calls" },
  { key: "own", name: "Own", title: "without the tasks inside it; this column adds up", class: "own" },
];

export function Tasks(props: Props) {
  const { s, send } = props;
  const report = s.report!;
  const list = useMemo(() => lines(report, s.filter), [report, s.filter]);
  const all = count(report.tasks.length, "task") + (report.appCode.length > 0 ? ` and ${count(report.appCode.length, "row")} of app code` : "");
  const shown = list.reduce((n, line) => n + ("task" in line ? 1 : 0), 0);
  return (
    <section class="tasks">
      <Headline {...props} />
      <Toolbar {...props} report={report}>
        {props.compact && shown < listed(report).length && <span class="dim shown">{`${grouped(shown)} of ${grouped(listed(report).length)} match the filters`}</span>}
        <Csv host={props.host} name="tasks" table={() => tasksCSV(report, list)} />
      </Toolbar>
      <div class="facets">
        <Verdicts {...props} report={report} />
        <p class="note" role="status">
          {shown === listed(report).length ? all : `${grouped(shown)} of ${all}`}
          {report.tasks.length < report.summary.tasks && `, the first of ${grouped(report.summary.tasks)}`}
          . Figures include callees, so tasks inside one another do not add up.{report.appCode.length > 0 && " Rows of app code exclude callees."}{` ${source(report, unitOf(props.s))}`}
        </p>
      </div>
      {shown > 0 ? <Grid {...props} list={list} /> : listed(report).length === 0 ? (
        <Empty>
          <p>{noTasks(report)}</p>
          {!untold(report) && <p><code>diffprof packages</code> lists the owner of each package. If it counts packages of the app to the framework, name them with <code>--app-package</code> or in the settings.</p>}
        </Empty>
      ) : (
        <Empty>
          <p>No task matches the filters.</p>
          <button type="button" onClick={() => send({ type: "filter", change: { ...noFilter, group: s.filter.group } })}>
            Show all tasks
          </button>
        </Empty>
      )}
    </section>
  );
}

function Grid({ s, send, list }: Props & { list: Line[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const unit = unitOf(s);
  const report = s.report!;
  // The subject's longest bar fills the column. If a bar of the reference is longer, it is cut off.
  const largest = useMemo(() => listed(report).reduce((max, { task: t }) => Math.max(max, t.energyNJ), 1), [report]);
  const numbers = useMemo(() => new Map(report.tasks.map((t, i) => [t.id, i + 1])), [report]);
  const current = Math.max(0, list.findIndex((l) => "task" in l && l.task.id === s.cursor));
  const first = Math.max(0, Math.floor(seen.top / lineHeight) - 6);
  const last = Math.min(list.length, Math.ceil((seen.top + seen.height) / lineHeight) + 6);

  const moveTo = (from: number, step: 1 | -1) => {
    let at = Math.min(Math.max(from, 0), list.length - 1);
    while (list[at] && !("task" in list[at])) at += step;
    const line = list[at];
    if (!line || !("task" in line)) return;
    send({ type: "cursor", line: line.task.id });
    // Scroll to a group's heading with its first task.
    const above = at > 0 && "heading" in list[at - 1] ? at - 1 : at;
    reveal(scroller.current, above * lineHeight, (at - above + 1) * lineHeight, headerHeight);
  };
  // When the reader returns from a flask, the list is unchanged.
  useEffect(() => reveal(scroller.current, current * lineHeight, lineHeight, headerHeight), []);

  const page = Math.max(1, Math.floor(seen.height / lineHeight) - 2);
  useKeys((e) => {
    switch (e.key) {
      case "ArrowDown": case "j": moveTo(current + 1, 1); break;
      case "ArrowUp": case "k": moveTo(current - 1, -1); break;
      case "PageDown": moveTo(current + page, 1); break;
      case "PageUp": moveTo(current - page, -1); break;
      case "Home": moveTo(0, 1); break;
      case "End": moveTo(list.length - 1, -1); break;
      case "Enter": case " ": {
        const line = list[current];
        if (line && "task" in line) openLine(send, line);
        break;
      }
      default: return false;
    }
    return true;
  });

  return (
    <div
      class="scroller grid"
      ref={scroller}
      tabIndex={0}
      role="grid"
      aria-label="Tasks. Arrow keys move, Enter opens the flask."
      aria-rowcount={list.length + 1}
      aria-activedescendant={current >= first && current < last ? `task-${current}` : undefined}
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
              <button type="button" title={c.key === "counts" ? `${report.counts} here and there` : c.key === "saving" && report.summary.littleInCommon ? "here minus there" : c.title} onClick={() => send({ type: "sort", key: c.key })}>
                {(c.key === "here" || c.key === "there") && <i class={`dot ${c.key}`} aria-hidden="true" />}
                {c.key === "counts" ? title(report.counts) : c.key === "saving" && report.summary.littleInCommon ? "More" : c.name}
                <span aria-hidden="true" class="arrow">{sorted ? (s.filter.descending ? " ▾" : " ▴") : ""}</span>
              </button>
              {c.key === "there" && <span class="dim scaled" title="All bars have one scale. A longer bar of the reference is cut.">{`bars to ${energy(largest, unit)}`}</span>}
            </span>
          );
        })}
      </div>
      <OnPaper rows={list.length} height={lineHeight} />
      <div class="lines" role="rowgroup" style={{ height: `${list.length * lineHeight}px` }}>
        {list.slice(first, last).map((line, i) => {
          const at = first + i;
          const style = { top: `${at * lineHeight}px`, height: `${lineHeight}px` };
          if ("heading" in line) {
            return (
              <div class="row heading" role="row" aria-rowindex={at + 2} key={`h ${line.heading}`} style={style}>
                <span role="gridcell" class="name" aria-colspan={8}>
                  <span class="first"><b>{line.heading.slice(line.heading.lastIndexOf(".") + 1) || "(no caller)"}</b></span>
                  <span class="second" title={line.heading}>{`${line.heading}: ${count(line.tasks, "task")}, ${energy(line.ownNJ, unit)} own`}</span>
                </span>
              </div>
            );
          }
          const { task, number, code } = line;
          const inUnit = (which: "suspect" | "evidence", otherwise: string) => spoken(s, unit, task.id, which, otherwise);
          return (
            <div
              class={`row ${task.counts ? "counts" : "doubted"}${at === current ? " current" : ""}`}
              id={`task-${at}`}
              role="row"
              aria-rowindex={at + 2}
              aria-selected={at === current}
              key={task.id}
              style={style}
              onClick={() => openLine(send, line)}
            >
              <span class="rank" role="gridcell">{number ?? <abbr title="your code, by itself">app</abbr>}</span>
              <span class="verdict" role="gridcell"><Mark verdict={verdictOf(task)} /></span>
              <span class="task" role="gridcell">
                <span class="first"><Method label={task.method} />{code?.kind === "callback" && <span class="dim"> by itself</span>}</span>
                <span class="second" title={task.path.join("\n")}>
                  {task.suspect && <b class="suspect" title={inUnit("suspect", task.suspect.message)}>suspect<span class="offscreen">: {inUnit("suspect", task.suspect.message)}</span>{" · "}</b>}
                  <Nested task={task} numbers={numbers} />
                  {code ? inside(code) : context(task)}
                </span>
              </span>
              <span class="here" role="gridcell">
                <Bar of="here" share={task.energyNJ / largest} />
                <span class="figure">{amount(task.energyNJ, unit)}</span>
              </span>
              <span class="there" role="gridcell">
                <Bar of="there" share={(task.peer?.energyNJ ?? 0) / largest} />
                <span class="figure">{there(task, unit)}<Likely task={task} /></span>
              </span>
              <span class="saving" role="gridcell">
                <span class="first" title={within(task, unit)}>{change(task.savingNJ, unit)}{task.whyNotMessage && <span class="offscreen">{`, no finding: ${task.whyNotMessage}`}</span>}</span>
                <span class="second" title={task.evidence ? inUnit("evidence", task.evidence.message) : undefined}>{task.evidence ? evident[task.evidence.verdict] : percent(task.savingNJ / Math.max(report.subject.energyNJ, 1))}</span>
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

/** evident has the words for what repeated runs show. */
const evident: Record<Evidence["verdict"], string> = { costlier: "costs more", cheaper: "costs less", "no evidence": "unclear" };

/** title is a name as a heading. */
const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** counted writes how often a method ran. */
function counted(of: Counted, counts: Counts, where = ""): string {
  const n = counts && of[counts];
  return n ? grouped(n) + where : counts && "–";
}

/** there is the counterpart's energy. */
function there(t: Task, unit: Unit): string {
  return t.peer ? amount(t.peer.energyNJ, unit) : t.perhaps ? `perhaps\u00a0${amount(t.perhaps.energyNJ, unit)}` : "none";
}

/** within writes the interval of a saving, and why the row is not a finding. */
function within(t: Task, unit: Unit): string {
  const interval = t.savingLeastNJ < t.savingMostNJ ? `${amount(t.savingLeastNJ, unit)} to ${energy(t.savingMostNJ, unit)}` : "";
  return [interval, t.whyNotMessage && `no finding: ${t.whyNotMessage}`].filter(Boolean).join("; ");
}

/** Likely shows the likelihood of an uncertain counterpart. */
function Likely({ task }: { task: Task }) {
  const share = likely(task);
  if (share === null) return null;
  const { how, confidence } = (task.peer ?? task.perhaps)!;
  return <abbr class="likely" title={`The counterpart is ${how}: ${confidence!.message}`}>{`${Math.round(100 * share)}%`}<span class="offscreen"> likely</span></abbr>;
}

/** Nested shows the task that contains a task. */
function Nested({ task, numbers }: { task: Task; numbers: Map<string, number> }) {
  if (!task.inside) return null;
  const outer = numbers.get(task.inside);
  return <span class="nested" title="This is a part of that task.">{outer ? `↳ inside ${grouped(outer)}` : "↳ inside another"}{" · "}</span>;
}
