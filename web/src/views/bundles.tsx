// The active periods of components: the calls that caused each power state, the code that ran
// during them, and the energy in tails.

import { useState } from "preact/hooks";
import { byMethod, componentName, type Bundle, type Bundles, type BundleState } from "../energy";
import type { Component } from "../model";
import { nameOf } from "../names";
import { amount, count, duration, energy, percent, type Unit } from "../units";

/** firstBundles is the number of bundles drawn at first. Of these, bundles with less than leastShare of the run's energy are omitted, except the first. */
const firstBundles = 6;
const leastShare = 0.005;

export function BundleList({ bundles, run, unit }: { bundles: Bundles; run: Component[]; unit: Unit }) {
  const [all, showAll] = useState(false);
  const shown = all ? bundles.list : bundles.list.slice(0, firstBundles).filter((b, i) => i === 0 || b.share >= leastShare);
  return (
    <div class="card bundles">
      <h2>Active periods of each component</h2>
      <p class="dim">{`Each lasts from idle to idle. Periods that the same calls caused are grouped. Together they use ${energy(bundles.energyNJ, unit)}, ${percent(bundles.share)} of the run.`}</p>
      {bundles.findings.length > 0 && (
        <ul class="notes">
          {bundles.findings.map((f) => (
            <li key={f.id}>{f.message}{f.savingNJ > 0 && <b>{` ${percent(f.savingShare)} of the run is ${energy(f.savingNJ, unit)}.`}</b>}</li>
          ))}
        </ul>
      )}
      {shown.map((b, i) => <Drawn key={i} bundle={b} colour={`c${Math.max(0, run.findIndex((c) => c.name === b.component)) % 8}`} unit={unit} />)}
      {shown.length < bundles.list.length && <p class="buttons"><button type="button" onClick={() => showAll(true)}>{`Show ${bundles.list.length - shown.length} more`}</button></p>}
    </div>
  );
}

/** Drawn shows a bundle as a state machine: the states of the active period, in the model's order. */
function Drawn({ bundle: b, colour, unit }: { bundle: Bundle; colour: string; unit: Unit }) {
  const title = `${componentName(b.component)}${b.count > 1 ? `, ${b.count} times` : ""}: ${energy(b.energyNJ, unit)}, ${percent(b.share)}`;
  const states = b.states.filter((s) => s.visits > 0 || s.energyNJ > 0);
  return (
    <section class="bundle">
      <h3><i class={`swatch ${colour}`} aria-hidden="true" />{title}</h3>
      <p class="dim">
        {`${b.count > 1 ? "the first " : ""}from ${duration(b.beginNS)} on, for ${duration(b.timeNS)}${b.count > 1 ? " in all" : ""}; tail ${percent(b.tailNJ / Math.max(b.energyNJ, 1))}`}
        {b.togetherNJ !== null && b.togetherNJ < b.energyNJ && `; batched, these operations would use ${energy(b.togetherNJ, unit)}`}
      </p>
      <ol class="machine" aria-label="States of the machine">
        <li class="rest">idle</li>
        {states.map((s) => <State key={s.name} state={s} bundle={b} colour={colour} unit={unit} />)}
        <li class="rest">idle</li>
      </ol>
      {b.waits > 0 && <p class="dim">{`↶ ${count(b.waits, "operation")} cut a tail short, after ${duration(b.waitedNS)} of waiting in all.`}</p>}
      {b.whyMany && <p>{sentence(b.whyMany)}</p>}
      {b.whyLong && <p>{sentence(b.whyLong)}</p>}
    </section>
  );
}

const sentence = (text: string) => text.replace(/^./, (first) => first.toUpperCase());

const mostDrivers = 3;

function State({ state: s, bundle, colour, unit }: { state: BundleState; bundle: Bundle; colour: string; unit: Unit }) {
  const all = byMethod(s.drivers);
  const drivers = all.slice(0, mostDrivers);
  return (
    <li class={`${colour} ${s.kind}`}>
      <b>{s.name}</b>
      <span>{`${amount(s.energyNJ, unit)} ${unit.name}, ${percent(s.energyNJ / Math.max(bundle.energyNJ, 1))}`}</span>
      <span class="dim">{`${count(s.visits, "visit")}, ${duration(s.timeNS)}`}</span>
      {drivers.map((d, i) => (
        <span key={i} class="driver" title={d.paths.map((path) => path.map((p) => nameOf(p).short).join(" › ")).join("\n")}>
          {d.method ? nameOf(d.method).short : "no known call"}
          {d.asked && <span class="dim">{` ${d.asked}`}</span>}
        </span>
      ))}
      {all.length > drivers.length && <span class="dim">{`${all.length - drivers.length} more`}</span>}
      {s.routines.length > 0 && <span class="dim">{`meanwhile ran ${s.routines.map((r) => `${nameOf(r.method).short} (${duration(r.timeNS)})`).join(", ")}`}</span>}
    </li>
  );
}
