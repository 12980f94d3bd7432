// Package server is diffprof's language server: it shows what a comparison found
// on the app's own source, in any editor that speaks the Language Server Protocol.
//
// A client starts it, names two recordings in its settings, and gets diagnostics
// at the calls that drain more than those of the reference, code lenses on methods
// and classes, hovers with both call trees, and a ranked list. docs/lsp.md
// describes what clients see.
//
// One table has all methods. Notifications change the workspace, in the order in
// which they arrive. Requests run beside each other. Each is a function of a snapshot
// of the workspace, which does not change and has every edit that came before the
// request. Four loops run beside the requests: one publishes what is new, one reads
// settings, one looks for files that changed, one parses large files. A comparison runs beside all of them,
// and a newer one takes its place.
//
// This package has no locks. What several goroutines change lies in the packages
// workspace, runner and client, which are safe for concurrent use.
//
// Laws:
//
//   - nothing but the protocol is written to the connection;
//   - a request before initialize, after shutdown, of an unknown method or with
//     parameters that do not fit gets the error that the protocol has for it, and a
//     panic in a handler becomes an error of that one request;
//   - the server ends when the client exits, closes the connection or dies;
//   - files outside of the workspace folders are neither read nor written, but for
//     the inputs that settings or a command name;
//   - a place in a source file is where the recorded method is now. If that is not
//     certain, the diagnostic says why.
package server
