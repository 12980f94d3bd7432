package server

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestOneRun checks that a single recording is shown, with or without a comparison. An invalid
// recording must cause an error.
func TestOneRun(t *testing.T) {
	folder := t.TempDir()
	settings := traces(t, folder)
	damaged := write(t, folder, "damaged.trace", "*version\n3\nnot a trace\n")
	f := connect(t, nil)
	f.open(folder, everything, map[string]any{"foldedUnit": "nJ", "unit": "uJ"})
	for _, path := range []string{settings["subject"].(string), "subject.folded"} {
		var r runResult
		f.must(lsp.MethodRun, map[string]any{"path": path}, &r)
		if len(r.Tree.Contexts) != 5 || r.Tree.Contexts[0].Inclusive != 7_000_003 || r.Unit != "µJ" || r.Tree.Input.Path != settings["subject"] {
			t.Errorf("%s: %d contexts, %+v, in %s", path, len(r.Tree.Contexts), r.Tree.Contexts[0], r.Unit)
		}
	}
	for _, bad := range []struct{ path, want string }{
		{damaged, "damaged.trace"},
		{filepath.Join(folder, "nothere.trace"), "nothere.trace"},
		{"", "the path of a recording"},
	} {
		if err := f.call(lsp.MethodRun, map[string]any{"path": bad.path}, nil); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: %v", bad.path, err)
		}
	}
	f.quit()
}
