// What was compared, how well, and where the energy went.

import { useMemo } from "preact/hooks";
import type { Flask } from "../flask";
import type { Input, Report } from "../model";
import { byPackage } from "../packages";
import { runID } from "../state";
import { amount, change, count, duration, energy, grouped, percent, type Unit } from "../units";
import { useFlask } from "./flask";
import { Bar, Copy, unitOf, type Props } from "./parts";

const provenances: Record<string, string> = {
  given: "stated by the input",
  "cpu-time": "modelled from processor time",
  "wall-time": "modelled from elapsed time",
  none: "none",
};

export function Summary(props: Props) {
  const { s, host, say } = props;
  const report = s.report!;
  const unit = unitOf(s);
  useFlask(props, runID);
  const run = s.flasks.get(runID);
  return (
    <section class="summary">
      <div class="cards">
        <Totals report={report} unit={unit} />
        <Match report={report} />
      </div>
      <Inputs report={report} unit={unit} />
      <Notes report={report} />
      {run && "flask" in run && <Packages run={run.flask} unit={unit} />}
      <p class="buttons">
        <Copy text={JSON.stringify(report, null, 2)} host={host} say={say}>Copy the report as JSON</Copy>
      </p>
      <p class="dim">{`Written by ${report.tool.name} ${report.tool.version}.`}</p>
    </section>
  );
}

function Totals({ report: { summary, subject, reference }, unit }: { report: Report; unit: Unit }) {
  const total = Math.max(subject.energyNJ, 1);
  const parts = [
    { name: `${count(summary.unmatched, "task")} only here`, nj: summary.unmatchedNJ, class: "only" },
    { name: `${count(summary.matched, "task")} in both`, nj: summary.matchedNJ, class: "both" },
    { name: "outside of tasks", nj: summary.outsideTasksNJ, class: "outside" },
  ];
  return (
    <div class="card">
      <h2>Where the subject's energy went</h2>
      <div class="stack" aria-hidden="true">
        {parts.map((p) => <span key={p.class} class={p.class} style={{ width: `${(p.nj / total) * 100}%` }} />)}
      </div>
      <table>
        <thead><tr><th scope="col"><span class="offscreen">Part</span></th><th scope="col">{unit.name}</th><th scope="col">share</th></tr></thead>
        <tbody>
          {parts.map((p) => (
            <tr key={p.class}>
              <th scope="row"><i class={`swatch ${p.class}`} aria-hidden="true" /> {p.name}</th>
              <td>{amount(p.nj, unit)}</td>
              <td>{percent(p.nj / total)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr><th scope="row">total</th><td>{amount(subject.energyNJ, unit)}</td><td>{percent(subject.energyNJ / total)}</td></tr>
          <tr class="dim"><th scope="row">the reference's total</th><td>{amount(reference.energyNJ, unit)}</td><td /></tr>
        </tfoot>
      </table>
      <p class="dim">Each part counts once: energy of a task inside another belongs to the inner one.</p>
    </div>
  );
}

function Match({ report: { alpha, matching, summary, subject, reference } }: { report: Report }) {
  const share = summary.tasks > 0 ? summary.matched / summary.tasks : 0;
  return (
    <div class="card">
      <h2>How well they match</h2>
      <dl>
        <div><dt>Tasks matched</dt><dd>{`${grouped(summary.matched)} of ${grouped(summary.tasks)} (${percent(share)})`}</dd></div>
        <div><dt>Their share of the energy</dt><dd>{percent(summary.matchedEnergyShare)}</dd></div>
        <div>
          <dt>α, how far the call paths of a pair may differ</dt>
          <dd>{`${alpha.used} (${alpha.requested !== "auto" ? "as asked" : share >= 0.2 ? "the least that matches a fifth of the tasks" : "the largest that is tried; less than a fifth of the tasks match"})`}</dd>
        </div>
        <div><dt>Pairs of tree nodes</dt><dd>{`${grouped(matching.pairs)}, ${grouped(matching.size)} of them with equal methods`}</dd></div>
        <div><dt>Tree nodes</dt><dd>{`${grouped(subject.treeNodes)} here, ${grouped(reference.treeNodes)} there`}</dd></div>
      </dl>
    </div>
  );
}

function Inputs({ report: { subject, reference }, unit }: { report: Report; unit: Unit }) {
  const rows: [string, (i: Input) => string][] = [
    ["File", (i) => i.path],
    ["Energy", (i) => energy(i.energyNJ, unit)],
    ["Where the energy comes from", (i) => provenances[i.provenance] ?? i.provenance],
    ["Power", (i) => i.powerSource || "–"],
    ["Processor time", (i) => (i.cpuTimeNS ? duration(i.cpuTimeNS) : "–")],
    ["Length of the run", (i) => (i.wallTimeNS ? duration(i.wallTimeNS) : "–")],
    ["Recording", (i) => [i.format, i.vm === i.format ? "" : i.vm, i.technique === "unknown" ? "" : i.technique, i.clock === "none" ? "" : `${i.clock} clock`].filter(Boolean).join(", ")],
    ["Events", (i) => grouped(i.events)],
    ["Threads with events", (i) => grouped(i.threads)],
    ["Methods", (i) => grouped(i.methods)],
    ["Calling contexts", (i) => `${grouped(i.cctNodes)}, ${grouped(i.treeNodes)} once prepared`],
  ];
  return (
    <div class="card">
      <h2>The two runs</h2>
      <table class="inputs">
        <thead>
          <tr>
            <th scope="col"><span class="offscreen">Property</span></th>
            <th scope="col"><i class="dot here" aria-hidden="true" />Subject: here</th>
            <th scope="col"><i class="dot there" aria-hidden="true" />Reference: there</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr key={name}><th scope="row">{name}</th><td>{of(subject)}</td><td>{of(reference)}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Notes({ report }: { report: Report }) {
  const lists = [
    { title: "What makes the two unlike", notes: report.comparability, none: "Nothing that was noticed makes the two runs unlike." },
    { title: "Warnings", notes: report.warnings, none: "" },
  ];
  return (
    <>
      {lists.map(({ title, notes, none }) => notes.length > 0 || none ? (
        <div class="card" key={title}>
          <h2>{title}</h2>
          {notes.length === 0 ? <p class="dim">{none}</p> : (
            <ul class="notes">
              {notes.map((n, i) => <li key={i} class={n.severity ?? "warning"}>{n.message} <code>{n.code}</code></li>)}
            </ul>
          )}
        </div>
      ) : null)}
    </>
  );
}

/** packagesShown keeps the table to what one reads; the rest is one line, so that the sums stay whole. */
const packagesShown = 15;

function Packages({ run, unit }: { run: Flask; unit: Unit }) {
  const list = useMemo(() => {
    const all = byPackage(run);
    const rest = all.slice(packagesShown);
    if (rest.length < 2) return all;
    return [...all.slice(0, packagesShown), rest.reduce(
      (sum, p) => ({ ...sum, subjectNJ: sum.subjectNJ + p.subjectNJ, referenceNJ: sum.referenceNJ + p.referenceNJ }),
      { package: count(rest.length, "more package"), subjectNJ: 0, referenceNJ: 0 },
    )];
  }, [run]);
  const most = list.reduce((max, p) => Math.max(max, p.subjectNJ, p.referenceNJ), 1);
  const sum = (of: "subjectNJ" | "referenceNJ") => list.reduce((n, p) => n + p[of], 0);
  return (
    <div class="card">
      <h2>Energy by package</h2>
      <p class="dim">What the methods of a package drained by themselves, without what they call.</p>
      <table class="packages">
        <thead>
          <tr><th scope="col">Package</th><th scope="col"><span class="offscreen">Bars</span></th><th scope="col">here</th><th scope="col">there</th><th scope="col">{`difference, ${unit.name}`}</th></tr>
        </thead>
        <tbody>
          {list.map((p) => (
            <tr key={p.package}>
              <th scope="row">{p.package}</th>
              <td class="bars"><Bar of="here" share={p.subjectNJ / most} /><Bar of="there" share={p.referenceNJ / most} /></td>
              <td>{amount(p.subjectNJ, unit)}</td>
              <td>{amount(p.referenceNJ, unit)}</td>
              <td>{change(p.subjectNJ - p.referenceNJ, unit)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">total</th><td />
            <td>{amount(sum("subjectNJ"), unit)}</td>
            <td>{amount(sum("referenceNJ"), unit)}</td>
            <td>{change(sum("subjectNJ") - sum("referenceNJ"), unit)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
