package server

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestPlainClient: a client that announces nothing gets no notification that the protocol
// does not have, hovers without marks, and commands for code actions.
func TestPlainClient(t *testing.T) {
	for name, plain := range map[string]bool{`{"experimental": []}`: true, `{"experimental": 1, "textDocument": {"hover": {"contentFormat": ["plaintext"]}}}`: true, everything: false} {
		f, folder := afterPublishing(t, name)
		document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "src/com/app/Main.java"))}
		at := protocol.Position{Line: 4, Character: 18}
		var h *protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": document, "position": at}, &h)
		if h == nil {
			t.Fatal("no hover")
		}
		marked := strings.ContainsAny(h.Contents.Value, "*`|") || strings.Contains(h.Contents.Value, "&nbsp;")
		if (h.Contents.Kind == protocol.PlainText) != plain || marked == plain {
			t.Errorf("%s: the hover is %s: %s", name, h.Contents.Kind, h.Contents.Value)
		}
		var actions []map[string]json.RawMessage
		f.must("textDocument/codeAction", map[string]any{"textDocument": document, "range": protocol.Range{Start: at, End: at}, "context": map[string]any{}}, &actions)
		for _, a := range actions {
			if literal := a["command"] == nil || a["command"][0] == '{'; literal == plain {
				t.Errorf("%s: the action %s", name, a)
			}
		}
		if len(actions) < 2 {
			t.Errorf("%s: %d actions", name, len(actions))
		}
		f.quit()
		if own := f.count(lsp.MethodDidCompare) + f.count(lsp.MethodDidChange); (own == 0) != plain {
			t.Errorf("%s: %d notifications of diffprof's own", name, own)
		}
	}
}

// afterPublishing opens a client that hears of a comparison by the diagnostics alone.
func afterPublishing(t *testing.T, capabilities string) (*fake, string) {
	folder := t.TempDir()
	write(t, folder, "src/com/app/Main.java", mainJava)
	f := connect(t, nil)
	f.open(folder, capabilities, traces(t, folder))
	f.hear("textDocument/publishDiagnostics", 1, nil)
	return f, folder
}

// TestCodeActionsOfTheCursor: actions are about the call that the cursor is on, and about
// the line's if it is on none. Those that change no text are no quick fixes.
func TestCodeActionsOfTheCursor(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "Main.java", "package com.app;\nclass Main {\n  void onCreate(android.os.Bundle b) {\n    resolver.query(); text.setText();\n}}\n")
	f := connect(t, nil)
	f.open(folder, everything, traces(t, folder))
	f.hear(lsp.MethodDidCompare, 1, nil)
	titles := func(column uint32, only ...string) (quick, other string) {
		at := protocol.Position{Line: 3, Character: column}
		var actions []lsp.CodeAction
		f.must("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": lsp.URIOf(path)}, "range": protocol.Range{Start: at, End: at}, "context": map[string]any{"only": only},
		}, &actions)
		for _, a := range actions {
			switch {
			case a.Kind == protocol.QuickFix && a.Edit != nil:
				quick += a.Title + "\n"
			case a.Kind == "" && a.Command != nil:
				other += a.Title + "\n"
			default:
				t.Errorf("the action %+v", a)
			}
		}
		return quick, other
	}
	for _, c := range []struct {
		at           uint32
		query, write bool
	}{{13, true, false}, {18, true, false}, {27, false, true}, {0, true, true}, {20, true, true}} {
		quick, other := titles(c.at)
		for name, want := range map[string]bool{"ContentResolver.query": c.query, "TextView.setText": c.write} {
			if strings.Contains(quick, name) != want || strings.Contains(other, name) != want {
				t.Errorf("in column %d: %q and %q, of %s: %v", c.at, quick, other, name, want)
			}
		}
	}
	if quick, other := titles(13, "quickfix"); quick == "" || other != "" {
		t.Errorf("quick fixes alone: %q, %q", quick, other)
	}
	f.quit()
}

// TestCommandsKeepTheirOrder: of two commands that were sent in a row the second counts.
func TestCommandsKeepTheirOrder(t *testing.T) {
	f, _ := afterComparing(t, everything)
	for range 30 {
		var ids []int
		for _, alpha := range []int{1, 3} {
			ids = append(ids, f.begin("workspace/executeCommand", map[string]any{"command": commandSetAlpha, "arguments": []any{setAlphaArguments{alpha}}}))
		}
		// The first is replaced, unless it ended before the second came.
		if err := f.end(ids[0], nil); !slices.Contains([]int{0, int(lsp.CodeServerCancelled)}, code(err)) {
			t.Fatalf("the first: %v", err)
		}
		var did didCompareParams
		if err := f.end(ids[1], &did); err != nil || did.Alpha != 3 {
			t.Fatalf("the second: %+v, %v", did, err)
		}
	}
	f.quit()
}
