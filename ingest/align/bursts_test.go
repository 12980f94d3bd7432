package align_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
)

// sequence is the pattern of bursts that the runtime makes.
const sequence = "0000101011101100011111001101001"

// burstsAt returns a group of bursts. Each begins slightly late, as on a phone.
func burstsAt(r *rand.Rand, start int64) (all []trace.Burst) {
	const step = int64(200 * time.Millisecond)
	for i := 0; i < len(sequence); i++ {
		if sequence[i] == '0' {
			continue
		}
		from := i
		for i+1 < len(sequence) && sequence[i+1] == '1' {
			i++
		}
		all = append(all, trace.Burst{Begin: start + int64(from)*step + r.Int64N(3e6), End: start + int64(i+1)*step + r.Int64N(1e6)})
	}
	return all
}

// metered returns a simulated meter's recording of a run. The time t of the run is the time (t -
// shift) / (1 + drift) on the meter's clock.
func metered(r *rand.Rand, bursts []trace.Burst, length, period, shift int64, drift float64, load bool) *tape {
	p := &tape{tracks: []trace.Track{{Name: "meter", Component: "device"}}}
	busy := false
	energy, at := 0.0, int64(0)
	const cells = 1e6 // The energy is a sum over steps of 1 ms.
	last := 0
	for t := shift; t < length; t += cells {
		if r.IntN(300) == 0 {
			busy = !busy // The app works from time to time.
		}
		mw := 300 + 40*r.NormFloat64()
		if busy {
			mw += 500
		}
		for last < len(bursts)-1 && bursts[last].End < t {
			last++
		}
		if load && bursts[last].Begin <= t && t < bursts[last].End {
			mw += 1500
		}
		energy += max(0, mw) * 1e3 // nJ of 1 ms
		if own := int64(math.Round(float64(t+cells-shift) / (1 + drift))); own >= at {
			p.signals = append(p.signals, trace.Signal{Kind: trace.Drain, Time: own, Value: int64(energy)})
			at += period
		}
	}
	return p
}

// TestBursts finds the shift and the drift of simulated meters with several rates. Meters that
// record no bursts must be an error.
func TestBursts(t *testing.T) {
	for seed := range uint64(shorten.Count(4)) {
		for _, c := range []struct {
			period time.Duration
			length time.Duration
			drift  float64
		}{
			{time.Millisecond, 60 * time.Second, 80e-6},
			{10 * time.Millisecond, 60 * time.Second, -250e-6},
			{10 * time.Millisecond, 600 * time.Second, 120e-6},
			{100 * time.Millisecond, 300 * time.Second, 0},
		} {
			r := rand.New(rand.NewPCG(seed, 7))
			start, end := int64(2*time.Second)+r.Int64N(2e9), int64(c.length)-int64(12*time.Second)-r.Int64N(2e9)
			run := &tape{trace: trace.Trace{Elapsed: c.length, Bursts: append(burstsAt(r, start), burstsAt(r, end)...)}}
			shift := -r.Int64N(5e9)
			name := fmt.Sprintf("seed %d, %v, %v, drift %v", seed, c.period, c.length, c.drift)
			joined, err := align.Join(t.Context(), run, []align.Side{{Name: "meter", Recording: metered(r, run.trace.Bursts, int64(c.length), int64(c.period), shift, c.drift, true)}}, align.Alignment{Bursts: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			at := joined.Places[0]
			span, within := float64(end-start), float64(at.Residual)
			if math.Abs(float64(int64(at.Shift)-shift)) > within || math.Abs(at.Drift-c.drift) > at.DriftResidual || at.DriftResidual > 2.2*within/span || within > float64(max(c.period/2, 33*time.Millisecond)) || at.By != "bursts" {
				t.Errorf("%s: %+v, want a shift of %v", name, at, time.Duration(shift))
			}
			t.Logf("%s: shift off by %v, drift by %.1f ppm, correlation %.2f", name, at.Shift-time.Duration(shift), 1e6*(at.Drift-c.drift), at.Correlation)
			for _, load := range []bool{false, true} {
				side := metered(r, run.trace.Bursts, int64(c.length), int64(c.period), shift, c.drift, load)
				if load {
					side = metered(r, burstsAt(r, start), int64(c.length), int64(c.period), shift, c.drift, true) // The last group is missing.
				}
				if _, err := align.Join(t.Context(), run, []align.Side{{Name: "meter", Recording: side}}, align.Alignment{Bursts: true}); err == nil || !strings.Contains(err.Error(), "are not seen in its power") && !(load && strings.Contains(err.Error(), "shows just one group")) {
					t.Errorf("%s, a meter without bursts, %v: %v", name, load, err)
				}
			}
		}
	}
	run := &tape{trace: trace.Trace{Elapsed: time.Minute}}
	side := metered(rand.New(rand.NewPCG(1, 1)), []trace.Burst{{}}, int64(time.Minute), 1e7, 0, 0, false)
	if _, err := align.Join(t.Context(), run, []align.Side{{Name: "meter", Recording: side}}, align.Alignment{Bursts: true}); err == nil || !strings.Contains(err.Error(), "the recording has no bursts of load") {
		t.Error(err)
	}
}

// TestOneGroup has meters that began after the first group of bursts, or ended before the last
// group. The error must state this, and both possible shifts.
func TestOneGroup(t *testing.T) {
	for seed := range uint64(shorten.Count(4)) {
		for _, period := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
			r := rand.New(rand.NewPCG(seed, 9))
			const length = int64(90 * time.Second)
			start, end := int64(2*time.Second)+r.Int64N(2e9), length-int64(12*time.Second)-r.Int64N(2e9)
			run := &tape{trace: trace.Trace{Elapsed: time.Duration(length), Bursts: append(burstsAt(r, start), burstsAt(r, end)...)}}
			for _, c := range []struct {
				shift, until int64
				which        string
			}{
				{start + int64(7*time.Second) + r.Int64N(5e9), length, "if the bursts are the last ones"},
				{start + int64(3*time.Second), length, "if the bursts are the last ones"},
				{-r.Int64N(5e9), end - int64(time.Second), "if they are the first ones"},
			} {
				side := metered(r, run.trace.Bursts, c.until, int64(period), c.shift, 0, true)
				_, err := align.Join(t.Context(), run, []align.Side{{Name: "meter", Recording: side}}, align.Alignment{Bursts: true})
				if err == nil || !strings.Contains(err.Error(), "the meter began after the first bursts, or it ended before the last ones") {
					t.Errorf("seed %d, %v: %v", seed, period, err)
					continue
				}
				text, _, _ := strings.Cut(err.Error(), " "+c.which)
				text = text[strings.LastIndex(text, " ")+1:]
				if got, err := time.ParseDuration(text); err != nil || math.Abs(float64(int64(got)-c.shift)) > float64(period)+float64(20*time.Millisecond) {
					t.Errorf("seed %d, %v: the error states %q, want %v", seed, period, text, time.Duration(c.shift))
				}
			}
		}
	}
}
