// Package preprocess makes two calling-context trees comparable. It removes differences that do not
// come from the tasks of the two runs (DiffProf, OSDI 2018, Section 3.5 and, for entry points,
// Section 3.4.1).
//
// A method of the framework is an F-method, and a method of the app is an A-method. The [Platform]
// decides by the method's package. A method with only a name, such as a native symbol or a method
// that the recording does not name, has the owner of its caller. At the root, it is an F-method.
//
// A hand-over is a call that the framework makes later or on another thread, because the app
// enqueued it. Nine steps rewrite a tree, in this order. [Steps] selects the steps to run:
//
//   - async moves a hand-over of the framework under the app call that enqueued it;
//   - recorder moves the recorder's own work out of the tasks, to the root;
//   - idle moves waiting out of the tasks, if energies are based on elapsed time;
//   - detail gives methods names that both runs can have: without the descriptors,
//     libraries and marks that one of the runs omits;
//   - runtime removes native code that leads to managed code, and the runtime's and the
//     kernel's code below managed code;
//   - synthetic removes compiler-generated calls between two methods, such as accessors, and
//     the numbers of lambdas;
//   - entry begins framework-only paths at the method that starts the work, and drops the methods
//     above it;
//   - hierarchy merges a superclass's method into the overriding method that
//     calls it, and sets γ between two such methods to 0 (Figure 7);
//   - app merges A-methods into the callback that called them, and drops the callback's class
//     (Figure 6). A callback is an A-method called by an F-method. Slices stay separate.
//
// After each step, nodes with equal labels and the same parent are joined. So [Tree] has these
// laws, for any steps:
//
//   - conservation: the root's inclusive energy equals the inclusive energy of the source's
//     root, and a node's exclusive energy is the sum over its source nodes;
//   - totality: each source node became part of exactly one node;
//   - canonical form: siblings have different labels, in order, so the order of
//     siblings in the source does not matter;
//   - idempotence: a repeated step changes nothing;
//   - independence: a step uses one tree only. The exception is detail, which also uses the set of
//     names in the other tree.
//
// The source trees are never changed, and every node refers to its source nodes: [Tree.Originals],
// [Tree.Callers].
//
// Any tree that satisfies package cct's laws is valid input. There are no errors. The time is
// linear in the nodes except for sorting siblings. It does not depend on depth or fan-out.
package preprocess
