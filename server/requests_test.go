package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// afterComparing connects a client to a server that has compared the traces of a folder. The folder
// contains the source mainJava.
func afterComparing(t *testing.T, capabilities string) (*fake, string) {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "src/com/app/Main.java", mainJava)
	f := connect(t, nil)
	f.open(folder, capabilities, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	return f, folder
}

func TestTasks(t *testing.T) {
	f, _ := afterComparing(t, everything)
	type filter map[string]any
	for _, c := range []struct {
		name    string
		params  map[string]any
		total   int
		methods string
	}{
		{"all", nil, 2, "ContentResolver.query TextView.setText"},
		{"by name", map[string]any{"sort": "method"}, 2, "ContentResolver.query TextView.setText"},
		{"the second", map[string]any{"offset": 1, "limit": 1}, 2, "TextView.setText"},
		{"behind the end", map[string]any{"offset": 7}, 2, ""},
		{"unmatched", map[string]any{"filter": filter{"status": "unmatched"}}, 1, "ContentResolver.query"},
		{"matched", map[string]any{"filter": filter{"status": "matched"}}, 1, "TextView.setText"},
		{"ignored", map[string]any{"filter": filter{"status": "ignored"}}, 0, ""},
		{"by text", map[string]any{"filter": filter{"text": "SETTEXT"}}, 1, "TextView.setText"},
		{"by caller", map[string]any{"filter": filter{"text": "main.oncreate"}}, 2, "ContentResolver.query TextView.setText"},
		{"by package", map[string]any{"filter": filter{"package": "com"}}, 2, "ContentResolver.query TextView.setText"},
		{"by a part of a package", map[string]any{"filter": filter{"package": "com.ap"}}, 0, ""},
	} {
		var r tasksResult
		f.must(lsp.MethodTasks, c.params, &r)
		var methods []string
		for _, task := range r.Tasks {
			methods = append(methods, task.Method[strings.LastIndex(task.Method[:strings.LastIndex(task.Method, ".")], ".")+1:strings.Index(task.Method, "(")])
			if len(task.Locations) == 0 || task.Message == "" {
				t.Errorf("%s: a task without place or message: %+v", c.name, task)
			}
		}
		if got := strings.Join(methods, " "); got != c.methods || r.Total != c.total {
			t.Errorf("%s: %d tasks, of them %q; want %d, %q", c.name, r.Total, got, c.total, c.methods)
		}
	}
	for _, bad := range []map[string]any{{"sort": "x"}, {"offset": -1}, {"limit": -1}, {"filter": filter{"status": "x"}}} {
		if err := f.call(lsp.MethodTasks, bad, nil); code(err) != -32602 {
			t.Errorf("%v: %v", bad, err)
		}
	}
	f.quit()
}

func TestFlask(t *testing.T) {
	f, _ := afterComparing(t, everything)
	var r tasksResult
	f.must(lsp.MethodTasks, nil, &r)
	var flask report.Flask
	f.must(lsp.MethodFlask, map[string]any{"task": r.Tasks[0].ID}, &flask)
	if flask.Task != r.Tasks[0].ID || len(flask.Rows.Parent) < 4 {
		t.Errorf("the flask of the first task is %+v", flask)
	}
	f.must(lsp.MethodFlask, nil, &flask)
	if flask.Task != "" {
		t.Errorf("the whole run is task %q", flask.Task)
	}
	for _, bad := range []map[string]any{{"task": "x"}, {"minShare": 2}, {"minShare": -1}, {"maxRows": -1}} {
		if err := f.call(lsp.MethodFlask, bad, nil); code(err) != -32602 {
			t.Errorf("%v: %v", bad, err)
		}
	}
	f.quit()
}

func TestWholeReport(t *testing.T) {
	for unit, want := range map[string]string{"auto": "µJ", "uAh": "µAh"} {
		folder := t.TempDir()
		f := connect(t, nil)
		settings := traces(t, folder)
		settings["unit"], settings["voltage"] = unit, 4
		f.open(folder, everything, settings)
		f.await(lsp.MethodDidCompare, 1, nil)
		var r reportResult
		f.must(lsp.MethodReport, nil, &r)
		if r.Unit != want || r.Volts != 4 || len(r.Report.Tasks) != 2 {
			t.Errorf("unit %s: %s at %v V, %d tasks; want %s at 4 V, 2 tasks", unit, r.Unit, r.Volts, len(r.Report.Tasks), want)
		}
		if r.Spoken.UnitChosen != (unit != "auto") || len(r.Spoken.Rows) < 2 || !slices.Equal(r.Spoken.Headline["µAh"], r.Headline) == (unit == "uAh") {
			t.Errorf("unit %s: sentences %+v, headline %q", unit, r.Spoken, r.Headline)
		}
		if n := len(r.Report.Alpha.Coverage); n != analysis.MaxAutoAlpha+1 {
			t.Errorf("coverage at %d values of α", n)
		}
		f.quit()
	}
}

// TestWholeReportWithoutUnit checks that a report has no sentences for other units if the
// recordings state no unit.
func TestWholeReportWithoutUnit(t *testing.T) {
	folder := t.TempDir()
	f := connect(t, nil)
	settings := traces(t, folder)
	delete(settings, "foldedUnit")
	f.open(folder, everything, settings)
	f.await(lsp.MethodDidCompare, 1, nil)
	var r reportResult
	f.must(lsp.MethodReport, nil, &r)
	if r.Unit != "units" || r.Spoken != nil || len(r.Headline) == 0 {
		t.Errorf("unit %q, sentences %+v, headline %q", r.Unit, r.Spoken, r.Headline)
	}
	f.quit()
}

// TestSource checks that methods are found by their labels, and that all other requests return
// errors.
func TestSource(t *testing.T) {
	f, folder := afterComparing(t, everything)
	for _, c := range []struct {
		params map[string]any
		lines  []uint32
		stale  bool
	}{
		{map[string]any{"method": "com.app.Main.onCreate(Landroid/os/Bundle;)V"}, []uint32{3}, false},
		{map[string]any{"method": "com.app.Main.onCreate", "file": "Main.java", "line": 5}, []uint32{3}, false},
		{map[string]any{"method": "com.app.Main.away()V", "file": "Main.java"}, []uint32{2}, true},
		{map[string]any{"method": "com.app.Other.onCreate()V", "file": "../../Main.java", "line": -7}, nil, false},
		{map[string]any{"method": ""}, nil, false},
		{nil, nil, false},
	} {
		var r sourceResult
		f.must(lsp.MethodSource, c.params, &r)
		var lines []uint32
		for _, l := range r.Locations {
			lines = append(lines, l.Range.Start.Line)
			if want := lsp.URIOf(folder + "/src/com/app/Main.java"); l.URI != want {
				t.Errorf("%v is in %s, want %s", c.params, l.URI, want)
			}
		}
		if !slices.Equal(lines, c.lines) || r.Locations == nil || (r.Stale != "") != c.stale {
			t.Errorf("%v is at %v (stale %q), want the lines %v", c.params, r.Locations, r.Stale, c.lines)
		}
	}
	f.quit()
}

func TestNoComparison(t *testing.T) {
	f := connect(t, nil)
	f.open(t.TempDir(), `{}`, nil)
	var r tasksResult
	f.must(lsp.MethodTasks, nil, &r)
	if r.Comparison != nil || r.Tasks == nil || r.Total != 0 {
		t.Errorf("without a comparison: %+v", r)
	}
	for _, name := range []string{commandShowTask, commandIgnoreTask, commandListPackages, commandReport, commandCompare} {
		if err := f.call("workspace/executeCommand", map[string]any{"command": name}, nil); code(err) != int(lsp.CodeRequestFailed) {
			t.Errorf("%s without a comparison: %v", name, err)
		}
	}
	for _, method := range []string{lsp.MethodFlask, lsp.MethodSource} {
		if err := f.call(method, nil, nil); code(err) != int(lsp.CodeRequestFailed) {
			t.Errorf("%s without a comparison: %v", method, err)
		}
	}
	f.quit()
}

func TestCommands(t *testing.T) {
	f, folder := afterComparing(t, everything)
	run := func(name string, argument, result any) error {
		params := map[string]any{"command": name}
		if argument != nil {
			params["arguments"] = []any{argument}
		}
		return f.call("workspace/executeCommand", params, result)
	}
	var packages packagesResult
	if err := run(commandListPackages, nil, &packages); err != nil || len(packages.Packages.Packages) < 3 || packages.Volts != 3.7 {
		t.Errorf("packages: %+v, %v", packages, err)
	}
	var did didCompareParams
	if err := run(commandSetAlpha, map[string]any{"alpha": 3}, &did); err != nil || did.Alpha != 3 {
		t.Errorf("α = 3: %+v, %v", did, err)
	}
	if err := run(commandSetAlpha, map[string]any{"alpha": "auto"}, &did); err != nil {
		t.Errorf("α = auto: %v", err)
	}
	for _, bad := range []any{nil, map[string]any{"alpha": -1}, map[string]any{"alpha": 1.5}, map[string]any{"alpha": "x"}, map[string]any{"alpha": 1e30}, 7} {
		if err := run(commandSetAlpha, bad, nil); code(err) != -32602 {
			t.Errorf("α of %v: %v", bad, err)
		}
	}
	if err := run(commandCompare, map[string]any{"subject": "subject.folded"}, nil); code(err) != -32602 {
		t.Errorf("a subject alone: %v", err)
	}
	if err := run(commandCompare, map[string]any{"subject": "reference.folded", "reference": "reference.folded"}, &did); err != nil || did.SavingNJ != 0 {
		t.Errorf("the reference against itself: %+v, %v", did, err)
	}
	if err := run(commandCompare, map[string]any{"subject": folder + "/subject.folded", "reference": "reference.folded"}, &did); err != nil || did.SavingNJ == 0 {
		t.Errorf("back: %+v, %v", did, err)
	}
	var r tasksResult
	f.must(lsp.MethodTasks, nil, &r)
	var shown shownTask
	if err := run(commandShowTask, taskArguments{Task: r.Tasks[0].ID}, &shown); err != nil || !strings.Contains(shown.Message, "ContentResolver.query") || shown.Markdown == "" {
		t.Errorf("showing a task: %+v, %v", shown, err)
	}
	uri := map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(folder + "/src/com/app/Main.java")}}
	var lenses []any
	f.must("textDocument/codeLens", uri, &lenses)
	if len(lenses) != 2 {
		t.Errorf("%d lenses, want those of the class and the method", len(lenses))
	}
	if err := run(commandToggle, nil, nil); err != nil {
		t.Error(err)
	}
	f.await("workspace/codeLens/refresh", 2, nil)
	if err := run(commandClear, nil, nil); err != nil {
		t.Error(err)
	}
	f.must(lsp.MethodTasks, nil, &r)
	if r.Comparison != nil {
		t.Error("a comparison that was cleared is there")
	}
	f.quit()
}

// TestReportFile checks that a report has the format of the argument or of the file's extension,
// that it equals the output of the command line, and that it replaces a file only with permission.
func TestReportFile(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, workspace.ProjectFile, "ignore: [{task: android.widget.TextView.setText}]\n")
	f := connect(t, nil)
	f.open(folder, `{}`, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	for _, c := range []struct {
		name string
		a    reportArguments
		want string // the start of the file, and a text in the file
		code int
	}{
		{"json by default", reportArguments{Path: "report"}, "{\n…ignored-tasks", 0},
		{"html by its name", reportArguments{Path: "r.HTML"}, "<!doctype html>…</html>", 0},
		{"text by its name", reportArguments{Path: "r.txt"}, "subject uses …1 task is ignored by the settings", 0},
		{"the format goes before the name", reportArguments{Path: "s.txt", Format: "html"}, "<!doctype html>…</html>", 0},
		{"a file that is there", reportArguments{Path: "r.txt", Format: "json"}, "subject uses …ContentResolver.query", int(lsp.CodeRequestFailed)},
		{"which may be replaced", reportArguments{Path: "r.txt", Format: "json", Overwrite: true}, "{\n…ContentResolver.query", 0},
		{"an unknown format", reportArguments{Path: "x", Format: "pdf"}, "", -32602},
		{"a folder that is not there", reportArguments{Path: "no/x"}, "", int(lsp.CodeRequestFailed)},
	} {
		err := f.call("workspace/executeCommand", map[string]any{"command": commandReport, "arguments": []any{c.a}}, nil)
		if code(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
		text, err := os.ReadFile(filepath.Join(folder, c.a.Path))
		begins, has, _ := strings.Cut(c.want, "…")
		if (err == nil) != (c.want != "") || !strings.HasPrefix(string(text), begins) || !strings.Contains(string(text), has) {
			t.Errorf("%s: the file has %.300q, %v", c.name, text, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*.part"))
	if len(left) > 0 || err != nil {
		t.Errorf("files left behind: %q, %v", left, err)
	}
	f.quit()
}
