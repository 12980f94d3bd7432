package server

import (
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// sections returns an ftrace log of a thread with 50 slices, one per row. In each of them it parses
// JSON this number of times.
func sections(parses int) string {
	var b strings.Builder
	at := 0
	line := func(event string) {
		fmt.Fprintf(&b, "com.mine-2340 ( 2340) [000] d..3 5213.%06d: %s\n", at, event)
	}
	b.WriteString("# tracer: nop\n#\n")
	line("sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=com.mine next_pid=2340 next_prio=120")
	for row := range 50 {
		line(fmt.Sprintf("tracing_mark_write: B|2340|row %d", row))
		at += 500
		for range parses {
			line("tracing_mark_write: B|2340|Json.parse")
			at += 1000
			line("tracing_mark_write: E|2340")
		}
		line("tracing_mark_write: E|2340")
	}
	line("sched_switch: prev_comm=com.mine prev_pid=2340 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120")
	return b.String()
}

// TestSlices checks that a slice of a trace is shown at the call that names it, also after edits.
func TestSlices(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "src/com/mine/Rows.kt", `package com.mine

class Rows {
    fun show(row: Int) = trace("row $row") {
        trace("Json.parse") { parse() }
    }
}
`)
	f := connect(t, nil)
	f.open(folder, everything, map[string]any{
		"subject": write(t, folder, "new.ftrace", sections(9)), "reference": write(t, folder, "old.ftrace", sections(1)),
	})
	f.await(lsp.MethodDidCompare, 1, nil)
	document := map[string]any{"uri": lsp.URIOf(path)}
	shown := func(line int) {
		t.Helper()
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
		if len(report.Items) != 1 || int(report.Items[0].Range.Start.Line) != line || !strings.Contains(fmt.Sprint(report.Items[0].Message), "Json.parse itself") {
			t.Errorf("the diagnostics are %+v, want Json.parse in line %d", report.Items, line)
		}
		var h *protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": document, "position": protocol.Position{Line: uint32(line), Character: 10}}, &h)
		if h == nil || !strings.Contains(h.Contents.Value, "Json.parse") {
			t.Errorf("the hover in line %d is %+v", line, h)
		}
		var lenses []protocol.CodeLens
		f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
		if len(lenses) == 0 {
			t.Errorf("no lens")
		}
	}
	shown(4)
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path), "languageId": "kotlin", "version": 1, "text": "package com.mine\n\nclass Rows {\n\n\n    fun show(row: Int) = trace(\"row $row\") {\n        trace(\"Json.parse\") { parse() }\n    }\n}\n"}})
	shown(6)
	f.quit()
}
