// A single run: the contexts of `diffprof tree --format json`, converted to a flask. All rows
// are the subject's.

import { Kind, Part, Status } from "./flask";
import type { Counts, FlaskJSON, Input, MethodNames, Note } from "./model";

/** A Tree is a single run (docs/tree.schema.json). */
export interface Tree {
  schemaVersion: number;
  tool: { name: string; version: string };
  input: Input;
  stage: "raw" | "merged";
  counts: Counts;
  contexts: Context[];
  warnings: Note[];
  methods: Record<string, MethodNames>;
}

/** A Context is a node of a Tree, in preorder. */
export interface Context {
  depth: number;
  method: string;
  /** empty in a raw tree */
  kind: "root" | "framework" | "app" | "";
  inclusiveNJ: number;
  exclusiveNJ: number;
  calls: number | null;
  samples: number | null;
  prunedContexts: number;
  prunedNJ: number;
}

const kinds: Record<Context["kind"], Kind> = { root: Kind.Toplevel, framework: Kind.Framework, app: Kind.App, "": Kind.Framework };

/** treeFlask converts a tree to a flask. It throws an Error if the contexts are not a tree in preorder. */
export function treeFlask(tree: Tree): FlaskJSON {
  const { contexts } = tree;
  const n = contexts.length;
  const labels: string[] = [];
  const places = new Map<string, number>();
  const label = contexts.map(({ method }) => {
    let at = places.get(method);
    if (at === undefined) places.set(method, (at = labels.push(method) - 1));
    return at;
  });
  const parent: number[] = [];
  // The last context of each depth.
  const above: number[] = [];
  contexts.forEach(({ depth }, i) => {
    if (i === 0 ? depth !== 0 : depth < 1 || depth > above.length) throw new Error(`the tree's context ${i} is not in preorder`);
    parent.push(above[depth - 1] ?? -1);
    above.length = depth;
    above.push(i);
  });
  const all = <T>(value: T): T[] => new Array<T>(n).fill(value);
  const none = all(-1);
  const empty = all<[]>([]);
  const names = labels.map((text) => tree.methods[text]);
  return {
    schemaVersion: tree.schemaVersion, task: "", subjectTime: "none", referenceTime: "none", counts: tree.counts, single: true, why: null,
    labels, methods: { short: names.map((m, i) => m?.short ?? labels[i]!), owner: names.map((m) => m?.owner ?? ""), apart: labels.map(() => "") }, files: [],
    rows: {
      parent, referenceParent: none, part: contexts.map((_, i) => (i === 0 ? Part.Method : Part.Subtree)), status: all(Status.SubjectOnly),
      kind: contexts.map((c) => kinds[c.kind]), label, referenceLabel: none,
      subjectNJ: contexts.map((c) => c.inclusiveNJ), subjectSelfNJ: contexts.map((c) => c.exclusiveNJ),
      subjectCalls: contexts.map((c) => c.calls ?? 0), subjectSamples: contexts.map((c) => c.samples ?? 0),
      referenceNJ: none, referenceSelfNJ: none, referenceCalls: null, referenceSamples: null,
      subjectNS: none, subjectSelfNS: none, referenceNS: none, referenceSelfNS: none,
      subjectNode: contexts.map((_, i) => i), referenceNode: none,
      pruned: contexts.map((c) => c.prunedContexts), prunedSubjectNJ: contexts.map((c) => c.prunedNJ), prunedReferenceNJ: all(0),
      sources: empty, referenceSources: empty,
    },
  };
}
