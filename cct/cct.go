// Package cct builds calling-context trees from recordings.
//
// A calling-context tree merges equal call paths: two calls share a [Node]
// exactly when their chains of callers name the same methods in the same order.
// A call to a method that is already on the path merges into the nearest such
// ancestor, and what it calls then hangs under that ancestor, so the tree stays
// bounded (Ammons, Ball and Larus, PLDI 1997; DiffProf, OSDI 2018, Section 3.3).
// The threads of a run share one tree; [Tree.Threads] tells which of them made a call.
//
// A node's exclusive energy is what was charged while its method was innermost, and
// what a trace.Charge said was its own, whenever that came: a call that was marked
// can be charged after it has ended. A Charge to nobody is the root's. A node's
// inclusive energy adds that of its descendants. Two laws hold exactly:
//
//   - conservation: the root's inclusive energy is the sum over the events;
//   - order independence: how the events of different threads interleave does
//     not change the tree.
//
// Damaged recordings still give a tree. A run that was recorded from its middle
// holds exits of calls it never saw begin: those calls were open at the start,
// innermost first, and [Build] scans the recording a second time to put them
// where they belong. Calls that are open at the end close at their thread's last
// event. Both are warnings.
package cct
