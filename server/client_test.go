package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestPlainClient checks that a client without capabilities gets only notifications of the
// protocol, hovers as plain text, and commands instead of code actions.
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

// afterPublishing opens a client that learns of a comparison only from the diagnostics.
func afterPublishing(t *testing.T, capabilities string) (*fake, string) {
	folder := t.TempDir()
	write(t, folder, "src/com/app/Main.java", mainJava)
	f := connect(t, nil)
	f.open(folder, capabilities, traces(t, folder))
	f.await("textDocument/publishDiagnostics", 1, nil)
	return f, folder
}

// TestCodeActionsOfTheCursor checks that actions are for the call at the cursor or, without one,
// for the calls in its line. Actions that change no text must not be quick fixes.
func TestCodeActionsOfTheCursor(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "Main.java", "package com.app;\nclass Main {\n  void onCreate(android.os.Bundle b) {\n    resolver.query(); text.setText();\n}}\n")
	f := connect(t, nil)
	f.open(folder, everything, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
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

// TestCommandsKeepTheirOrder checks that the second of two successive commands takes effect.
func TestCommandsKeepTheirOrder(t *testing.T) {
	f, _ := afterComparing(t, everything)
	for range 30 {
		var ids []int
		for _, alpha := range []int{1, 3} {
			ids = append(ids, f.begin("workspace/executeCommand", map[string]any{"command": commandSetAlpha, "arguments": []any{setAlphaArguments{alpha}}}))
		}
		// The second command replaces the first, unless the first ended before.
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

// TestToggles checks that annotations disappear when a command turns them off, and return when it
// turns them on.
func TestToggles(t *testing.T) {
	turns := make(chan struct{}, 100)
	folder := t.TempDir()
	path := write(t, folder, "Main.java", mainJava)
	f := connect(t, func(o *Options) { o.configured = func() { turns <- struct{}{} } })
	f.open(folder, everything, traces(t, folder))
	<-turns
	f.await(lsp.MethodDidCompare, 1, nil)
	document := map[string]any{"uri": lsp.URIOf(path)}
	shown := func() map[string]bool {
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)
		var hints []lsp.InlayHint
		f.must("textDocument/inlayHint", map[string]any{"textDocument": document, "range": protocol.Range{End: protocol.Position{Line: 99}}}, &hints)
		var tasks tasksResult
		f.must(lsp.MethodTasks, nil, &tasks)
		return map[string]bool{"diagnostics": len(report.Items) > 0, "inlayHints": len(hints) > 0, "codeLens": f.lenses(document) > 0, "lineHeat": tasks.LineHeat}
	}
	want := map[string]bool{"diagnostics": true, "inlayHints": true, "codeLens": true, "lineHeat": false}
	for range 2 {
		for _, what := range []string{"diagnostics", "inlayHints", "codeLens", "lineHeat"} {
			var result struct{ Enabled bool }
			if err := f.command(commandToggleView, toggleArguments{what}, &result); err != nil {
				t.Fatal(err)
			}
			<-turns
			want[what] = !want[what]
			if got := shown(); !maps.Equal(got, want) || result.Enabled != want[what] {
				t.Errorf("with %s toggled: %v, %v, want %v", what, got, result, want)
			}
		}
	}
	if err := f.command(commandToggleView, toggleArguments{"colours"}, nil); code(err) != -32602 {
		t.Errorf("something else: %v", err)
	}
	f.quit()
}

// TestLensOpensItsTasks checks that a lens's command names the tasks that the lens is about, that
// the list shows these tasks, and that the command states their number.
func TestLensOpensItsTasks(t *testing.T) {
	f, folder := afterComparing(t, everything)
	var lenses []struct {
		Command struct {
			Command   string
			Arguments []taskArguments
		}
	}
	f.must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(filepath.Join(folder, "src/com/app/Main.java"))}}, &lenses)
	for _, l := range lenses {
		if l.Command.Command != commandShowTask || len(l.Command.Arguments) != 1 || len(l.Command.Arguments[0].Tasks) != 2 || l.Command.Arguments[0].Tasks[0] != l.Command.Arguments[0].Task {
			t.Fatalf("the lens %+v", l)
		}
	}
	given := lenses[0].Command.Arguments[0]
	var shown shownTask
	if err := f.command(commandShowTask, given, &shown); err != nil || !strings.HasSuffix(shown.Message, "; 1 more task here") || !strings.Contains(shown.Markdown, "TextView.setText") {
		t.Errorf("it shows %+v, %v", shown, err)
	}
	var list tasksResult
	f.must(lsp.MethodTasks, map[string]any{"filter": map[string]any{"tasks": given.Tasks[1:]}}, &list)
	if list.Total != 1 || list.Tasks[0].ID != given.Tasks[1] {
		t.Errorf("the list has %d tasks", list.Total)
	}
	f.quit()
}

// TestNotice checks that one message with a button that opens the project file is shown if few
// tasks are in the sources. Packages that the sources declare belong to the app.
func TestNotice(t *testing.T) {
	for name, c := range map[string]struct {
		class, says string
		located     bool
	}{
		"elsewhere":                 {"org.elsewhere.Main", "0 of 20 tasks are in the sources", false},
		"shortened":                 {"a.b", "mappingSubject", false},
		"here":                      {"com.app.Main", "", true},
		"below the system's prefix": {"android.com.app.Main", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, "Main.java", mainJava)
			write(t, folder, "Other.java", strings.Replace(mainJava, "com.app", "android.com.app", 1))
			var many strings.Builder
			for i := range 20 {
				many.WriteString(stack(c.class, fmt.Sprintf("android.util.Only.call%d", i), 100))
			}
			f := connect(t, nil)
			asked, opened := make(chan string, 10), make(chan string, 10)
			f.reply("window/showMessageRequest", func(params json.RawMessage) (any, error) {
				var p protocol.ShowMessageRequestParams
				err := json.Unmarshal(params, &p)
				asked <- p.Message
				return p.Actions[0], err
			})
			f.reply("window/showDocument", func(params json.RawMessage) (any, error) {
				opened <- string(params)
				return map[string]bool{"success": true}, nil
			})
			f.open(folder, `{"window": {"showDocument": {"support": true}}}`, map[string]any{
				"subject": write(t, folder, "new.folded", many.String()), "reference": write(t, folder, "old.folded", stack("org.other.Start", "android.util.Log.d", 10)), "foldedUnit": "nJ",
			})
			var tasks tasksResult
			f.await(lsp.MethodDidCompare, 1, nil)
			if err := f.command(commandCompare, nil, nil); err != nil {
				t.Fatal(err)
			}
			f.must(lsp.MethodTasks, nil, &tasks)
			if located := tasks.Total > 0 && len(tasks.Tasks[0].Locations) > 0; located != c.located {
				t.Errorf("of %d tasks the first is located: %v", tasks.Total, located)
			}
			if c.says != "" {
				if message := <-asked; !strings.Contains(message, c.says) {
					t.Errorf("the user reads %q", message)
				}
				if document := <-opened; !strings.Contains(document, "diffprof.yaml") {
					t.Errorf("the button opens %s", document)
				}
			}
			f.quit()
			if len(asked) > 0 {
				t.Errorf("the user reads %q", <-asked)
			}
		})
	}
}

// TestOpenReport checks that the report opens in a browser, that it is removed at the end, and that
// only clients without views of their own get the action.
func TestOpenReport(t *testing.T) {
	const browser = `{"window": {"showDocument": {"support": true}}, "textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}`
	for name, c := range map[string]struct {
		capabilities   string
		opens, offered bool
	}{
		"a plain client":   {browser + `, "experimental": {}}`, true, true},
		"one with views":   {browser + `}`, true, false},
		"one without both": {`{"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}, "experimental": {}}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := write(t, folder, "src/com/app/Main.java", mainJava)
			f := connect(t, nil)
			opened := make(chan string, 2)
			f.reply("window/showDocument", func(params json.RawMessage) (any, error) {
				var p struct {
					URI      uri.URI
					External bool
				}
				err := json.Unmarshal(params, &p)
				page, bad := lsp.PathOf(p.URI)
				if !p.External || bad != nil {
					t.Errorf("%s does not open a browser: %v", params, bad)
				}
				opened <- page
				return map[string]bool{"success": true}, err
			})
			f.open(folder, c.capabilities, traces(t, folder))
			// The comparison that the server makes at its start may replace the requested one.
			err := f.command(commandCompare, nil, nil)
			for code(err) == -32802 {
				err = f.command(commandCompare, nil, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			var actions []struct{ Title string }
			f.must("textDocument/codeAction", map[string]any{
				"textDocument": map[string]any{"uri": lsp.URIOf(path)}, "context": map[string]any{"diagnostics": []any{}},
				"range": protocol.Range{Start: protocol.Position{Line: 4}, End: protocol.Position{Line: 5}},
			}, &actions)
			offered := false
			for _, a := range actions {
				offered = offered || a.Title == "Open diffprof's report in a browser"
			}
			if offered != c.offered || len(actions) == 0 {
				t.Errorf("the actions are %v", actions)
			}
			var pages []string
			for range 2 {
				if err := f.command(commandOpenReport, nil, nil); (err == nil) != c.opens {
					t.Fatal(err)
				}
				if c.opens {
					pages = append(pages, <-opened)
					if text, err := os.ReadFile(pages[len(pages)-1]); err != nil || !strings.HasPrefix(string(text), "<!doctype html>") {
						t.Errorf("the page is %.60q, %v", text, err)
					}
				}
			}
			f.quit()
			for _, page := range pages {
				if _, err := os.Stat(page); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left behind: %v", page, err)
				}
			}
		})
	}
}
