// Small components for several views.

import { Fragment, type ComponentChildren, type VNode } from "preact";
import { inputsOf, type Action, type State } from "../state";
import type { Host } from "../host";
import { halves } from "../names";
import { verdicts, type Listed, type Verdict } from "../tasks";
import { unitFor, unitsAt, type Unit } from "../units";

/** Props are the properties of every view. */
export interface Props {
  s: State;
  send: (action: Action) => void;
  host: Host;
  /** say shows a short message, and makes screen readers read it. */
  say: (text: string) => void;
  /** whether the text around the drawing is hidden */
  compact: boolean;
}

/** unitsOf lists the units to choose from. */
export function unitsOf(s: State): Unit[] {
  return unitsAt(s.volts, ...inputsOf(s));
}

/** unitOf is the common unit of all figures on the page. */
export function unitOf(s: State): Unit {
  const units = unitsOf(s);
  return units.find((u) => u.name === s.unit) ?? (units.length === 1 ? units[0] : unitFor(inputsOf(s)[0]?.energyNJ ?? 0));
}

/** openLine opens the flask of a task. App code has no flask: openLine shows it in the whole run. */
export function openLine(send: Props["send"], { task, code }: Listed): void {
  send({ type: "cursor", line: task.id });
  send(code ? { type: "locate", places: [{ subject: task.node, reference: -1 }] } : { type: "open", task: task.id });
}

/** Mark shows a verdict as shape and colour, and as text to screen readers. */
export function Mark({ verdict }: { verdict: Verdict }) {
  const v = verdicts.find((x) => x.verdict === verdict)!;
  return (
    <span class={`mark ${verdict}`} title={`${v.name}: ${v.meaning}`}>
      <span aria-hidden="true">{v.glyph}</span>
      <span class="offscreen">{v.name}</span>
    </span>
  );
}

/** Method shows a label's short name, with parameters if other methods have the same name. The tooltip is the whole label. If there is too little space, the class is cut, not the method. */
export function Method({ label, more }: { label: string; more?: string }) {
  const [type, rest] = halves(label);
  // A class of up to six letters is never cut, such as the * of callbacks.
  const apart = type.length > 6;
  return (
    <span class="method" title={label}>
      {apart && <span class="class">{type}</span>}
      <span class="name">{apart ? rest : type + rest}</span>
      {more && <span class="apart dim">{more}</span>}
    </span>
  );
}

/** Label shows a whole label, with line breaks between its parts. */
export const Label = ({ label }: { label: string }) => <code>{broken(label)}</code>;

/** broken adds possible line breaks between the parts of a name, and before capitals. */
export function broken(name: string): VNode[] {
  return name.split(/(?<=[.;/($_])|(?<=[a-z\d])(?=[A-Z])/).map((part, i) => <Fragment key={i}>{part}<wbr /></Fragment>);
}

/** Bar shows an energy as a length up to 1. A longer bar is cut off, with a torn end. */
export function Bar({ of, share }: { of: "here" | "there"; share: number }) {
  const width = share > 0 ? `max(2px, ${(Math.min(share, 1) * 100).toFixed(2)}%)` : "0";
  return (
    <span class="track" aria-hidden="true">
      <span class={`bar ${of}${share > 1 ? " torn" : ""}`} style={{ width }} />
    </span>
  );
}

/** Copy is a button that copies a text and shows a message. */
export function Copy({ text, host, say, children }: { text: string; children: ComponentChildren } & Pick<Props, "host" | "say">) {
  const copy = async () => say((await host.copy(text)) ? "Copied" : "The browser refused to copy");
  return (
    <button type="button" class="small" onClick={copy}>
      {children}
    </button>
  );
}

/** Empty is a message in place of a view. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
