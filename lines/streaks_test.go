package lines_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/trace"
)

// TestStreaks compares the variances of a thread's samples at equal distances with streaks that are
// counted line by line. A streak begins with a sample whose previous sample has another line, or
// does not have the line on its stack.
func TestStreaks(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		rec := &sampled{threads: 1}
		for i := range 100 {
			stack := [4]spot{0, firstPhase + spot(r.IntN(phases)), firstStep + spot(r.IntN(steps)), firstWork + spot(r.IntN(3))}
			ids, at := frames(stack)
			if from := r.IntN(3); from > 0 { // a recursive call
				ids, at = slices.Insert(ids, from, ids[from]), slices.Insert(at, from, at[from])
			}
			if i > 0 && r.IntN(2) == 0 {
				ids, at = rec.samples[i-1].Stack, rec.samples[i-1].Lines
			}
			rec.samples = append(rec.samples, trace.Sample{Time: int64(i+1) * int64(time.Millisecond), Count: 1, Energy: 10, Stack: ids, Lines: at})
		}
		type line struct {
			method trace.MethodID
			line   int32
		}
		on := func(i int) (all map[line]bool, own line) {
			all = make(map[line]bool)
			for k, m := range rec.samples[i].Stack {
				own = line{m, rec.samples[i].Lines[k]}
				all[own] = true
			}
			return all, own
		}
		own, all := make(map[line][2]float64), make(map[line][2]float64) // the numbers of samples and of streaks
		count := func(counts map[line][2]float64, at line, begins bool) {
			x := counts[at]
			if x[0]++; begins {
				x[1]++
			}
			counts[at] = x
		}
		for i := range rec.samples {
			here, mine := on(i)
			there, other := map[line]bool{}, line{-1, 0}
			if i > 0 {
				there, other = on(i - 1)
			}
			count(own, mine, mine != other)
			for at := range here {
				count(all, at, !there[at])
			}
		}
		variance := func(x [2]float64) float64 { return min(x[1], x[0]*(1-x[0]/100)) }
		want := make(lines.Errors)
		split := lines.Split(rec)
		if _, _, err := cct.Build(t.Context(), split, cct.Limits{}); err != nil {
			t.Fatal(err)
		}
		tr, err := (&sampled{threads: 1}).Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for at, x := range all {
			want[tr.Methods[at.method].OnLine(at.line)] = lines.Variances{Own: variance(own[at]), All: variance(x)}
		}
		if len(split.Errors) != len(want) {
			t.Fatalf("%d lines, want %d", len(split.Errors), len(want))
		}
		for m, v := range split.Errors {
			if w := want[m]; math.Abs(v.Own-w.Own) > 1e-9 || math.Abs(v.All-w.All) > 1e-9 {
				t.Fatalf("seed %d: line %d of %s has %v, want %v", seed, m.On, m.Name, v, w)
			}
		}
	}
}
