package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/diffprof/diffprof/repeats"
)

// grown reports, for each study, whether the test finds that the first task costs more.
func grown(w World, studies, n int, builds float64) []bool {
	r := rand.New(rand.NewPCG(uint64(n), 2028))
	out := make([]bool, studies)
	for i := range out {
		j := judge(w.Draw(r, n), builds)
		out[i] = j.Found.Tasks[0].Verdict == repeats.Costlier
	}
	return out
}

// writePower writes how often the method detects a growth, compared with other statistical tests.
func writePower(w io.Writer, studies int) {
	fmt.Fprintln(w, "| found | noise between builds | 2 runs | 3 runs | 5 runs | 8 runs |\n|---|---|---|---|---|---|")
	task := World{Tasks: 40, Own: 0.035, Grown: 1, Growth: 0.1}
	for _, b := range []float64{0, 0.005, 0.01, repeats.DefaultBuilds} {
		fmt.Fprintf(w, "| one task of 40, +10 %%: row costlier | %.1f %% |", 100*b)
		for _, n := range counts {
			found := 0
			for _, ok := range grown(task, studies, n, b) {
				if ok {
					found++
				}
			}
			fmt.Fprintf(w, " %.1f %% |", 100*float64(found)/float64(studies))
		}
		fmt.Fprintln(w)
	}
	for _, t := range rivals {
		fmt.Fprintf(w, "| … %s | ignored |", t.name)
		for _, n := range counts {
			r := rand.New(rand.NewPCG(uint64(n), 2028))
			found := 0
			for range studies {
				if t.found(task.Draw(r, n).Rows)[0] {
					found++
				}
			}
			fmt.Fprintf(w, " %.1f %% |", 100*float64(found)/float64(studies))
		}
		fmt.Fprintln(w)
	}
	for _, growth := range []float64{0.05, 0.1} {
		total := World{Tasks: 40, Own: 0.035, Grown: -1, Growth: growth}
		for _, b := range []float64{0, 0.005, 0.01, repeats.DefaultBuilds} {
			fmt.Fprintf(w, "| total +%.0f %%: `total>+3%% and evidence` | %.1f %% |", 100*growth, 100*b)
			for _, n := range counts {
				s := rates(total, studies, n, b)[2]
				fmt.Fprintf(w, " %.1f %% |", 100*float64(s.red)/float64(studies))
			}
			fmt.Fprintln(w)
		}
		for _, t := range rivals {
			fmt.Fprintf(w, "| … %s of the total | ignored |", t.name)
			for _, n := range counts {
				r := rand.New(rand.NewPCG(uint64(n), 2027))
				found := 0
				for range studies {
					if t.found([]repeats.Pair{total.Draw(r, n).Total})[0] {
						found++
					}
				}
				fmt.Fprintf(w, " %.1f %% |", 100*float64(found)/float64(studies))
			}
			fmt.Fprintln(w)
		}
	}
	writeRivals(w, studies)
}

// writeRivals writes how often other tests find a difference between equal programs.
func writeRivals(w io.Writer, studies int) {
	for _, world := range equal() {
		for _, t := range rivals {
			fmt.Fprintf(w, "| equal, %s: %s, any row costlier | |", world.Name, t.name)
			for _, n := range counts {
				r := rand.New(rand.NewPCG(uint64(n), 2027))
				found := 0
				for range studies {
					rows := world.Draw(r, n).Rows
					for i, ok := range t.found(rows) {
						if ok && repeats.Median(rows[i].Subject) > repeats.Median(rows[i].Reference) {
							found++
							break
						}
					}
				}
				fmt.Fprintf(w, " %.1f %% |", 100*float64(found)/float64(studies))
			}
			fmt.Fprintln(w)
		}
	}
}
