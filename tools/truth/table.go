package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/tools/truth/score"
)

// A mean is a mean over pairs of runs.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum += x; m.n++ }

// ratio adds a ratio. It ignores a ratio whose whole is 0, because it has no value.
func (m *mean) ratio(r score.Ratio) {
	if r.Whole > 0 {
		m.add(r.Value())
	}
}

func (m *mean) value() float64 {
	if m == nil || m.n == 0 {
		return 0
	}
	return m.sum / float64(m.n)
}

// text returns the mean with three decimals, or a dash if there is none.
func (m *mean) text() string {
	if m.n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", m.value())
}

// means maps names to means.
type means map[string]*mean

func (m means) get(name string) *mean {
	if m[name] == nil {
		m[name] = &mean{}
	}
	return m[name]
}

// everything is the name of the column for all kinds.
const everything = "all"

// byKind returns the means of a figure for a method: one for each kind, and one for all kinds.
func byKind(results []result, method string, figure func(*score.Score) float64) means {
	out := make(means)
	for _, r := range results {
		if r.method == method {
			out.get(r.kind).add(figure(r.score))
			out.get(everything).add(figure(r.score))
		}
	}
	return out
}

// names returns the distinct names of the results, in order. The function name names a result.
func names(results []result, name func(result) string) []string {
	var out []string
	for _, r := range results {
		if n := name(r); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func kindOf(r result) string   { return r.kind }
func methodOf(r result) string { return r.method }

// printTables prints the figures of all methods.
func printTables(w io.Writer, results []result) {
	methods := names(results, methodOf)
	printKinds(w, "F1 by tasks", results, methods, (*score.Score).TasksF1)
	printKinds(w, "F1 by energy", results, methods, (*score.Score).EnergyF1)
	printRatio(w, "only-P", results, methods, func(s *score.Score) score.Ratio { return s.OnlyPrecision })
	printRatio(w, "P energy", results, methods, func(s *score.Score) score.Ratio { return s.EnergyPrecision })
	printFigures(w, results, methods)
	printFound(w, results, methods)
	printStrengths(w, results)
}

func printKinds(w io.Writer, title string, results []result, methods []string, figure func(*score.Score) float64) {
	columns := append(names(results, kindOf), everything)
	fmt.Fprintf(w, "%-13s", title)
	for _, c := range columns {
		fmt.Fprintf(w, "%10s", c)
	}
	fmt.Fprintln(w)
	for _, m := range methods {
		fmt.Fprintf(w, "%-13s", m)
		all := byKind(results, m, figure)
		for _, c := range columns {
			fmt.Fprintf(w, "%10.3f", all[c].value())
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// printRatio prints the means of a ratio by kind. No mean includes a ratio whose whole is 0.
func printRatio(w io.Writer, title string, results []result, methods []string, ratio func(*score.Score) score.Ratio) {
	columns := append(names(results, kindOf), everything)
	fmt.Fprintf(w, "%-13s", title)
	for _, c := range columns {
		fmt.Fprintf(w, "%10s", c)
	}
	fmt.Fprintln(w)
	for _, m := range methods {
		fmt.Fprintf(w, "%-13s", m)
		all := make(means)
		for _, r := range results {
			if r.method == m {
				all.get(r.kind).ratio(ratio(r.score))
				all.get(everything).ratio(ratio(r.score))
			}
		}
		for _, c := range columns {
			fmt.Fprintf(w, "%10s", all.get(c).text())
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// printFigures prints the figures over all kinds. Most figures are means over pairs of runs. The
// figure rows-P is only-P, but counted over the rows of all pairs together.
func printFigures(w io.Writer, results []result, methods []string) {
	columns := []struct {
		name string
		add  func(*mean, *score.Score)
	}{
		{"P tasks", func(m *mean, s *score.Score) { m.ratio(s.Precision) }},
		{"R tasks", func(m *mean, s *score.Score) { m.ratio(s.Recall) }},
		{"P energy", func(m *mean, s *score.Score) { m.ratio(s.EnergyPrecision) }},
		{"R energy", func(m *mean, s *score.Score) { m.ratio(s.EnergyRecall) }},
		{"only-P", func(m *mean, s *score.Score) { m.ratio(s.OnlyPrecision) }},
		{"only-R", func(m *mean, s *score.Score) { m.ratio(s.OnlyRecall) }},
		{"rows-P", nil},
		{"top 10", func(m *mean, s *score.Score) { m.ratio(s.Top10) }},
		{"error", func(m *mean, s *score.Score) { m.ratio(s.Error) }},
		{"median", func(m *mean, s *score.Score) { m.add(s.MedianError) }},
	}
	fmt.Fprintf(w, "%-13s", "all kinds")
	for _, c := range columns {
		fmt.Fprintf(w, "%10s", c.name)
	}
	fmt.Fprintln(w)
	for _, method := range methods {
		fmt.Fprintf(w, "%-13s", method)
		for _, c := range columns {
			var m mean
			var pooled score.Ratio
			for _, r := range results {
				switch {
				case r.method != method:
				case c.add == nil:
					pooled.Part += r.score.OnlyPrecision.Part
					pooled.Whole += r.score.OnlyPrecision.Whole
				default:
					c.add(&m, r.score)
				}
			}
			if c.add == nil {
				m.ratio(pooled)
			}
			fmt.Fprintf(w, "%10.3f", m.value())
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// printFound prints the number of wrong pairs by how they were found.
func printFound(w io.Writer, results []result, methods []string) {
	kinds := []string{"exact", "path", "hierarchy", "moved", "delegate", "renamed", "likeness"}
	fmt.Fprintf(w, "%-13s", "wrong pairs")
	for _, kind := range kinds {
		fmt.Fprintf(w, "%18s", kind)
	}
	fmt.Fprintln(w)
	for _, method := range methods {
		fmt.Fprintf(w, "%-13s", method)
		for _, kind := range kinds {
			var sum score.Wrong
			for _, r := range results {
				if r.method == method {
					sum.Wrong += r.score.Found[kind].Wrong
					sum.Pairs += r.score.Found[kind].Pairs
				}
			}
			fmt.Fprintf(w, "%18s", fmt.Sprintf("%d of %d", sum.Wrong, sum.Pairs))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// printStrengths prints the results of the default and of the largest α, by strength.
func printStrengths(w io.Writer, results []result) {
	methods := []string{"auto", "alpha=5"}
	fmt.Fprintf(w, "F1 by tasks/energy, by strength, of %s\n", strings.Join(methods, " | "))
	for _, kind := range names(results, kindOf) {
		fmt.Fprintf(w, "%-10s", kind)
		strengths := make(map[int][]result)
		for _, r := range results {
			if r.kind == kind {
				strengths[r.strength] = append(strengths[r.strength], r)
			}
		}
		for strength := 1; strength <= len(strengths); strength++ {
			fmt.Fprintf(w, "  %d:", strength)
			for i, m := range methods {
				tasks := byKind(strengths[strength], m, (*score.Score).TasksF1)
				energy := byKind(strengths[strength], m, (*score.Score).EnergyF1)
				fmt.Fprintf(w, "%s%.3f/%.3f", []string{" ", " | "}[i], tasks[everything].value(), energy[everything].value())
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
