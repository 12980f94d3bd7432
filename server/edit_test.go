package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestEdits checks that places follow edits, that requests see the edits before them, and that
// closing a file restores the text on disk.
func TestEdits(t *testing.T) {
	f, folder := afterComparing(t, everything)
	path := filepath.Join(folder, "src/com/app/Main.java")
	document := map[string]any{"uri": lsp.URIOf(path)}
	calls := func() (lines []uint32) {
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
		for _, d := range report.Items {
			lines = append(lines, d.Range.Start.Line)
		}
		return lines
	}
	expect := func(when string, want ...uint32) {
		t.Helper()
		if got := calls(); !slices.Equal(got, want) {
			t.Errorf("%s: diagnostics in the lines %v, want %v", when, got, want)
		}
	}
	expect("on disk", 4, 5)
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": document["uri"], "languageId": "java", "version": 1, "text": mainJava}})
	version := 1
	edit := func(line, from, to int, text string) {
		version++
		at := func(c int) map[string]int { return map[string]int{"line": line, "character": c} }
		f.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": document["uri"], "version": version},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": at(from), "end": at(to)}, "text": text}},
		})
	}
	edit(0, 0, 0, "// one\n// two\n")
	expect("two lines above", 6, 7)
	edit(6, 0, 0, "/* 😀 */ ")
	var hover *protocol.Hover
	f.must("textDocument/hover", map[string]any{"textDocument": document, "position": map[string]int{"line": 6, "character": 27}}, &hover)
	if hover == nil || hover.Range.Start.Character != 26 {
		t.Errorf("behind an emoji: %+v", hover)
	}
	edit(6, 0, 9, "")
	edit(7, 0, 100, "")
	expect("one call less", 5, 6) // The other call is shown at the method's name.
	edit(5, 4, 51, "public void other() {")
	expect("the method renamed", 4, 4) // The finding is at the class, with the reason.
	f.notify("textDocument/didClose", map[string]any{"textDocument": document})
	expect("closed", 4, 5)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": document["uri"], "type": 3}}})
	expect("deleted")
	write(t, folder, "src/com/app/Main.java", "\n"+mainJava)
	f.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": document["uri"], "type": 1}}})
	if n := len(calls()); n != 2 {
		t.Errorf("%d diagnostics in the file that came back", n)
	}
	f.quit()
}

// TestEncodings checks that columns have the negotiated unit, both in open files and in other
// files.
func TestEncodings(t *testing.T) {
	for encoding, want := range map[string]uint32{"utf-8": 35, "utf-16": 30, "utf-32": 29} {
		folder := t.TempDir()
		source := "package com.app;\nclass Main {\n  void onCreate(android.os.Bundle b) {\n/* ü漢😀      */      resolver.query();\n}}\n"
		path := write(t, folder, "Main.java", source)
		f := connect(t, nil)
		f.open(folder, `{"general": {"positionEncodings": ["`+encoding+`"]}}`, traces(t, folder))
		f.await(lsp.MethodDidCompare, 1, nil)
		document := map[string]any{"uri": lsp.URIOf(path)}
		for _, open := range []bool{false, true} {
			if open {
				f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": document["uri"], "version": 1, "text": source}})
			}
			var report struct{ Items []protocol.Diagnostic }
			f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
			if len(report.Items) == 0 {
				t.Fatalf("%s: no diagnostics", encoding)
			}
			d := report.Items[slices.IndexFunc(report.Items, func(d protocol.Diagnostic) bool { return d.Range.Start.Line == 3 })]
			if d.Range.Start.Character != want || d.Range.End.Character != want+5 {
				t.Errorf("%s, open: %v: the call is at %v, want column %d", encoding, open, d.Range, want)
			}
			var hover *protocol.Hover
			f.must("textDocument/hover", map[string]any{"textDocument": document, "position": protocol.Position{Line: 3, Character: want + 2}}, &hover)
			if hover == nil {
				t.Errorf("%s, open: %v: no hover", encoding, open)
			}
		}
		f.quit()
	}
}

// TestLinkedRoot has a workspace folder that is a symbolic link, and files that are named by the
// link and by its target.
func TestLinkedRoot(t *testing.T) {
	place, parent := t.TempDir(), t.TempDir()
	link := filepath.Join(parent, "link to #1")
	if err := os.Symlink(place, link); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	write(t, place, "Main.java", mainJava)
	f := connect(t, nil)
	f.open(link, `{}`, traces(t, place))
	f.await(lsp.MethodDidCompare, 1, nil)
	for _, path := range []string{filepath.Join(link, "Main.java"), filepath.Join(place, "Main.java")} {
		if n := f.lenses(map[string]any{"uri": lsp.URIOf(path)}); n != 2 {
			t.Errorf("%s has %d lenses", path, n)
		}
	}
	var result tasksResult
	f.must(lsp.MethodTasks, nil, &result)
	if got, want := result.Tasks[0].Locations[0].URI, lsp.URIOf(filepath.Join(link, "Main.java")); got != want {
		t.Errorf("the task is in %s, want %s", got, want)
	}
	// If a file is opened by its other name, only that name has its diagnostics.
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(filepath.Join(place, "Main.java")), "version": 1, "text": mainJava}})
	f.until("the link's diagnostics gone, and those of the place", func() bool {
		have := make(map[string]int)
		for _, m := range f.heard {
			var p protocol.PublishDiagnosticsParams
			if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil {
				have[string(p.URI)] = len(p.Diagnostics)
			}
		}
		return have[string(lsp.URIOf(filepath.Join(link, "Main.java")))] == 0 && have[string(lsp.URIOf(filepath.Join(place, "Main.java")))] == 2
	})
	f.quit()
}

// TestFolders checks that sources are added and removed with their folders.
func TestFolders(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	write(t, second, "Main.java", mainJava)
	f := connect(t, nil)
	f.open(first, `{}`, traces(t, first))
	f.await(lsp.MethodDidCompare, 1, nil)
	document := map[string]any{"uri": lsp.URIOf(filepath.Join(second, "Main.java"))}
	if n := f.lenses(document); n != 0 {
		t.Errorf("%d lenses in a file outside", n)
	}
	published := 0
	change := func(added, removed []protocol.WorkspaceFolder) {
		f.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}})
		published++
		f.await("textDocument/publishDiagnostics", published, nil)
	}
	folder := []protocol.WorkspaceFolder{{URI: string(lsp.URIOf(second)), Name: "second"}}
	change(folder, nil)
	if n := f.lenses(document); n != 2 {
		t.Errorf("%d lenses in a file of a folder that was added", n)
	}
	change(nil, folder)
	if n := f.lenses(document); n != 0 {
		t.Errorf("%d lenses in a file of a folder that was removed", n)
	}
	f.quit()
}

// TestPull checks that a client that pulls diagnostics gets refresh requests, and "unchanged" for
// equal diagnostics.
func TestPull(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "Main.java", mainJava)
	f := connect(t, nil)
	f.open(folder, `{"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}}`, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	f.await(lsp.MethodDiagnosticRefresh, 1, nil)
	var report struct {
		Kind, ResultID string
		Items          []json.RawMessage
	}
	params := map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}
	f.must("textDocument/diagnostic", params, &report)
	if report.Kind != "full" || len(report.Items) != 2 {
		t.Errorf("the report is %+v", report)
	}
	params["previousResultId"] = report.ResultID
	f.must("textDocument/diagnostic", params, &report)
	if report.Kind != "unchanged" {
		t.Errorf("again, the report is %+v", report)
	}
	params["textDocument"] = map[string]any{"uri": uri.URI("untitled:x")}
	f.must("textDocument/diagnostic", params, &report)
	if report.Kind != "full" {
		t.Errorf("of no file, the report is %+v", report)
	}
	if n := f.count("textDocument/publishDiagnostics"); n != 0 {
		t.Errorf("%d files were pushed to a client that asks", n)
	}
	f.quit()
}

// TestScan checks that the server finds changes on disk when a file is saved, if the client does
// not watch files.
func TestScan(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "src/com/app/Main.java", mainJava)
	scanned := make(chan struct{}, 100)
	f := connect(t, func(o *Options) { o.scanned = func() { scanned <- struct{}{} } })
	f.open(folder, `{}`, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	expect := func(when string, want ...uint32) {
		t.Helper()
		// The first turn may have begun before the change.
		for range 2 {
			f.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "Other.java"))}})
			<-scanned
		}
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}, &report)
		var got []uint32
		for _, d := range report.Items {
			got = append(got, d.Range.Start.Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: diagnostics in the lines %v, want %v", when, got, want)
		}
	}
	expect("at first", 4, 5)
	write(t, folder, "src/com/app/Main.java", "\n\n"+mainJava)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	expect("written", 6, 7)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("deleted")
	write(t, folder, "src/com/app/Main.java", "\n"+mainJava)
	expect("written again", 5, 6)
	f.quit()
}

// TestHalfTyped checks that the annotations of a file stay and move with its text while the user
// types. No annotation may report a missing method.
func TestHalfTyped(t *testing.T) {
	f, folder := afterComparing(t, everything)
	document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "src/com/app/Main.java"))}
	type shown struct {
		Line    uint32
		Message string
	}
	look := func() (diagnostics []shown, lenses int) {
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
		for _, d := range report.Items {
			diagnostics = append(diagnostics, shown{d.Range.Start.Line, d.Message})
		}
		return diagnostics, f.lenses(document)
	}
	version := 1
	open := func(text string) {
		version++
		f.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": document["uri"], "version": version}, "contentChanges": []any{map[string]any{"text": text}},
		})
	}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": document["uri"], "languageId": "java", "version": 1, "text": mainJava}})
	want, lenses := look()
	if len(want) != 2 || lenses != 2 {
		t.Fatalf("at first there are %v and %d lenses", want, lenses)
	}
	for i := range want {
		want[i].Line++
	}
	for _, typed := range []string{"{", "\"", "/**", "\"\"\"", "try {", "run(() -> {", "class Foo {", "if (x) {"} {
		for _, at := range []int{2, 4} { // The lines are above the class and in the method.
			lines := strings.SplitAfter(mainJava, "\n")
			open(strings.Join(slices.Insert(lines, at, typed+"\n"), ""))
			if got, n := look(); !slices.Equal(got, want) || n != lenses {
				t.Errorf("after %q in line %d there are %v and %d lenses, want %v and %d", typed, at, got, n, want, lenses)
			}
			open(mainJava)
		}
	}
	f.quit()
}

// TestSuppressByComment checks that the quick fix's comment removes only the diagnostic of its
// line.
func TestSuppressByComment(t *testing.T) {
	for name, text := range map[string]string{"as on Unix": mainJava, "as on Windows": strings.ReplaceAll(mainJava, "\n", "\r\n")} {
		folder := t.TempDir()
		path := write(t, folder, "Main.java", text)
		f := connect(t, nil)
		f.open(folder, everything, traces(t, folder))
		f.await(lsp.MethodDidCompare, 1, nil)
		document := map[string]any{"uri": lsp.URIOf(path), "languageId": "java", "version": 1, "text": text}
		f.notify("textDocument/didOpen", map[string]any{"textDocument": document})
		at := protocol.Position{Line: 4, Character: 18}
		var actions []lsp.CodeAction
		f.must("textDocument/codeAction", map[string]any{"textDocument": document, "range": protocol.Range{Start: at, End: at}, "context": map[string]any{}}, &actions)
		i := slices.IndexFunc(actions, func(a lsp.CodeAction) bool { return strings.Contains(a.Title, "comment") })
		if i < 0 || actions[i].Kind != protocol.QuickFix {
			t.Fatalf("%s: the actions are %+v", name, actions)
		}
		after := apply(t, text, actions[i].Edit)
		want := strings.Replace(text, "        resolver", "        // diffprof:ignore\n        resolver", 1)
		if strings.ReplaceAll(after, "\r", "") != strings.ReplaceAll(want, "\r", "") || strings.Count(after, "\r") != strings.Count(after, "\n")*strings.Count(text, "\r")/strings.Count(text, "\n") {
			t.Errorf("%s: %q", name, after)
		}
		f.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": document["uri"], "version": 2}, "contentChanges": []any{map[string]any{"text": after}},
		})
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
		if len(report.Items) != 1 || report.Items[0].Range.Start.Line != 6 {
			t.Errorf("%s: the diagnostics are %+v", name, report.Items)
		}
		f.quit()
	}
}

// TestEnterAtTheTop makes an edit that moves places in the diagnostics of other files. These
// diagnostics must be published again when the file is saved, and not with each keystroke.
func TestEnterAtTheTop(t *testing.T) {
	folder := t.TempDir()
	for _, class := range []string{"A", "B"} {
		write(t, folder, class+".java", strings.Replace(mainJava, "Main", class, 1))
	}
	f := connect(t, nil)
	f.open(folder, everything, map[string]any{
		"subject":   write(t, folder, "new.folded", stack("com.app.A", "android.content.ContentResolver.query", 4_000_000)+stack("com.app.B", "android.content.ContentResolver.query", 4_000_000)+both),
		"reference": write(t, folder, "old.folded", stack("org.other.Start", "android.util.Log.d", 10)+both), "foldedUnit": "nJ",
	})
	f.await(lsp.MethodDidCompare, 1, nil)
	a, b := lsp.URIOf(filepath.Join(folder, "A.java")), lsp.URIOf(filepath.Join(folder, "B.java"))
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": a, "version": 1, "text": strings.Replace(mainJava, "Main", "A", 1)}})
	// related returns the line that the latest diagnostics of the other file refer to, and how
	// often diagnostics of that file were published. The caller holds f.mu.
	related := func() (line uint32, times int) {
		for _, m := range f.heard {
			var p protocol.PublishDiagnosticsParams
			if m.Method != "textDocument/publishDiagnostics" || json.Unmarshal(m.Params, &p) != nil || p.URI != b {
				continue
			}
			times++
			for _, d := range p.Diagnostics {
				for _, r := range d.RelatedInformation {
					line = r.Location.Range.Start.Line
				}
			}
		}
		return line, times
	}
	before := 0
	names := func(want uint32) func() bool {
		return func() bool {
			line, times := related()
			before = times
			return line == want
		}
	}
	f.until("diagnostics that name the other file", names(4))
	edited := func(version int) func() bool {
		return func() bool {
			return slices.ContainsFunc(f.heard, func(m wireMessage) bool {
				var p protocol.PublishDiagnosticsParams
				return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == a && p.Version == uint32(version)
			})
		}
	}
	for version := 2; version < 6; version++ {
		f.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": a, "version": version}, "contentChanges": []any{map[string]any{"range": protocol.Range{}, "text": "\n"}},
		})
		f.until("the edited file's diagnostics", edited(version))
	}
	f.mu.Lock()
	_, times := related()
	f.mu.Unlock()
	if times != before {
		t.Errorf("the other file was published %d times for four keystrokes", times-before)
	}
	f.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": a}})
	f.until("the new line after saving", names(8))
	f.quit()
}
