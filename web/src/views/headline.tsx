// What the report comes to, above the list of tasks.

import { fewMatched, figures, first, matched, nothing, spread, totals, unlike } from "../headline";
import { nameOf } from "../names";
import { change } from "../units";
import { named } from "../where";
import { openLine, unitOf, type Props } from "./parts";

export function Headline({ s, send }: Props) {
  const report = s.report!;
  const unit = unitOf(s);
  const begin = first(report);
  const why = unlike(report);
  const little = fewMatched(report);
  return (
    <section class="inshort" aria-label="In short">
      <p><b>{totals(report, unit)}</b> {nothing(report)}</p>
      {begin && (
        <p>
          <span class="begin">{!little ? "Begin with: " : begin.own ? "The dearest of the app's own: " : "The dearest: "}</span>
          <button type="button" class="inline" onClick={() => openLine(send, begin.line)}>{nameOf(begin.line.task.method).short}</button>
          {begin.own && (begin.line.code ? ` itself, in ${named(begin.own)}` : `, called by ${named(begin.own)}`)}
          {`: ${figures(begin.line, unit)}`}
          {!little && <>, <b>{`${change(begin.line.task.savingNJ, unit)} ${unit.name}`}</b></>}.
          {!begin.own && " No code of the app's own leads to it."}
        </p>
      )}
      <p class={little ? "doubt" : "dim"}>{matched(report)}</p>
      {report.spread && <p class="dim">{spread(report)}</p>}
      {report.fleet && <p class="doubt"><b>Fleet:</b> {`${report.fleet.message}.`}</p>}
      {why && <p class="doubt unlike"><b>The runs are unlike:</b> {why}.</p>}
    </section>
  );
}
