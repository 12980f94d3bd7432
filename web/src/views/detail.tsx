// The details of one row of a flask.

import { difference, hasReference, hasSubject, placesOf, referenceEnergy, referenceLabel, sources, subjectEnergy, subjectLabel, tally, Kind, Part, Status, type Flask, type Source } from "../flask";
import type { Clock } from "../model";
import { nameOf } from "../names";
import type { State } from "../state";
import { taskOf } from "../tasks";
import { amount, change, count, duration, grouped, Noun, percent, ratio } from "../units";
import { broken, Copy, Label, unitOf, type Props } from "./parts";

const statuses: Record<number, string> = {
  [Status.Matched]: "matched",
  [Status.Relabelled]: "matched, under different names",
  [Status.SubjectOnly]: "only here: not matched in the reference",
  [Status.ReferenceOnly]: "only there: not matched in the subject",
};
const parts: Record<number, string> = {
  [Part.Path]: "call path",
  [Part.Method]: "where the task begins",
  [Part.Subtree]: "subtree",
};
const kinds: Record<number, string> = {
  [Kind.Toplevel]: "root",
  [Kind.Framework]: "framework method",
  [Kind.App]: "app method",
};

const clocks: Record<Clock, string> = { "cpu-time": "CPU time", "wall-time": "Wall time", none: "" };

export function Detail(props: Props & { flask: Flask; row: number; whole: boolean }) {
  const { s, host, say, flask: f, row, whole } = props;
  const { rows } = f;
  const here = hasSubject(f, row);
  const there = hasReference(f, row);
  const label = subjectLabel(f, row);
  const other = there && here ? referenceLabel(f, row) : label;
  const made = sources(f, row, "subject");
  const madeThere = sources(f, row, "reference");
  return (
    <aside class="detail" data-scrolls aria-label="The selected method">
      <h2 title={label}>{broken(nameOf(label).short)}</h2>
      <Label label={label} />
      {other !== label && (
        <>
          <p class="dim">in the reference</p>
          <Label label={other} />
        </>
      )}
      <p class={`status s${f.single ? Status.Matched : rows.status[row]}`}>{[kinds[rows.kind[row]], whole ? "" : parts[rows.part[row]], f.single ? "" : statuses[rows.status[row]]].filter(Boolean).join(" · ")}</p>
      <Figures s={s} f={f} row={row} whole={whole} />
      <p class="buttons">
        {whole ? <ToFlask {...props} /> : s.report && <ToRun {...props} />}
        <Copy text={label} host={host} say={say}>Copy name</Copy>
        {host.open && made.length === 0 && here && rows.kind[row] === Kind.App && (
          <button type="button" class="small" onClick={() => host.open!(label, "", 0)}>Open source</button>
        )}
      </p>
      <Sources {...props} title={madeThere.length > 0 ? "Merged from, here" : "Merged from"} list={made} open />
      <Sources {...props} title="Merged from, there" list={madeThere} />
    </aside>
  );
}

/** Figures is a table of the energy, time and calls of a row on both sides. */
function Figures({ s, f, row, whole }: { s: State; f: Flask; row: number; whole: boolean }) {
  const unit = unitOf(s);
  const { rows } = f;
  const here = hasSubject(f, row);
  const there = hasReference(f, row);
  const self = (nj: number) => Math.max(0, nj);
  const timesHere = tally(f, row, "subject");
  const timesThere = tally(f, row, "reference");
  const perCall = (nj: number, calls: number) => (calls > 0 ? nj / calls : 0);
  const callHere = perCall(rows.subjectNJ[row], timesHere);
  const callThere = perCall(rows.referenceNJ[row], timesThere);
  const full = whole ? 0 : f.method;
  const { subject, reference } = f.clocks;
  const clock = clocks[subject] || clocks[reference];
  const alike = subject === reference;
  const line = (name: string, has: [boolean, boolean], cells: [string, string, string]) => (
    <tr>
      <th scope="row">{name}</th>
      <td>{has[0] ? cells[0] : "–"}</td>
      {!f.single && <td>{has[1] ? cells[1] : "–"}</td>}
      {!f.single && <td>{cells[2]}</td>}
    </tr>
  );
  const head = (name: string) => <tr class="group"><th scope="rowgroup" colSpan={4}>{name}</th></tr>;
  const both: [boolean, boolean] = [here, there];
  const timed: [boolean, boolean] = [here && subject !== "none", there && reference !== "none"];
  const time = (name: string, a: number, b: number) => {
    const more = self(a) - self(b);
    return line(name, timed, [duration(a), duration(b), alike ? (more > 0 ? "+" : "") + duration(more) : ""]);
  };
  return (
    <table>
      <thead>
        <tr><th scope="col">{`${Noun(unit)}, ${unit.name}`}</th>{f.single ? <th scope="col"><span class="offscreen">Value</span></th> : <><th scope="col">here</th><th scope="col">there</th><th scope="col">difference</th></>}</tr>
      </thead>
      <tbody>
        {line("with callees", both, [amount(rows.subjectNJ[row], unit), amount(rows.referenceNJ[row], unit), change(difference(f, row), unit)])}
        {line("by itself", both, [amount(rows.subjectSelfNJ[row], unit), amount(rows.referenceSelfNJ[row], unit), change(self(rows.subjectSelfNJ[row]) - self(rows.referenceSelfNJ[row]), unit)])}
        {f.counts === "calls" && line("per call", [callHere > 0, callThere > 0], [amount(callHere, unit), amount(callThere, unit), ratio(callHere, callThere)])}
        {(whole || rows.part[row] !== Part.Path) && line(whole ? "of the run" : "of the task", both, [
          percent(subjectEnergy(f, row) / Math.max(subjectEnergy(f, full), 1)),
          percent(referenceEnergy(f, row) / Math.max(referenceEnergy(f, full), 1)), "",
        ])}
      </tbody>
      {clock && (
        <tbody>
          {head(alike || !clocks[subject] || !clocks[reference] ? clock : `${clocks[subject]} here, ${clocks[reference].toLowerCase()} there`)}
          {time("with callees", rows.subjectNS[row], rows.referenceNS[row])}
          {time("by itself", rows.subjectSelfNS[row], rows.referenceSelfNS[row])}
        </tbody>
      )}
      {f.counts && (
        <tbody class="apart">
          {line(f.counts, [timesHere > 0, timesThere > 0], [grouped(timesHere), grouped(timesThere), ratio(timesHere, timesThere)])}
        </tbody>
      )}
    </table>
  );
}

/** Sources lists the original methods of a row. An editor can open the methods of the subject. */
function Sources({ host, say, title, list, open }: Props & { title: string; list: Source[]; open?: boolean }) {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="sources">
        {list.map((m) => (
          <li key={`${m.method} ${m.line}`}>
            <span class="made" title={m.method}>{broken(nameOf(m.method).short)}</span>
            <span class="dim">
              {[m.file && (m.line ? `${m.file}:${m.line}` : m.file), m.calls && count(m.calls, "call")].filter(Boolean).join(", ")}
            </span>
            {open && host.open ? (
              <button type="button" class="small" onClick={() => host.open!(m.method, m.file, m.line)}>Open source</button>
            ) : (
              <Copy text={m.method} host={host} say={say}>Copy name</Copy>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** ToRun is a button from a row of a task to its place in the whole run. */
export function ToRun({ send, flask: f, row }: Pick<Props, "send"> & { flask: Flask; row: number }) {
  return (
    <button type="button" class="small" title="Show this method's place in the whole run ( w )" onClick={() => send({ type: "locate", places: placesOf(f, row) })}>
      Show in whole run
    </button>
  );
}

/** ToFlask is a button from a row of the whole run to its task. It is empty for a row outside tasks. */
export function ToFlask({ s, send, flask: f, row }: Pick<Props, "s" | "send"> & { flask: Flask; row: number }) {
  const task = s.report && taskOf(s.report, f, row);
  if (!task) return null;
  return (
    <button type="button" class="small" title="Show this method in its task's flask ( f )" onClick={() => send({ type: "open", task: task.id, places: placesOf(f, row) })}>
      {`Flask of ${nameOf(task.method).short}`}
    </button>
  );
}
