package report_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// chain compares a run with itself. Each task of the run is inside the previous task.
func chain(t *testing.T, tasks int) *analysis.Result {
	var frames []string
	for i := range tasks {
		frames = append(frames, fmt.Sprintf("com.mine.C%d.go", i), fmt.Sprintf("android.app.F%d.run", i))
	}
	path := filepath.Join(t.TempDir(), "chain.folded")
	if err := os.WriteFile(path, []byte(strings.Join(frames, ";")+" 1000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}, Reference: analysis.Side{Path: path}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestManyDeepPaths writes the report of a chain whose paths would fill gigabytes: a shorter part
// of each path is written, with both of its ends.
func TestManyDeepPaths(t *testing.T) {
	const tasks, most = 12_000, 1 << 21
	r := chain(t, tasks)
	made := report.New(finding.New(r), "test", 0)
	if len(made.Tasks) != tasks {
		t.Fatalf("%d tasks, want %d", len(made.Tasks), tasks)
	}
	labels := 0
	for _, task := range made.Tasks {
		labels += len(task.Path) + len(task.Peer.Path)
		// In a chain a node's number is its depth.
		depth := int(task.Node) + 1
		if len(task.Path)+task.Omitted != depth || len(task.Peer.Path)+task.Peer.Omitted != depth {
			t.Fatalf("a path of %d labels has %d and leaves out %d", depth, len(task.Path), task.Omitted)
		}
		if task.Path[0] != "(toplevel)" || task.Path[len(task.Path)-1] != task.Method {
			t.Fatalf("the path of %s is %q", task.Method, task.Path)
		}
	}
	if labels > most || labels < most/4 {
		t.Errorf("all paths have %d labels, want %d at the most and not much less", labels, most)
	}
}

// TestDeepPaths writes the report of a run in which each task is inside the previous task. It
// compares paths and the ids of tasks with an oracle that climbs from the task to the root, and
// bounds the written part of each path.
func TestDeepPaths(t *testing.T) {
	const tasks = 300
	r := chain(t, tasks)
	made := report.New(finding.New(r), "test", 0)
	if len(made.Tasks) != tasks {
		t.Fatalf("%d tasks, want %d", len(made.Tasks), tasks)
	}
	cut := 0
	for _, task := range made.Tasks {
		whole := r.Subject.Tree.Path(task.Node)
		want := whole
		if omitted := len(whole) - 128; omitted > 0 {
			cut++
			want = slices.Concat(whole[:64], whole[len(whole)-64:])
			if task.Omitted != omitted || task.Peer.Omitted != omitted {
				t.Errorf("%d and %d of %d labels are left out, want %d", task.Omitted, task.Peer.Omitted, len(whole), omitted)
			}
		} else if task.Omitted != 0 {
			t.Errorf("%d of %d labels are left out", task.Omitted, len(whole))
		}
		if !slices.Equal(task.Path, want) || !slices.Equal(task.Peer.Path, want) {
			t.Fatalf("the path is %q, and of the reference %q; want %q", task.Path, task.Peer.Path, want)
		}
		var text strings.Builder
		for _, label := range whole {
			fmt.Fprintf(&text, "%d:%s", len(label), label)
		}
		sum := sha256.Sum256([]byte(text.String()))
		if id := hex.EncodeToString(sum[:8]); task.ID != id {
			t.Errorf("the task at depth %d has the ID %s, want %s", len(whole), task.ID, id)
		}
		for _, label := range want {
			if _, ok := made.Methods[label]; !ok {
				t.Fatalf("the methods lack %s", label)
			}
		}
	}
	if cut < tasks/2 {
		t.Errorf("%d paths are cut", cut)
	}
}
