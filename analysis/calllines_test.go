package analysis_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestCallLines finds the calls of Feed.java in its class file, its DEX file, and a folder with both.
func TestCallLines(t *testing.T) {
	const built = "../code/bytecode/testdata"
	run := filepath.Join(t.TempDir(), "run.folded")
	text := "com.mine.Feed.refresh()V;com.mine.Feed.refresh(Ljava/util/List;)V;java.util.ArrayList.add(Ljava/lang/Object;)Z 5\n"
	if err := os.WriteFile(run, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	refresh, load := name.OfClass("com.mine.Feed", "refresh", "(Ljava/util/List;)V"), name.OfClass("com.mine.Feed", "refresh", "()V")
	for _, path := range []string{filepath.Join(built, "Feed.class"), filepath.Join(built, "Feed.dex"), built} {
		c := compare(t, analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: run}, Classpath: []string{path}, OwnPackages: []string{"com.mine"}})
		for _, w := range []struct {
			caller, callee name.Method
			lines          []int
		}{
			{refresh, name.OfClass("java.util.List", "add", "(Ljava/lang/Object;)Z"), []int{7, 9}},
			{refresh, name.OfClass("java.util.List", "add", "(ILjava/lang/Object;)V"), []int{8}},
			{load, refresh, []int{14}},
			{load, name.OfClass("java.util.List", "clear", "()V"), nil},
			{name.OfClass("com.other.Feed", "refresh", "()V"), refresh, nil},
		} {
			file, lines := c.Subject.CallLines(w.caller, w.callee)
			if !slices.Equal(lines, w.lines) || len(lines) > 0 && file != "Feed.java" {
				t.Errorf("%s: calls of %s are in %q on %v, want %v", path, w.callee.Label(), file, lines, w.lines)
			}
		}
	}
}

// TestLeast checks that Least subtracts the energy of the time in which threads may have waited,
// also for scaled runs.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		energy, uncertain units.Energy
		scale             *analysis.Scale
		want              units.Energy
	}{
		{100, 0, nil, 100},
		{100, 30, nil, 70},
		{100, 130, nil, 0},
		{100, 30, &analysis.Scale{Times: 3, Of: 2}, 55},
		{100, 30, &analysis.Scale{Times: 1, Of: 3}, 90},
	} {
		in := &analysis.Input{Energy: c.energy, Trace: &trace.Trace{Uncertain: c.uncertain}, Scale: c.scale}
		if got := in.Least(); got != c.want {
			t.Errorf("%+v: at least %d, want %d", c, got, c.want)
		}
	}
}
