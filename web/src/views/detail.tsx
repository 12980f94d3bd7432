// What there is to know of one row of a flask.

import { difference, hasReference, hasSubject, referenceEnergy, referenceLabel, sources, subjectEnergy, subjectLabel, Kind, Part, Status, type Flask } from "../flask";
import { nameOf } from "../names";
import { amount, change, count, grouped, percent, ratio } from "../units";
import { Copy, unitOf, type Props } from "./parts";

const statuses: Record<number, string> = {
  [Status.Matched]: "in both runs",
  [Status.Relabelled]: "in both runs, under different names",
  [Status.SubjectOnly]: "only here: the reference has no counterpart",
  [Status.ReferenceOnly]: "only there: the subject has no counterpart",
};
const parts: Record<number, string> = {
  [Part.Path]: "call path",
  [Part.Method]: "F-method: where the task begins",
  [Part.Subtree]: "subtree",
};
const kinds: Record<number, string> = {
  [Kind.Toplevel]: "root",
  [Kind.Framework]: "framework method",
  [Kind.App]: "app method",
};

export function Detail({ s, host, say, flask: f, row, whole }: Props & { flask: Flask; row: number; whole: boolean }) {
  const unit = unitOf(s);
  const { rows } = f;
  const here = hasSubject(f, row);
  const there = hasReference(f, row);
  const figure = (has: boolean, nj: number) => (has ? amount(nj, unit) : "–");
  const label = subjectLabel(f, row);
  const other = there && here ? referenceLabel(f, row) : label;
  const made = sources(f, row);
  const perCall = (has: boolean, nj: number, calls: number) => (has && calls > 0 ? amount(nj / calls, unit) : "–");
  const calls = (n: number) => (n > 0 ? grouped(n) : "–");
  const full = whole ? 0 : f.method;
  return (
    <aside class="detail" aria-label="The selected method">
      <h2 title={label}>{nameOf(label).short}</h2>
      <code>{label}</code>
      {other !== label && (
        <>
          <p class="dim">in the reference</p>
          <code>{other}</code>
        </>
      )}
      <p class={`status s${rows.status[row]}`}>{[kinds[rows.kind[row]], whole && row > 0 ? "" : parts[rows.part[row]], statuses[rows.status[row]]].filter(Boolean).join(" · ")}</p>
      <table>
        <thead>
          <tr><th scope="col">{unit.name}</th><th scope="col">here</th><th scope="col">there</th><th scope="col">difference</th></tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">with callees</th>
            <td>{figure(here, rows.subjectNJ[row])}</td>
            <td>{figure(there, rows.referenceNJ[row])}</td>
            <td>{change(difference(f, row), unit)}</td>
          </tr>
          <tr>
            <th scope="row">by itself</th>
            <td>{figure(here, rows.subjectSelfNJ[row])}</td>
            <td>{figure(there, rows.referenceSelfNJ[row])}</td>
            <td>{change(Math.max(0, rows.subjectSelfNJ[row]) - Math.max(0, rows.referenceSelfNJ[row]), unit)}</td>
          </tr>
          <tr>
            <th scope="row">a call</th>
            <td>{perCall(here, rows.subjectNJ[row], rows.subjectCalls[row])}</td>
            <td>{perCall(there, rows.referenceNJ[row], rows.referenceCalls[row])}</td>
            <td>{ratio(perCallOf(rows.subjectNJ[row], rows.subjectCalls[row]), perCallOf(rows.referenceNJ[row], rows.referenceCalls[row]))}</td>
          </tr>
          <tr>
            <th scope="row">calls</th>
            <td>{here ? calls(rows.subjectCalls[row]) : "–"}</td>
            <td>{there ? calls(rows.referenceCalls[row]) : "–"}</td>
            <td>{ratio(rows.subjectCalls[row], rows.referenceCalls[row])}</td>
          </tr>
          {(whole || rows.part[row] !== Part.Path) && <tr>
            <th scope="row">{whole ? "of the run" : "of the task"}</th>
            <td>{here ? percent(subjectEnergy(f, row) / Math.max(subjectEnergy(f, full), 1)) : "–"}</td>
            <td>{there ? percent(referenceEnergy(f, row) / Math.max(referenceEnergy(f, full), 1)) : "–"}</td>
            <td />
          </tr>}
        </tbody>
      </table>
      <p class="buttons">
        <Copy text={label} host={host} say={say}>Copy name</Copy>
        {host.open && made.length === 0 && here && rows.kind[row] === Kind.App && (
          <button type="button" class="small" onClick={() => host.open!(label, "", 0)}>Open source</button>
        )}
      </p>
      {made.length > 0 && (
        <>
          <h3>Made from</h3>
          <ul class="sources">
            {made.map((m) => (
              <li key={`${m.method} ${m.line}`}>
                <span class="method" title={m.method}>{nameOf(m.method).short}</span>
                <span class="dim">
                  {[m.file && (m.line ? `${m.file}:${m.line}` : m.file), m.calls > 0 && count(m.calls, "call")].filter(Boolean).join(", ")}
                </span>
                {host.open ? (
                  <button type="button" class="small" onClick={() => host.open!(m.method, m.file, m.line)}>Open source</button>
                ) : (
                  <Copy text={m.method} host={host} say={say}>Copy name</Copy>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

const perCallOf = (nj: number, calls: number) => (calls > 0 ? nj / calls : 0);
