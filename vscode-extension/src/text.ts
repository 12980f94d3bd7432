// Words about tasks and runs. The server writes amounts, in the unit of its settings;
// this file writes names and shares.

import { compressions, extensions } from "./formats.ts";
import type { Comparison, Task } from "./protocol.ts";

/** percent writes a share. A share above 0 never reads 0%. */
export function percent(share: number): string {
  if (share !== 0 && Math.abs(share) < 0.0005) return share < 0 ? "−<0.1%" : "<0.1%";
  return `${(100 * share).toFixed(1)}%`.replace("-", "−");
}

/** savingShare returns a task's possible saving as a share of the run's energy. */
export function savingShare(task: Pick<Task, "savingNJ">, energyNJ: number): number {
  return energyNJ > 0 ? task.savingNJ / energyNJ : 0;
}

/** alphas are the choices for α: the two rules, and the numbers that a rule can choose. */
export const alphas = ["auto", "paper", 0, 1, 2, 3, 4, 5] as const;

/** base is the last part of a path. */
export function base(path: string): string {
  return path.split(/[\\/]/).pop() || path;
}

/** traceName matches the usual names of traces. */
export const traceName = new RegExp(`\\.(${extensions.join("|")})(\\.(${compressions.join("|")}))?$`, "i");

const formats = new RegExp(`\\.(${[...compressions, ...extensions, "txt"].join("|")})$`, "i");

/** name is the short name of a trace: its file name without the extension of its format. */
export function name(path: string): string {
  let rest = base(path);
  for (let short = ""; (short = rest.replace(formats, "")) && short !== rest; ) rest = short;
  return rest;
}

/** pair names the two traces, with their folders if the names are equal. */
export function pair(c: { subject?: string; reference?: string }): string {
  const [a, b] = [c.subject ?? "", c.reference ?? ""];
  if (name(a) !== name(b)) return `${name(a)} ↔ ${name(b)}`;
  const folder = (path: string) => path.split(/[\\/]/).slice(-2).join("/");
  return `${folder(a)} ↔ ${folder(b)}`;
}

/** findings writes the number of findings. */
export const findings = ({ findings: n }: Pick<Comparison, "findings">): string => (n === 0 ? "no findings" : n === 1 ? "1 finding" : `${n} findings`);

/** cameTo writes the number of findings of a run. It is empty if an older version stored the run, without the number. */
export const cameTo = (run: { findings?: number }): string => (run.findings === undefined ? "" : findings({ findings: run.findings }));

/** plain escapes a text for Markdown, since names from traces may have any characters. */
export function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** since writes the age of a run. */
export function since(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 60 / 24)} days ago`;
}
