// The energy of each app of a group, and how many of its tasks other apps share: Figure 1 and
// Table 3 of DiffProf (OSDI 2018).

import { folded, type Group } from "../group";
import { amount, count, grouped, Noun, percent } from "../units";
import { Bar, unitOf, type Props } from "./parts";
import { FirstRankings } from "./ranking";
import { NoteList } from "./summary";

/** mostWith is the largest number of columns for shared tasks. */
const mostWith = 9;

export function Apps(props: Props & { group: Group }) {
  const { s, group } = props;
  const unit = unitOf(s);
  const most = group.apps.reduce((max, a) => Math.max(max, a.energyNJ), 1);
  const columns = Math.min(group.apps.length, mostWith);
  const heads = Array.from({ length: columns }, (_, k) => (k === 0 ? "no other" : k === columns - 1 && group.apps.length > columns ? `${k} or more` : count(k, "other")));
  return (
    <section class="groupview">
      <p class="dim">{s.about?.tasks}</p>
      <div class="wideTable" data-scrolls tabIndex={0} role="region" aria-label="Apps and their tasks">
        <table class="apps">
          <thead>
            <tr>
              <th scope="col" rowSpan={2} class="text">App</th>
              <th scope="col" rowSpan={2} class="bars"><span class="offscreen">Bars</span></th>
              <th scope="col" rowSpan={2}>{`${Noun(unit)}, ${unit.name}`}</th>
              <th scope="col" rowSpan={2}>Tasks</th>
              <th scope="colgroup" colSpan={columns} class="from">Tasks shared with other apps</th>
              <th scope="col" rowSpan={2} class="from">Unique</th>
              <th scope="colgroup" colSpan={columns} class="from">Shared, by equal call paths only</th>
            </tr>
            <tr>{[0, 1].map((k) => heads.map((head, i) => <th scope="col" key={`${k} ${i}`} class={i === 0 ? "from" : undefined}>{head}</th>))}</tr>
          </thead>
          <tbody>
            {group.apps.map((a, i) => (
              <tr key={i}>
                <th scope="row" title={a.path}>{a.name}{a.runs > 1 && <span class="dim">{` ${a.runs} runs`}</span>}</th>
                <td class="bars"><Bar of="there" share={a.energyNJ / most} /></td>
                <td>{amount(a.energyNJ, unit)}</td>
                <td>{grouped(a.tasks)}</td>
                {folded(a.with, columns).map((n, k) => <td key={`w${k}`} class={k === 0 ? "from" : undefined}>{grouped(n)}</td>)}
                <td class="from">{percent(a.uniqueShare)}</td>
                {folded(a.exactWith, columns).map((n, k) => <td key={`e${k}`} class={k === 0 ? "from" : undefined}>{grouped(n)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <FirstRankings {...props} />
      <p class="dim">{`${group.spread[0]!.toUpperCase()}${group.spread.slice(1)}. ${Noun(unit)} is ${group.energyFrom.join(", ")}.`}</p>
      <NoteList title="Notes" notes={group.notes} none="" />
      <NoteList title="Left out" notes={group.failures.map(({ message }) => ({ code: "failed", message }))} none="" />
    </section>
  );
}
