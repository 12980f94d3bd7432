// Small parts that several views share.

import { Fragment, type ComponentChildren, type VNode } from "preact";
import type { Action, State } from "../state";
import type { Host } from "../host";
import { halves } from "../names";
import { verdicts, type Verdict } from "../tasks";
import { unitFor, unitsAt, type Unit } from "../units";

/** Props are what every view gets. */
export interface Props {
  s: State;
  send: (action: Action) => void;
  host: Host;
  /** say tells the reader something in passing, aloud too. */
  say: (text: string) => void;
}

/** unitOf is the unit of all figures of a report: they compare at a glance. */
export function unitOf(s: State): Unit {
  return unitsAt(s.volts).find((u) => u.name === s.unit) ?? unitFor(s.report?.subject.energyNJ ?? 0);
}

/** Mark shows a verdict by shape and colour, and by name to those who listen. */
export function Mark({ verdict }: { verdict: Verdict }) {
  const v = verdicts.find((x) => x.verdict === verdict)!;
  return (
    <span class={`mark ${verdict}`} title={`${v.name}: ${v.meaning}`}>
      <span aria-hidden="true">{v.glyph}</span>
      <span class="offscreen">{v.name}</span>
    </span>
  );
}

/** Method shows a label's short name and what tells it apart, the whole of it on hover. Where room is scarce its class is cut, not the method. */
export function Method({ label, more }: { label: string; more?: string }) {
  const [type, rest] = halves(label);
  // Of three letters there is nothing to cut: that of callbacks is one.
  const apart = type.length > 3;
  return (
    <span class="method" title={label}>
      {apart && <span class="class">{type}</span>}
      <span class="name">{apart ? rest : type + rest}</span>
      {more && <span class="apart dim">{more}</span>}
    </span>
  );
}

/** Label shows the whole of a label, broken between its parts. */
export const Label = ({ label }: { label: string }) => <code>{broken(label)}</code>;

/** broken lets a name break between its parts and, as camels do, its words. */
export function broken(name: string): VNode[] {
  return name.split(/(?<=[.;/($_])|(?<=[a-z\d])(?=[A-Z])/).map((part, i) => <Fragment key={i}>{part}<wbr /></Fragment>);
}

/** Bar shows an energy as a length; figures beside it say the same. */
export function Bar({ of, share }: { of: "here" | "there"; share: number }) {
  const width = share > 0 ? `max(2px, ${(Math.min(share, 1) * 100).toFixed(2)}%)` : "0";
  return (
    <span class="track" aria-hidden="true">
      <span class={`bar ${of}`} style={{ width }} />
    </span>
  );
}

/** Copy copies a text and says that it did. */
export function Copy({ text, host, say, children }: { text: string; children: ComponentChildren } & Pick<Props, "host" | "say">) {
  const copy = async () => say((await host.copy(text)) ? "Copied" : "The browser did not let it be copied");
  return (
    <button type="button" class="small" onClick={copy}>
      {children}
    </button>
  );
}

/** Empty says why there is nothing to see. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
