// The inputs, the matched share, and the energy by part.

import { useMemo } from "preact/hooks";
import type { Coverage, Input, Note, Report } from "../model";
import type { Single } from "../state";
import { threadName, untold } from "../tasks";
import { amount, change, count, duration, energy, grouped, Noun, percent, rounded, type Unit } from "../units";
import { sentences } from "../headline";
import { Sentences } from "./headline";
import { Copy, unitOf, type Props } from "./parts";
import { Sides } from "./sides";

export function Summary(props: Props) {
  const { s, host, say } = props;
  const report = s.report!;
  const unit = unitOf(s);
  const packages = useMemo(
    () => report.packages.map((p) => ({ ...p, name: p.name || "(no package)", note: p.class === "app" ? "app" : "" })),
    [report],
  );
  const threads = useMemo(() => report.threads.map((t) => ({ ...t, name: threadName(t.name), note: "" })), [report]);
  return (
    <section class="summary">
      <div class="sentences" aria-label="In short"><Sentences list={sentences(s, unit)} /></div>
      <Parts report={report} unit={unit} />
      <div class="cards">
        <Totals report={report} unit={unit} />
        <Match report={report} />
      </div>
      <Notes report={report} />
      <div class="card">
        <h2>{Noun(unit)} by package</h2>
        <p class="dim">The energy that the methods of a package use by themselves, without callees.</p>
        <Sides parts={packages} one="package" unit={unit} />
      </div>
      {report.threads.some((t) => t.name) && (
        <div class="card">
          <h2>{Noun(unit)} by thread</h2>
          <p class="dim">Threads of both runs are paired by name.</p>
          <Sides parts={threads} one="thread" unit={unit} />
        </div>
      )}
      <Inputs inputs={[report.subject, report.reference]} unit={unit} />
      <p class="buttons">
        <Copy text={JSON.stringify(report, null, 2)} host={host} say={say}>Copy the report as JSON</Copy>
      </p>
      <p class="dim">{`Written by ${report.tool.name} ${report.tool.version}.`}</p>
    </section>
  );
}

function Totals({ report, unit }: { report: Report; unit: Unit }) {
  const { summary, subject, reference } = report;
  const total = Math.max(subject.energyNJ, 1);
  const there = summary.reference;
  const totalThere = Math.max(reference.energyNJ, 1);
  const parts = [
    { name: `${count(summary.unmatched, "task")} not matched`, nj: summary.unmatchedNJ, there: 0, class: "only" },
    { name: `${count(there.unmatched, "task")} not matched there`, nj: 0, there: there.unmatchedNJ, class: "none" },
    { name: `${count(summary.matched, "task")} matched`, nj: summary.matchedNJ, there: there.matchedNJ, class: "both" },
    { name: "outside tasks", nj: summary.outsideTasksNJ, there: there.outsideTasksNJ, class: "outside" },
  ];
  const note = rounded(parts.map((p) => p.nj), subject.energyNJ);
  const outside = (
    [["your code", "appCodeNJ"], [untold(report) ? "code of unknown owner" : "the system's own work", "systemNJ"], ["waiting", "waitingNJ"], ["recording the run", "recorderNJ"], ["outside any method", "toplevelNJ"]] as const
  ).map(([name, key]) => ({ name, nj: summary.outside[key], there: there.outside[key] })).filter((p) => p.nj > 0 || p.there > 0);
  return (
    <div class="card">
      <h2>{Noun(unit)} by part</h2>
      <div class="stack" aria-hidden="true">
        {parts.filter((p) => p.class !== "none").map((p) => <span key={p.class} class={p.class} style={{ width: `${(p.nj / total) * 100}%` }} />)}
      </div>
      <table class="went">
        <thead><tr><th scope="col"><span class="offscreen">Part</span></th><th scope="col">{unit.name} here</th><th scope="col">share</th><th scope="col">there</th><th scope="col" class="wide">share</th></tr></thead>
        <tbody>
          {parts.map((p) => (
            <tr key={p.name}>
              <th scope="row"><i class={`swatch ${p.class}`} aria-hidden="true" />{p.name}</th>
              <td>{amount(p.nj, unit)}</td>
              <td>{percent(p.nj / total)}</td>
              <td>{amount(p.there, unit)}</td>
              <td class="wide">{percent(p.there / totalThere)}</td>
            </tr>
          ))}
          {outside.map((p) => (
            <tr key={p.name} class="dim part">
              <th scope="row">{p.name}</th>
              <td>{amount(p.nj, unit)}</td>
              <td>{percent(p.nj / total)}</td>
              <td>{amount(p.there, unit)}</td>
              <td class="wide">{percent(p.there / totalThere)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">total{note && <span class="dim">{`, ${note}`}</span>}</th>
            <td>{amount(subject.energyNJ, unit)}</td>
            <td>{percent(subject.energyNJ / total)}</td>
            <td>{amount(reference.energyNJ, unit)}</td>
            <td class="wide">{percent(reference.energyNJ / totalThere)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="dim">No energy is counted twice: the energy of a task inside another belongs to the inner one.</p>
    </div>
  );
}

/** Parts is the difference of the runs by part. */
function Parts({ report: { judgement, subject, reference }, unit }: { report: Report; unit: Unit }) {
  const { parts } = judgement.headline;
  const largest = parts.reduce((most, p) => Math.max(most, Math.abs(p.differenceNJ)), 1);
  if (parts.length === 0) return null;
  return (
    <div class="card">
      <h2>Difference by part</h2>
      <table class="parts">
        <thead>
          <tr><th scope="col"><span class="offscreen">Part</span></th><th scope="col">{unit.name} here</th><th scope="col">there</th><th scope="col" class="wide bars"><span class="offscreen">Less or more</span></th><th scope="col">difference</th></tr>
        </thead>
        <tbody>
          {parts.map((p) => (
            <tr key={p.code}>
              <th scope="row">{p.name}</th>
              <td>{amount(p.subjectNJ, unit)}</td>
              <td>{amount(p.referenceNJ, unit)}</td>
              <td class="wide bars"><Balance of={p.differenceNJ / largest} /></td>
              <td>{change(p.differenceNJ, unit)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">total</th>
            <td>{amount(subject.energyNJ, unit)}</td>
            <td>{amount(reference.energyNJ, unit)}</td>
            <td class="wide bars" />
            <td>{change(subject.energyNJ - reference.energyNJ, unit)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Balance shows a difference as a bar. It points to the right if the subject uses more, and else to the left. */
const Balance = ({ of }: { of: number }) => (
  <span class="track balance" aria-hidden="true">
    <span class={`bar ${of < 0 ? "there" : "here"}`} style={{ width: `${(Math.abs(of) * 50).toFixed(2)}%`, marginLeft: `${(50 + Math.min(of, 0) * 50).toFixed(2)}%` }} />
  </span>
);

function Match({ report: { alpha, matching, summary, subject, reference } }: { report: Report }) {
  const rule = typeof alpha.requested === "string" ? `, set by --alpha ${alpha.requested}` : "";
  return (
    <div class="card">
      <h2>How much is matched</h2>
      <p>{`${summary.message}. α\u00a0=\u00a0${alpha.used}${rule}: the call paths of a matched pair differ by at most α steps.`}</p>
      <Alphas list={alpha.coverage} used={alpha.used} />
      <p class="dim">
        {`${count(matching.pairs, "pair")} of calling contexts, ${grouped(matching.size)} of them with equal methods, from ${grouped(subject.treeNodes)} contexts here and ${grouped(reference.treeNodes)} there.`}
      </p>
    </div>
  );
}

/** Alphas is the matched share for each α. */
function Alphas({ list, used }: { list: Coverage[]; used: number }) {
  return (
    <table class="alphas">
      <caption class="offscreen">Matched share at each α</caption>
      <thead>
        <tr><th scope="col">α</th><th scope="col" colSpan={2}>of the tasks</th><th scope="col" colSpan={2}>of the energy</th></tr>
      </thead>
      <tbody>
        {list.map((c) => (
          <tr key={c.alpha} class={c.alpha === used ? "used" : ""}>
            <th scope="row">{c.alpha}{c.alpha === used && <span class="dim"> used</span>}</th>
            <td class="bars"><Share of={c.matchedShare} /></td>
            <td>{percent(c.matchedShare)}</td>
            <td class="bars"><Share of={c.matchedEnergyShare} /></td>
            <td>{percent(c.matchedEnergyShare)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Share = ({ of }: { of: number }) => (
  <span class="track" aria-hidden="true"><span class="bar share" style={{ width: `${(of * 100).toFixed(2)}%` }} /></span>
);

/** OneRun is the summary of a single run. */
export function OneRun({ s, host, say, single }: Props & { single: Single }) {
  return (
    <section class="summary">
      <Inputs inputs={[single.input]} unit={unitOf(s)} />
      <NoteList title="Warnings" notes={single.warnings} none="" />
      <p class="dim">{single.stage === "raw" ? "The tree is unchanged from the recording." : "The tree is prepared for comparisons: methods of the app are merged into the callback that called them (*.onClick)."}</p>
      <p class="buttons"><Copy text={inputText(single)} host={host} say={say}>Copy the properties as JSON</Copy></p>
      <p class="dim">{`Written by ${single.tool.name} ${single.tool.version}.`}</p>
    </section>
  );
}

const inputText = ({ input, warnings }: Single) => JSON.stringify({ input, warnings }, null, 2);

function Inputs({ inputs, unit }: { inputs: Input[]; unit: Unit }) {
  const rows: [string, (i: Input) => string][] = [
    ["File", (i) => i.path],
    ["Energy", (i) => energy(i.energyNJ, unit)],
    ["Source of the figures", (i) => i.energyFrom],
    ["Power", (i) => i.powerSource || "–"],
    ["Processor time", (i) => (i.cpuTimeNS ? duration(i.cpuTimeNS) : "–")],
    ["Length of the run", (i) => (i.wallTimeNS ? duration(i.wallTimeNS) : "–")],
    ["Recording", (i) => [i.format, i.vm === i.format ? "" : i.vm, i.technique === "unknown" ? "" : i.technique, i.clock === "none" ? "" : `${i.clock} clock`].filter(Boolean).join(", ")],
    ["Events", (i) => grouped(i.events)],
    ["Threads with events", (i) => (i.threads ? grouped(i.threads) : "–")],
    ["Methods", (i) => grouped(i.methods)],
    ["Calling contexts", (i) => `${grouped(i.cctNodes)}, ${grouped(i.treeNodes)} after preparation`],
  ];
  return (
    <div class="card">
      <h2>{inputs.length > 1 ? "The two runs" : "The run"}</h2>
      <table class="inputs">
        <thead>
          <tr>
            <th scope="col"><span class="offscreen">Property</span></th>
            {inputs.length > 1 ? (
              <>
                <th scope="col"><i class="dot here" aria-hidden="true" />Subject: here</th>
                <th scope="col"><i class="dot there" aria-hidden="true" />Reference: there</th>
              </>
            ) : <th scope="col">Value</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr key={name}><th scope="row">{name}</th>{inputs.map((input, i) => <td key={i}>{of(input)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Notes({ report }: { report: Report }) {
  return (
    <>
      <NoteList title="Differences in kind" notes={report.comparability} none="No problems found: the runs look comparable." />
      <NoteList title="Warnings" notes={report.warnings} none="" />
    </>
  );
}

/** NoteList lists notes. If there are none, it shows the text in the property none. */
export function NoteList({ title, notes, none }: { title: string; notes: Note[]; none: string }) {
  if (notes.length === 0 && !none) return null;
  return (
    <div class="card">
      <h2>{title}</h2>
      {notes.length === 0 ? <p class="dim">{none}</p> : (
        <ul class="notes">
          {notes.map((n, i) => <li key={i} class={n.severity ?? "warning"}>{n.message} <code>{n.code}</code></li>)}
        </ul>
      )}
    </div>
  );
}
