// Package preprocess makes two calling-context trees comparable: it removes what
// differs between them for reasons that have nothing to do with their tasks
// (DiffProf, OSDI 2018, Section 3.5 and, for entry points, Section 3.4.1).
//
// A method of the framework is an F-method, a method of the app an A-method; the
// [Platform] decides by the method's package. A method of which nothing but a name is
// known, such as a native symbol or a method that the recording does not name, is
// whose its caller is, and the framework's at the root.
//
// Nine steps rewrite a tree, in this order; [Steps] says which of them run:
//
//   - async hangs a hand-over that is the framework's alone under the app call
//     that enqueued it;
//   - recorder takes the recorder's own work out of the tasks, to the root;
//   - idle takes waiting out of the tasks, where energies are of elapsed time;
//   - detail gives methods the names by which both runs can name them: without the
//     descriptors, libraries and marks that one of them leaves out;
//   - runtime takes out native code that leads to managed code, and the runtime's and the
//     kernel's below it;
//   - synthetic takes out what compilers put between two methods, such as accessors, and
//     the numbers of lambdas;
//   - entry begins framework-only paths at the method that starts the work,
//     whatever led the thread there;
//   - hierarchy merges a superclass's method into the overriding method that
//     calls it, and makes γ 0 between two such methods (Figure 7);
//   - app merges A-methods into the callback that called them, a callback being an
//     A-method that an F-method calls, and drops the callback's class (Figure 6).
//
// Nodes that have equal labels and the same parent after a step are one node. So
// [Tree] has these laws, for any steps:
//
//   - conservation: the root's inclusive energy is that of the source's root, and
//     a node's exclusive energy is the sum over the source nodes it stands for;
//   - totality: each source node became part of exactly one node;
//   - canonical form: siblings have different labels, in order, so the order of
//     siblings in the source does not matter;
//   - idempotence: a step that is repeated changes nothing;
//   - independence: a step sees one tree. Only detail depends on the other one, by the set
//     of names in it.
//
// The source trees are never changed, and every node leads back to the source
// nodes that became it: [Tree.Originals], [Tree.Callers].
//
// Any tree that keeps package cct's laws is good input; there are no errors. The
// cost grows with the nodes and, for sorting siblings, little more; depth and
// fan-out do not matter.
package preprocess
