package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/repeats"
)

// benchstat returns the rows that the program benchstat finds larger in the subject. program is its
// path.
func benchstat(program, folder string, rows []repeats.Pair) (map[int]bool, error) {
	write := func(name string, side func(repeats.Pair) []float64) (string, error) {
		var text strings.Builder
		for i, row := range rows {
			for _, x := range side(row) {
				fmt.Fprintf(&text, "BenchmarkTask%d 1 %.6f nJ/op\n", i, x)
			}
		}
		path := filepath.Join(folder, name)
		return path, os.WriteFile(path, []byte(text.String()), 0o600)
	}
	before, err := write("old.txt", func(p repeats.Pair) []float64 { return p.Reference })
	if err != nil {
		return nil, err
	}
	after, err := write("new.txt", func(p repeats.Pair) []float64 { return p.Subject })
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(context.Background(), program, "-format", "csv", before, after).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	read := csv.NewReader(bytes.NewReader(out))
	read.FieldsPerRecord = -1
	records, err := read.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	found := make(map[int]bool)
	for _, r := range records {
		var i int
		if len(r) < 6 {
			continue
		}
		if _, err := fmt.Sscanf(r[0], "Task%d", &i); err == nil && strings.HasPrefix(r[5], "+") {
			found[i] = true
		}
	}
	return found, nil
}

// writeBenchstat runs benchstat on forty tasks. One of them grew by a tenth. It writes how often
// benchstat finds this task, and how often it finds another one.
func writeBenchstat(w io.Writer, program string, studies int) error {
	folder, err := os.MkdirTemp("", "studies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Fprintln(w, "| benchstat | 2 runs | 3 runs | 5 runs | 8 runs |\n|---|---|---|---|---|")
	for _, world := range []World{
		{Name: "one task of 40, +10 %: row costlier", Tasks: 40, Own: 0.035, Grown: 1, Growth: 0.1},
		{Name: "equal programs: any row costlier", Tasks: 40, Own: 0.035},
	} {
		fmt.Fprintf(w, "| %s |", world.Name)
		for _, n := range counts {
			r, hits := rand.New(rand.NewPCG(uint64(n), 2028)), 0
			for range studies {
				found, err := benchstat(program, folder, world.Draw(r, n).Rows)
				if err != nil {
					return err
				}
				if found[0] || world.Grown == 0 && len(found) > 0 {
					hits++
				}
			}
			fmt.Fprintf(w, " %.1f %% |", 100*float64(hits)/float64(studies))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// otava is a Python program that runs otava with its defaults. It reads series of means, one JSON
// list per line. For each series it prints the number of changes that otava finds, or -1 on
// failure.
const otava = `
import json, sys
from otava.analysis import compute_change_points
from otava.series import AnalysisOptions
o = AnalysisOptions()
for line in sys.stdin:
    try:
        found, _ = compute_change_points(json.loads(line), window_len=o.window_len, max_pvalue=o.max_pvalue, min_magnitude=o.min_magnitude)
        print(len(found))
    except Exception as e:
        print(e, file=sys.stderr)
        print(-1)
`

// shownByOtava counts the series in which otava finds a change. python is a Python with otava.
func shownByOtava(python string, c Course, studies int, seed uint64) (shown, failed int, err error) {
	r := rand.New(rand.NewPCG(uint64(100*c.Entries+c.Runs), seed))
	var in bytes.Buffer
	for range studies {
		means := make([]float64, c.Entries)
		for i, runs := range c.Draw(r) {
			for _, x := range runs {
				means[i] += x / float64(len(runs))
			}
		}
		line, err := json.Marshal(means)
		if err != nil {
			return 0, 0, err
		}
		in.Write(append(line, '\n'))
	}
	run := exec.CommandContext(context.Background(), python, "-c", otava)
	run.Stdin = &in
	out, err := run.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", python, err)
	}
	for _, count := range strings.Fields(string(out)) {
		switch count {
		case "0":
		case "-1":
			failed++
		default:
			shown++
		}
	}
	return shown, failed, nil
}
