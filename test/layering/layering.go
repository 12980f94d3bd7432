// Package layering tests which packages of the module may import which.
//
// Its table lists every package, the packages of this module that it may import, and the
// modules from outside. A package missing from the table fails the test, so that a new one is
// placed on purpose. The tests parse imports themselves, because a cached test result would not
// depend on the answer of the go command.
//
// Three more laws hold. Only commands and the server log or read flags. No package registers
// itself in an init function, because a table in one place is easier to read. Tests may import
// any package of the module, but only modules on a list of their own.
package layering
