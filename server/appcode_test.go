package server

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestAppCode checks that the app's own code is listed with the locations of its methods, and that
// the parts outside tasks add up to the energy outside tasks.
func TestAppCode(t *testing.T) {
	f, _ := afterComparing(t, everything)
	var r appCodeResult
	f.must(lsp.MethodAppCode, nil, &r)
	if r.Total != 1 || len(r.AppCode) != 1 {
		t.Fatalf("%d rows: %+v", r.Total, r.AppCode)
	}
	row := r.AppCode[0]
	if row.Energy != 1_000_000 || len(row.Locations) != 1 || row.Locations[0].Range.Start.Line != 3 {
		t.Errorf("onCreate by itself is %+v at %+v", row.AppCode, row.Locations)
	}
	if want := "*.onCreate itself: 1.00 mJ here, 1.00 mJ in reference, most in Main.onCreate, 1.00 mJ"; row.Message != want {
		t.Errorf("the message is %q, want %q", row.Message, want)
	}
	sum := r.Outside[0].Energy
	for _, part := range r.Outside[1:] {
		sum += part.Energy
	}
	var all tasksResult
	f.must(lsp.MethodTasks, nil, &all)
	if want := 7_000_003 - all.Tasks[0].Own - all.Tasks[1].Own; sum != want || r.Outside[0].Name != words.OutsideAppCode || r.Outside[0].Energy != row.Own {
		t.Errorf("outside of tasks are %+v, together %d; want %d", r.Outside, sum, want)
	}
	f.must(lsp.MethodAppCode, map[string]any{"text": "MAIN.ON"}, &r)
	if r.Total != 1 {
		t.Errorf("%d rows mention Main.on", r.Total)
	}
	f.must(lsp.MethodAppCode, map[string]any{"text": "setText"}, &r)
	if r.Total != 0 {
		t.Errorf("%d rows mention setText", r.Total)
	}
	f.must(lsp.MethodAppCode, map[string]any{"offset": 5}, &r)
	if r.Total != 1 || len(r.AppCode) != 0 {
		t.Errorf("behind the end are %d of %d rows", len(r.AppCode), r.Total)
	}
	for _, bad := range []map[string]any{{"offset": -1}, {"limit": -1}} {
		if err := f.call(lsp.MethodAppCode, bad, nil); code(err) != -32602 {
			t.Errorf("%v: %v", bad, err)
		}
	}
	f.quit()
}

// TestIgnoreAppCode ignores a method's own energy by the id of its row, with the command and with
// the action at its declaration. The method's lens shows the energy.
func TestIgnoreAppCode(t *testing.T) {
	folder := t.TempDir()
	document := map[string]any{"uri": lsp.URIOf(write(t, folder, "Sort.java", "package com.app;\nclass Sort {\n  void bubble() { }\n}\n"))}
	f := connect(t, nil)
	f.open(folder, everything, map[string]any{
		"subject":   write(t, folder, "subject.folded", "android.os.Handler.x()V;com.app.Sort.bubble()V 5000\n"),
		"reference": write(t, folder, "reference.folded", "android.os.Handler.x()V;com.app.Sort.bubble()V 10\n"),
		"minShare":  0.0,
	})
	f.await(lsp.MethodDidCompare, 1, nil)
	var rows appCodeResult
	f.must(lsp.MethodAppCode, nil, &rows)
	if len(rows.AppCode) != 1 {
		t.Fatalf("%d rows", len(rows.AppCode))
	}
	ignores := func(edit any) bool {
		written, err := json.Marshal(edit)
		return err == nil && strings.Contains(string(written), "id: "+rows.AppCode[0].ID) && strings.Contains(string(written), "com.app.Sort.bubble")
	}
	var edit lsp.WorkspaceEdit
	if err := f.command(commandIgnoreTask, taskArguments{Task: rows.AppCode[0].ID}, &edit); err != nil || !ignores(edit) {
		t.Errorf("the command's edit is %+v (%v)", edit, err)
	}
	var actions []lsp.CodeAction
	at := map[string]int{"line": 2, "character": 7}
	f.must("textDocument/codeAction", map[string]any{"textDocument": document, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &actions)
	if !slices.ContainsFunc(actions, func(a lsp.CodeAction) bool { return a.Edit != nil && ignores(a.Edit) }) {
		t.Errorf("no action ignores it: %+v", actions)
	}
	var lenses []struct {
		Command struct {
			Title, Command string
			Arguments      []methodArguments
		}
	}
	f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
	if len(lenses) != 2 {
		t.Fatalf("%d lenses", len(lenses))
	}
	for _, l := range lenses {
		var shown struct{ Message string }
		if err := f.command(l.Command.Command, l.Command.Arguments[0], &shown); err != nil || l.Command.Command != commandShowMethod || !strings.Contains(shown.Message, "5,000 units") {
			t.Errorf("%+v shows %q (%v)", l.Command, shown.Message, err)
		}
	}
	if err := f.command(commandShowMethod, methodArguments{Method: "com.app.Sort.quick"}, nil); code(err) != -32602 {
		t.Errorf("a method that never ran: %v", err)
	}
	f.quit()
}

// TestHiddenAppCode checks that rows that the settings hide are not listed.
func TestHiddenAppCode(t *testing.T) {
	for name, set := range map[string]map[string]any{
		"ignored": {"ignore": []any{map[string]any{"task": "*.onCreate"}}},
		"not own": {"only": "own", "ownPackages": []any{"org.nobody"}},
	} {
		folder := t.TempDir()
		settings := traces(t, folder)
		for key, value := range set {
			settings[key] = value
		}
		f := connect(t, nil)
		f.open(folder, everything, settings)
		f.await(lsp.MethodDidCompare, 1, nil)
		var r appCodeResult
		f.must(lsp.MethodAppCode, nil, &r)
		if r.Total != 0 {
			t.Errorf("%s: %d rows", name, r.Total)
		}
		f.quit()
	}
}

// TestPackagesTable checks that the list of packages is available in the form of the command line.
func TestPackagesTable(t *testing.T) {
	f, _ := afterComparing(t, everything)
	list := func(format string) map[string]any {
		return map[string]any{"command": commandListPackages, "arguments": []any{map[string]any{"format": format}}}
	}
	var table struct{ Text string }
	f.must("workspace/executeCommand", list("text"), &table)
	for _, want := range []string{"package", "decided by", "com.app", "own"} {
		if !strings.Contains(table.Text, want) {
			t.Errorf("the table lacks %q:\n%s", want, table.Text)
		}
	}
	if err := f.call("workspace/executeCommand", list("yaml"), nil); code(err) != -32602 {
		t.Errorf("yaml: %v", err)
	}
	f.quit()
}
