package server

import (
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestCallHierarchy requests the method at the cursor, its callees, and their callers, with the
// energy of both runs. A method without source is placed at its call.
func TestCallHierarchy(t *testing.T) {
	f, folder := afterComparing(t, everything)
	file := lsp.URIOf(filepath.Join(folder, "src/com/app/Main.java"))
	var items []hierarchyItem
	at := func(line, character uint32) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": file}, "position": protocol.Position{Line: line, Character: character}}
	}
	f.must("textDocument/prepareCallHierarchy", at(3, 18), &items)
	if len(items) != 1 || items[0].Name != "Main.onCreate" || items[0].Detail != "7.00 mJ; 0 nJ in reference" {
		t.Fatalf("the methods at the declaration are %+v", items)
	}
	var calls []hierarchyCall
	f.must("callHierarchy/outgoingCalls", map[string]any{"item": items[0]}, &calls)
	if len(calls) != 2 || calls[0].To.Name != "ContentResolver.query" || !strings.HasPrefix(calls[0].To.Detail, "4.00 mJ;") ||
		calls[0].To.URI != file || calls[0].To.Range.Start.Line != 4 || calls[0].FromRanges[0].Start.Line != 4 || calls[1].FromRanges[0].Start.Line != 5 {
		t.Fatalf("it calls %+v", calls)
	}
	f.must("callHierarchy/incomingCalls", map[string]any{"item": calls[1].To}, &calls)
	if len(calls) != 2 || calls[0].From.Name != "Main.onCreate" || calls[0].From.Range.Start.Line != 3 || calls[0].FromRanges[0].Start.Line != 5 || calls[1].From.Name != "Start.onCreate" {
		t.Errorf("it is called by %+v", calls)
	}
	f.must("textDocument/prepareCallHierarchy", at(5, 16), &items)
	if len(items) != 1 || items[0].Name != "TextView.setText" || !strings.Contains(items[0].Detail, "500 µJ in reference") {
		t.Errorf("the methods at the call are %+v", items)
	}
	f.must("textDocument/prepareCallHierarchy", at(0, 0), &items)
	if len(items) != 0 {
		t.Errorf("the methods of the package are %+v", items)
	}
	f.must("callHierarchy/incomingCalls", map[string]any{"item": hierarchyItem{Data: hierarchyData{"no.Such.method"}}}, &calls)
	if len(calls) != 0 {
		t.Errorf("no method is called by %+v", calls)
	}
	f.quit()
}
