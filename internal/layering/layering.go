// Package layering tests which packages of the module may import which.
//
// Its table names every package, the packages of this module that it may import,
// and the modules from outside. A package that the table does not name fails, so
// that a new one is placed on purpose. The tests parse imports themselves: a cached
// test result would not notice that the go command's answer has changed.
//
// Three laws hold beside the table: only commands and the server log or read
// flags; no package registers itself with an init function, since a table in one
// place is easier to read; and tests may import any package of the module, but only
// modules of a list of their own.
package layering
