// The tasks that several apps share, ranked by energy, and the call trees of two of these apps
// side by side.

import { useMemo, useRef, useState } from "preact/hooks";
import { dutiesFor, rankingID, rankingOf, spent, type Duty, type Group, type Ranking, type User } from "../group";
import type { State } from "../state";
import { amount, count, energy, grouped, ratio, unitFor, type Unit } from "../units";
import { Trees, useFlask } from "./flask";
import { useKeys } from "./keys";
import { Bar, broken, Copy, Empty, unitOf, unitsOf, type Props } from "./parts";
import { printedRows, usePrinting } from "./window";

/** firstRows is the number of tasks drawn at first. firstUsers is the number of apps drawn per task. */
const firstRows = 200;
const firstUsers = 3;

/** Rankings lists the shared tasks, each with its apps in order. */
export function Rankings(props: Props & { group: Group }) {
  const { s, send, group } = props;
  const unit = unitOf(s);
  const list = useMemo(() => dutiesFor(group, s.filter.query), [group, s.filter.query]);
  const [all, showAll] = useState(false);
  const printing = usePrinting();
  const table = useRef<HTMLDivElement>(null);
  const shown = all ? list : list.slice(0, printing ? printedRows(40) : firstRows);
  const chosen = rankingOf(group, s.task)?.duty ?? 0;
  const open = (duty: number) => send({ type: "open", task: rankingID(costliest(group, duty)) });
  useKeys((e) => {
    const at = shown.indexOf(chosen);
    const page = Math.max(1, Math.floor(table.current!.clientHeight / 40) - 2);
    if (e.key === "Enter" && at >= 0) {
      open(chosen);
      return true;
    }
    const to: Record<string, number> = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 };
    if (to[e.key] === undefined || shown.length === 0) return false;
    const row = Math.min(Math.max(to[e.key]!, 0), shown.length - 1);
    send({ type: "choose", task: rankingID(costliest(group, shown[row]!)) });
    table.current!.querySelectorAll("tbody tr")[row]?.scrollIntoView({ block: "nearest" });
    return true;
  });
  if (group.duties.length === 0) return <Empty><p>{s.about?.none}</p></Empty>;
  return (
    <section class="groupview ranking">
      <p class="dim what">{s.about?.duties}</p>
      <div class="toolbar">
        <input type="search" aria-label="Search tasks and apps" placeholder="Search tasks and apps" value={s.filter.query} onInput={(e) => send({ type: "filter", change: { query: e.currentTarget.value } })} />
        <span class="dim" role="status">{list.length < group.duties.length ? `${grouped(list.length)} of ${count(group.duties.length, "task")}` : count(group.duties.length, "task")}</span>
      </div>
      <div class="scroller methods" ref={table} tabIndex={0} role="region" aria-label="Tasks, largest possible saving first">
        <table>
          <thead><tr><th scope="col" class="text">Task</th><th scope="col" class="text who">Apps, the cheapest first</th><th scope="col">{`Saving, ${unit.name}`}</th></tr></thead>
          <tbody>
            {shown.map((i) => <Row key={i} {...props} duty={i} chosen={i === chosen} unit={unit} open={open} />)}
          </tbody>
        </table>
        {shown.length < list.length && <p class="buttons"><button type="button" onClick={() => showAll(true)}>{`Show ${grouped(list.length - shown.length)} more`}</button></p>}
        {group.total > group.duties.length && <p class="dim">{`${count(group.total - group.duties.length, "task")} more: --top 0 shows all.`}</p>}
      </div>
    </section>
  );
}

function Row({ s, group, duty, chosen, unit, open }: Props & { group: Group; duty: number; chosen?: boolean; unit: Unit; open(duty: number): void }) {
  const d = group.duties[duty]!;
  return (
    <tr class={chosen ? "selected" : ""} onClick={() => open(duty)}>
      <th scope="row"><button type="button" class="pick" onClick={(e) => { e.stopPropagation(); open(duty); }}><span class="method" title={d.method}>{d.short}</span></button><span class="dim under">{d.under && ` from ${d.under}`}</span></th>
      <td class="text who">{order(group, d, unitFit(s, d))}</td>
      <td>{d.roomNJ > 0 ? amount(d.roomNJ, unit) : "–"}</td>
    </tr>
  );
}

/** firstDuties is the number of tasks below the table of apps. */
const firstDuties = 5;

/** FirstRankings lists the tasks with the largest possible saving, visible without a click. */
export function FirstRankings(props: Props & { group: Group }) {
  const { s, send, group } = props;
  const unit = unitOf(s);
  const first = group.duties.slice(0, firstDuties).map((_, i) => i).filter((i) => group.duties[i]!.roomNJ > 0);
  if (first.length === 0) return null;
  const open = (duty: number) => send({ type: "open", task: rankingID(costliest(group, duty)) });
  return (
    <div class="card ranking">
      <h2>Tasks that cost less in one app</h2>
      <table>
        <thead><tr><th scope="col" class="text">Task</th><th scope="col" class="text who">Apps, the cheapest first</th><th scope="col">{`Saving, ${unit.name}`}</th></tr></thead>
        <tbody>{first.map((i) => <Row key={i} {...props} duty={i} unit={unit} open={open} />)}</tbody>
      </table>
      {group.total > first.length && <p class="buttons"><button type="button" onClick={() => send({ type: "view", view: "ranking" })}>{`All ${grouped(group.total)}`}</button></p>}
    </div>
  );
}

/** costliest compares an app with the cheapest one: the costliest app with an evident difference, or else the costliest of all. */
function costliest(group: Group, duty: number): Ranking {
  const users = group.duties[duty]!.users;
  const evident = users.findLastIndex((u, i) => i > 0 && u.verdict !== "no evidence");
  return { duty, user: evident > 0 ? evident : users.length - 1 };
}

/** order writes the apps of a task, the cheapest first. If there are many, it replaces the middle ones by their number. */
function order(group: Group, d: Duty, unit: Unit): string {
  const one = (u: User) => `${group.apps[u.app]!.name} ${cost(d, u, unit)}${u.verdict === "no evidence" ? " (unclear)" : ""}`;
  const { users } = d;
  if (users.length <= firstUsers + 1) return users.map(one).join(" < ");
  return [...users.slice(0, firstUsers - 1).map(one), `${grouped(users.length - firstUsers)} more`, one(users.at(-1)!)].join(" < ");
}

/** unitFit is the unit that the reader chose, or else one that suits the energies of a task. */
function unitFit(s: State, d: Duty): Unit {
  const units = unitsOf(s);
  if (units.length === 1 || (s.unit && s.unit !== s.unitGiven)) return unitOf(s);
  return unitFor(d.users.reduce((most, u) => Math.max(most, spent(d, u)), 0));
}

/** cost writes an app's energy for a task: the energy per call and the number of calls, or the total. */
const cost = (d: Duty, u: User, unit: Unit): string => (d.perCall && u.calls ? `${energy(spent(d, u), unit)} × ${grouped(u.calls)}` : energy(u.energyNJ, unit));

/** SideBySide shows the call trees of an app and of the cheapest one side by side. */
export function SideBySide(props: Props & { group: Group }) {
  const { s, send, group } = props;
  const at = rankingOf(group, s.task);
  const id = at ? s.task : undefined;
  useFlask(props, id);
  const turn = (by: number) => at && group.duties[at.duty + by] && send({ type: "open", task: rankingID(costliest(group, at.duty + by)) });
  const app = (by: number) => at && group.duties[at.duty]!.users[at.user + by] && at.user + by > 0 && send({ type: "open", task: rankingID({ ...at, user: at.user + by }) });
  useKeys((e) => {
    const known: Record<string, () => unknown> = { Escape: () => send({ type: "view", view: "ranking" }), "[": () => turn(-1), "]": () => turn(1), "{": () => app(-1), "}": () => app(1) };
    known[e.key]?.();
    return known[e.key] !== undefined;
  });
  if (!at) {
    return (
      <Empty>
        <p role="alert">{group.duties.length === 0 ? s.about?.none : "This page does not list the task of the link."}</p>
        <button type="button" onClick={() => send({ type: "view", view: "ranking" })}>To the tasks</button>
      </Empty>
    );
  }
  const slot = s.flasks.get(s.task);
  return (
    <section class="flaskview">
      <Ranked {...props} at={at} turn={turn} />
      {!slot || "waiting" in slot ? <Empty><p role="status">Loading the call trees…</p></Empty> : "error" in slot ? <Missing {...props} at={at} /> : <Trees {...props} id={s.task} />}
    </section>
  );
}

/** Ranked names the task, and has a button for each app to compare with the cheapest one. */
function Ranked({ s, send, group, at, turn, compact }: Props & { group: Group; at: Ranking; turn: (by: number) => void }) {
  const d = group.duties[at.duty]!;
  const unit = unitFit(s, d);
  const [first, mine] = [d.users[0]!, d.users[at.user]!];
  const most = d.users.reduce((max, u) => Math.max(max, spent(d, u)), 1);
  const name = (u: User) => group.apps[u.app]!.name;
  return (
    <div class="lead">
      <div class="headline">
        <h2 title={d.method}>{broken(d.short)}</h2>
        {d.under && <span class="dim">{`from ${d.under}`}</span>}
        <span class="turn">
          <button type="button" class="small" disabled={at.duty === 0} title="Previous task ( [ )" aria-label="Previous" onClick={() => turn(-1)}>‹</button>
          <span class="dim">{`${grouped(at.duty + 1)} of ${grouped(group.duties.length)}`}</span>
          <button type="button" class="small" disabled={at.duty + 1 >= group.duties.length} title="Next task ( ] )" aria-label="Next" onClick={() => turn(1)}>›</button>
        </span>
      </div>
      <ol class={`ranked${compact ? " brief" : ""}`} aria-label="Apps, the cheapest first" data-scrolls>
        {d.users.map((u, i) => (
          <li key={u.app}>
            <button type="button" class="small" disabled={i === 0} aria-pressed={i === at.user} title={i === 0 ? "The cheapest app: all others are compared with it" : `Compare ${name(u)} with ${name(first)} ( { } )`} onClick={() => send({ type: "open", task: rankingID({ duty: at.duty, user: i }) })}>
              {i === 0 || i === at.user ? <i class={`dot ${i === 0 ? "there" : "here"}`} aria-hidden="true" /> : null}
              <span class="name">{name(u)}</span>
              <Bar of={i === 0 ? "there" : "here"} share={spent(d, u) / most} />
              <span class="figure">{cost(d, u, unit)}{u.verdict === "no evidence" && <span class="dim"> unclear</span>}</span>
            </button>
          </li>
        ))}
      </ol>
      {!compact && <p class="figures">{compared(d, name(mine), mine, name(first), first, unit)}</p>}
    </div>
  );
}

/** compared writes the energies of two apps for a task. */
function compared(d: Duty, name: string, mine: User, other: string, first: User, unit: Unit): string {
  const per = d.perCall ? " per call" : "";
  const times = spent(d, first) > 0 ? `, ${ratio(spent(d, mine), spent(d, first))}` : "";
  const sentence = `${name} uses ${energy(spent(d, mine), unit)}${per}, ${other} ${energy(spent(d, first), unit)}${times}.`;
  return mine.verdict === "no evidence" ? `${sentence} The runs do not show a difference.` : sentence;
}

/** Missing shows the command that compares two apps, because the page does not contain their call trees. */
function Missing({ host, say, group, at }: Props & { group: Group; at: Ranking }) {
  const { users } = group.duties[at.duty]!;
  const [mine, first] = [users[at.user]!, users[0]!];
  const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`);
  const command = `diffprof flask --task ${mine.task} ${quoted(group.apps[mine.app]!.path)} ${quoted(group.apps[first.app]!.path)}`;
  return (
    <Empty>
      <p role="alert">To stay small, this page has only the call trees of the first tasks. This command shows the ones of this task:</p>
      <p><code>{command}</code></p>
      <Copy text={command} host={host} say={say}>Copy the command</Copy>
    </Empty>
  );
}
