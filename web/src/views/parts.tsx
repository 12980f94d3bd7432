// Small components that several views share.

import { Fragment, type ComponentChildren, type VNode } from "preact";
import { inputsOf, type Action, type State } from "../state";
import type { Host } from "../host";
import { halves } from "../names";
import { verdicts, type Listed, type Verdict } from "../tasks";
import { unitFor, unitsAt, type Unit } from "../units";

/** Props are what every view gets. */
export interface Props {
  s: State;
  send: (action: Action) => void;
  host: Host;
  /** say shows the reader a short message, also to screen readers. */
  say: (text: string) => void;
  /** whether what stands around the drawing is folded */
  compact: boolean;
}

/** unitsOf are the units that a report's figures may be shown in. */
export function unitsOf(s: State): Unit[] {
  return unitsAt(s.volts, ...inputsOf(s));
}

/** unitOf is the unit of all figures of a report, so that they are easy to compare. */
export function unitOf(s: State): Unit {
  const units = unitsOf(s);
  return units.find((u) => u.name === s.unit) ?? (units.length === 1 ? units[0] : unitFor(inputsOf(s)[0]?.energyNJ ?? 0));
}

/** openLine opens what a line of the list is about. App code has no flask of its own: it is a part of the run. */
export function openLine(send: Props["send"], { task, code }: Listed): void {
  send({ type: "cursor", line: task.id });
  send(code ? { type: "locate", places: [{ subject: task.node, reference: -1 }] } : { type: "open", task: task.id });
}

/** Mark shows a verdict by shape and colour, and by name to screen readers. */
export function Mark({ verdict }: { verdict: Verdict }) {
  const v = verdicts.find((x) => x.verdict === verdict)!;
  return (
    <span class={`mark ${verdict}`} title={`${v.name}: ${v.meaning}`}>
      <span aria-hidden="true">{v.glyph}</span>
      <span class="offscreen">{v.name}</span>
    </span>
  );
}

/** Method shows a label's short name, with parameters if others have the same name; hovering shows the whole label. If there is too little room, the class is cut, not the method. */
export function Method({ label, more }: { label: string; more?: string }) {
  const [type, rest] = halves(label);
  // A class of up to three letters is not cut, such as the * of callbacks.
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

/** broken lets a name break between its parts, and before the capitals in them. */
export function broken(name: string): VNode[] {
  return name.split(/(?<=[.;/($_])|(?<=[a-z\d])(?=[A-Z])/).map((part, i) => <Fragment key={i}>{part}<wbr /></Fragment>);
}

/** Bar shows an energy as a length, of 1; what is longer is torn off. The figure stands beside it. */
export function Bar({ of, share }: { of: "here" | "there"; share: number }) {
  const width = share > 0 ? `max(2px, ${(Math.min(share, 1) * 100).toFixed(2)}%)` : "0";
  return (
    <span class="track" aria-hidden="true">
      <span class={`bar ${of}${share > 1 ? " torn" : ""}`} style={{ width }} />
    </span>
  );
}

/** Copy copies a text and tells the reader so. */
export function Copy({ text, host, say, children }: { text: string; children: ComponentChildren } & Pick<Props, "host" | "say">) {
  const copy = async () => say((await host.copy(text)) ? "Copied" : "The browser did not let it be copied");
  return (
    <button type="button" class="small" onClick={copy}>
      {children}
    </button>
  );
}

/** Empty says why there is nothing to show. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
