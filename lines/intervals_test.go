package lines_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A kind is a kind of simulated run: a recorder, and work whose true energy is known. Durations are in
// intervals of the recorder.
type kind struct {
	name string
	// interval is the distance of samples. It is 0 for a recording without times.
	interval time.Duration
	// length is the length of the run.
	length float64
	lines  int
	// work returns the duration of a piece of work.
	work func(r *rand.Rand) float64
	// random is set if samples come at random moments. Otherwise jitter is the largest relative change of a
	// distance.
	random bool
	jitter float64
	// threads work in step, and are sampled together.
	threads int
	// on and off are durations of the recorder, if it is not on all the time.
	on, off float64
	// idle is the mean duration of sleep after each piece of work. frame is the distance of the beginnings of
	// work, if a clock starts it.
	idle, frame float64
	// irregular is set if the recorder is off for random times.
	irregular bool
	// uneven multiplies the energy of each line's samples by a number of its own.
	uneven bool
	// least is the smallest share of intervals that must hold the truth, in percent. 0 means 90.
	least float64
	// most is the largest share. 0 means 99.
	most float64
}

func exponential(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

// mixed is mostly short work, and sometimes long.
func mixed(r *rand.Rand) float64 {
	if r.IntN(20) == 0 {
		return 20 * r.ExpFloat64()
	}
	return 0.05 * r.ExpFloat64()
}

const ms = time.Millisecond

var kinds = []kind{
	{name: "random moments, short work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(0.1), random: true},
	{name: "random moments, long work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(10), random: true},
	{name: "10 ms, short work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(0.1)},
	{name: "10 ms, medium work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(1)},
	{name: "10 ms, long work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(10)},
	{name: "10 ms, work of equal length", interval: 10 * ms, length: 2000, lines: 40, work: func(*rand.Rand) float64 { return 0.37 }},
	{name: "10 ms, short and long work", interval: 10 * ms, length: 2000, lines: 40, work: mixed},
	{name: "10 ms, short run", interval: 10 * ms, length: 300, lines: 10, work: exponential(0.1)},
	{name: "10 ms, 500 lines", interval: 10 * ms, length: 20000, lines: 500, work: exponential(0.1)},
	{name: "10 ms, two lines", interval: 10 * ms, length: 2000, lines: 2, work: exponential(0.1)},
	{name: "10 ms ± 30 %", interval: 10 * ms, length: 2000, lines: 40, work: exponential(0.1), jitter: 0.3},
	{name: "1 ms, short work", interval: ms, length: 2000, lines: 40, work: exponential(0.1)},
	{name: "1 ms, long work", interval: ms, length: 2000, lines: 40, work: exponential(10)},
	{name: "0.25 ms, long work", interval: ms / 4, length: 8000, lines: 40, work: exponential(10)},
	{name: "4 threads in step", interval: 10 * ms, length: 1000, lines: 40, work: exponential(0.1), threads: 4},
	{name: "samples of unequal energy", interval: 10 * ms, length: 2000, lines: 40, work: exponential(0.1), uneven: true},
	{name: "sleep between work", interval: 10 * ms, length: 4000, lines: 40, work: exponential(2), idle: 4},
	{name: "1 ms, frames of 16 ms", interval: ms, length: 20000, lines: 40, work: exponential(1), frame: 16, most: 100},
	{name: "no times", length: 2000, lines: 40, work: exponential(0.1)},
	{name: "recorder on 5 of 50", interval: 10 * ms, length: 20000, lines: 40, work: exponential(0.1), on: 5, off: 45},
	{name: "recorder on 5 of 50, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(10), on: 5, off: 45},
	{name: "recorder on 20 of 100, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(30), on: 20, off: 80},
	{name: "recorder off at random, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(10), on: 5, off: 45, irregular: true, least: 50},
}

// A sampled is a simulated recording.
type sampled struct {
	samples []trace.Sample
	threads int
}

func (s *sampled) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Methods: []name.Method{name.OfClass("a.B", "m", "()V")}, Threads: make([]trace.Thread, s.threads), Events: int64(len(s.samples))}
	for i := range s.samples {
		if err := sink.Samples([]trace.Sample{s.samples[i]}); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// simulate returns a recording, and the true energy of each line.
func (k *kind) simulate(r *rand.Rand) (*sampled, []float64) {
	const each = 1000 // nanojoules per interval at the power of the run
	weights, power := make([]float64, k.lines), make([]float64, k.lines)
	scale := make([]float64, k.lines)
	for i := range weights {
		weights[i], power[i], scale[i] = math.Exp(1.5*r.NormFloat64()), math.Exp(lines.Power*r.NormFloat64()), 1
		if k.uneven {
			scale[i] = math.Exp(0.5 * r.NormFloat64())
		}
	}
	// The power of a line is relative to the power of the run.
	whole, used := 0.0, 0.0
	for i := range weights {
		whole, used = whole+weights[i]*scale[i], used+weights[i]*scale[i]*power[i]
	}
	truth := make([]float64, k.lines)
	out := &sampled{threads: max(k.threads, 1)}
	distance := func() float64 {
		if k.random {
			return r.ExpFloat64()
		}
		return 1 + k.jitter*(2*r.Float64()-1)
	}
	next, now := r.Float64(), 0.0
	begin, end := 0.0, math.Inf(1) // of the time in which the recorder is on
	if k.off > 0 {
		end = k.on
	}
	for now < k.length {
		line := pick(r, weights)
		took := k.work(r)
		truth[line] += took * each * power[line] * whole / used * scale[line] * float64(out.threads)
		for done := now + took; next < done; next += distance() {
			for next > end {
				off := k.off
				if k.irregular {
					off *= r.ExpFloat64()
				}
				begin, end = end+off, end+off+k.on
			}
			if next < begin {
				continue
			}
			for thread := range out.threads {
				out.samples = append(out.samples, trace.Sample{
					Time: int64(next*float64(k.interval)) + int64(thread), Thread: trace.ThreadID(thread), ID: trace.NoStack, Count: 1, CPU: int64(k.interval),
					Stack: []trace.MethodID{0}, Lines: []int32{int32(line + 1)}, Energy: units.Energy(each * scale[line]),
				})
			}
		}
		now += took
		if k.idle > 0 {
			pause := k.idle * r.ExpFloat64()
			now += pause
			next += pause // the recorder counts processor time
		}
		if k.frame > 0 {
			pause := math.Ceil(now/k.frame)*k.frame - now
			now, next = now+pause, next+pause
		}
	}
	if k.off > 0 { // The figures are for the time in which the recorder is on.
		for i := range truth {
			truth[i] *= k.on / (k.on + k.off)
		}
	}
	return out, truth
}

// TestKinds simulates runs whose true energies are known, and counts the intervals that hold the truth. From 90
// to 99 of 100 must hold it, except where a kind says otherwise. docs/lines.md has a table of the shares, and each
// must be within 1.5 percentage points.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 900 runs")
	}
	stated := statedShares(t)
	if len(stated) != len(kinds) {
		t.Errorf("docs/lines.md has %d kinds, want %d", len(stated), len(kinds))
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			held, shown := 0, 0
			for seed := range uint64(40) {
				rec, truth := k.simulate(rand.New(rand.NewPCG(seed, 9)))
				got := tableOf(t, rec)
				for i := range got.Rows {
					interval, ok := got.Own(&got.Rows[i])
					if !ok {
						continue
					}
					shown++
					if x := truth[got.Rows[i].Line-1]; float64(interval.Least) <= x && x <= float64(interval.Most) {
						held++
					}
				}
			}
			share := 100 * float64(held) / float64(shown)
			t.Logf("| %s | %.1f %% |", k.name, share)
			if share < cmp.Or(k.least, 90) || share > cmp.Or(k.most, 99) {
				t.Errorf("%d of %d intervals hold the truth", held, shown)
			}
			if math.Abs(share-stated[k.name]) > 1.5 {
				t.Errorf("%.1f %% of the intervals hold the truth; docs/lines.md says %v %%", share, stated[k.name])
			}
		})
	}
}

// statedShares reads the table of docs/lines.md.
func statedShares(t *testing.T) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile("../docs/lines.md")
	if err != nil {
		t.Fatal(err)
	}
	shares := make(map[string]float64)
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| ([\d.]+) % \|$`).FindAllStringSubmatch(string(data), -1) {
		if shares[row[1]], err = strconv.ParseFloat(row[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	return shares
}

// tableOf makes the table of a recording as package analysis does.
func tableOf(t *testing.T, rec *sampled) *lines.Table {
	split := lines.Split(rec)
	tree, _, err := cct.Build(t.Context(), split, cct.Limits{Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	clump := 1.0
	if spent := tree.CPU.Total(); spent > 0 {
		clump = max(1, float64(2*ms)*float64(tree.Seen.Total())/float64(spent))
	}
	return lines.New(tree,
		func(v int32) float64 { return float64(tree.Seen.Self(v)) },
		func(v int32) float64 { return float64(tree.Seen.All(v)) }, split.Each, max(clump, split.Together), split.Errors, 1)
}
