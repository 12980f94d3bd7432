package server

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestAppCode: the app's own code is listed with its places, and what lies outside of tasks
// adds up.
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
	if want := "*.onCreate itself: 1.00 mJ here, 1.00 mJ in reference (1.0 times)"; row.Message != want {
		t.Errorf("it is said to be %q, want %q", row.Message, want)
	}
	sum := r.Outside[0].Energy
	for _, part := range r.Outside[1:] {
		sum += part.Energy
	}
	var all tasksResult
	f.must(lsp.MethodTasks, nil, &all)
	if want := 7_000_000 - all.Tasks[0].Own - all.Tasks[1].Own; sum != want || r.Outside[0].Name != words.OutsideAppCode || r.Outside[0].Energy != row.Own {
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

// TestHiddenAppCode: what the settings hide is not listed.
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
		f.hear(lsp.MethodDidCompare, 1, nil)
		var r appCodeResult
		f.must(lsp.MethodAppCode, nil, &r)
		if r.Total != 0 {
			t.Errorf("%s: %d rows", name, r.Total)
		}
		f.quit()
	}
}

// TestPackagesTable: the list of packages comes as the command writes it, if asked for.
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
