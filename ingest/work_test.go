package ingest_test

import (
	"math"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// TestKnownWork compares recordings with the processor time of the recorded program's work. The
// program measured this time itself.
func TestKnownWork(t *testing.T) {
	for _, row := range matrix(t) {
		if !row.kept() || row.known() == 0 {
			continue
		}
		t.Run(row.File, func(t *testing.T) {
			tr, s := sums(t, row.path())
			if tr.Clock == 0 {
				return // The recording has no times to compare.
			}
			const slack = 100 * time.Millisecond
			u := tr.Usage
			if tr.Clock&trace.ThreadCPU != 0 && row.Process > 0 && row.Remark != "all processes" {
				if most := time.Duration(row.Process + row.Process/20); u.Working > most+slack {
					t.Errorf("processor time %s, the process used %s", u.Working, time.Duration(row.Process))
				}
			}
			for _, w := range tr.Warnings {
				if w.Code == "impossible-time" {
					t.Error(w.Message)
				}
			}
			var work int64
			shares := make(map[int64]int64)
			for name, value := range s.byName(tr) {
				shares[share(name)] += value
			}
			for _, percent := range []int64{60, 30, 10} {
				work += shares[percent]
			}
			if most := row.Elapsed + row.Elapsed/8 + int64(slack); tr.Clock&trace.ThreadCPU == 0 && work > most {
				t.Errorf("the functions worked for %s within %s", time.Duration(work), time.Duration(row.Elapsed))
			}
			if work == 0 {
				return // The recorder did not find the names of the program's functions.
			}
			// The error of a function's share decreases with the number of samples.
			count := float64(max(s.count, 1)) * float64(work) / float64(max(s.total, 1))
			for _, percent := range []int64{60, 30, 10} {
				want := float64(percent) / 100
				tolerance := 4*math.Sqrt(want*(1-want)/count) + 0.02
				if tr.Clock&trace.ThreadCPU == 0 {
					tolerance += 0.25 // Other programs used the cores at the same time.
				}
				if got := float64(shares[percent]) / float64(work); math.Abs(got-want) > tolerance {
					t.Errorf("a function has %.1f %% of the work, want %d %% ± %.1f", 100*got, percent, 100*tolerance)
				}
			}
		})
	}
}
