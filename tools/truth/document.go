package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/score"
)

// ranges are the seeds of the tables in README.md: the first seed, and the number of apps. The
// table by figure also uses the first range.
var ranges = []struct {
	first uint64
	count int
}{{100, 8}, {300, 4}, {500, 4}, {1200, 4}, {1600, 4}, {2000, 4}}

// figures are the rows of the table by figure.
var figures = []struct {
	name string
	add  func(*mean, *score.Score)
}{
	{"F1 by tasks", func(m *mean, s *score.Score) { m.add(s.TasksF1()) }},
	{"F1 by energy", func(m *mean, s *score.Score) { m.add(s.EnergyF1()) }},
	{"precision", func(m *mean, s *score.Score) { m.ratio(s.Precision) }},
	{"precision by energy", func(m *mean, s *score.Score) { m.ratio(s.EnergyPrecision) }},
	{"recall", func(m *mean, s *score.Score) { m.ratio(s.Recall) }},
	{"*only-P*", func(m *mean, s *score.Score) { m.ratio(s.OnlyPrecision) }},
	{"*error*", func(m *mean, s *score.Score) { m.ratio(s.Error) }},
}

// writeTables measures all ranges and the real traces, and replaces the tables of a document.
func writeTables(ctx context.Context, path, traces string, progress func(string)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	real, err := recorded(ctx, traces, firstScoring)
	if err != nil {
		return err
	}
	if len(real) == 0 {
		return fmt.Errorf("no ART traces in %q: -tables needs them, with -real", traces)
	}
	all, err := chooseMethods("flat,stacks,auto")
	if err != nil {
		return err
	}
	onReal, err := compareAll(ctx, real, change.Kinds, all, progress)
	if err != nil {
		return err
	}
	var first []result
	var rows strings.Builder
	for i, r := range ranges {
		methods := all
		if i > 0 {
			methods = all[len(all)-1:]
		}
		found, err := compareAll(ctx, generated(r.first, r.count), change.Kinds, methods, progress)
		if err != nil {
			return err
		}
		if i == 0 {
			first = found
		}
		printRange(&rows, fmt.Sprintf("seeds %d to %d", r.first, r.first+uint64(r.count)-1), found)
	}
	printRange(&rows, fmt.Sprintf("%d real traces", len(real)), onReal)
	var byFigure strings.Builder
	printFigureTable(&byFigure, all, first, onReal)
	out := string(text)
	for _, part := range []struct{ name, table string }{{"figures", byFigure.String()}, {"ranges", rangeHead + rows.String()}} {
		if out, err = replaceTable(out, part.name, part.table); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(out), 0o666)
}

// printFigureTable prints a table with a row per figure. Each method has a column for generated
// apps and a column for real traces.
func printFigureTable(w io.Writer, methods []score.Method, generated, real []result) {
	head, line := "|", "|---|"
	for _, part := range []string{"", "real: "} {
		for i, m := range methods {
			if i > 0 {
				part = ""
			}
			head, line = head+" | "+part+m.Name, line+"---|"
		}
	}
	fmt.Fprintf(w, "%s |\n%s\n", head, line)
	for _, f := range figures {
		fmt.Fprintf(w, "| %s |", f.name)
		for _, results := range [][]result{generated, real} {
			for _, m := range methods {
				fmt.Fprintf(w, " %s |", meanOf(results, m.Name, f.add).text())
			}
		}
		fmt.Fprintln(w)
	}
}

const rangeHead = "| runs | pairs | F1 by tasks | F1 by energy | precision by energy | *only-P* | *rows-P* | *error* | *mixed* | *plumbing* |\n|---|---|---|---|---|---|---|---|---|---|\n"

// printRange prints the default method's row in the table by range.
func printRange(w io.Writer, title string, results []result) {
	const method = "auto"
	kind := func(name string) (ofKind []result) {
		for _, r := range results {
			if r.kind == name {
				ofKind = append(ofKind, r)
			}
		}
		return ofKind
	}
	n := 0
	var pooled score.Ratio
	for _, r := range results {
		if r.method == method {
			n++
			pooled.Part += r.score.OnlyPrecision.Part
			pooled.Whole += r.score.OnlyPrecision.Whole
		}
	}
	var rows mean
	rows.ratio(pooled)
	text := func(results []result, name string) string {
		for _, f := range figures {
			if f.name == name {
				return meanOf(results, method, f.add).text()
			}
		}
		return "-"
	}
	both := func(results []result) string {
		return text(results, "F1 by tasks") + ", " + text(results, "F1 by energy")
	}
	fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", title, n, text(results, "F1 by tasks"), text(results, "F1 by energy"), text(results, "precision by energy"),
		text(results, "*only-P*"), rows.text(), text(results, "*error*"), both(kind("mixed")), both(kind("plumbing")))
}

// meanOf returns the mean of a figure for a method. The function add adds the figure of one result.
func meanOf(results []result, method string, add func(*mean, *score.Score)) *mean {
	m := &mean{}
	for _, r := range results {
		if r.method == method {
			add(m, r.score)
		}
	}
	return m
}

// replaceTable replaces the lines between the two marks of a table.
func replaceTable(text, name, table string) (string, error) {
	begin, end := fmt.Sprintf("<!-- Table of %s: written by go run ./tools/truth -tables. -->\n", name), fmt.Sprintf("<!-- End of %s. -->", name)
	before, rest, ok := strings.Cut(text, begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		return "", fmt.Errorf("the marks of the table of %s are missing", name)
	}
	return before + begin + "\n" + table + "\n" + end + after, nil
}
