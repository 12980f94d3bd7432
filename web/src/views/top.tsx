// The energy of each method over all of its contexts, with its callers and callees.

import { useMemo, useRef, useState } from "preact/hooks";
import { methodsCSV } from "../csv";
import type { MethodListJSON } from "../model";
import { countsOf } from "../state";
import { apart } from "../names";
import { isOwn, methodRows, neighbours, type Neighbour, type TopKey } from "../top";
import { amount, change, energy, grouped, percent, count, type Unit } from "../units";
import { Csv, OnPaper } from "./export";
import { useKeys } from "./keys";
import { Empty, Method, unitOf, type Props } from "./parts";
import { printedRows, usePrinting } from "./window";

/** firstRows is the number of methods drawn at first. */
const firstRows = 300;

export function Top(props: Props) {
  const { s } = props;
  return s.top ? <Listed {...props} list={s.top} /> : <Empty><p>This report has no list of methods.</p></Empty>;
}

function Listed(props: Props & { list: MethodListJSON }) {
  const { s, send, list } = props;
  const rows = useMemo(() => methodRows(list, s.topFilter), [list, s.topFilter.query, s.topFilter.app, s.topFilter.sort, s.topFilter.descending]);
  const selected = Math.max(0, list.labels.indexOf(s.topFilter.method || list.labels[rows[0] ?? 0]!));
  const single = s.single !== null;
  return (
    <section class="top">
      <div class="toolbar" role="search" aria-label="Filter methods">
        <input
          type="search"
          placeholder="Find a method or class  ( / )"
          aria-label="Find methods by name"
          value={s.topFilter.query}
          onInput={(e) => send({ type: "top", change: { query: e.currentTarget.value } })}
        />
        <label class="check">
          <input type="checkbox" checked={s.topFilter.app} onChange={(e) => send({ type: "top", change: { app: e.currentTarget.checked } })} />
          Only your code
        </label>
        <Csv host={props.host} name="methods" table={() => methodsCSV(list, rows, single)} />
      </div>
      <p class="note" role="status">
        {rows.length === list.total ? count(rows.length, "method") : `${grouped(rows.length)} of ${count(list.total, "method")}`}
        . Self excludes callees, and All includes them, over all call paths. A recursive call counts once.
      </p>
      {rows.length === 0 ? <Empty><p>No method matches the filters.</p></Empty> : (
        <div class="sandwich">
          <Methods {...props} rows={rows} selected={selected} />
          <Around {...props} method={selected} />
        </div>
      )}
    </section>
  );
}

const columns: { key: TopKey; name: string; title: string; span: number }[] = [
  { key: "method", name: "Method", title: "short name", span: 1 },
  { key: "saving", name: "Saving", title: "self here minus self there", span: 1 },
  { key: "self", name: "Self", title: "without callees", span: 2 },
  { key: "all", name: "All", title: "with callees", span: 2 },
];

function Methods({ s, send, list, rows, selected }: Props & { list: MethodListJSON; rows: number[]; selected: number }) {
  const [all, showAll] = useState(false);
  const unit = unitOf(s);
  const { sort, descending } = s.topFilter;
  const more = useMemo(() => apart(list.labels, list.methods), [list]);
  const counts = countsOf(s);
  const single = s.single !== null;
  const printing = usePrinting();
  // Narrow windows have no room for a third column of figures.
  const wide = single ? undefined : "wide";
  const shown = all ? rows : rows.slice(0, printing ? printedRows(28) : firstRows);
  const table = useRef<HTMLDivElement>(null);
  useKeys((e) => {
    const at = shown.indexOf(selected);
    const page = Math.max(1, Math.floor(table.current!.clientHeight / 28) - 2);
    const to: Record<string, number> = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 };
    if (to[e.key] === undefined) return false;
    const row = Math.min(Math.max(to[e.key]!, 0), shown.length - 1);
    send({ type: "top", change: { method: list.labels[shown[row]!]! } });
    table.current!.querySelectorAll("tbody tr")[row]?.scrollIntoView({ block: "nearest" });
    return true;
  });
  return (
    <div class="scroller methods" ref={table} tabIndex={0} role="region" aria-label="Methods">
      <OnPaper rows={rows.length} height={28} />
      <table>
        <thead>
          <tr>
            {columns.filter((c) => !single || c.key !== "saving").map((c) => (
              <th key={c.key} scope="col" class={c.key === "all" ? wide : undefined} colSpan={single ? 1 : c.span} aria-sort={sort === c.key ? (descending ? "descending" : "ascending") : "none"}>
                <button type="button" title={c.title} onClick={() => send({ type: "top", change: { sort: c.key, descending: sort === c.key ? !descending : c.key !== "method" } })}>
                  {c.name}
                  <span aria-hidden="true" class="arrow">{sort === c.key ? (descending ? " ▾" : " ▴") : ""}</span>
                </button>
              </th>
            ))}
            {counts && <th scope="col" class="wide">{counts}</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((i) => (
            <tr key={list.labels[i]} class={i === selected ? "selected" : ""} onClick={() => send({ type: "top", change: { method: list.labels[i]! } })}>
              <th scope="row"><Named list={list} method={i} selected={i === selected} more={more} send={send} /></th>
              {!single && <td>{change(list.subjectSelfNJ[i]! - list.referenceSelfNJ[i]!, unit)}</td>}
              <td>{!single && <i class="dot here" aria-hidden="true" />}{amount(list.subjectSelfNJ[i]!, unit)}</td>
              {!single && <td class="dim"><i class="dot there" aria-hidden="true" />{amount(list.referenceSelfNJ[i]!, unit)}</td>}
              <td class={wide}>{!single && <i class="dot here" aria-hidden="true" />}{amount(list.subjectNJ[i]!, unit)}</td>
              {!single && <td class="dim wide"><i class="dot there" aria-hidden="true" />{amount(list.referenceNJ[i]!, unit)}</td>}
              {counts && <td class="wide">{ran(list.subjectTimes[i]!)}{!single && `:${ran(list.referenceTimes[i]!)}`}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <p class="buttons"><button type="button" onClick={() => showAll(true)}>{`Show ${grouped(rows.length - shown.length)} more`}</button></p>
      )}
    </div>
  );
}

const ran = (n: number) => (n ? grouped(n) : "–");

/** Named is a button that selects a method. */
function Named({ list, method, selected, more, send }: Pick<Props, "send"> & { list: MethodListJSON; method: number; selected: boolean; more: Map<string, string> }) {
  const label = list.labels[method]!;
  return (
    <button type="button" class="pick" aria-pressed={selected} onClick={() => send({ type: "top", change: { method: label } })}>
      <Method label={label} more={more.get(label)} />
      {isOwn(list, method) ? <span class="tag">own</span> : list.library?.[method] && <span class="tag">{list.library[method]}</span>}
    </button>
  );
}

/** Around shows the callers and callees of a method. */
function Around({ s, send, list, method }: Props & { list: MethodListJSON; method: number }) {
  const unit = unitOf(s);
  const around = useMemo(() => neighbours(list, method), [list, method]);
  const more = useMemo(() => apart(list.labels, list.methods), [list]);
  const total = [list.subjectNJ[method]!, list.referenceNJ[method]!] as const;
  const single = s.single !== null;
  return (
    <aside class="around" data-scrolls tabIndex={0} aria-label="Callers and callees">
      <Links title="Called by" none="No method calls it." links={around.callers} {...{ list, unit, total, more, send, single }} />
      <h2><Method label={list.labels[method]!} more={more.get(list.labels[method]!)} /></h2>
      <p class="dim">{list.labels[method]}</p>
      <p>
        {single
          ? `${energy(total[0], unit)}; self ${amount(list.subjectSelfNJ[method]!, unit)}`
          : `${energy(total[0], unit)} here, ${amount(total[1], unit)} there; self ${amount(list.subjectSelfNJ[method]!, unit)} and ${amount(list.referenceSelfNJ[method]!, unit)}`}
      </p>
      <Links title="Calls" none="It calls no method." links={around.callees} {...{ list, unit, total, more, send, single }} />
      {list.links.caller.length < list.links.total && <p class="dim">{`The ${grouped(list.links.caller.length)} most expensive of ${grouped(list.links.total)} pairs of caller and callee are listed.`}</p>}
    </aside>
  );
}

function Links({ title, none, links, list, unit, total, more, send, single }: Pick<Props, "send"> & {
  single: boolean;
  title: string;
  none: string;
  links: Neighbour[];
  list: MethodListJSON;
  unit: Unit;
  total: readonly [here: number, there: number];
  more: Map<string, string>;
}) {
  if (links.length === 0) return <p class="dim">{none}</p>;
  return (
    <table class="links">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {single ? <th scope="col" colSpan={2}>{unit.name}</th> : (
            <>
              <th scope="col" colSpan={2}><i class="dot here" aria-hidden="true" />here</th>
              <th scope="col"><i class="dot there" aria-hidden="true" />there</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {links.map((n) => (
          <tr key={n.link}>
            <th scope="row"><Named list={list} method={n.method} selected={false} more={more} send={send} /></th>
            <td>{amount(list.links.subjectNJ[n.link]!, unit)}</td>
            <td class="dim">{percent(list.links.subjectNJ[n.link]! / Math.max(total[0], 1))}</td>
            {!single && <td class="dim">{amount(list.links.referenceNJ[n.link]!, unit)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
