package server

import (
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// methods returns the dispatch table of all methods. A test compares it with the list in
// docs/protocol.md.
func methods() map[string]method {
	return map[string]method{
		// The connection's life.
		protocol.MethodInitialize:  {handle: request((*session).initialize), early: true},
		protocol.MethodInitialized: {handle: notification((*session).initialized)},
		protocol.MethodShutdown:    {handle: request((*session).shutdown)},
		protocol.MethodExit:        {handle: notification((*session).exit), early: true, late: true},

		// Work in progress.
		protocol.MethodCancelRequest:          {handle: notification((*session).cancelRequest), early: true, late: true},
		protocol.MethodSetTrace:               {handle: notification((*session).setTrace), early: true, late: true},
		protocol.MethodWorkDoneProgressCancel: {handle: notification((*session).workDoneProgressCancel)},

		// Documents.
		protocol.MethodTextDocumentDidOpen:   {handle: notification((*session).didOpen)},
		protocol.MethodTextDocumentDidChange: {handle: notification((*session).didChange)},
		protocol.MethodTextDocumentDidSave:   {handle: notification((*session).didSave)},
		protocol.MethodTextDocumentDidClose:  {handle: notification((*session).didClose)},

		// The workspace.
		protocol.MethodWorkspaceDidChangeConfiguration: {handle: notification((*session).didChangeConfiguration)},
		protocol.MethodWorkspaceDidChangeWatchedFiles:  {handle: notification((*session).didChangeWatchedFiles)},
		lsp.MethodDidChangeFolders:                     {handle: notification((*session).didChangeWorkspaceFolders)},
		protocol.MethodWorkspaceExecuteCommand:         {handle: request((*session).executeCommand)},
		protocol.MethodWorkspaceSymbol:                 {handle: query(workspaceSymbol), async: true},

		// Annotations of a file.
		protocol.MethodTextDocumentCodeAction: {handle: query(codeActions), async: true},
		protocol.MethodTextDocumentCodeLens:   {handle: query(codeLenses), async: true},
		protocol.MethodTextDocumentCompletion: {handle: query(completion), async: true},
		protocol.MethodTextDocumentHover:      {handle: query(hover), async: true},
		lsp.MethodDiagnostic:                  {handle: query(diagnosticReport), async: true},
		lsp.MethodInlayHint:                   {handle: query(inlayHints), async: true},

		protocol.MethodTextDocumentPrepareCallHierarchy: {handle: query(prepareHierarchy), async: true},
		protocol.MethodCallHierarchyIncomingCalls:       {handle: compared(incomingCalls), async: true},
		protocol.MethodCallHierarchyOutgoingCalls:       {handle: compared(outgoingCalls), async: true},

		// This server's own.
		lsp.MethodTasks:   {handle: query(tasks), async: true},
		lsp.MethodAppCode: {handle: compared(appCode), async: true},
		lsp.MethodFlask:   {handle: compared(flask), async: true},
		lsp.MethodLines:   {handle: query(lineUses), async: true},
		lsp.MethodSource:  {handle: compared(declaration), async: true},
		lsp.MethodReport:  {handle: compared(wholeReport), async: true},
		lsp.MethodRun:     {handle: query(oneRun), async: true},
	}
}
