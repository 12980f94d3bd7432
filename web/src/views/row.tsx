// The lines of an outline, as text.

import { difference, hasReference, hasSubject, referenceEnergy, referenceLabel, subjectEnergy, subjectLabel, tally, Kind, Part, Status, type Flask } from "../flask";
import type { CheapLine, NodeLine } from "../layout/outline";
import { joined, nodeX, radius, type Shapes } from "../layout/shape";
import { amount, change, count, energy, grouped, ratio, type Unit } from "../units";
import { Method } from "./parts";

type Side = "subject" | "reference";

interface LineProps {
  f: Flask;
  at: number;
  style: Record<string, string>;
  shapes: Shapes;
  unit: Unit;
}

/** Node is the line of a row. */
export function Node({ f, line, at, style, shapes, unit, full, current, found, onSelect, onToggle }: LineProps & {
  line: NodeLine; full: number; current: boolean; found: boolean; onSelect: () => void; onToggle: () => void;
}) {
  const { row } = line;
  const status = f.rows.status[row];
  const here = hasSubject(f, row);
  const there = hasReference(f, row);
  // If one side lacks a row, it also lacks all rows below. Only the topmost one shows that in words.
  const parent = f.rows.parent[row];
  const inherited = status >= Status.SubjectOnly && line.part !== Part.Method && parent >= 0 && f.rows.status[parent] === status;
  const one = joined(shapes);
  const figure = (side: Side) => amount(side === "subject" ? f.rows.subjectNJ[row] : f.rows.referenceNJ[row], unit);
  const text = (side: Side) => {
    const shape = shapes[side];
    const nj = side === "subject" ? f.rows.subjectNJ[row] : f.rows.referenceNJ[row];
    const times = tally(f, row, side);
    const label = side === "subject" ? subjectLabel(f, row) : referenceLabel(f, row);
    const left = nodeX(shape, line) + radius(line, nj, full) + 5;
    return (
      <span class="side" style={{ paddingLeft: `${left}px`, paddingRight: `${(line.part === Part.Path ? shape.inset : 0) + 10}px` }}>
        {times > 0 && <span class="calls">{grouped(times)}×</span>}
        <Method label={label} more={f.apart.get(label)} />
        {side === "subject" || !here ? <Hidden line={line} /> : null}
        <span class="figure">{one && !here ? "–" : figure(side)}</span>
      </span>
    );
  };
  const twist = line.foldable && line.part !== Part.Path && (
    <button
      type="button"
      class="twist"
      tabIndex={-1}
      aria-label={line.open ? "Fold" : "Unfold"}
      style={{ left: `${here ? nodeX(shapes.subject, line) - 18 : shapes.across + nodeX(shapes.reference, line) - 18}px` }}
      onClick={(e) => {
        e.stopPropagation();
        onToggle();
      }}
    >
      {line.open ? "▾" : "▸"}
    </button>
  );
  const classes = ["line", `s${f.single ? Status.Matched : status}`, `p${line.part}`, current && "current", found && "hit", f.rows.kind[row] === Kind.App && "app"].filter(Boolean).join(" ");
  return (
    <div
      class={classes}
      id={`line-${at}`}
      role="row"
      aria-rowindex={at + 2}
      aria-level={line.level + 1}
      aria-expanded={line.foldable ? line.open : undefined}
      aria-selected={current}
      style={style}
      onClick={onSelect}
      onDblClick={onToggle}
    >
      <span role="gridcell" class="cell">
        {twist}
        {here ? text("subject") : one ? text("reference") : <span class="offscreen">not here</span>}
      </span>
      {one && <span role="gridcell" class="cell beside">{status === Status.Relabelled && "≈ "}{there ? figure("reference") : "–"}</span>}
      {!f.single && !one && (
        <>
          <span role="gridcell" class="cell middle">
            <span class={`pill${inherited ? " inherited" : ""}`} title={ratio(subjectEnergy(f, row), referenceEnergy(f, row))}>
              {status === Status.SubjectOnly && <>+<span class={inherited ? "offscreen" : "only"}> only here</span></>}
              {status === Status.ReferenceOnly && <>−<span class={inherited ? "offscreen" : "only"}> only there</span></>}
              {status === Status.Relabelled && <span title="matched, under different names">≈ </span>}
              {here && there && (difference(f, row) === 0 ? "=" : change(difference(f, row), unit))}
            </span>
          </span>
          <span role="gridcell" class="cell">
            {there ? text("reference") : (
              <span class={line.part === Part.Method ? "none" : "offscreen"} style={{ paddingLeft: `${nodeX(shapes.reference, line)}px` }}>
                {line.part === Part.Method ? "no counterpart" : "not there"}
              </span>
            )}
          </span>
        </>
      )}
    </div>
  );
}

const Hidden = ({ line }: { line: NodeLine }) => (line.hidden > 0 ? <span class="hidden">{`+${grouped(line.hidden)}`}</span> : null);

/** Cheap is the line that replaces cheap branches. */
export function Cheap({ f, line, at, style, shapes, unit, onClick }: LineProps & { line: CheapLine; onClick: () => void }) {
  const left = `${nodeX(shapes.subject, line) - 6}px`;
  const what = line.branches > 0 ? count(line.branches, "cheap branch", "cheap branches") : count(line.rows, "more row", "more rows");
  const also = line.branches > 0 && line.rows > line.branches ? `, ${count(line.rows, "row")}` : "";
  const inside = (
    <>
      {line.branches > 0 ? (line.shown ? "▴ fold " : "▾ ") : "… "}
      {what}
      {also}
      {line.branches === 0 && ", left out of this file"}
    </>
  );
  const here = hasSubject(f, line.row) || line.subjectNJ > 0;
  return (
    <div class="line cheap" id={`line-${at}`} role="row" aria-rowindex={at + 2} aria-level={line.level + 1} style={style}>
      <span role="gridcell" class="cell">
        <span class="side" style={{ paddingLeft: left, paddingRight: "10px" }}>
          {line.branches > 0 ? <button type="button" class="more" tabIndex={-1} onClick={onClick}>{inside}</button> : <span class="left">{inside}</span>}
          {here && <span class="figure">{amount(line.subjectNJ, unit)}</span>}
        </span>
      </span>
      {joined(shapes) && <span role="gridcell" class="cell beside">{line.referenceNJ > 0 && amount(line.referenceNJ, unit)}</span>}
      {!f.single && !joined(shapes) && (
        <>
          <span role="gridcell" class="cell middle"><span class="pill plain">{change(line.subjectNJ - line.referenceNJ, unit)}</span></span>
          <span role="gridcell" class="cell">
            <span class="side" style={{ paddingLeft: left, paddingRight: "10px" }}>
              {line.referenceNJ > 0 && <span class="figure" title={energy(line.referenceNJ, unit)}>{amount(line.referenceNJ, unit)}</span>}
            </span>
          </span>
        </>
      )}
    </div>
  );
}
