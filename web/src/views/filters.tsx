// The filters and the grouping of the list of tasks.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Report } from "../model";
import { groups, packages, tally, threadName, threads, verdicts, type Group, type Kind, type Verdict } from "../tasks";
import { grouped } from "../units";
import { useKeys } from "./keys";
import type { Props } from "./parts";

const groupNames: Record<Group, string> = { "": "No groups", class: "By calling class", package: "By calling package", method: "By method" };

export function Toolbar({ children, s, send, report }: Props & { report: Report; children: ComponentChildren }) {
  useKeys((e) => {
    if (e.key === "o") change({ own: !s.filter.own });
    return e.key === "o";
  });
  const names = useMemo(() => packages(report), [report]);
  const ran = useMemo(() => threads(report), [report]);
  const change = (c: Partial<typeof s.filter>) => send({ type: "filter", change: c });
  return (
    <div class="toolbar" role="search" aria-label="Filter tasks">
      <input
        type="search"
        placeholder="Find a method, class or file  ( / )"
        aria-label="Find tasks by method, path or caller"
        value={s.filter.query}
        onInput={(e) => change({ query: e.currentTarget.value })}
      />
      <select aria-label="Package of the caller" value={s.filter.package} onChange={(e) => change({ package: e.currentTarget.value })}>
        <option value="">Any package</option>
        {names.map(({ name, below }) => (
          <option value={name} key={name}>{below > 0 ? `${name}.* (${grouped(below)})` : name}</option>
        ))}
        {s.filter.package && !names.some((p) => p.name === s.filter.package) && <option value={s.filter.package}>{`${s.filter.package}.* (0)`}</option>}
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
      <label class="check" title="Only tasks that your code calls, itself or through a library ( o )">
        <input type="checkbox" checked={s.filter.own} onChange={(e) => change({ own: e.currentTarget.checked })} />
        Only your code
      </label>
      <select aria-label="Group by" value={s.filter.group} onChange={(e) => change({ group: e.currentTarget.value as Group })}>
        {groups.map((g) => <option value={g} key={g}>{groupNames[g]}</option>)}
      </select>
      {children}
    </div>
  );
}

/** Verdicts is a row of buttons that filter by verdict. Their tooltips explain the marks. */
export function Verdicts({ s, send, report }: Props & { report: Report }) {
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
