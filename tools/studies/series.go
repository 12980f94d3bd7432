package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/diffprof/diffprof/history/change"
)

// A Course generates series of history entries.
type Course struct {
	// Entries is the number of entries. Runs is the number of runs of each entry.
	Entries, Runs int
	// Noise is the relative standard deviation of runs, and Day that of entries. Memory is the
	// correlation between the deviations of successive entries.
	Noise, Day, Memory float64
	// If Tails is true, the noise of runs is drawn from Student's t with 3 degrees of freedom.
	// Outliers is the share of runs that use 1.5 times the energy.
	Tails    bool
	Outliers float64
	// At is the first entry whose energy is 1 + Growth times as large.
	At     int
	Growth float64
}

// Draw returns a series.
func (c *Course) Draw(r *rand.Rand) [][]float64 {
	w := World{Tails: c.Tails}
	points := make([][]float64, c.Entries)
	day := r.NormFloat64()
	for i := range points {
		level := 100 * math.Exp(c.Day*day)
		if i >= c.At {
			level *= 1 + c.Growth
		}
		for range c.Runs {
			x := level * math.Exp(c.Noise*w.noise(r))
			if r.Float64() < c.Outliers {
				x *= 1.5
			}
			points[i] = append(points[i], x)
		}
		day = c.Memory*day + math.Sqrt(1-c.Memory*c.Memory)*r.NormFloat64()
	}
	return points
}

// A finder draws series of a course. It returns in how many of them a method finds a change, as a
// percentage.
type finder func(c Course) (text string, err error)

// ours finds changes as diffprof history does.
func ours(studies int, seed uint64) finder {
	return func(c Course) (string, error) {
		r, n := rand.New(rand.NewPCG(uint64(100*c.Entries+c.Runs), seed)), 0
		for range studies {
			if len(change.Find(c.Draw(r)).Changes) > 0 {
				n++
			}
		}
		return fmt.Sprintf("%.1f", 100*float64(n)/float64(studies)), nil
	}
}

// byOtava finds changes with otava.
func byOtava(python string, studies int, seed uint64) finder {
	return func(c Course) (string, error) {
		n, failed, err := shownByOtava(python, c, studies, seed)
		text := fmt.Sprintf("%.1f", 100*float64(n)/float64(studies))
		if failed > 0 {
			text += fmt.Sprintf(" (%d failed)", failed)
		}
		return text, err
	}
}

// A named is a course with a name.
type named struct {
	name   string
	course Course
}

// steady are courses without a change.
var steady = []named{
	{"independent days", Course{Noise: 0.035}},
	{"t₃ tails", Course{Noise: 0.035, Tails: true}},
	{"10 % outlying runs", Course{Noise: 0.035, Outliers: 0.1}},
	{"days vary by 1.75 %", Course{Noise: 0.035, Day: 0.0175}},
	{"days vary by 3.5 %", Course{Noise: 0.035, Day: 0.035}},
	{"days vary by 2 %, correlation 0.5", Course{Noise: 0.035, Day: 0.02, Memory: 0.5}},
	{"days vary by 2 %, correlation 0.8", Course{Noise: 0.035, Day: 0.02, Memory: 0.8}},
	{"days vary by 2 %, correlation 0.95", Course{Noise: 0.035, Day: 0.02, Memory: 0.95}},
	{"days vary by 5 %, correlation 0.8", Course{Noise: 0.035, Day: 0.05, Memory: 0.8}},
	{"steady runs, days vary by 2 %, correlation 0.8", Course{Noise: 0.01, Day: 0.02, Memory: 0.8}},
}

// changed are courses with a change. Runs have a noise of 3.5 %.
var changed = []named{
	{"+10 % in the second of 2 entries", Course{Entries: 2, At: 1}},
	{"+10 % in the third of 4 entries", Course{Entries: 4, At: 2}},
	{"+10 % in the last of 5 entries", Course{Entries: 5, At: 4}},
	{"+10 % in the last of 8 entries", Course{Entries: 8, At: 7}},
	{"+10 % in the last of 10 entries", Course{Entries: 10, At: 9}},
	{"+10 % in the middle of 10 entries", Course{Entries: 10, At: 5}},
	{"+10 % in the last of 20 entries", Course{Entries: 20, At: 19}},
	{"+10 % in the middle of 30 entries", Course{Entries: 30, At: 15}},
	{"+10 % in the middle of 30 entries, days 2 %, correlation 0.8", Course{Entries: 30, At: 15, Day: 0.02, Memory: 0.8}},
	{"+10 % in the middle of 10 entries, days 2 %, correlation 0.8", Course{Entries: 10, At: 5, Day: 0.02, Memory: 0.8}},
	{"+20 % in the last of 10 entries", Course{Entries: 10, At: 9, Growth: 0.2}},
	{"+20 % in the last of 5 entries", Course{Entries: 5, At: 4, Growth: 0.2}},
}

// writeSeries writes how often series show a change.
func writeSeries(w io.Writer, find finder) error {
	fmt.Fprintln(w, "| series without a change | 5 entries | 10 entries | 30 entries |\n|---|---|---|---|")
	for _, row := range steady {
		fmt.Fprintf(w, "| %s |", row.name)
		for _, n := range []int{5, 10, 30} {
			var texts []string
			for _, runs := range []int{1, 3, 5} {
				c := row.course
				c.Entries, c.Runs, c.At = n, runs, n
				text, err := find(c)
				if err != nil {
					return err
				}
				texts = append(texts, text)
			}
			fmt.Fprintf(w, " %s |", strings.Join(texts, ", "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "\n| found | 1 run | 3 runs | 5 runs |\n|---|---|---|---|")
	for _, row := range changed {
		fmt.Fprintf(w, "| %s |", row.name)
		for _, runs := range []int{1, 3, 5} {
			c := row.course
			c.Runs, c.Noise = runs, 0.035
			if c.Growth == 0 {
				c.Growth = 0.1
			}
			text, err := find(c)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, " %s |", text)
		}
		fmt.Fprintln(w)
	}
	return nil
}
