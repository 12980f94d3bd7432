// Package server is diffprof's language server: it shows the findings of a comparison in the app's
// source, in any editor with the Language Server Protocol.
//
// A client starts it and names two recordings in its settings. It gets diagnostics at calls that
// use more than in the reference, code lenses on methods and classes, hovers with both call trees,
// and a ranked list. docs/protocol.md is the reference for clients.
//
// All methods are in one table. Notifications change the workspace in their order of arrival.
// Requests run concurrently. Each request is a function of an immutable snapshot of the workspace.
// The snapshot includes every edit before the request. Background loops publish changes, read
// settings and history, look for changed files, and parse large files. A comparison also runs in
// the background, and a newer one replaces it.
//
// This package has no locks. State that several goroutines change is in the packages workspace,
// runner and client, which are safe for concurrent use.
//
// Laws:
//
//   - only the protocol is written to the connection;
//   - a request before initialize, after shutdown, of an unknown method or with invalid parameters
//     gets the protocol's error. A panic in a handler becomes an error of one request;
//   - the server ends when the client exits, closes the connection or dies;
//   - outside the workspace folders, the server reads and writes only the inputs that settings or a
//     command name;
//   - a place in a source file is the current place of the recorded method. If it is uncertain, the
//     diagnostic has the reason.
package server
