// A table of the energy of parts of the two runs, with bars.

import { useMemo, useState } from "preact/hooks";
import { amount, change, count, type Unit } from "../units";
import { Bar, broken } from "./parts";
import { usePrinting } from "./window";

/** A SidePart is a part of both runs, such as a package. */
export interface SidePart {
  name: string;
  /** a word after the name; may be empty */
  note: string;
  subjectNJ: number;
  referenceNJ: number;
}

/** shown is the number of parts listed at first. One more line has the sum of the others, so that the lines add up to the totals. */
const shown = 12;

/** Sides lists the parts of both runs. They add up to the energy of the runs. */
export function Sides({ parts, one, unit }: { parts: SidePart[]; one: string; unit: Unit }) {
  const [all, showAll] = useState(false);
  const printing = usePrinting();
  const rest = parts.length - shown;
  const list = useMemo(() => {
    const rest = parts.slice(shown);
    if (rest.length < 2 || all || printing) return parts;
    return [...parts.slice(0, shown), { name: count(rest.length, `more ${one}`), note: "", ...sum(rest) }];
  }, [parts, all, printing]);
  const most = list.reduce((max, p) => Math.max(max, p.subjectNJ, p.referenceNJ), 1);
  const total = sum(parts);
  const table = (
    <table class="sides">
      <thead>
        <tr>
          <th scope="col">{one[0].toUpperCase() + one.slice(1)}</th>
          <th scope="col"><span class="offscreen">Bars</span></th>
          <th scope="col">here</th>
          <th scope="col">there</th>
          <th scope="col">{`difference, ${unit.name}`}</th>
        </tr>
      </thead>
      <tbody>
        {list.map((p, i) => (
          <tr key={i}>
            <th scope="row">{broken(p.name)}{p.note && <span class="dim">{` ${p.note}`}</span>}</th>
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
          <td>{amount(total.subjectNJ, unit)}</td>
          <td>{amount(total.referenceNJ, unit)}</td>
          <td>{change(total.subjectNJ - total.referenceNJ, unit)}</td>
        </tr>
      </tfoot>
    </table>
  );
  return (
    <>
      {table}
      {rest > 1 && <p class="buttons"><button type="button" class="small" onClick={() => showAll(!all)}>{all ? "Show the first" : `Show ${count(rest, `more ${one}`)}`}</button></p>}
    </>
  );
}

function sum(parts: SidePart[]): { subjectNJ: number; referenceNJ: number } {
  return parts.reduce(
    (s, p) => ({ subjectNJ: s.subjectNJ + p.subjectNJ, referenceNJ: s.referenceNJ + p.referenceNJ }),
    { subjectNJ: 0, referenceNJ: 0 },
  );
}
