// Package lsp has the parts of the Language Server Protocol that package protocol lacks.
//
// Package protocol implements version 3.16. This package adds:
//
//   - position encodings, pull diagnostics and inlay hints of version 3.17;
//   - edits that create files;
//   - values that distinguish zero from absence;
//   - the names of diffprof's own methods.
//
// It also converts positions ([PositionOf], [PlaceOf], [Recode]) and file names ([PathOf],
// [URIOf]).
//
// Its types are values. Its functions are safe for concurrent use.
package lsp

import (
	"go.lsp.dev/jsonrpc2"
)

// Methods that package protocol lacks.
const (
	MethodDiagnostic        = "textDocument/diagnostic"
	MethodDiagnosticRefresh = "workspace/diagnostic/refresh"
	MethodInlayHint         = "textDocument/inlayHint"
	MethodInlayHintRefresh  = "workspace/inlayHint/refresh"
	MethodCodeLensRefresh   = "workspace/codeLens/refresh"
	MethodDidChangeFolders  = "workspace/didChangeWorkspaceFolders"
)

// Methods of diffprof's own; docs/protocol.md describes them.
const (
	MethodTasks      = "diffprof/tasks"
	MethodAppCode    = "diffprof/appCode"
	MethodFlask      = "diffprof/flask"
	MethodLines      = "diffprof/lines"
	MethodSource     = "diffprof/source"
	MethodReport     = "diffprof/report"
	MethodRun        = "diffprof/run"
	MethodDidCompare = "diffprof/didCompare"
	MethodDidChange  = "diffprof/didChange"
)

// Error codes that the packages protocol and jsonrpc2 lack.
const (
	CodeServerCancelled jsonrpc2.Code = -32802
	CodeRequestFailed   jsonrpc2.Code = -32803
)
