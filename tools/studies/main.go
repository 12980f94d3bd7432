// Command studies simulates repeated runs of equal programs, and of programs in which a task grew.
// It writes the tables of README.md, which show how often each gate fails.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/diffprof/diffprof/repeats"
)

// equal returns the worlds in which both programs are equal.
func equal() []World {
	plain := World{Tasks: 40, Own: 0.035}
	with := func(name string, change func(*World)) World {
		w := plain
		w.Name = name
		change(&w)
		return w
	}
	return []World{
		with("noise of 3.5 % per task", func(*World) {}),
		with("order unknown", func(w *World) { w.Hidden = true }),
		with("runs vary by 5 %", func(w *World) { w.Run = 0.05 }),
		with("t₃ tails", func(w *World) { w.Tails = true }),
		with("10 % outlying runs", func(w *World) { w.Outliers = 0.1 }),
		with("4 tasks with 50 % noise", func(w *World) { w.Wild = 4 }),
		with("4 tasks in half of the runs", func(w *World) { w.Own, w.Some = 0.03, 4 }),
		with("builds vary by 3 % per task", func(w *World) { w.Builds = 0.03 }),
		with("builds vary by 3 % as a whole", func(w *World) { w.Whole = 0.03 }),
		with("in turn A B B A, drift of 1 % per run", func(w *World) { w.Drift = 0.01 }),
		with("in turn A B A B, drift of −1 % per run", func(w *World) { w.Order, w.Drift = ABAB, -0.01 }),
		with("in turn A B A B, drift of 1 % per run, steady runs", func(w *World) { w.Order, w.Drift, w.Own = ABAB, 0.01, 0.01 }),
		with("one after the other, no drift", func(w *World) { w.Order = Blocks }),
		with("one after the other, drift of −1 % per run", func(w *World) { w.Order, w.Drift = Blocks, -0.01 }),
		with("one after the other, drift of 1 % per run", func(w *World) { w.Order, w.Drift = Later, 0.01 }),
		with("one after the other, drift of 3 % per run", func(w *World) { w.Order, w.Drift = Later, 0.03 }),
	}
}

// counts are the simulated numbers of runs per side.
var counts = []int{2, 3, 5, 8}

// A share counts the studies in which a gate fails (red) and in which it cannot be judged (cannot).
type share struct{ red, cannot int }

func (s share) text(total int) string {
	text := fmt.Sprintf("%.1f", 100*float64(s.red)/float64(total))
	if s.cannot > 0 {
		text += fmt.Sprintf(" (%.0f)", 100*float64(s.cannot)/float64(total))
	}
	return text
}

// rates returns the answers of all gates in a number of studies of a world, with n runs per side.
func rates(w World, studies, n int, builds float64) []share {
	r := rand.New(rand.NewPCG(uint64(n), 2027))
	out := make([]share, len(gates))
	for range studies {
		j := judge(w.Draw(r, n), builds)
		for g, a := range j.answers() {
			switch a {
			case Red:
				out[g].red++
			case CannotJudge:
				out[g].cannot++
			}
		}
	}
	return out
}

func main() {
	studies := flag.Int("studies", 800, "studies of each cell")
	builds := flag.Float64("builds", repeats.DefaultBuilds, "noise between builds that the test assumes")
	power := flag.Bool("power", false, "the table of growths that are found, instead of the false alarms")
	history := flag.Bool("history", false, "the tables of changes that histories show, instead of the false alarms of gates")
	seed := flag.Uint64("seed", 2029, "seed of the histories")
	rival := flag.String("benchstat", "", "path of the program benchstat, which then judges the studies of -power")
	python := flag.String("otava", "", "path of a Python with apache-otava, which then finds the changes of -history")
	flag.Parse()
	var err error
	switch {
	case *power && *rival != "":
		err = writeBenchstat(os.Stdout, *rival, *studies)
	case *power:
		writePower(os.Stdout, *studies)
	case *history && *python != "":
		err = writeSeries(os.Stdout, byOtava(*python, *studies, *seed))
	case *history:
		err = writeSeries(os.Stdout, ours(*studies, *seed))
	default:
		writeGates(os.Stdout, *studies, *builds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "studies:", err)
		os.Exit(1)
	}
}

// writeGates writes how often the gates fail for equal programs.
func writeGates(w io.Writer, studies int, builds float64) {
	fmt.Fprint(w, "| equal programs |")
	for _, g := range gates {
		fmt.Fprintf(w, " `%s` |", g)
	}
	fmt.Fprintln(w, "\n|---|---|---|---|---|")
	for _, world := range equal() {
		columns := make([]string, len(gates))
		for k, n := range counts {
			for g, s := range rates(world, studies, n, builds) {
				if k > 0 {
					columns[g] += ", "
				}
				columns[g] += s.text(studies)
			}
		}
		fmt.Fprintf(w, "| %s |", world.Name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c)
		}
		fmt.Fprintln(w)
	}
}
