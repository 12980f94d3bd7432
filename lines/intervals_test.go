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
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// A kind is a kind of simulated run. It has a recorder, and work whose true energy is known. The
// unit of durations is the recorder's interval.
type kind struct {
	name string
	// interval is the distance of samples. It is 0 for a recording without times.
	interval time.Duration
	// length is the length of the run.
	length float64
	lines  int
	// work returns the duration of a piece of work.
	work func(r *rand.Rand) float64
	// random is set if samples are taken at random moments. Otherwise jitter is the largest
	// relative change of the distance between samples.
	random bool
	jitter float64
	// threads is the number of threads. They do the same work at the same time, and are sampled
	// together.
	threads int
	// on and off are the durations for which the recorder is on and off. off is 0 if it is always
	// on.
	on, off float64
	// idle is the mean duration of sleep after each piece of work. If a clock starts the work,
	// frame is the time between two starts.
	idle, frame float64
	// irregular is set if the recorder is off for random durations.
	irregular bool
	// uneven multiplies the energy of each line's samples by a different factor.
	uneven bool
	// least is the smallest accepted share of intervals that contain the true energy, in percent. 0
	// means 90.
	least float64
	// leastPairs is the smallest accepted share for the differences of two runs.
	leastPairs float64
	// most has the largest accepted share, for lines themselves and for lines with callees. 0 means
	// 99.
	most [2]float64
}

func exponential(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

// mixed returns the duration of a piece of work, which is usually short and sometimes long.
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
	{name: "10 ms, medium work", interval: 10 * ms, length: 2000, lines: 40, work: exponential(1), most: [2]float64{100, 100}},
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
	{name: "sleep between work", interval: 10 * ms, length: 4000, lines: 40, work: exponential(2), idle: 4, most: [2]float64{99, 100}},
	{name: "1 ms, frames of 16 ms", interval: ms, length: 20000, lines: 40, work: exponential(1), frame: 16, most: [2]float64{100, 100}},
	{name: "no times", length: 2000, lines: 40, work: exponential(0.1)},
	{name: "recorder on 5 of 50", interval: 10 * ms, length: 20000, lines: 40, work: exponential(0.1), on: 5, off: 45},
	{name: "recorder on 5 of 50, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(10), on: 5, off: 45, most: [2]float64{99, 100}},
	{name: "recorder on 20 of 100, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(30), on: 20, off: 80, leastPairs: 85, most: [2]float64{99, 100}},
	{name: "recorder off at random, long work", interval: 10 * ms, length: 20000, lines: 40, work: exponential(10), on: 5, off: 45, irregular: true, least: 30},
}

// A sampled holds the samples of a simulated recording.
type sampled struct {
	samples []trace.Sample
	threads int
}

func (s *sampled) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, s.threads), Events: int64(len(s.samples))}
	for _, m := range []string{"main", "phase", "step", "work"} {
		tr.Methods = append(tr.Methods, name.OfClass("a.B", m, "()V"))
	}
	for i := range s.samples {
		if err := sink.Samples([]trace.Sample{s.samples[i]}); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// A spot is a line. The program has four methods: main with one line, phases that last for some
// pieces of work, steps, and work.
type spot int

const (
	phases, steps = 4, 8
	firstPhase    = spot(1)
	firstStep     = firstPhase + phases
	firstWork     = firstStep + steps
)

// spotOf returns the spot of a row.
func spotOf(r *lines.Row) spot {
	first := map[string]spot{"main": 0, "phase": firstPhase, "step": firstStep, "work": firstWork}[r.Method.Name]
	return first + spot(r.Line) - 1
}

// frames returns the frames of a stack of spots.
func frames(spots [4]spot) (stack []trace.MethodID, at []int32) {
	for m, first := range []spot{0, firstPhase, firstStep, firstWork} {
		stack, at = append(stack, trace.MethodID(m)), append(at, int32(spots[m]-first+1))
	}
	return stack, at
}

// draw returns a number with a logarithmic normal distribution.
func draw(r *rand.Rand, deviation float64) float64 { return math.Exp(deviation * r.NormFloat64()) }

// simulate returns a recording of a program, and the true energy of each spot with its callees. All
// runs of a program do the same work in the same order. The duration of the work of a line or a
// step varies from run to run. noise is the standard deviation of the logarithm of this duration.
func (k *kind) simulate(program, run uint64, noise float64) (*sampled, []float64) {
	const each = 1000 // nanojoules per interval at the power of the run
	app, r := rand.New(rand.NewPCG(program, 9)), rand.New(rand.NewPCG(program, 10+run))
	weights, power, scale := make([]float64, k.lines), make([]float64, k.lines), make([]float64, k.lines)
	for i := range weights {
		weights[i], power[i], scale[i] = draw(app, 1.5), draw(app, lines.Power), 1
		if k.uneven {
			scale[i] = draw(app, 0.5)
		}
	}
	step := make([]float64, steps)
	for i := range step {
		step[i] = draw(app, 0.7)
	}
	took := make([]float64, int(firstWork)+k.lines) // took has the durations of this run relative to other runs.
	for s := range took {
		took[s] = draw(r, noise)
	}
	truth := make([]float64, int(firstWork)+k.lines)
	out := &sampled{threads: max(k.threads, 1)}
	distance := func() float64 {
		if k.random {
			return r.ExpFloat64()
		}
		return 1 + k.jitter*(2*r.Float64()-1)
	}
	next, now := r.Float64(), 0.0
	begin, end := 0.0, math.Inf(1) // The recorder is on from begin to end.
	if k.off > 0 {
		end = k.on
	}
	for phase, planned := spot(0), 0.0; planned < k.length; {
		line := pick(app, weights)
		if app.IntN(10) == 0 {
			phase = spot(app.IntN(phases))
		}
		stack := [4]spot{0, firstPhase + phase, firstStep + spot(pick(app, step)), firstWork + spot(line)}
		work := k.work(app)
		planned += work
		work *= took[stack[2]] * took[stack[3]]
		for _, s := range stack {
			truth[s] += work * power[line] * scale[line]
		}
		for done := now + work; next < done; next += distance() {
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
				ids, at := frames(stack)
				out.samples = append(out.samples, trace.Sample{
					Time: int64(next*float64(k.interval)) + int64(thread), Thread: trace.ThreadID(thread), ID: trace.NoStack, Count: 1, CPU: int64(k.interval),
					Stack: ids, Lines: at, Energy: units.Energy(each * scale[line]),
				})
			}
		}
		now += work
		if k.idle > 0 {
			pause := k.idle * r.ExpFloat64()
			now += pause
			next += pause // The recorder counts only processor time.
			planned += pause
		}
		if k.frame > 0 {
			pause := math.Ceil(now/k.frame)*k.frame - now
			now, next, planned = now+pause, next+pause, planned+pause
		}
	}
	// The lines divide the energy of the run.
	var energy units.Energy
	for _, s := range out.samples {
		energy += s.Energy
	}
	part := float64(energy) / truth[0]
	for s := range truth {
		truth[s] *= part
	}
	return out, truth
}

// TestKinds simulates runs whose true energies are known, and counts the intervals that contain the
// true energy. From 90 to 99 of 100 must contain it, unless a kind states other limits.
// testdata/intervals.md has a table of the shares. Each share must be within 1.5 percentage points
// of the table.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 900 runs")
	}
	stated := statedShares(t)
	if len(stated) != len(kinds) {
		t.Errorf("testdata/intervals.md has %d kinds, want %d", len(stated), len(kinds))
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			var own, callers held
			// Kinds with few lines are simulated more often.
			for seed := range uint64(1600 / min(k.lines, 40)) {
				rec, truth := k.simulate(seed, 0, 0)
				got := tableOf(t, rec)
				for i := range got.Rows {
					r := &got.Rows[i]
					x := truth[spotOf(r)]
					switch r.Method.Name {
					case "work":
						own.add(got.Own(r))(x)
					case "main":
						if i, _ := got.All(r); i.Most != got.Total || float64(i.Least) < 0.99*float64(got.Total) {
							t.Errorf("the interval of the whole run is %v", i)
						}
					default:
						callers.add(got.All(r))(x)
					}
				}
			}
			t.Logf("| %s | %.1f %% | %.1f %% |", k.name, own.share(), callers.share())
			for i, h := range []held{own, callers} {
				share := h.share()
				if share < cmp.Or(k.least, 90) || share > cmp.Or(k.most[i], 99) {
					t.Errorf("%d of %d intervals hold the truth", h.held, h.shown)
				}
				if want := stated[k.name][i]; math.Abs(share-want) > 1.5 {
					t.Errorf("%.1f %% of the intervals hold the truth; testdata/intervals.md says %v %%", share, want)
				}
			}
		})
	}
}

// TestUnsure checks which simulations have intervals that are right only if the app slept in the
// gaps. One piece of work between two gaps looks the same whether the app sleeps or the recorder is
// off. The warning is therefore also given if the app sleeps.
func TestUnsure(t *testing.T) {
	for _, k := range kinds {
		rec, _ := k.simulate(1, 0, 0)
		split := lines.Split(rec)
		if _, err := split.Scan(t.Context(), tracetest.Discard{}); err != nil {
			t.Fatal(err)
		}
		if got := split.Unsure > 0.5; got != (k.irregular || k.name == "sleep between work") {
			t.Errorf("%s: unsure in %.2f of the time", k.name, split.Unsure)
		}
	}
}

// TestPairs simulates two runs of a program whose lines vary from run to run as stated. From 90 to
// 99 of 100 lines must have no difference at the level of 5 %, both by their own energy and by the
// energy with callees. This is the share of single 95 % intervals that contain the true energy.
func TestPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 320 runs")
	}
	const noise = 0.3
	for _, k := range kinds {
		if k.least > 0 || k.lines != 40 {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for _, by := range []lines.Figure{lines.Own, lines.All} {
				same, rows := 0, 0
				for seed := range uint64(20) {
					here, _ := k.simulate(seed, 0, noise)
					there, _ := k.simulate(seed, 1, noise)
					for _, p := range lines.Compare(tableOf(t, here), tableOf(t, there), by, noise, true, nil) {
						if row := cmp.Or(p.Subject, p.Reference); row.Method.Name != []string{"work", "step"}[by] {
							continue
						}
						if rows++; p.Estimate.P > 0.05 {
							same++
						}
					}
				}
				share := 100 * float64(same) / float64(rows)
				t.Logf("%.1f %% of %d", share, rows)
				if share < cmp.Or(k.leastPairs, 90) || share > 99 {
					t.Errorf("figure %d: %d of %d lines have no difference", by, same, rows)
				}
			}
		})
	}
}

// A held counts intervals. shown counts all intervals, and held counts the intervals that contain
// the true energy.
type held struct{ held, shown int }

// add returns a function that counts the interval i, given the true energy.
func (h *held) add(i lines.Interval, ok bool) func(truth float64) {
	return func(truth float64) {
		if !ok {
			return
		}
		if h.shown++; float64(i.Least) <= truth && truth <= float64(i.Most) {
			h.held++
		}
	}
}

// share returns the percentage of the intervals that contain the true energy.
func (h *held) share() float64 { return 100 * float64(h.held) / float64(h.shown) }

// statedShares reads the table of testdata/intervals.md. It returns the shares of lines themselves
// and of lines with callees.
func statedShares(t *testing.T) map[string][2]float64 {
	t.Helper()
	data, err := os.ReadFile("testdata/intervals.md")
	if err != nil {
		t.Fatal(err)
	}
	shares := make(map[string][2]float64)
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| ([\d.]+) % \| ([\d.]+) % \|$`).FindAllStringSubmatch(string(data), -1) {
		own, err := strconv.ParseFloat(row[2], 64)
		all, err2 := strconv.ParseFloat(row[3], 64)
		if err := cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
		shares[row[1]] = [2]float64{own, all}
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
