package server

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// asking has the capabilities of a client that prefers requests for settings.
const asking = `{"workspace": {"configuration": true, "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]}}}`

// TestConfiguration checks that requested settings take effect, and that they cause a comparison
// only if the inputs change.
func TestConfiguration(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Main.java", mainJava)
	settings := traces(t, folder)
	turns := make(chan struct{}, 100)
	f := connect(t, func(o *Options) { o.configured = func() { turns <- struct{}{} } })
	asked := make(chan map[string]any, 1)
	f.reply("workspace/configuration", func(raw json.RawMessage) (any, error) {
		if !strings.Contains(string(raw), `"section":"diffprof"`) {
			t.Errorf("asked for %s", raw)
		}
		return []any{<-asked}, nil
	})
	asked <- nil
	f.open(folder, asking, nil)
	<-turns
	set := func(change map[string]any) {
		next := maps.Clone(settings)
		maps.Copy(next, change)
		asked <- next
		f.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		<-turns
	}
	set(nil)
	f.await(lsp.MethodDidCompare, 1, nil)
	document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "Main.java"))}
	if n := f.lenses(document); n != 2 {
		t.Errorf("%d lenses", n)
	}
	set(map[string]any{"codeLens": map[string]bool{"class": false}})
	if n := f.lenses(document); n != 1 {
		t.Errorf("%d lenses without those of classes", n)
	}
	set(map[string]any{"alpha": 3})
	var did didCompareParams
	f.await(lsp.MethodDidCompare, 2, &did)
	if did.Alpha != 3 {
		t.Errorf("α = %d", did.Alpha)
	}
	set(map[string]any{"alpha": 3, "minShare": "200%"})
	var message struct{ Message string }
	f.await("window/showMessage", 1, &message)
	if !strings.Contains(message.Message, "minShare") {
		t.Errorf("the user reads %q", message.Message)
	}
	if n := f.count(lsp.MethodDidCompare); n != 2 {
		t.Errorf("%d comparisons, of which 2 made a difference", n)
	}
	f.quit()
}

// TestProjectFile checks that the traces of the project file are compared, and compared again when
// the file changes.
func TestProjectFile(t *testing.T) {
	folder := t.TempDir()
	traces(t, folder)
	write(t, folder, workspace.ProjectFile, "subject: subject.folded\nreference: reference.folded\nalpha: 1\n")
	looked := make(chan struct{}, 100)
	f := connect(t, func(o *Options) { o.looked = func() { looked <- struct{}{} } })
	f.open(folder, `{}`, map[string]any{"alpha": 4})
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Alpha != 1 {
		t.Errorf("α = %d, which is not the project's", did.Alpha)
	}
	<-looked // The loop has looked at the unchanged file.
	write(t, folder, workspace.ProjectFile, "subject: subject.folded\nreference: reference.folded\nalpha: 12\n")
	for range 2 {
		for len(looked) > 0 {
			<-looked
		}
		f.ticks["files"] <- time.Time{}
		<-looked
	}
	if f.await(lsp.MethodDidCompare, 2, &did); did.Alpha != 12 {
		t.Errorf("α = %d after the file changed", did.Alpha)
	}
	f.quit()
}

// TestWarnedSetting checks that an unusual value takes effect and causes a warning on its line.
func TestWarnedSetting(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, workspace.ProjectFile, "foldedUnit: nJ\nalpha: 99\n")
	f := connect(t, nil)
	f.open(folder, everything, traces(t, folder))
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Alpha != 99 {
		t.Errorf("α is %d", did.Alpha)
	}
	var report struct{ Items []protocol.Diagnostic }
	f.must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}, &report)
	if len(report.Items) != 1 || report.Items[0].Severity != protocol.DiagnosticSeverityWarning || report.Items[0].Range.Start.Line != 1 {
		t.Errorf("diagnostics: %+v", report.Items)
	}
	f.quit()
}

// TestIgnore checks that the action's edit removes the diagnostic, and that undoing the edit
// restores it.
func TestIgnore(t *testing.T) {
	for name, before := range map[string]string{
		"no file": "", "a file": "# mine\nminShare: 0\nignore:\n  - task: a.B.c\n    reason: no\n",
		"line ends of Windows": "minShare: 0\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if before != "" {
				write(t, folder, workspace.ProjectFile, before)
			}
			turns := make(chan struct{}, 100)
			write(t, folder, "Main.java", mainJava)
			f := connect(t, func(o *Options) { o.configured = func() { turns <- struct{}{} } })
			f.open(folder, everything, traces(t, folder))
			<-turns
			f.await(lsp.MethodDidCompare, 1, nil)
			document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "Main.java"))}
			count := func() int {
				var report struct{ Items []protocol.Diagnostic }
				f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
				return len(report.Items)
			}
			if n := count(); n != 2 {
				t.Fatalf("%d diagnostics", n)
			}
			var actions []lsp.CodeAction
			f.must("textDocument/codeAction", map[string]any{
				"textDocument": document, "context": map[string]any{"diagnostics": []any{}},
				"range": map[string]any{"start": map[string]int{"line": 4, "character": 18}, "end": map[string]int{"line": 4, "character": 18}},
			}, &actions)
			var titles []string
			after := before
			for _, a := range actions {
				titles = append(titles, a.Title)
				if a.Edit != nil && strings.HasSuffix(a.Title, workspace.ProjectFile) {
					after = apply(t, before, a.Edit)
				}
			}
			if len(titles) != 4 && len(titles) != 5 || after == before {
				t.Fatalf("actions %q", titles)
			}
			project := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, workspace.ProjectFile)), "languageId": "yaml", "version": 1, "text": after}
			f.notify("textDocument/didOpen", map[string]any{"textDocument": project})
			<-turns
			if n := count(); n != 1 {
				t.Errorf("%d diagnostics with\n%s", n, after)
			}
			f.notify("textDocument/didChange", map[string]any{
				"textDocument": map[string]any{"uri": project["uri"], "version": 2}, "contentChanges": []any{map[string]any{"text": before}},
			})
			<-turns
			if n := count(); n != 2 {
				t.Errorf("%d diagnostics after taking it back", n)
			}
			f.quit()
			if text, err := os.ReadFile(filepath.Join(folder, workspace.ProjectFile)); string(text) != before {
				t.Errorf("the server wrote %q, %v", text, err)
			}
		})
	}
}

// TestIgnoreWithoutSource checks that the command also ignores a task that no source calls.
func TestIgnoreWithoutSource(t *testing.T) {
	folder := t.TempDir()
	turns := make(chan struct{}, 100)
	f := connect(t, func(o *Options) { o.configured = func() { turns <- struct{}{} } })
	f.open(folder, everything, traces(t, folder))
	<-turns
	f.await(lsp.MethodDidCompare, 1, nil)
	f.await(lsp.MethodDidChange, 1, nil)
	var tasks tasksResult
	f.must(lsp.MethodTasks, nil, &tasks)
	saving := tasks.Comparison.SavingNJ
	ignore := func(id string) (edit *lsp.WorkspaceEdit, err error) {
		err = f.call("workspace/executeCommand", map[string]any{"command": commandIgnoreTask, "arguments": []any{taskArguments{Task: id}}}, &edit)
		return edit, err
	}
	edit, err := ignore(tasks.Tasks[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	after := apply(t, "", edit)
	if want := "task: " + tasks.Tasks[0].Method; !strings.Contains(after, want) {
		t.Errorf("the edit makes\n%s\nwithout %q", after, want)
	}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": lsp.URIOf(filepath.Join(folder, workspace.ProjectFile)), "languageId": "yaml", "version": 1, "text": after,
	}})
	<-turns
	f.must(lsp.MethodTasks, nil, &tasks)
	if tasks.Total != 1 {
		t.Errorf("%d tasks are left, want one of two", tasks.Total)
	}
	if left := tasks.Comparison.SavingNJ; left >= saving {
		t.Errorf("%d nJ can be saved of %d, with the worst task ignored", left, saving)
	}
	f.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(filepath.Join(folder, workspace.ProjectFile))}})
	if _, err := ignore("nothing"); code(err) != -32602 {
		t.Errorf("a task that there is not: %v", err)
	}
	write(t, folder, workspace.ProjectFile, "ignore: [")
	if _, err := ignore(tasks.Tasks[0].ID); err == nil || !strings.Contains(err.Error(), workspace.ProjectFile) {
		t.Errorf("a project file that cannot be read: %v", err)
	}
	f.quit()
}

// apply applies an edit of one file.
func apply(t *testing.T, text string, edit *lsp.WorkspaceEdit) string {
	t.Helper()
	created := false
	for _, change := range edit.DocumentChanges {
		data, err := json.Marshal(change)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Kind  string
			Edits []protocol.TextEdit
		}
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		created = created || e.Kind == "create"
		for _, one := range e.Edits {
			text = buffer.New(text).Replace(lsp.PlaceOf(one.Range.Start), lsp.PlaceOf(one.Range.End), one.NewText, buffer.UTF16).Text()
		}
	}
	if created != (len(edit.DocumentChanges) == 2) {
		t.Errorf("the edit is %+v", edit)
	}
	return text
}

// TestReadingIsConfigured checks that settings for reading and matching reach the comparison. The
// project file overrides the client's settings.
func TestReadingIsConfigured(t *testing.T) {
	folder := t.TempDir()
	options := make(chan analysis.Options, 1)
	f := connect(t, func(o *Options) {
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			options <- a
			return analysis.Compare(ctx, a)
		}
	})
	settings := traces(t, folder)
	maps.Copy(settings, map[string]any{
		"foldedUnit": "s", "partial": true, "maxExpanded": "1MiB", "maxMemory": "64MiB", "threads": 3,
	})
	write(t, folder, "diffprof.yaml", "foldedUnit: ms\nmaxMemory: 128MiB\n")
	f.open(folder, everything, settings)
	var did didCompareParams
	f.await(lsp.MethodDidCompare, 1, &did)
	got := <-options
	want := ingest.Options{Partial: true, MaxExpanded: 1 << 20, Unit: got.Ingest.Unit}
	if !reflect.DeepEqual(got.Ingest, want) || got.Ingest.Unit.String() != "ms" || got.MaxMemory != 128<<20 || got.Matching.Threads != 3 {
		t.Errorf("options %+v", got)
	}
	if did.Error != "" {
		t.Error(did.Error)
	}
	f.quit()
}
