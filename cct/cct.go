// Package cct builds calling-context trees from recordings.
//
// A calling-context tree merges equal call paths: two calls share a [Node] exactly when their
// chains of callers name the same methods in the same order. A call to a method that is already on
// the path merges into the nearest such ancestor, and its callees become children of that ancestor,
// so recursion does not deepen the tree (Ammons, Ball and Larus, PLDI 1997; DiffProf, OSDI 2018,
// Section 3.3). The threads of a run share one tree. [Tree.Threads] returns the threads that made a
// call.
//
// A node's exclusive energy is the energy used while its method was innermost, plus the energy that
// a trace.Charge assigned to it. A Charge assigns energy to a call that a trace.Mark event has
// marked, even after the call has ended. A Charge without a call goes to the root. A node's
// inclusive energy adds its descendants. Two laws hold exactly:
//
//   - conservation: the root's inclusive energy is the sum over the events;
//   - order independence: how the events of different threads interleave does not change the tree.
//
// Damaged recordings also give a tree. [Build] repairs them, and warns about each kind of repair:
//
//   - An exit without an entry ends a call that was open at the start. Such calls end in order,
//     innermost first. Build scans the recording a second time to insert them.
//   - A call without an exit ends with the call around it, or at its thread's last event.
package cct
