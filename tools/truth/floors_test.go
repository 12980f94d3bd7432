package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/tools/truth/score"
)

var update = flag.Bool("update", false, "rewrite the floors with what is reached")

// floorsFile has the smallest accepted results, from the last intended change of the matching.
const floorsFile = "testdata/floors.txt"

// small returns the results of a few pairs of three small apps, which takes seconds.
func small(tb testing.TB, methods ...string) []result {
	tb.Helper()
	chosen := score.Methods()
	if len(methods) > 0 {
		chosen = slices.DeleteFunc(chosen, func(m score.Method) bool { return !slices.Contains(methods, m.Name) })
	}
	results, err := compareAll(tb.Context(), smallApps(), change.Kinds, chosen, func(string) {})
	if err != nil {
		tb.Fatal(err)
	}
	return results
}

func smallApps() []source {
	return slices.Concat(generated(firstScoring, 1), generated(firstScoring+4, 1), generated(firstScoring+8, 1))
}

// TestFloors checks that F1 by tasks and by energy is not below its floor for any kind. A change
// that lowers a result must explain why, and must update the floors with -update.
func TestFloors(t *testing.T) {
	methods := []string{"alpha=0", "alpha=2", "alpha=5", "auto"}
	results := small(t, methods...)
	var got strings.Builder
	fmt.Fprintf(&got, "# F1 by tasks and by energy that the matching reaches on three small generated apps.\n")
	fmt.Fprintf(&got, "%-10s %-10s %7s %7s\n", "kind", "method", "tasks", "energy")
	for _, m := range methods {
		tasks := byKind(results, m, (*score.Score).TasksF1)
		energy := byKind(results, m, (*score.Score).EnergyF1)
		for _, kind := range append(names(results, kindOf), everything) {
			fmt.Fprintf(&got, "%-10s %-10s %7.3f %7.3f\n", kind, m, floor(tasks[kind].value()), floor(energy[kind].value()))
		}
	}
	if *update {
		if err := os.WriteFile(floorsFile, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(floorsFile)
	if err != nil {
		t.Fatal(err)
	}
	floors, reached := rowsOf(string(want)), rowsOf(got.String())
	if len(floors) != len(reached) {
		t.Fatalf("%s has %d rows, there are %d: run go test ./tools/truth -update", floorsFile, len(floors), len(reached))
	}
	higher := 0
	for i, f := range floors {
		r := reached[i]
		if f.name != r.name {
			t.Fatalf("%s has a row %q in place of %q: run go test ./tools/truth -update", floorsFile, f.name, r.name)
		}
		for j, by := range []string{"tasks", "energy"} {
			if r.figures[j] < f.figures[j] {
				t.Errorf("%s: F1 by %s falls by %.3f, from %.3f to %.3f", f.name, by, f.figures[j]-r.figures[j], f.figures[j], r.figures[j])
			}
			if r.figures[j] > f.figures[j] {
				higher++
			}
		}
	}
	if higher > 0 {
		t.Logf("%d figures are above their floors: go test ./tools/truth -update keeps what was won", higher)
	}
}

// floor rounds down to three decimals, as in the file of floors.
func floor(x float64) float64 { return math.Floor(x*1000) / 1000 }

type floorRow struct {
	name    string
	figures [2]float64
}

func rowsOf(text string) []floorRow {
	var out []floorRow
	for line := range strings.Lines(text) {
		var kind, method string
		var f floorRow
		if n, _ := fmt.Sscan(line, &kind, &method, &f.figures[0], &f.figures[1]); n == 4 {
			f.name = kind + " " + method
			out = append(out, f)
		}
	}
	return out
}

// BenchmarkTruth measures the time of the methods and their results on two small apps:
// precision, recall and F1 over all kinds, and F1 by tasks for each kind. The time includes
// making the pairs.
func BenchmarkTruth(b *testing.B) {
	sources := generated(firstScoring, 2)
	for _, m := range score.Methods() {
		b.Run(m.Name, func(b *testing.B) {
			var results []result
			for b.Loop() {
				var err error
				if results, err = compareAll(b.Context(), sources, change.Kinds, []score.Method{m}, func(string) {}); err != nil {
					b.Fatal(err)
				}
			}
			for unit, figure := range map[string]func(*score.Score) float64{
				"P-tasks":   func(s *score.Score) float64 { return s.Precision.Value() },
				"R-tasks":   func(s *score.Score) float64 { return s.Recall.Value() },
				"P-energy":  func(s *score.Score) float64 { return s.EnergyPrecision.Value() },
				"R-energy":  func(s *score.Score) float64 { return s.EnergyRecall.Value() },
				"F1-tasks":  (*score.Score).TasksF1,
				"F1-energy": (*score.Score).EnergyF1,
			} {
				b.ReportMetric(byKind(results, m.Name, figure)[everything].value(), unit)
			}
			for _, kind := range names(results, kindOf) {
				b.ReportMetric(byKind(results, m.Name, (*score.Score).TasksF1)[kind].value(), "F1-"+kind)
			}
		})
	}
}

// TestRealItself checks that comparing a real trace with itself finds all tasks.
func TestRealItself(t *testing.T) {
	sources, err := recorded(t.Context(), filepath.Join("..", "..", "..", "shared", "data", "art"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) == 0 {
		t.Skip("needs the real traces, which a clone does not have")
	}
	for _, s := range shorten.Some(sources) {
		base := s.base.Clone()
		var numbers run.Numbers
		numbers.Assign(base)
		p := score.NewPair(base, base.Clone())
		for _, m := range score.Methods()[1:] {
			claims, err := m.Compare(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if f := p.Score(claims); f.TasksF1() < 1 || f.EnergyF1() < 1 {
				t.Errorf("%s with itself by %s: F1 %.4f, %.4f by energy", s.name, m.Name, f.TasksF1(), f.EnergyF1())
			}
		}
	}
}

func TestCommand(t *testing.T) {
	var out, log bytes.Buffer
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	err := measure(t.Context(), []string{"-seeds", "1", "-kinds", "rename,move", "-json", rows, "-real", "testdata/none"}, &out, &log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"seeds 100 to 100", "rename      move       all", "alpha=5", "wrong pairs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, out.String())
		}
	}
	if want := "no ART traces in testdata/none: real traces are left out"; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log.String())
	}
	text, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 2*change.Strengths*len(score.Methods()) {
		t.Errorf("-json writes %d lines", n)
	}
	holdRows(t, text, out.String())
}

// holdRows computes means from the rows, and compares them with the means in the tables. Both leave
// out pairs without a value.
func holdRows(t *testing.T, rows []byte, tables string) {
	t.Helper()
	onlyP, nothing := make(means), 0
	for lines := json.NewDecoder(bytes.NewReader(rows)); lines.More(); {
		var r row
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.OnlyPrecision == nil {
			nothing++
			continue
		}
		onlyP.get(r.Method).add(*r.OnlyPrecision)
	}
	if nothing == 0 {
		t.Error("in every pair something is called only here, so that the test holds nothing")
	}
	_, figures, _ := strings.Cut(tables, "\nall kinds ")
	head, _, _ := strings.Cut(figures, "\n")
	column := len(strings.Fields(head[:strings.Index(head, "only-P")])) / 2 // Each name before the column has two words.
	for _, m := range score.Methods() {
		_, line, _ := strings.Cut(figures, "\n"+m.Name+" ")
		shown := strings.Fields(line)[column]
		if want := fmt.Sprintf("%.3f", onlyP[m.Name].value()); shown != want {
			t.Errorf("%s: the table has only-P %s, the rows %s", m.Name, shown, want)
		}
	}
}

// TestFittingAndScoringAreApart checks that weights are scored on other runs than those that they
// were fitted to.
func TestFittingAndScoringAreApart(t *testing.T) {
	for seeds := 1; seeds <= fitting; seeds++ {
		first, err := firstSeed(true, seeds, firstScoring)
		if err != nil || first+uint64(seeds) > firstScoring {
			t.Errorf("-fit -seeds %d begins at %d: %v", seeds, first, err)
		}
	}
	for _, args := range [][]string{
		{"-fit", "-seeds", "11"}, {"-from", "9"}, {"-methods", "none"}, {"-kinds", "move,none"}, {"-unknown"},
	} {
		if err := measure(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// TestTablesAreInTheDocs checks that README.md has the marks between which -tables writes, and a
// row for each range of seeds.
func TestTablesAreInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"figures", "ranges"} {
		text, err := replaceTable(string(docs), name, "| a new table |\n")
		if err != nil || !strings.Contains(text, "| a new table |\n\n<!-- End of "+name+". -->") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range ranges {
		if row := fmt.Sprintf("| seeds %d to %d |", r.first, r.first+uint64(r.count)-1); !strings.Contains(string(docs), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
	if _, err := replaceTable("no marks", "figures", ""); err == nil {
		t.Error("a document without marks got a table")
	}
}
