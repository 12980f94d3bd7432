// The overlap of any two apps of a group: Figure 2 of DiffProf (OSDI 2018), as tables with
// coloured cells.

import { useRef, useState } from "preact/hooks";
import { pairOf, type Group, type GroupPair } from "../group";
import { percent } from "../units";
import type { Props } from "./parts";

const measures = [
  { key: "tasks", name: "Tasks", caption: "percentage of the tasks of two apps that match", of: "of their tasks match" },
  { key: "methods", name: "Framework methods", caption: "percentage of the framework methods of two apps that both call", of: "of their framework methods are called by both" },
] as const;
type Measure = (typeof measures)[number];

/** The two apps of the current cell. b is -1 until the reader points at a cell. */
type At = readonly [a: number, b: number];

export function Common({ s, group }: Props & { group: Group }) {
  return (
    <section class="groupview">
      <p class="dim">{s.about?.overlap}</p>
      <div class="maps">{measures.map((m) => <HeatMap key={m.key} group={group} measure={m} />)}</div>
    </section>
  );
}

/** HeatMap is a table with a row and a column for each app. Its scale ends at the largest share, so small shares differ visibly. */
function HeatMap({ group, measure }: { group: Group; measure: Measure }) {
  const [at, point] = useState<At>([0, -1]);
  const table = useRef<HTMLTableElement>(null);
  const most = scaleEnd(group.pairs.map((p) => p[measure.key]));
  const n = group.apps.length;
  const onKeyDown = (e: KeyboardEvent) => {
    const [row, column] = [at[0], Math.max(at[1], 0)];
    const to: Record<string, At> = { ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], Home: [row, 0], End: [row, n - 1] };
    const next = to[e.key];
    if (!next) return;
    e.preventDefault();
    const [a, b] = [Math.min(Math.max(next[0], 0), n - 1), Math.min(Math.max(next[1], 0), n - 1)];
    point([a, b]);
    table.current!.querySelector<HTMLElement>(`[data-at="${a} ${b}"]`)?.focus();
  };
  const small = n > 12;
  return (
    <figure class="card">
      <h2>{measure.name}</h2>
      <div class="wideTable">
        <table class={`heat${small ? " small" : ""}`} ref={table} onKeyDown={onKeyDown} onMouseLeave={() => point([at[0], -1])}>
          <caption class="offscreen">{`${measure.name}: ${measure.caption}`}</caption>
          <thead><tr><td />{group.apps.map((a, j) => <th scope="col" key={j} title={a.name} aria-label={a.name} class={at[1] === j ? "at" : undefined}>{j + 1}</th>)}</tr></thead>
          <tbody>
            {group.apps.map((a, i) => (
              <tr key={i}>
                <th scope="row" title={a.name} class={at[0] === i && at[1] >= 0 ? "at" : undefined}><span class="dim">{i + 1}</span> {a.name}</th>
                {group.apps.map((_, j) => <Cell key={j} {...{ i, j, most, measure, pair: pairOf(group, i, j), stop: at[0] === i && Math.max(at[1], 0) === j, point }} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Scale most={most} />
      <p class="celltext" aria-hidden="true">{at[1] < 0 ? "Point at a square, or move to it with the arrow keys." : overlap(group, at, measure)}</p>
    </figure>
  );
}

interface CellProps {
  i: number;
  j: number;
  most: number;
  measure: Measure;
  pair: GroupPair | undefined;
  /** whether Tab stops here */
  stop: boolean;
  point: (at: At) => void;
}

function Cell({ i, j, most, measure, pair, stop, point }: CellProps) {
  const events = { "data-at": `${i} ${j}`, tabIndex: stop ? 0 : -1, onMouseEnter: () => point([i, j]), onFocus: () => point([i, j]) };
  if (i === j) return <td class="same" {...events}><span class="offscreen">the same app</span></td>;
  if (!pair) return <td class="none" {...events}>?<span class="offscreen"> not compared</span></td>;
  const share = pair[measure.key] / most;
  return (
    <td class={share > 0.77 ? "strong" : share > 0.61 ? "middle" : undefined} style={{ background: `color-mix(in oklab, var(--heat) ${(100 * share).toFixed(1)}%, var(--background))` }} {...events}>
      <span class="share">{(100 * pair[measure.key]).toFixed(0)}<span class="offscreen">%</span></span>
    </td>
  );
}

/** Scale is the key of the colours. */
function Scale({ most }: { most: number }) {
  return (
    <div class="scale" aria-hidden="true">
      <span>0%</span><span class="ramp" /><span>{percent(most)}</span>
    </div>
  );
}

/** scaleEnd rounds the largest share up. */
const scaleEnd = (shares: number[]): number => Math.max(0.05, Math.ceil(20 * shares.reduce((a, b) => Math.max(a, b), 0)) / 20);

/** overlap describes the overlap of two apps, and why they are hard to compare. */
function overlap(group: Group, [a, b]: At, measure: Measure): string {
  const [first, second] = [group.apps[a]!.name, group.apps[b]!.name];
  if (a === b) return first;
  const p = pairOf(group, a, b);
  if (!p) return `${first} and ${second} could not be compared.`;
  const more = [p.oneApp && "runs of one app", `α = ${p.alpha}`, p.unlike.length > 0 && `different: ${p.unlike.join(", ")}`, !p.ranked && "not ranked"].filter(Boolean);
  return `${first} and ${second}: ${percent(p[measure.key])} ${measure.of}; ${more.join("; ")}.`;
}
