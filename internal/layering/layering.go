// Package layering holds the module to its layers: who may import whom.
//
// Its table names every package, the packages of this module that it may import,
// and the modules from outside. A package that the table does not name fails, so
// that a new one is placed on purpose. Imports are parsed here rather than asked
// of the go command, whose answer a cached test result would not notice to have
// changed.
//
// Three laws hold beside the table: only commands and the server log or read
// flags; no package registers itself with an init function, since a table in one
// place can be read; and tests may import any package of the module, but modules
// only from a list of their own.
package layering
