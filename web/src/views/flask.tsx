// A task's flask: call path, F-method and subtree of both runs, side by side.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { subjectLabel, type Flask } from "../flask";
import { noFolds, outline } from "../layout/outline";
import { smallest } from "../layout/shape";
import type { Counts, Report, Task } from "../model";
import { nameOf } from "../names";
import { search } from "../search";
import { namesOf } from "../state";
import { lines, noTasks, type TaskFilter } from "../tasks";
import { percent } from "../units";
import { Detail } from "./detail";
import { Pictures, type Picture } from "./export";
import { Finder } from "./finder";
import { useKeys } from "./keys";
import { Lead, type Turn } from "./lead";
import { Outline } from "./outline";
import { Empty, unitOf, type Props } from "./parts";
import { flaskPicture } from "./picture";
import { useMedia } from "./window";

export function FlaskView(props: Props) {
  const { s, send } = props;
  const report = s.report!;
  const task = report.tasks.find((t) => t.id === s.task);
  const turn = useMemo(() => turnOf(report, s.filter, s.task), [report, s.filter, s.task]);
  useFlask(props, task?.id);
  useKeys((e) => {
    if (e.key === "Escape") send({ type: "view", view: "tasks" });
    const to = e.key === "[" ? turn.before : e.key === "]" ? turn.next : undefined;
    if (to) send({ type: "open", task: to.id });
    return e.key === "Escape" || to !== undefined;
  });
  if (!task) {
    return (
      <Empty>
        <p role="alert">{report.tasks.length === 0 ? noTasks(report) : "This report does not list the task of the link. The link may belong to another comparison, or the task may be below the listed ones."}</p>
        <button type="button" onClick={() => send({ type: "view", view: "tasks" })}>To the tasks</button>
      </Empty>
    );
  }
  const slot = s.flasks.get(task.id);
  return (
    <section class="flaskview">
      <Lead {...props} task={task} turn={turn} flask={slot && "flask" in slot ? slot.flask : null} />
      {!slot || "waiting" in slot ? <Empty><p role="status">Loading the call trees…</p></Empty> : "error" in slot ? <Empty><p role="alert">{slot.error}</p></Empty> : (
        <Trees {...props} id={task.id} />
      )}
    </section>
  );
}

/** turnOf finds the previous and the next task of the list. */
function turnOf(report: Report, filter: TaskFilter, id: string): Turn {
  const list: Task[] = lines(report, filter).flatMap((l) => ("task" in l && !l.code ? [l.task] : []));
  const place = list.findIndex((t) => t.id === id);
  return { place, of: list.length, before: list[place - 1], next: list[place + 1] };
}

/** Trees shows a flask and the details of the selected row. */
export function Trees(props: Props & { id: string; whole?: boolean; children?: ComponentChildren }) {
  const { s, send, id } = props;
  const slot = s.flasks.get(id);
  const f = slot && "flask" in slot ? slot.flask : null;
  const found = useMemo(() => f && search(f, s.find), [f, s.find]);
  // In a wide window the details are next to the drawing. In a narrow one they take room from it.
  const beside = useMedia("(min-width: 1200px)");
  const [wanted, want] = useState<boolean | null>(null);
  const details = wanted ?? beside;
  useKeys((e) => {
    if (e.key === "d") want(!details);
    return e.key === "d";
  });
  if (!f) return null;
  const chosen = s.selected.get(id);
  const selected = chosen !== undefined && chosen < f.size ? chosen : f.method;
  return (
    <>
      <div class="toolbar trees">
        {props.children}
        <Finder {...props} id={id} selected={selected} found={found} />
        <button type="button" class="small" onClick={() => send({ type: "foldAll", id, open: true })}>Unfold all</button>
        <button type="button" class="small" onClick={() => send({ type: "foldAll", id, open: false })}>Fold all</button>
        <button type="button" class="small" aria-pressed={details} title="Show or hide the details of the selected method ( d )" onClick={() => want(!details)}>Details</button>
        <Pictures {...props} name={props.whole ? "run" : nameOf(subjectLabel(f, f.method)).short} picture={() => picture(props, f)} />
        <Legend counts={f.counts} single={f.single} />
      </div>
      <div class="split">
        <Outline key={id} {...props} flask={f} selected={selected} found={found?.marks} />
        {details && <Detail {...props} flask={f} row={selected} whole={props.whole ?? false} />}
      </div>
    </>
  );
}

/** picture draws a flask with its current folds. */
function picture({ s, id }: Props & { id: string }, f: Flask): Picture {
  return flaskPicture(document.querySelector<HTMLElement>(".outline")!, f, outline(f, s.folds.get(id) ?? noFolds), namesOf(s), unitOf(s));
}

/** Legend is the key of the drawing. */
function Legend({ counts, single }: { counts: Counts; single: boolean }) {
  return (
    <ul class="legend" aria-label="Key">
      <li title={`The smallest circles show less than ${percent(smallest)} of the task. In the neck all circles have one size.`}><svg width="30" height="16" aria-hidden="true"><circle class="key" cx="6" cy="8" r="3" /><circle class="key" cx="21" cy="8" r="7" /></svg>{`area: energy (smallest: below ${percent(smallest)})`}</li>
      {!single && (
        <>
          <li><svg width="16" height="16" aria-hidden="true"><circle class="key full" cx="8" cy="8" r="6" /></svg>darker: uses more than the other side</li>
          <li class="plain"><svg width="26" height="16" aria-hidden="true"><path class="link s0" d="M0,8 H26" /></svg>matched</li>
          <li><svg width="26" height="16" aria-hidden="true"><path class="link s1" d="M0,8 H26" /></svg>≈ matched, other name</li>
        </>
      )}
      <li class="own"><span><i>italic</i>, {single ? "filled" : "dashed"}: your code</span></li>
      {counts && <li class="calls">58×: {counts}</li>}
    </ul>
  );
}

/** useFlask requests a flask once. */
export function useFlask({ s, send, host }: Props, id: string | undefined): void {
  const missing = id !== undefined && !s.flasks.has(id);
  useEffect(() => {
    if (!missing) return;
    send({ type: "wait", id });
    host.flask(id);
  }, [id, missing]);
}
