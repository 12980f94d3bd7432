// Package truth compares the call sites of code/source with the output of compilers. Only tests use
// it.
//
// A pair is a method in a class file and one of the methods that it calls. Names are as in a
// recording, with the class that declares the method. The index is asked for the location of the
// caller, and for its calls of the callee. A site is on the line of an instruction that can run the
// callee if this line is one of these: the line of the site, the first line of an enclosing
// expression or statement, the line of an argument, or the line of the preceding call in a chain.
// For a call in the middle of a statement, compilers use any of these lines. Any other site is on
// another line of the caller, or outside of it.
//
// If a pair has a single site, the index is sure of it. If it has several, each is only possible.
package truth
