package trend_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/history/trend/trendtest"
	"github.com/diffprof/diffprof/name"
)

const feed = `package news;
class Feed {
	void load() {
		parse();
		decode();
		decode();
	}
}
`

// lined makes the history of a program. From entry 5 on, its lines have moved, and the second
// decode costs twice as much. sources reports whether an entry has sources. Without them, the text
// of its lines is unknown.
func lined(t *testing.T, sources func(entry int) bool) (entries []history.Entry, o analysis.Options) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "history.db")
	o = trendtest.Options(path)
	store, err := history.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 10 {
		text, second, moved := feed, 500.0, 0
		if n >= 5 {
			text, second, moved = strings.Replace(feed, "class", "\n\n\n// It moved.\nclass", 1), 1000, 4
		}
		if err := os.WriteFile(filepath.Join(folder, "Feed.java"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		add := o
		if sources(n) {
			add.Sources = []string{folder}
		}
		add.Subject.Repeats = nil
		for k := range 3 {
			file := filepath.Join(folder, fmt.Sprintf("run-%d-%d.folded", n, k))
			var stacks strings.Builder
			for i, x := range []float64{400, 500, second} {
				fmt.Fprintf(&stacks, "news.Feed.load()V:%d %d\n", 4+i+moved, int(1000*x*math.Exp(0.02*r.NormFloat64())))
			}
			if err := os.WriteFile(file, []byte(stacks.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			add.Subject.Repeats = append(add.Subject.Repeats, file)
		}
		add.Subject.Path, add.Subject.Repeats = add.Subject.Repeats[0], add.Subject.Repeats[1:]
		kept, err := analysis.ReadForStore(t.Context(), add)
		if err != nil {
			t.Fatal(err)
		}
		e := history.Entry{Version: fmt.Sprintf("1.%d", n), Time: time.Date(2026, 3, 1+n, 12, 0, 0, 0, time.UTC)}
		if _, err := store.Add(t.Context(), e, kept...); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err = store.List(t.Context(), history.Filter{}); err != nil {
		t.Fatal(err)
	}
	return entries, o
}

// TestLines finds the line that costs more, although lines moved in the same commit.
func TestLines(t *testing.T) {
	entries, o := lined(t, func(int) bool { return true })
	lines, err := trend.Read(t.Context(), entries, o)
	if err != nil {
		t.Fatal(err)
	}
	load := name.OfClass("news.Feed", "load", "()V")
	changed, why := lines.Lines(load)
	if len(changed) != 1 || why != "" {
		t.Fatalf("%d lines changed: %s", len(changed), why)
	}
	s := changed[0]
	if c := s.Latest(); s.Line != 10 || s.Text != "decode();" || c.At != 5 || !c.Costlier() || math.Abs(c.Difference-500_000) > 50_000 {
		t.Errorf("line %d (%s) changed at %d by %.0f nJ", s.Line, s.Text, c.At, c.Difference)
	}
	// In each run, the energies of the method's lines add up to the energy of the method.
	all := lines.All()
	for entry, runs := range all[0].Points {
		for run, want := range runs {
			sum := 0.0
			for _, s := range all {
				if s.Kind == trend.Line {
					sum += s.Points[entry][run]
				}
			}
			if sum != want {
				t.Errorf("entry %d, run %d: the lines have %.0f nJ, want %.0f", entry, run, sum, want)
			}
		}
	}
	if changed, why := lines.Lines(name.OfClass("news.Feed", "other", "()V")); len(changed) > 0 || why != "" {
		t.Errorf("a method without lines: %v, %s", changed, why)
	}
}

// TestLinesWithoutText checks that lines have no series if the text of a run's lines is unknown.
func TestLinesWithoutText(t *testing.T) {
	entries, o := lined(t, func(entry int) bool { return entry != 1 })
	lines, err := trend.Read(t.Context(), entries, o)
	if err != nil {
		t.Fatal(err)
	}
	changed, why := lines.Lines(name.OfClass("news.Feed", "load", "()V"))
	if len(changed) > 0 || !strings.HasPrefix(why, "3 of 30 runs have no lines whose text is known") {
		t.Errorf("%d lines changed: %s", len(changed), why)
	}
	for _, s := range lines.All() {
		if s.Kind == trend.Line {
			t.Errorf("a line is named: %s", s.Text)
		}
	}
}
