// Package truth compares the calls that code/source finds with the calls in class files. Only tests
// use it.
//
// A pair is a method in a class file (the caller) and a method that it calls (the callee). For each
// pair, the index is asked for the location of the caller and for its calls of the callee. A
// recording would have the same names.
//
// A call that the index finds is correct if a call instruction is on one of these lines:
//
//   - the line of the call,
//   - the first line of an enclosing expression or statement,
//   - the line of an argument,
//   - the line of the preceding call in a chain.
//
// For a call in the middle of a statement, compilers use any of these lines.
//
// If the index finds a single call, it is sure of it. If it finds several, each is only possible.
package truth
