package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestTurns assigns random samples to random lines. Each line must get its count if the counts are
// complete. Samples of equal length must be in proportion to the counts at any time.
func TestTurns(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all ticks
		want, sum := make(map[int32]int64), int64(0)
		for range 1 + r.IntN(6) {
			line, n := 1+r.Int32N(9), 1+r.Int64N(40)
			all.lines, all.counts = append(all.lines, line), append(all.counts, n)
			want[line] += n
			sum += n
		}
		all.hits = sum + r.Int64N(20)
		if all.hits > sum {
			want[0] += all.hits - sum
		}
		even := r.IntN(2) == 0
		lengths, time := make([]int64, all.hits), int64(0)
		for i := range lengths {
			if lengths[i] = 1000; !even {
				lengths[i] = r.Int64N(5000)
			}
			time += lengths[i]
		}
		queue := all.turns(all.hits, time)
		got := make(map[int32]int64)
		for i, length := range lengths {
			got[queue.next(length)]++
			for line, n := range got {
				if ideal := float64(i+1) * float64(want[line]) / float64(all.hits); even && (float64(n) > ideal+4 || float64(n) < ideal-4) {
					t.Fatalf("seed %d: line %d has %d of %d samples, want about %v", seed, line, n, i+1, ideal)
				}
			}
		}
		if !maps.Equal(got, want) || len(queue) > 0 {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

// TestTicksAreSums compares the samples of each line with sums over the JSON of a real profile, for
// the functions whose counts include all samples.
func TestTicksAreSums(t *testing.T) {
	for _, file := range []string{"speedscope-sucrase", "speedscope-simple", "firefox-hello.cjs"} {
		data, err := os.ReadFile("../../../shared/data/chrome/" + file + ".cpuprofile")
		if err != nil {
			t.Skip(err)
		}
		var profile struct {
			Nodes []struct {
				ID        int64
				HitCount  int64
				CallFrame struct {
					FunctionName, URL string
					LineNumber        int
				}
				PositionTicks []struct{ Line, Ticks int }
			}
			Samples []int64
		}
		if err := json.Unmarshal(data, &profile); err != nil {
			t.Fatal(err)
		}
		seen, begins := make(map[int64]int64), make(map[string][]int)
		for _, id := range profile.Samples {
			seen[id]++
		}
		for _, n := range profile.Nodes {
			begins[n.CallFrame.URL] = append(begins[n.CallFrame.URL], n.CallFrame.LineNumber+1)
		}
		type key struct {
			method string
			line   int
		}
		want, incomplete := make(map[key]int64), make(map[string]bool)
		for _, n := range profile.Nodes {
			f := n.CallFrame
			label := name.OfScript(f.FunctionName, f.URL, f.LineNumber+1).Label()
			rest, sum := n.HitCount, int64(0)
			for _, p := range n.PositionTicks {
				line := p.Line
				if f.LineNumber < 0 || f.URL == "" || line <= f.LineNumber || slices.ContainsFunc(begins[f.URL], func(b int) bool { return b > f.LineNumber+1 && b <= line }) {
					line = 0
				}
				want[key{label, line}] += int64(p.Ticks)
				rest -= int64(p.Ticks)
				sum += int64(p.Ticks)
			}
			want[key{label, 0}] += rest
			if seen[n.ID] != n.HitCount && sum > 0 || rest < 0 {
				incomplete[label] = true
			} else {
				want[key{label, 0}] += seen[n.ID] - n.HitCount
			}
		}
		sink := &lineCounter{got: make(map[[2]int64]int64)}
		tr, err := DecodeProfile(t.Context(), bytes.NewReader(data), sink, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, located := make(map[key]int64), int64(0)
		for k, n := range sink.got {
			label := "(root)"
			if k[0] >= 0 {
				label = tr.Methods[k[0]].Label()
			}
			got[key{label, int(k[1])}] += n
			if k[1] > 0 {
				located += n
			}
		}
		compared := 0
		for k, n := range want {
			if incomplete[k.method] || k.method == "(root)" {
				continue
			}
			if compared++; got[k] != n {
				t.Errorf("%s: %s:%d has %d samples, want %d", file, k.method, k.line, got[k], n)
			}
		}
		if compared == 0 || located == 0 && file != "speedscope-simple" { // Its calls are inlined.
			t.Errorf("%s: %d lines compared, %d samples with lines", file, compared, located)
		}
		t.Logf("%s: %d lines compared, %d of %d samples have lines, %d functions are incomplete", file, compared, located, len(profile.Samples), len(incomplete))
	}
}

// A lineCounter counts samples by innermost method and line.
type lineCounter struct{ got map[[2]int64]int64 }

func (c *lineCounter) Events([]trace.Event) error { return fmt.Errorf("unexpected events") }

func (c *lineCounter) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		at := [2]int64{-1, 0}
		if n := len(s.Stack); n > 0 {
			if at[0] = int64(s.Stack[n-1]); len(s.Lines) == n {
				at[1] = int64(s.Lines[n-1])
			}
		}
		c.got[at]++
	}
	return nil
}
