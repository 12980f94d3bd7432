// What methods are called. Reports and flasks say it for each label; no label is taken
// apart here.

import type { FlaskMethods, MethodNames } from "./model";

/** A Name is what a method is called. */
export interface Name {
  label: string;
  /** what developers say, such as TextView.setText */
  short: string;
  /** what short begins with, up to the mark before the method's own name */
  owner: string;
  /** the package or namespace, empty if there is none */
  package: string;
  /** the class with its package, empty if there is none */
  class: string;
}

// A label names the same method in all documents of a page.
const known = new Map<string, Name>();

/** learn keeps the names that a report states. */
export function learn(methods: Record<string, MethodNames>): void {
  for (const [label, m] of Object.entries(methods)) {
    known.set(label, { label, short: m.short, owner: m.owner, package: m.scope, class: m.class });
  }
}

/** learnFlask keeps the names that a flask states; a report's say more. */
export function learnFlask(labels: readonly string[], methods: FlaskMethods): void {
  labels.forEach((label, i) => {
    if (!known.has(label)) known.set(label, { label, short: methods.short[i]!, owner: methods.owner[i]!, package: "", class: "" });
  });
}

/** nameOf returns what a label's method is called; a label that no document names is its own name. */
export function nameOf(label: string): Name {
  return known.get(label) ?? { label, short: label, owner: "", package: "", class: "" };
}

/** halves parts a short name into its owner, which may be cut first, and the rest. */
export function halves(label: string): [owner: string, rest: string] {
  const { short, owner } = nameOf(label);
  return [owner, short.slice(owner.length)];
}

/** apart is what tells the methods of a flask from others with the same short name: "(CharSequence, int)", or a longer name. */
export function apart(labels: readonly string[], methods: FlaskMethods): Map<string, string> {
  const out = new Map<string, string>();
  labels.forEach((label, i) => {
    const [long, short] = [methods.apart[i]!, methods.short[i]!];
    if (long) out.set(label, long.startsWith(short) ? long.slice(short.length) : ` ${long}`);
  });
  return out;
}

/** fileNames are what tells two files apart: their names, with their folders where these are the same. */
export function fileNames(a: string, b: string): [string, string] {
  const names: [string, string] = [fileName(a), fileName(b)];
  if (names[0] !== names[1]) return names;
  const folder = (path: string) => fileName(path.slice(0, Math.max(0, path.length - fileName(path).length - 1)));
  return folder(a) && folder(b) ? [`${folder(a)}/${names[0]}`, `${folder(b)}/${names[1]}`] : names;
}

/** fileName is the last part of a path. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) || path;
}
