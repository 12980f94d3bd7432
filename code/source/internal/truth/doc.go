// Package truth compares the call sites of code/source with the output of compilers. Only tests use
// it.
//
// A pair is a method of a class file with one of the methods that it calls. Names are as in a
// recording, with the class that declares the method. The index is asked for the location of the
// caller, and for its calls of the callee. A returned site is on the line if an instruction that
// may run the callee is on one of these lines: the line of the site, the first line of an enclosing
// expression or statement, the line of an argument, or the line of the preceding call in a chain.
// Compilers use any of these for a call in the middle of a statement. Otherwise the site is on
// another line of the caller, or outside of it.
//
// A single site is a certain answer. Several sites are possible answers.
package truth
