package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// TestWasteIsDiagnosed checks that a component's wasted energy is a diagnostic at the app's method
// that causes it, unless the source or the project hides it.
func TestWasteIsDiagnosed(t *testing.T) {
	t.Run("told", func(t *testing.T) { diagnosesWaste(t, "", "") })
	t.Run("ignored", func(t *testing.T) { diagnosesWaste(t, "diffprof:ignore", "") })
	t.Run("ignored by the project", func(t *testing.T) {
		diagnosesWaste(t, "", "ignore:\n  - task: android.os.PowerManager$WakeLock.acquire\n    reason: it has to\n")
	})
}

func diagnosesWaste(t *testing.T, ignored, project string) {
	archive, err := txtar.ParseFile("../report/testdata/bundles/facebook.txtar")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	// The app stops. Later, an alarm releases the wakelock.
	const drawn = `{"ph":"E","pid":1,"tid":2,"ts":30000000}`
	run := strings.Replace(string(archive.Files[0].Data), drawn, `{"ph":"E","pid":1,"tid":2,"ts":9400000},
{"ph":"B","pid":1,"tid":2,"ts":29000000,"name":"android.os.PowerManager$WakeLock.release"},
{"ph":"E","pid":1,"tid":2,"ts":29000100}`, 1)
	write(t, folder, "run.json", run)
	write(t, folder, workspace.ProjectFile, "subject: run.json\nreference: run.json\npowerModel: passion\n"+project)
	session := write(t, folder, "AppSession.java", `package com.facebook.katana.binding;
class AppSession {
    void acquireWakeLock() {
        lock.acquire();
    }
}
`)
	const sync = `package com.facebook.katana;
class Sync {
    // %s it sends what it has read
    void run() {
        out.write(data);
    }
}
`
	quiet := write(t, folder, "Sync.java", fmt.Sprintf(sync, ignored))
	f := connect(t, nil)
	f.must("initialize", map[string]any{
		"capabilities": map[string]any{
			"textDocument": map[string]any{"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{}}}, "experimental": map[string]any{"diffprof": map[string]any{"notifications": true}}},
		"workspaceFolders": []protocol.WorkspaceFolder{{URI: string(lsp.URIOf(folder))}},
	}, nil)
	f.notify("initialized", struct{}{})
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Fatal(did.Error)
	}
	diagnosed := func(path string) (found []string) {
		var report struct{ Items []protocol.Diagnostic }
		f.must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}, &report)
		for _, d := range report.Items {
			found = append(found, fmt.Sprintf("%d:%d %v %s", d.Range.Start.Line, d.Range.Start.Character, d.Code, d.Message))
		}
		return found
	}
	// The sources are newer than the recording. The message ends with this fact.
	const want = "2:9 held-wakelock wakelock was on for 28 s; AppSession.acquireWakeLock acquired it; " +
		"the app did nothing for the last 19.6 s. Releasing it as soon as the work is done saves up to "
	var actions []lsp.CodeAction
	f.must("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": lsp.URIOf(session)}, "context": map[string]any{"diagnostics": []any{}},
		"range": protocol.Range{Start: protocol.Position{Line: 2, Character: 9}, End: protocol.Position{Line: 2, Character: 9}},
	}, &actions)
	offered := slices.ContainsFunc(actions, func(a lsp.CodeAction) bool { return a.Title == "Ignore PowerManager$WakeLock.acquire in diffprof.yaml" })
	switch got := diagnosed(session); {
	case project != "":
		if len(got) > 0 || offered {
			t.Errorf("the project ignores it, and there are %q and the actions %v", got, actions)
		}
	case len(got) != 1 || !strings.HasPrefix(got[0], want):
		t.Errorf("diagnostics are\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	case !offered:
		t.Errorf("nothing ignores it: %v", actions)
	}
	got := diagnosed(quiet)
	if told := len(got) == 1 && strings.Contains(got[0], "avoidable-tail cellular waits once"); told == (ignored != "") || len(got) > 1 {
		t.Errorf("with %q in the source there are %q", ignored, got)
	}
}
