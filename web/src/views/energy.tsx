// The energy of one run by component with tails, by thread and by library, and the active times
// of the components.

import { useMemo } from "preact/hooks";
import { blocksOf, componentName, sourceName, used, extent, piecesOf, ticks, type EnergyProfile, type EnergyRow, type Lane } from "../energy";
import type { Component } from "../model";
import { threadName } from "../tasks";
import { amount, count, duration, energy, noun, Noun, percent, type Unit } from "../units";
import { BundleList } from "./bundles";
import { unitOf, type Props } from "./parts";

/** firstRows is the number of threads or libraries shown. */
const firstRows = 12;

export function Energy({ s, profile }: Props & { profile: EnergyProfile }) {
  const unit = unitOf(s);
  const total = s.single!.input.energyNJ;
  const { components, threads, libraries, lanes } = profile;
  return (
    <section class="summary energy">
      {components.length > 0 && <Components list={components} profile={profile} total={total} unit={unit} source={s.single!.input.powerSource} />}
      {lanes && lanes.length > 0 && <Timeline lanes={lanes} profile={profile} unit={unit} />}
      {profile.bundles && <BundleList bundles={profile.bundles} run={components} unit={unit} />}
      <Rows title={`${Noun(unit)} by thread`} one="thread" rows={threads} name={(r) => threadName(r.method)} run={components} unit={unit} total={total}
        of={(r) => r.exclusiveNJ} by={(r) => r.exclusiveBy} />
      <Rows title={`${Noun(unit)} by library`} one="group" rows={libraries} name={(r) => (r.category ? `${r.method} (${r.category})` : r.method)} run={components} unit={unit} total={total}
        of={(r) => r.exclusiveNJ} by={(r) => r.exclusiveBy} all={(r) => r.inclusiveNJ} note="The energy that the methods of a group use by themselves, and with their callees." />
    </section>
  );
}

function Components({ list, profile, total, unit, source }: { list: Component[]; profile: EnergyProfile; total: number; unit: Unit; source: string }) {
  const { io, battery } = profile;
  const rest = list.some((c) => c.restNJ > 0);
  return (
    <div class="card">
      <h2>{Noun(unit)} by component</h2>
      <Pieces of={list} run={list} nj={total} most={total} />
      <div class="scroller">
        <table class="components">
          <thead>
            <tr>
              <th scope="col">Component</th><th scope="col">{unit.name}</th><th scope="col">share</th><th scope="col">use</th><th scope="col">tail</th>
              {rest && <th scope="col">unattributed</th>}
              <th scope="col" class="wide text">Source of the figure</th>
            </tr>
          </thead>
          <tbody>
            {list.map((c, i) => (
              <tr key={i}>
                <th scope="row"><i class={`swatch c${i % 8}`} aria-hidden="true" />{componentName(c.name)}</th>
                <td>{amount(used(c), unit)}</td>
                <td>{percent(used(c) / Math.max(total, 1))}</td>
                <td>{amount(c.useNJ, unit)}</td>
                <td>{c.tailNJ > 0 ? amount(c.tailNJ, unit) : "–"}</td>
                {rest && <td>{c.restNJ > 0 ? amount(c.restNJ, unit) : "–"}</td>}
                <td class="wide text">{sourceName(c.provenance)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">
        “Use” is energy while working. “Tail” (striped) is energy while still powered, waiting.
        {rest && " “Unattributed” is energy that no known call caused."}
        {io && io.energyNJ > 0 && ` Components other than the CPU used ${percent(io.share)}; ${io.routines} of ${count(io.allRoutines, "method")} caused it.`}
        {source && ` Power: ${source}.`}
        {battery && ` The run took ${percent(battery.share)} of a full battery.`}
      </p>
    </div>
  );
}

/** Pieces is a bar with a part for each component. Its length is relative to the longest bar. */
function Pieces({ of, run, nj, most }: { of: Component[]; run: Component[]; nj: number; most: number }) {
  return (
    <span class="pieces" aria-hidden="true">
      {piecesOf(of, run, nj).map((p, i) => (
        <span key={i} class={`c${p.component % 8} ${p.part}`} style={{ width: `${((p.nj / Math.max(most, 1)) * 100).toFixed(3)}%` }} />
      ))}
    </span>
  );
}

interface RowsProps {
  title: string;
  one: string;
  note?: string;
  rows: EnergyRow[];
  run: Component[];
  unit: Unit;
  total: number;
  name(r: EnergyRow): string;
  of(r: EnergyRow): number;
  by(r: EnergyRow): Component[];
  /** its energy with callees; absent if that is the same */
  all?(r: EnergyRow): number;
}

function Rows({ title, one, note, rows, run, unit, total, name, of, by, all }: RowsProps) {
  const shown = useMemo(() => rows.filter((r) => of(r) > 0).sort((a, b) => of(b) - of(a)), [rows]);
  if (shown.length < 2) return null;
  const first = shown.slice(0, firstRows);
  const left = shown.slice(firstRows);
  const most = of(first[0]!);
  return (
    <div class="card">
      <h2>{title}</h2>
      {note && <p class="dim">{note}</p>}
      <table class="parts">
        <thead><tr><th scope="col"><span class="offscreen">{one}</span></th><th scope="col"><span class="offscreen">bar</span></th><th scope="col">{unit.name}</th><th scope="col">share</th>{all && <th scope="col">with callees</th>}{run.length > 1 && <th scope="col" class="wide text">main component</th>}</tr></thead>
        <tbody>
          {first.map((r) => (
            <tr key={r.method}>
              <th scope="row">{name(r)}</th>
              <td class="bars"><Pieces of={by(r)} run={run} nj={of(r)} most={most} /></td>
              <td>{amount(of(r), unit)}</td>
              <td>{percent(of(r) / Math.max(total, 1))}</td>
              {all && <td>{percent(all(r) / Math.max(total, 1))}</td>}
              {run.length > 1 && <td class="wide text">{mostly(by(r), of(r))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {left.length > 0 && <p class="dim">{`${count(left.length, one)} more, ${energy(left.reduce((sum, r) => sum + of(r), 0), unit)} together.`}</p>}
    </div>
  );
}

/** mostly names the largest part of an energy: the use, the tail or the unattributed rest of a component. */
function mostly(by: Component[], nj: number): string {
  let best = "";
  let most = 0;
  for (const c of by) {
    for (const [part, x] of [["", c.useNJ], [" tail", c.tailNJ], [", unattributed", c.restNJ]] as const) {
      if (x > most) [best, most] = [`${componentName(c.name)}${part}`, x];
    }
  }
  return most > 0 && nj > 0 ? `${percent(most / nj)} ${best}` : "";
}

const laneHeight = 26;
const wide = 1000;

/** Timeline draws the times when each component was active, with striped tails. */
function Timeline({ lanes, profile, unit }: { lanes: Lane[]; profile: EnergyProfile; unit: Unit }) {
  const run = profile.components;
  const time = useMemo(() => extent(profile), [profile]);
  const drawn = useMemo(() => lanes.map((lane) => blocksOf(lane, time, 1.5 / wide)), [lanes, time]);
  const at = (moment: number) => (moment - time[0]) / (time[1] - time[0]);
  const height = lanes.length * laneHeight;
  const coarse = Math.max(...lanes.map((l) => l.resolutionNS));
  return (
    <div class="card">
      <h2>When the components were active</h2>
      <p class="dim">{`Time from the beginning of the recording, ${duration(time[1] - time[0]).replace(" ", "\u00a0")} in all.`}</p>
      <div class="timeline">
        <div class="names">{lanes.map((l) => <span key={l.component} style={{ height: `${laneHeight}px` }}>{componentName(l.component)}</span>)}</div>
        <svg viewBox={`0 0 ${wide} ${height + 18}`} preserveAspectRatio="none" style={{ height: `${height + 18}px` }} role="img" aria-label="Components over time; the table below has the same figures">
          <defs>
            <pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="5" class="stripe" /></pattern>
          </defs>
          {ticks(time).map((t) => <line key={t} x1={at(t) * wide} x2={at(t) * wide} y1={0} y2={height} class="tick" />)}
          {lanes.map((lane, i) => {
            const colour = `c${Math.max(0, run.findIndex((c) => c.name === lane.component)) % 8}`;
            return drawn[i]!.map((b) => {
              const [from, to, state, , nj] = lane.spans[b.span]!;
              const box = { x: b.at * wide, width: b.width * wide, y: i * laneHeight + (b.tail ? 8 : 4), height: laneHeight - (b.tail ? 12 : 8) };
              return (
                <g key={b.span}>
                  <rect {...box} class={`${colour}${b.tail ? " tail" : ""}`}>
                    <title>{`${componentName(lane.component)}, ${lane.states[state] ?? "?"}${b.tail ? " (tail)" : ""}: ${duration(to - from)} from ${duration(from)}, ${energy(nj, unit)}`}</title>
                  </rect>
                  {b.tail && <rect {...box} fill="url(#stripes)" pointer-events="none" />}
                </g>
              );
            });
          })}
        </svg>
        <div class="times" aria-hidden="true">{ticks(time).map((t) => <span key={t} class={at(t) < 0.02 ? "first" : at(t) > 0.98 ? "last" : undefined} style={{ left: `${at(t) * 100}%` }}>{duration(t)}</span>)}</div>
      </div>
      {coarse > 0 && <p class="dim">{`Operations less than ${duration(coarse)} apart are drawn as one.`}</p>}
      <States lanes={lanes} unit={unit} />
    </div>
  );
}

/** States is the drawing as text: how long each component was in each state. */
function States({ lanes, unit }: { lanes: Lane[]; unit: Unit }) {
  const rows = lanes.flatMap((lane) =>
    lane.states.map((state, i) => {
      const spans = lane.spans.filter((x) => x[2] === i);
      return { lane: lane.component, state, times: spans.length, tail: spans.some((x) => x[3] === 1), ns: spans.reduce((sum, x) => sum + x[1] - x[0], 0), nj: spans.reduce((sum, x) => sum + x[4], 0) };
    }).filter((r) => r.times > 0),
  );
  return (
    <div class="scroller"><table class="states">
      <thead><tr><th scope="col">Component</th><th scope="col" class="text">State</th><th scope="col">times</th><th scope="col">duration</th><th scope="col">{noun(unit) === "energy" ? unit.name : "units"}</th></tr></thead>
      <tbody>
        {rows.map((r) => (
          <tr key={`${r.lane} ${r.state}`}>
            <th scope="row">{componentName(r.lane)}</th><td class="text">{r.state}{r.tail && !/tail/i.test(r.state) && <span class="dim"> (tail)</span>}</td><td>{r.times}</td><td>{duration(r.ns)}</td><td>{amount(r.nj, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}
