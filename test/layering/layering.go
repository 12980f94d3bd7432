// Package layering tests which packages of the module may import which.
//
// Its table lists every package. For each, it lists the packages of this module and the outside
// modules that it may import. A package that is missing from the table fails the test, so where a
// new package belongs is a deliberate choice. The tests parse the imports themselves. If they
// called the go command, cached test results would be stale.
//
// It tests three more rules. Only commands and the server may log or read flags. No package
// registers itself in an init function, because a table in one place is easier to read. Tests may
// import all packages of the module, but only those outside modules that a separate list names.
//
// It also tests the documents, and that no file has a marker of an unresolved merge.
package layering
