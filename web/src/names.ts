// The names of methods. Reports and flasks have names for each label, so the page never parses a
// label.

import type { FlaskMethods, MethodNames } from "./model";

/** A Name has the parts of a method's name. */
export interface Name {
  label: string;
  /** the usual form, such as TextView.setText */
  short: string;
  /** the start of short, up to and including the separator before the method's own name */
  owner: string;
  /** the package or namespace, empty if there is none */
  package: string;
  /** the class with its package, empty if there is none */
  class: string;
}

// A label means the same method in all documents of a page.
const known = new Map<string, Name>();

/** learn stores the names of a report. */
export function learn(methods: Record<string, MethodNames>): void {
  for (const [label, m] of Object.entries(methods)) {
    known.set(label, { label, short: m.short, owner: m.owner, package: m.scope, class: m.class });
  }
}

/** learnFlask stores the names of a flask, unless a report's more detailed names are known. */
export function learnFlask(labels: readonly string[], methods: FlaskMethods): void {
  labels.forEach((label, i) => {
    if (!known.has(label)) known.set(label, { label, short: methods.short[i]!, owner: methods.owner[i]!, package: "", class: "" });
  });
}

/** nameOf returns the name of a label's method. An unknown label is its own name. */
export function nameOf(label: string): Name {
  return known.get(label) ?? { label, short: label, owner: "", package: "", class: "" };
}

/** halves splits a short name into its owner and the rest. If there is too little space, the owner is cut first. */
export function halves(label: string): [owner: string, rest: string] {
  const { short, owner } = nameOf(label);
  return [owner, short.slice(owner.length)];
}

/** apart distinguishes methods of a flask with the same short name: "(CharSequence, int)", or a longer name. */
export function apart(labels: readonly string[], methods: FlaskMethods): Map<string, string> {
  const out = new Map<string, string>();
  labels.forEach((label, i) => {
    const [long, short] = [methods.apart[i]!, methods.short[i]!];
    if (long) out.set(label, long.startsWith(short) ? long.slice(short.length) : ` ${long}`);
  });
  return out;
}

/** fileNames returns distinct names for two files: the file names, with folders if the names are equal. */
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
