// Both runs at once: an icicle of the aligned trees.

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ancestors, referenceLabel, subjectLabel, Status, type Flask } from "../flask";
import { differenceIcicle, energyIcicle, type Icicle } from "../layout/icicle";
import { nameOf } from "../names";
import { search, type Found } from "../search";
import { runID } from "../state";
import { taskRows } from "../tasks";
import { change, count, duration, energy } from "../units";
import { Detail, ToFlask } from "./detail";
import { Finder } from "./finder";
import { Trees, useFlask } from "./flask";
import { Empty, unitOf, type Props } from "./parts";
import { Canvas } from "./stage";

export function Run(props: Props) {
  const { s } = props;
  useFlask(props, runID);
  const slot = s.flasks.get(runID);
  if (!slot || "waiting" in slot) return <Empty><p role="status">Loading the call trees…</p></Empty>;
  if ("error" in slot) return <Empty><p role="alert">{slot.error}</p></Empty>;
  return <Whole {...props} flask={slot.flask} />;
}

/** Whole shows both runs as an icicle or as an outline, with a search. */
function Whole(props: Props & { flask: Flask }) {
  const { s, send, flask: f } = props;
  const differs = s.run.onlyDifferences && !f.single;
  const icicle = useMemo(() => (differs ? differenceIcicle(f) : energyIcicle(f)), [f, differs]);
  const found = useMemo(() => search(f, s.find, s.run.table ? undefined : (row) => icicle.width[row]! > 0), [f, s.find, s.run.table, icicle]);
  const tools = (
    <div class="switch" role="group" aria-label="Drawing">
      <button type="button" aria-pressed={!s.run.table} onClick={() => send({ type: "run", change: { table: false } })}>Icicle</button>
      <button type="button" aria-pressed={s.run.table} onClick={() => send({ type: "run", change: { table: true } })}>Outline</button>
    </div>
  );
  return (
    <section class="runview">
      {s.single && <InShort s={s} />}
      {s.run.table ? <Trees {...props} id={runID} whole>{tools}</Trees> : <Drawing {...props} icicle={icicle} found={found} tools={tools} />}
    </section>
  );
}

/** InShort is the energy of a single run, with its main methods. */
function InShort({ s }: Pick<Props, "s">) {
  const { energyNJ, wallTimeNS, threads } = s.single!.input;
  const time = wallTimeNS > 0 ? ` in ${duration(wallTimeNS)}` : "";
  const on = threads > 0 ? `, on ${count(threads, "thread")}` : ""; // Some formats have no threads.
  return (
    <section class="inshort" aria-label="In short">
      <p><b>{`${energy(energyNJ, unitOf(s))}${time}`}</b>{`${on}. ${s.profile?.headline ?? ""}`}</p>
    </section>
  );
}

function Drawing(props: Props & { flask: Flask; icicle: Icicle; found: Found | null; tools: VNode }) {
  const { s, send, flask: f, icicle, found, tools } = props;
  const unit = unitOf(s);
  const tasks = useMemo(() => (s.report ? taskRows(s.report, f) : new Uint8Array(f.size)), [s.report, f]);
  const selected = s.selected.get(runID) ?? 0;
  const [hovered, hover] = useState(-1);
  return (
    <>
      <div class="toolbar">
        {tools}
        <Finder {...props} id={runID} selected={selected} found={found} />
        {!f.single && (
          <label class="check">
            <input type="checkbox" checked={s.run.onlyDifferences} onChange={(e) => send({ type: "run", change: { onlyDifferences: e.currentTarget.checked, zoom: null } })} />
            Only what differs
          </label>
        )}
        <Legend single={f.single} />
      </div>
      {icicle.total > 0 ? (
        <Canvas {...props} found={found?.marks ?? null} tasks={tasks} selected={selected} hovered={hovered} hover={hover} />
      ) : (
        <Empty>
          <p>{f.single ? "The run used no energy." : "Nothing differs: each method uses the same in both runs."}</p>
          {!f.single && <button type="button" onClick={() => send({ type: "run", change: { onlyDifferences: false } })}>Show both runs anyway</button>}
        </Empty>
      )}
      <div class="strip" aria-live="polite">
        <b>{nameOf(subjectLabel(f, selected)).short}</b>
        {f.rows.status[selected] === Status.Relabelled && ` / ${nameOf(referenceLabel(f, selected)).short}`}
        <span>{sides(f, selected, unit)}</span>
        <span class="dim path">{ancestors(f, selected).slice(1, -1).map((i) => nameOf(subjectLabel(f, i)).short).join(" › ")}</span>
        <ToFlask {...props} row={selected} />
      </div>
      <details class="about">
        <summary>Details of the selected method, and how to read this</summary>
        <div class="split">
          <Detail {...props} flask={f} row={selected} whole />
          <div class="help">
            <p>
              Callers are above their callees.
              {f.single ? " The length of a bar is the energy of its method with its callees." : ` In each place, the upper bar is the subject's and the lower one the
              reference's, with the same left edge and scale. Matched methods share a place, also under different names.
              The colour shows the side that uses more, from 5 % on. The strongest colour means three times as much or more.
              With “Only what differs”, the width of a place is the difference of its methods by themselves, here and there together.`}
            </p>
            <p>
              Click or <kbd>Enter</kbd> zooms to a place, <kbd>Esc</kbd> back out. Drag or scroll to move, <kbd>Ctrl</kbd> and
              scroll, or <kbd>+</kbd> and <kbd>−</kbd>, to zoom. Arrow keys go to caller, callee and neighbours. “Outline” has the same as a list.
            </p>
          </div>
        </div>
      </details>
    </>
  );
}

/** Legend is the key of the colours. */
function Legend({ single }: { single: boolean }) {
  return (
    <ul class="legend" aria-label="Key">
      {single ? (
        <>
          <li><i class="swatch own" />your code</li>
          <li><i class="swatch even" />framework</li>
        </>
      ) : (
        <>
          <li>upper bar: here, lower bar: there</li>
          <li>costs less here<span class="scale" aria-hidden="true">{["there-3", "there-2", "there-1", "even", "here-1", "here-2", "here-3"].map((t) => <i key={t} class={t} />)}</span>costs more here</li>
          <li>+ only here, − only there</li>
          <li><b>bold</b>: a task begins</li>
        </>
      )}
    </ul>
  );
}

function sides(f: Flask, row: number, unit: ReturnType<typeof unitOf>): string {
  const { subjectNJ, referenceNJ, status } = f.rows;
  if (f.single) return energy(subjectNJ[row]!, unit);
  if (status[row] === Status.SubjectOnly) return `${energy(subjectNJ[row], unit)}, only here`;
  if (status[row] === Status.ReferenceOnly) return `${energy(referenceNJ[row], unit)}, only there`;
  return `${energy(subjectNJ[row], unit)} here, ${energy(referenceNJ[row], unit)} there (${change(subjectNJ[row] - referenceNJ[row], unit)})`;
}

