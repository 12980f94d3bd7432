// Package truth holds the places that code/source finds to what compilers wrote. It is
// for tests alone.
//
// A pair is a method of a class file with one of the methods that it calls, with the class
// that declares it, as a recording names it. The index is asked where the caller is, and
// where it calls the callee. A site that it answers with is on the line if an instruction
// that may run the callee is on the site's line, on the one where an expression or the
// statement around the site begins, on one of its arguments', or on that of the call before
// in a chain: compilers give a call in the middle of a statement any of these. Otherwise it
// is in another line of the caller, or outside of it.
//
// Where the index answers with a single site, it says that this is the call; of several it
// says that each may be.
package truth
