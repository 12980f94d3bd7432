// Two flasks side by side with shared rows: an SVG of nodes, edges, links and silhouettes,
// with lines of text above it.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { hasReference, hasSubject, placesOf, referenceEnergy, subjectEnergy, subjectLabel, weight, Kind, Part, type Flask } from "../flask";
import { edges, noFolds, outline, type Edge, type OutlineLine } from "../layout/outline";
import { edgeWidth, elbow, heat, joined, link, nodeX, placesWithin, pour, radius, rowHeight, shapesOf, silhouette, top, type Shape, type Shapes } from "../layout/shape";
import { namesOf, runID } from "../state";
import { taskOf } from "../tasks";
import type { Unit } from "../units";
import { useKeys } from "./keys";
import { unitOf, type Props } from "./parts";
import { Cheap, Node } from "./row";
import { OnPaper } from "./export";
import { reveal, useSeen } from "./window";

type Side = "subject" | "reference";
const headerHeight = 34;

interface OutlineProps extends Props {
  flask: Flask;
  id: string;
  selected: number;
  /** rows that a search found */
  found?: Uint8Array;
}

export function Outline(props: OutlineProps) {
  const { s, send, host, say, flask: f, id, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const seen = useSeen(scroller);
  const folds = s.folds.get(id) ?? noFolds;
  const unit = unitOf(s);
  const { report } = s;
  const lines = useMemo(() => outline(f, folds), [f, folds]);
  const joins = useMemo(() => ({ subject: edges(f, lines, "subject"), reference: edges(f, lines, "reference") }), [f, lines]);
  const shapes = useMemo(() => shapesOf(f, lines, seen.width - 24), [f, lines, seen.width]);
  const { subject: shape, columns } = shapes;
  const grid = columns.map((width) => `${width}px`).join(" ");
  const width = columns.reduce((sum, width) => sum + width, 0);
  const [first, last] = placesWithin(shape, lines.length, seen.top, seen.top + seen.height);

  const found = lines.findIndex((l) => l.kind === "node" && l.row === selected);
  const current = found >= 0 ? found : closest(f, lines, selected);
  const show = (at: number) => reveal(scroller.current, top(shape, at) - 4, rowHeight + 8, headerHeight);
  useEffect(() => {
    if (current > 0) show(current);
  }, [selected, id]);

  const select = (at: number) => {
    const line = lines[Math.min(Math.max(at, 0), lines.length - 1)];
    if (line?.kind === "node") send({ type: "select", id, row: line.row });
  };
  const step = (by: number) => {
    const sign = Math.sign(by);
    let at = Math.min(Math.max(current + by, 0), lines.length - 1);
    while (lines[at] && lines[at].kind !== "node") at += sign;
    if (lines[at]) select(at);
  };
  const toggle = (l: OutlineLine) => {
    if (l.kind === "cheap") send({ type: "cheap", id, row: l.row, shown: !l.shown });
    else if (l.foldable) send({ type: "fold", id, row: l.row, open: !l.open });
  };
  useKeys((e) => {
    const line = lines[current];
    if (line?.kind !== "node") return false;
    switch (e.key) {
      case "ArrowDown": case "j": step(1); break;
      case "ArrowUp": case "k": step(-1); break;
      case "PageDown": step(Math.floor(seen.height / rowHeight) - 2); break;
      case "PageUp": step(2 - Math.floor(seen.height / rowHeight)); break;
      case "Home": select(0); break;
      case "End": for (let at = lines.length - 1; at >= 0; at--) if (lines[at].kind === "node") { select(at); break; } break;
      case "ArrowRight":
        if (line.foldable && !line.open) toggle(line);
        else step(1);
        break;
      case "ArrowLeft":
        if (line.foldable && line.open) toggle(line);
        else if (f.rows.parent[line.row] >= 0) send({ type: "select", id, row: f.rows.parent[line.row] });
        break;
      case "Enter": case " ": toggle(line); break;
      case "m": {
        // Toggle the cheap branches of the row, or the cheap branches that contain it.
        const at = lines.find((l) => l.kind === "cheap" && l.branches > 0 && (l.row === line.row || l.row === f.rows.parent[line.row]));
        if (at) toggle(at);
        break;
      }
      case "w":
        if (id !== runID && report) send({ type: "locate", places: placesOf(f, line.row) });
        break;
      case "f": {
        const task = id === runID && report && taskOf(report, f, line.row);
        if (task) send({ type: "open", task: task.id, places: placesOf(f, line.row) });
        break;
      }
      case "c": void host.copy(subjectLabel(f, line.row)).then((done) => say(done ? "Name copied" : "The browser refused to copy")); break;
      default: return false;
    }
    return true;
  });

  const full = Math.max(weight(f, f.method), 1);
  const names = namesOf(s);
  return (
    <div
      class="scroller outline"
      ref={scroller}
      tabIndex={0}
      role="treegrid"
      aria-label="Call trees of subject and reference. Arrow keys move and fold, M shows cheap branches, C copies the name."
      aria-rowcount={lines.length + 1}
      aria-activedescendant={current >= first && current < last ? `line-${current}` : undefined}
    >
      <div class="columns" role="row" aria-rowindex={1} style={{ gridTemplateColumns: grid, minWidth: `${width + 24}px` }}>
        {f.single ? <span role="columnheader" class="of"><span class="method">method</span><span class="figure">{unit.name}</span></span> : (
          <>
            <Column side="here" name={names[0]} unit={unit} />
            {!joined(shapes) && <span role="columnheader" class="middle" title="difference">{columns[1]! < 80 ? "±" : "difference"}</span>}
            {joined(shapes) ? <span role="columnheader" class="beside"><i class="dot there" aria-hidden="true" />there</span> : <Column side="there" name={names[1]} unit={unit} />}
          </>
        )}
      </div>
      <OnPaper rows={lines.length} height={rowHeight} />
      <div class="canvas" role="rowgroup" style={{ height: `${shape.height}px`, width: `${width}px` }}>
        <Drawing f={f} lines={lines} joins={joins} shapes={shapes} width={width} first={first} last={last} full={full} />
        {lines.slice(first, last).map((line, i) => {
          const at = first + i;
          const style = { top: `${top(shape, at)}px`, gridTemplateColumns: grid };
          return line.kind === "cheap" ? (
            <Cheap key={`c${line.row}`} {...{ f, line, at, style, shapes, unit }} onClick={() => line.branches > 0 && toggle(line)} />
          ) : (
            <Node
              key={line.row}
              {...{ f, line, at, style, shapes, unit, full }}
              current={at === current}
              found={props.found?.[line.row] === 1}
              onSelect={() => send({ type: "select", id, row: line.row })}
              onToggle={() => toggle(line)}
            />
          );
        })}
      </div>
    </div>
  );
}

function Column({ side, name, unit }: { side: "here" | "there"; name: string; unit: Unit }) {
  return (
    <span role="columnheader" class="of">
      <i class={`dot ${side}`} aria-hidden="true" />
      <span class="method">{`${side}: ${name}`}</span>
      <span class="figure">{unit.name}</span>
    </span>
  );
}

/** closest finds the line of the nearest listed ancestor of a folded row. */
function closest(f: Flask, lines: OutlineLine[], row: number): number {
  const places = new Map<number, number>();
  lines.forEach((l, at) => l.kind === "node" && places.set(l.row, at));
  for (let v = row; v >= 0; v = f.rows.parent[v]) {
    const at = places.get(v);
    if (at !== undefined) return at;
  }
  return 0;
}

interface DrawingProps {
  f: Flask;
  lines: OutlineLine[];
  joins: Record<Side, Edge[]>;
  shapes: Shapes;
  width: number;
  first: number;
  last: number;
  full: number;
}

/** Drawing is the layer under the text. If both trees are drawn as one, the reference's circles are rings around the subject's. */
function Drawing({ f, lines, joins, shapes, width, first, last, full }: DrawingProps) {
  const { subject: shape, reference, across } = shapes;
  const one = joined(shapes);
  const from = first === 0 ? 0 : top(shape, first) - rowHeight;
  const to = last === lines.length ? shape.height : top(shape, last) + rowHeight;
  const middle = (at: number) => top(shape, at) + rowHeight / 2;
  const sides: { side: Side; x: number; shape: Shape }[] = [{ side: "subject", x: 0, shape }];
  if (!f.single) sides.push({ side: "reference", x: across, shape: reference });
  const shared = (side: Side, l: OutlineLine) => one && side === "reference" && hasSubject(f, l.row);

  const places = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <svg class="drawing" aria-hidden="true" width={width} height={to - from} style={{ top: `${from}px` }} viewBox={`0 ${from} ${width} ${to - from}`}>
      {sides.map(({ side, x, shape }) => (
        <g key={side} class={side} transform={`translate(${x},0)`}>
          {!(one && side === "reference") && <path class="flask" d={silhouette(shape, from, to)} />}
          {joins[side].filter((e) => e.to >= first && e.from <= last && !shared(side, lines[e.to])).map((e) => {
            const a = lines[e.from];
            const b = lines[e.to];
            const ends = [nodeX(shape, a), middle(e.from), nodeX(shape, b), middle(e.to)] as const;
            const d = e.from < shape.neck && e.to >= shape.neck ? pour(shape, ...ends) : elbow(...ends);
            return <path key={e.to} class="edge" d={d} style={{ strokeWidth: edgeWidth(e.times) }} />;
          })}
          {places.map((at) => {
            const l = lines[at];
            if (l.kind !== "node" || !(side === "subject" ? hasSubject : hasReference)(f, l.row)) return null;
            const nj = side === "subject" ? subjectEnergy(f, l.row) : referenceEnergy(f, l.row);
            if (shared(side, l) && l.part === Part.Path) return null;
            return <circle key={at} class={`node s${f.rows.status[l.row]} p${l.part}${f.rows.kind[l.row] === Kind.App ? " app" : ""}`} cx={nodeX(shape, l)} cy={middle(at)} r={radius(l, nj, full)} style={shared(side, l) ? { fill: "none" } : l.part === Part.Path ? undefined : { fill: ink(f, l.row, side) }} />;
          })}
        </g>
      ))}
      {places.map((at) => {
        const l = lines[at];
        if (one || l.kind !== "node" || !hasSubject(f, l.row) || !hasReference(f, l.row)) return null;
        return <path key={at} class={`link s${f.rows.status[l.row]}`} d={link(shapes, l, middle(at))} />;
      })}
    </svg>
  );
}

/** ink is the colour that fills a node. */
const ink = (f: Flask, row: number, side: Side) => `color-mix(in srgb, var(${side === "subject" ? "--here" : "--there"}) ${(100 * heat(f, row, side)).toFixed(0)}%, var(--background))`;
