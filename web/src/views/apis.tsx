// The costs of an app's calls into the framework: Figures 3 to 6 of Orka (GREENS 2016), the called
// methods, and the calls without a cost.

import type { ComponentChildren } from "preact";
import { charge, lasting, whyMissing, type ApiCosts, type BatteryUse, type EnergyProfile } from "../energy";
import { nameOf } from "../names";
import { amount, count, energy, grouped, percent, type Unit } from "../units";
import { unitOf, type Props } from "./parts";

/** firstRows is the number of rows shown of each list. firstParts is the number of coloured parts of a bar of shares. */
const firstRows = 15;
const firstParts = 7;

export function Apis({ s, profile, costs }: Props & { profile: EnergyProfile; costs: ApiCosts }) {
  const unit = unitOf(s);
  const { battery, activities = [], batteryUse } = profile;
  const whole = costs.costedNJ;
  const guessed = s.single!.input.energyNJ - whole;
  const sums = costs.runs > 1 ? ` The tables add up ${costs.runs} runs.` : "";
  return (
    <section class="summary energy apis">
      <div class="card">
        <h2>{energy(whole, unit)}{guessed > 0 && <span class="dim">{`, and guesses of ${energy(guessed, unit)}`}</span>}</h2>
        <p>{`${costs.shareMessage}.`}{guessed > 0 && " Shares are parts of the costs without guesses."}{battery && ` ${percent(battery.share)} of a full battery.`}</p>
        <p class="dim">{costs.disclaimer + sums}</p>
        {activities.length > 0 && (
          <Bars caption="The run uses as much energy as" heads={["activity", "time"]} rows={activities.map((a) => ({ name: a.name, part: a.minutes, cells: [lasting(a.minutes)] }))} />
        )}
      </div>
      <div class="card">
        <h2>App methods, by average cost of a call</h2>
        <Bars caption={`Average energy in ${unit.name}`} heads={["method", "average", "calls", "all", "share", ...(guessed > 0 ? ["guess"] : [])]} wide={2} more={costs.allRoutines} of="method"
          rows={costs.routines.map((r) => ({
            ...named(r.method), part: r.averageNJ,
            cells: [amount(r.averageNJ, unit), r.calls > 0 ? grouped(r.calls) : "–", amount(r.energyNJ, unit), percent(r.share), ...(guessed > 0 ? [r.guessNJ > 0 ? amount(r.guessNJ, unit) : "–"] : [])],
          }))} />
      </div>
      <Shares title="Share of each method" parts={[...costs.routines].sort((a, b) => b.energyNJ - a.energyNJ).map((r) => ({ ...named(r.method), share: r.share, text: amount(r.energyNJ, unit) }))} unit={unit.name} />
      <div class="card">
        <h2>Called APIs</h2>
        <Bars caption={`Energy in ${unit.name}`} heads={["API", "all", "share", "calls", "a call"]} more={costs.allAPIs} of="API"
          rows={costs.apis.map((a) => ({ ...named(a.method), part: a.energyNJ, cells: [amount(a.energyNJ, unit), percent(a.share), grouped(a.calls), amount(a.eachNJ, unit)] }))} />
      </div>
      {costs.missing.length > 0 && <Missing costs={costs} unit={unit} />}
      {batteryUse && <Battery use={batteryUse} legend={costs.batteryLegend} />}
    </section>
  );
}

/** named is the name of a method, with its label for the tip. */
const named = (label: string) => ({ name: nameOf(label).short, title: label });

interface Row {
  name: string;
  title?: string;
  /** the length of the bar, relative to the largest one */
  part: number;
  cells: string[];
}

/** Bars is a table with a bar in each row. more is the number of all rows. wide is the cell that narrow windows hide. */
function Bars({ caption, heads, rows, wide = -1, more = rows.length, of = "row" }: { caption: string; heads: string[]; rows: Row[]; wide?: number; more?: number; of?: string }) {
  const shown = rows.slice(0, firstRows);
  const most = Math.max(...shown.map((r) => r.part), 1e-12);
  return (
    <>
      <p class="dim">{caption}</p>
      <div class="scroller">
        <table class="parts costs">
          <thead><tr><th scope="col">{heads[0]}</th><th scope="col" class="wide"><span class="offscreen">bar</span></th>{heads.slice(1).map((h, k) => <th scope="col" key={h} class={k === wide ? "wide" : undefined}>{h}</th>)}</tr></thead>
          <tbody>
            {shown.map((r, i) => (
              <tr key={i}>
                <th scope="row" title={r.title}>{r.name}</th>
                <td class="bars wide"><span class="pieces" aria-hidden="true">{r.part > 0 && <span class="c1" style={{ width: `${((100 * r.part) / most).toFixed(2)}%` }} />}</span></td>
                {r.cells.map((c, k) => <td key={k} class={k === wide ? "wide" : undefined}>{c}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > shown.length && <p class="dim">{`${count(more - shown.length, of)} more. --format json has all.`}</p>}
    </>
  );
}

interface Part {
  name: string;
  title?: string;
  share: number;
  text: string;
}

/** Shares is one bar that is divided by share, with a key. */
function Shares({ title, parts, unit, children }: { title: string; parts: Part[]; unit: string; children?: ComponentChildren }) {
  const used = parts.filter((p) => p.share > 0);
  const first = used.slice(0, used.length > firstParts + 1 ? firstParts : used.length);
  const left = used.slice(first.length);
  const rest = left.reduce((sum, p) => sum + p.share, 0);
  const shown = left.length > 0 ? [...first, { name: `${left.length} others`, share: rest, text: "" }] : first;
  if (shown.length === 0) return null;
  return (
    <div class="card">
      <h2>{title}</h2>
      {children}
      <span class="pieces" aria-hidden="true">
        {shown.map((p, i) => <span key={i} class={`c${i % 8}`} style={{ width: `${(100 * p.share).toFixed(3)}%` }} />)}
      </span>
      <div class="scroller">
        <table class="components costs">
          <thead><tr><th scope="col"><span class="offscreen">name</span></th><th scope="col">share</th><th scope="col">{unit}</th></tr></thead>
          <tbody>
            {shown.map((p, i) => (
              <tr key={i}><th scope="row" title={"title" in p ? p.title : undefined}><i class={`swatch c${i % 8}`} aria-hidden="true" />{p.name}</th><td>{percent(p.share)}</td><td>{p.text}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Missing lists the calls that the table has no cost for. */
function Missing({ costs, unit }: { costs: ApiCosts; unit: Unit }) {
  const shown = costs.missing.slice(0, firstRows);
  const guessed = costs.missing.some((m) => m.guessNJ > 0);
  return (
    <div class="card">
      <h2>Calls without a cost</h2>
      <div class="scroller">
        <table class="costs">
          <thead><tr><th scope="col">API</th><th scope="col">calls</th><th scope="col" class="text">why</th>{guessed && <th scope="col">{`guess, ${unit.name}`}</th>}</tr></thead>
          <tbody>
            {shown.map((m) => (
              <tr key={m.method}><th scope="row" title={m.method}>{nameOf(m.method).short}</th><td>{grouped(m.calls)}</td><td class="text">{whyMissing(m.reason)}</td>{guessed && <td>{m.guessNJ > 0 ? amount(m.guessNJ, unit) : "–"}</td>}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {costs.allMissing > shown.length && <p class="dim">{`${count(costs.allMissing - shown.length, "API")} more. --format json has all.`}</p>}
    </div>
  );
}

/** Battery has Android's own estimate, which is not part of the costs. */
function Battery({ use, legend }: { use: BatteryUse; legend: string }) {
  return (
    <>
      <Shares title="Android’s estimate of the whole phone, by component" unit="mAh" parts={use.components.map((c) => ({ name: c.name, share: c.share, text: charge(c.chargeNAh) }))}>
        <p class="dim">{legend}</p>
        {use.notes.length > 0 && <ul class="notes">{use.notes.map((n) => <li key={n.message}>{n.message}</li>)}</ul>}
      </Shares>
      <div class="card">
        <h2>Android’s estimate, by uid</h2>
        <Bars caption="Charge in mAh" heads={["uid", "mAh", "share"]} rows={use.users.map((u) => ({ name: `${u.uid} ${u.package}`.trim(), part: u.chargeNAh, cells: [charge(u.chargeNAh), percent(u.share)] }))} of="uid" />
      </div>
    </>
  );
}
