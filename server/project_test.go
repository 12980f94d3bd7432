package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// command runs a command.
func (f *fake) command(name string, argument, result any) error {
	f.t.Helper()
	return f.call("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{argument}}, result)
}

// stack returns a folded stack in which a class's method calls a task.
func stack(class, task string, energy int) string {
	return fmt.Sprintf("android.app.Activity.performCreate()V;%s.onCreate(Landroid/os/Bundle;)V;%s()V %d\n", class, task, energy)
}

// both is the common part of two runs of one app. The amounts in the other parts are not multiples
// of the amounts in this part, because multiples would look like samples.
const both = "android.view.View.draw()V;com.app.Both.onDraw()V 10007\n"

// app writes a project of one class, with an unnamed pair of traces and a named pair.
func app(t *testing.T, folder, pkg string) (file string) {
	t.Helper()
	file = write(t, folder, "Main.java", strings.Replace(mainJava, "com.app", pkg, 1))
	both := strings.Replace(both, "com.app", pkg, 1)
	write(t, folder, "new.folded", stack(pkg+".Main", "android.content.ContentResolver.query", 4_000_000)+both)
	write(t, folder, "paid.folded", stack(pkg+".Main", "android.widget.TextView.setText", 4_000_000)+both)
	write(t, folder, "old.folded", stack("org.other.Start", "android.util.Log.d", 1000)+both)
	write(t, folder, workspace.ProjectFile, "subject: new.folded\nreference: old.folded\nfoldedUnit: nJ\npairs:\n  paid: {subject: paid.folded, reference: old.folded}\n")
	return file
}

// TestProjects checks that each workspace folder has its own project file and pairs. One comparison
// is shown, in the folders of its project.
func TestProjects(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	files := []string{app(t, first, "com.first"), app(t, second, "com.second")}
	f := connect(t, nil)
	f.must("initialize", map[string]any{
		"capabilities":     map[string]any{"experimental": map[string]any{"diffprof": map[string]any{"notifications": true}}},
		"workspaceFolders": []protocol.WorkspaceFolder{{URI: string(lsp.URIOf(first))}, {URI: string(lsp.URIOf(second))}},
	}, nil)
	f.notify("initialized", struct{}{})
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" || did.SettingsFile != filepath.Join(first, workspace.ProjectFile) {
		t.Fatalf("the first comparison is %+v", did)
	}
	shown := func() (messages []string) {
		for _, path := range files {
			var report struct{ Items []protocol.Diagnostic }
			f.must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}, &report)
			for _, d := range report.Items {
				method, _, _ := strings.Cut(d.Message, " ")
				messages = append(messages, filepath.Base(filepath.Dir(path))[:3]+" "+method)
			}
		}
		return messages
	}
	expect := func(when string, folder, task string) {
		t.Helper()
		if got, want := shown(), []string{filepath.Base(folder)[:3] + " " + task}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("at first", first, "ContentResolver.query")
	for _, c := range []struct {
		a            selectPairArguments
		folder, task string
	}{
		{selectPairArguments{Pair: "paid"}, first, "TextView.setText"},
		{selectPairArguments{File: filepath.Join(second, workspace.ProjectFile)}, second, "ContentResolver.query"},
		{selectPairArguments{Pair: "paid"}, second, "TextView.setText"},
		{selectPairArguments{Pair: "", File: filepath.Join(first, workspace.ProjectFile)}, first, "ContentResolver.query"},
	} {
		did = didCompareParams{}
		if err := f.command(commandSelectPair, c.a, &did); err != nil || did.Pair != c.a.Pair {
			t.Fatalf("%+v: %+v, %v", c.a, did, err)
		}
		expect(fmt.Sprint(c.a), c.folder, c.task)
	}
	var list pairsResult
	if err := f.command(commandListPairs, nil, &list); err != nil || len(list.Pairs) != 4 || !list.Pairs[0].Selected || list.Pairs[3].Selected || list.Pairs[1].Pair != "paid" {
		t.Errorf("the pairs are %+v, %v", list, err)
	}
	if err := f.command(commandSelectPair, selectPairArguments{Pair: "payd"}, nil); code(err) != -32602 || !strings.Contains(err.Error(), `"paid"`) {
		t.Errorf("a pair that there is not: %v", err)
	}
	f.quit()
}

// TestProjectAbove checks that the nearest project file above a workspace folder is used, up to the
// root of the repository, and no other file.
func TestProjectAbove(t *testing.T) {
	for name, repository := range map[string]bool{"in a repository": true, "in none": false} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			app(t, parent, "com.app")
			folder := filepath.Join(parent, "app", "src")
			if err := os.MkdirAll(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			if repository {
				write(t, parent, ".git", "")
			}
			turns := make(chan struct{}, 100)
			f := connect(t, func(o *Options) { o.configured = func() { turns <- struct{}{} } })
			f.open(folder, `{}`, nil)
			<-turns
			if repository {
				f.await(lsp.MethodDidCompare, 1, nil)
			} else if err := f.command(commandCompare, nil, nil); err == nil {
				t.Error("a file that belongs to others was read")
			}
			f.quit()
		})
	}
}

// TestInputsInTheProjectFile checks that errors in a trace are diagnostics at the trace's name in
// the project file. So are differences that make two traces hard to compare.
func TestInputsInTheProjectFile(t *testing.T) {
	folder := t.TempDir()
	app(t, folder, "com.app")
	var many strings.Builder
	for i := range 20 {
		many.WriteString(stack("com.app.Main", fmt.Sprintf("android.util.Only.call%d", i), 100))
	}
	write(t, folder, "new.folded", many.String())
	project := lsp.URIOf(filepath.Join(folder, workspace.ProjectFile))
	f := connect(t, nil)
	f.open(folder, everything, nil)
	var did didCompareParams
	f.await(lsp.MethodDidCompare, 1, &did)
	if len(did.Unlike) == 0 || did.Unlike[0].Code == "" {
		t.Errorf("didCompare says %+v", did)
	}
	look := func() []protocol.Diagnostic {
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": project}}, &report)
		return report.Items
	}
	found := look()
	if len(found) != len(did.Unlike) || found[0].Code != codeUnlike || found[0].Severity != protocol.DiagnosticSeverityInformation || found[0].Range.Start.Line > 1 {
		t.Errorf("the project file has %+v", found)
	}
	if err := os.Remove(filepath.Join(folder, "old.folded")); err != nil {
		t.Fatal(err)
	}
	if err := f.command(commandCompare, nil, nil); err == nil {
		t.Error("a comparison without a reference")
	}
	found = slices.DeleteFunc(look(), func(d protocol.Diagnostic) bool { return d.Code != codeInput })
	want := protocol.Range{Start: protocol.Position{Line: 1, Character: 11}, End: protocol.Position{Line: 1, Character: 21}}
	if len(found) != 1 || found[0].Severity != protocol.DiagnosticSeverityError || found[0].Range != want {
		t.Errorf("without the reference the project file has %+v", found)
	}
	write(t, folder, "old.folded", stack("org.other.Start", "android.util.Log.d", 1000)+both)
	if err := f.command(commandCompare, nil, nil); err != nil {
		t.Error(err)
	}
	if found = look(); slices.ContainsFunc(found, func(d protocol.Diagnostic) bool { return d.Code == codeInput }) {
		t.Errorf("with the reference the project file has %+v", found)
	}
	f.quit()
}

// TestSettingsInTheProjectFile checks completions and hovers for settings in the project file.
func TestSettingsInTheProjectFile(t *testing.T) {
	folder := t.TempDir()
	f := connect(t, nil)
	f.open(folder, everything, nil)
	document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, workspace.ProjectFile))}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": document["uri"], "version": 1, "text": "# ü\nunit: \nsev\n"}})
	complete := func(line, character uint32) (labels []string) {
		var items []protocol.CompletionItem
		f.must("textDocument/completion", map[string]any{"textDocument": document, "position": protocol.Position{Line: line, Character: character}}, &items)
		for _, i := range items {
			labels = append(labels, i.Label)
		}
		return labels
	}
	if got := complete(1, 6); !slices.Contains(got, "uAh") || slices.Contains(got, "severity") {
		t.Errorf("behind unit: %q", got)
	}
	if got := complete(2, 3); !slices.Contains(got, "severity") {
		t.Errorf("at sev: %q", got)
	}
	var h *protocol.Hover
	f.must("textDocument/hover", map[string]any{"textDocument": document, "position": protocol.Position{Line: 1, Character: 2}}, &h)
	if h == nil || !strings.Contains(h.Contents.Value, "The unit in which energy is shown") || h.Range.End.Character != 4 {
		t.Errorf("on unit: %+v", h)
	}
	document["uri"] = lsp.URIOf(filepath.Join(folder, "Main.java"))
	if got := complete(0, 0); len(got) > 0 {
		t.Errorf("in a source: %q", got)
	}
	f.quit()
}
