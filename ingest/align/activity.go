package align

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// activity is a sink that records how busy the device was over time. For the main recording, this
// is processor time. For a side recording (measurements by a meter or the system), it is energy or,
// without energy, the busy time of cores.
type activity struct {
	// sides is set for a side recording.
	sides      bool
	begin, end int64
	met        bool
	// bins are sums over equal spans of time, starting at time 0. When there would be more than
	// maxBins bins, their width doubles.
	bins  []float64
	width int64
	// last has the latest reading of each energy counter. busy has the time at which each busy core
	// became busy.
	last map[trace.TrackID]trace.Signal
	busy map[trace.TrackID]int64
	// counted is set after the first reading of an energy counter. From then on the busy time of
	// cores is ignored, because counters are more accurate.
	counted bool
	// readings counts the readings of energy counters, except the first of each counter.
	readings int64
}

const (
	// maxBins limits the number of bins. finest is the smallest width of a bin.
	maxBins = 1 << 15
	finest  = int64(time.Millisecond)
)

// at extends the recorded time span to include moment.
func (a *activity) at(moment int64) {
	if !a.met {
		a.begin, a.met = moment, true
	}
	a.begin, a.end = min(a.begin, moment), max(a.end, moment)
}

// add spreads an amount evenly over the bins between two times. The part before time 0 is dropped.
func (a *activity) add(from, to int64, amount float64) {
	if a.width == 0 {
		a.width = finest
	}
	from = max(from, 0)
	if to < from || amount <= 0 {
		return
	}
	for to/a.width >= maxBins {
		a.widen()
	}
	first, last := from/a.width, to/a.width
	if need := int(last) + 1; need > len(a.bins) {
		a.bins = append(a.bins, make([]float64, need-len(a.bins))...)
	}
	if first == last {
		a.bins[first] += amount
		return
	}
	per := amount / float64(to-from)
	for b := first; b <= last; b++ {
		a.bins[b] += per * float64(min(to, (b+1)*a.width)-max(from, b*a.width))
	}
}

// widen merges pairs of bins, which doubles their width.
func (a *activity) widen() {
	half := (len(a.bins) + 1) / 2
	for i := range half {
		sum := a.bins[2*i]
		if 2*i+1 < len(a.bins) {
			sum += a.bins[2*i+1]
		}
		a.bins[i] = sum
	}
	a.bins = a.bins[:half]
	a.width *= 2
}

// Events implements trace.Sink.
func (a *activity) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		a.at(e.Time)
		if !a.sides {
			a.add(e.Time-e.CPU, e.Time, float64(e.CPU))
		}
	}
	return nil
}

// Samples implements trace.Sink.
func (a *activity) Samples(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		a.at(s.Time)
		if !a.sides {
			took := s.CPU
			if took == 0 {
				took = s.Wall
			}
			a.add(s.Time-took, s.Time, float64(took))
		}
	}
	return nil
}

// TakeSignals implements trace.SignalTaker.
func (a *activity) TakeSignals() trace.SignalSink {
	if !a.sides {
		return nil
	}
	a.last, a.busy = make(map[trace.TrackID]trace.Signal), make(map[trace.TrackID]int64)
	return a
}

// Track implements trace.SignalSink.
func (a *activity) Track(trace.Track) error { return nil }

// Operations implements trace.SignalSink.
func (a *activity) Operations([]trace.Operation) error { return nil }

// Until implements trace.SignalSink.
func (a *activity) Until(int64) error { return nil }

// Signals implements trace.SignalSink.
func (a *activity) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		a.at(s.Time)
		switch s.Kind {
		case trace.Drain:
			if !a.counted {
				// Busy time cannot be added to energy, so the bins filled so far are dropped.
				a.counted, a.bins = true, nil
			}
			if last, ok := a.last[s.Track]; ok {
				a.add(last.Time, s.Time, float64(s.Value-last.Value))
				a.readings++
			}
			a.last[s.Track] = s
		case trace.Switch:
			if since, ok := a.busy[s.Track]; ok && !a.counted {
				a.add(since, s.Time, float64(s.Time-since))
			}
			delete(a.busy, s.Track)
			if s.Thread != trace.NoThread {
				a.busy[s.Track] = s.Time
			}
		}
	}
	return nil
}

const (
	// Alignment by activity needs at least minBins bins. The best shift must have a correlation of
	// at least likeness. It must exceed the correlation of all distant shifts by at least ahead.
	minBins        = 16
	minCorrelation = 0.5
	minLead        = 0.1
	// maxComparedBins limits the number of bins that are compared.
	maxComparedBins = 2048
)

// correlate tries all time shifts between the recordings. It returns the shift at which the
// processor time of the main recording (did) correlates best with the energy of the side recording
// (drained).
func correlate(did, drained *activity) (Place, error) {
	if len(drained.bins) == 0 {
		return Place{}, errors.New("it has neither energy nor busy cores, so it cannot be aligned by activity; set its start, such as --align 1.5s")
	}
	for did.width < drained.width || len(did.bins) > maxComparedBins {
		if did.width == 0 {
			break
		}
		did.widen()
	}
	for drained.width < did.width {
		drained.widen()
	}
	run, other := did.bins, drained.bins
	if len(run) < minBins {
		return Place{}, fmt.Errorf("the run is too short, or the other recording too long, for alignment by activity: %d steps of %v", len(run), time.Duration(did.width))
	}
	// At least three quarters of the run must overlap with the side recording.
	slack := len(run) / 4
	best, at := -1.0, 0
	var all []float64
	for lag := -slack; lag <= len(other)-len(run)+slack; lag++ {
		r := pearson(run, other, lag)
		all = append(all, r)
		if r > best {
			best, at = r, lag
		}
	}
	if len(all) == 0 {
		return Place{}, errors.New("it is much shorter than the run")
	}
	// Shifts near the best shift correlate almost as well, because activity is similar from one bin
	// to the next. They do not make the result ambiguous.
	near := max(2, len(run)/50)
	second := -1.0
	for i, r := range all {
		if lag := i - slack; lag < at-near || lag > at+near {
			second = math.Max(second, r)
		}
	}
	shift := time.Duration(int64(-at) * did.width)
	if best < minCorrelation || best-second < minLead {
		return Place{}, fmt.Errorf("alignment by activity is ambiguous: the best place, at %v, has correlation %.2f and the next one %.2f; set the start, such as --align 1.5s", shift, best, second)
	}
	return Place{Shift: shift, By: "activity", Residual: time.Duration(did.width), Correlation: best}, nil
}

// pearson returns the correlation of a with the elements of b from index lag on. Only pairs of
// elements that exist in both slices are used. If there are fewer than len(a)/2 pairs, it returns
// -1.
func pearson(a, b []float64, lag int) float64 {
	from, to := max(0, -lag), min(len(a), len(b)-lag)
	if to-from < len(a)/2 {
		return -1
	}
	x, y := a[from:to], b[from+lag:to+lag]
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return -1
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
