// Both runs at once: an icicle in which the matching aligns the places.

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
  if (!slot || "waiting" in slot) return <Empty><p role="status">Fetching the call trees…</p></Empty>;
  if ("error" in slot) return <Empty><p role="alert">{slot.error}</p></Empty>;
  return <Whole {...props} flask={slot.flask} />;
}

/** Whole shows both runs as an icicle or as an outline, with a search over either. */
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

/** InShort says what one run drained and where. */
function InShort({ s }: Pick<Props, "s">) {
  const { energyNJ, wallTimeNS, threads } = s.single!.input;
  const time = wallTimeNS > 0 ? ` in ${duration(wallTimeNS)}` : "";
  return (
    <section class="inshort" aria-label="In short">
      <p><b>{`${energy(energyNJ, unitOf(s))}${time}`}</b>{`, on ${count(threads, "thread")}. ${s.profile?.headline ?? ""}`}</p>
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
          {!f.single && <button type="button" onClick={() => send({ type: "run", change: { onlyDifferences: false } })}>Show both runs all the same</button>}
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
              Callers lie above what they call.
              {f.single ? " The length of a bar is the energy of its method with all that it calls." : ` In each place, the upper bar is the subject's, the lower one the
              reference's, from the same edge and to the same scale; the matching decides which two share a place, not their names.
              The colour shows which side uses more, from 5 % on, the strongest from three times as much on.
              With “Only what differs” a place is as wide as what its methods use more by themselves, here and there together.`}
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

/** Legend explains the colours of the icicle. */
function Legend({ single }: { single: boolean }) {
  return (
    <ul class="legend" aria-label="Key">
      {single ? (
        <>
          <li><i class="swatch own" />the app's own</li>
          <li><i class="swatch even" />the framework's</li>
        </>
      ) : (
        <>
          <li>upper bar: here, lower bar: there</li>
          <li>cheaper here<span class="scale" aria-hidden="true">{["there-3", "there-2", "there-1", "even", "here-1", "here-2", "here-3"].map((t) => <i key={t} class={t} />)}</span>dearer here</li>
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

