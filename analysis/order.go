package analysis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
)

// An OrderGap is the reason why the order of runs is unknown.
type OrderGap string

// The reasons.
const (
	// NoOrderGap means that the order is known.
	NoOrderGap OrderGap = ""
	// NoStarts means that a recording does not state its start.
	NoStarts OrderGap = "no-starts"
	// OtherClocks means that the recordings use different clocks for their starts.
	OtherClocks OrderGap = "other-clocks"
	// OtherBoots means that the starts cannot be compared, because each is a time since the phone
	// was started. The phones differ, or a phone restarted between the runs. The signs are that
	// runs overlap, or that the recordings name different phones.
	OtherBoots OrderGap = "other-boots"
	// EqualStarts means that all recordings state the same start.
	EqualStarts OrderGap = "equal-starts"
)

// minRealtime is the earliest start that is taken as a real time. Earlier starts are from a clock
// that was never set.
var minRealtime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// starts has the known start times of a run.
type starts struct {
	readings []trace.Reading
	// recorded is the start of the run in the journal of diffprof record, by the clock of the
	// computer. It is 0 if unknown.
	recorded int64
	device   string
	// build is the app's build in the journal of diffprof record.
	build build
}

// startsOf returns the known start times of a run.
func startsOf(in *Input) starts {
	recorded, b := journalled(in.Path)
	return starts{readings: in.Trace.Timeline, recorded: recorded, device: in.Trace.Device, build: b}
}

// journalled returns the start and the build of a run from the journal of diffprof record. The
// start is 0 if it is unknown. The journal is record.json, in the folder of the recording or in its
// parent.
func journalled(path string) (int64, build) {
	const mostJournal = 16 << 20
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		file := filepath.Join(dir, "record.json")
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostJournal {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var journal struct {
			Runs []struct {
				Started         time.Time
				Side            string
				Trace, Perfetto string
				App             struct {
					Version string
					Code    int64
				}
			}
		}
		if json.Unmarshal(data, &journal) != nil {
			continue
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			continue
		}
		for _, run := range journal.Runs {
			if name = filepath.ToSlash(name); filepath.ToSlash(run.Trace) == name || filepath.ToSlash(run.Perfetto) == name {
				if at := run.Started.UnixNano(); at > minRealtime {
					return at, build{run.Side, run.App.Version, run.App.Code}
				}
			}
		}
	}
	return 0, build{}
}

// by returns the start on one clock, if it is known.
func (s *starts) by(clock trace.SystemClock) (int64, bool) {
	for _, r := range s.readings {
		if r.Clock == clock && (clock != trace.Realtime || r.Value-r.Time >= minRealtime) {
			return r.Value - r.Time, true
		}
	}
	return 0, false
}

// order returns the order in which the runs of both sides were made, or the reason why the order is
// unknown.
func order(subject, reference []Run) (repeats.Order, OrderGap) {
	all := slices.Concat(subject, reference)
	shared := func(start func(*starts) (int64, bool)) []int64 {
		var found []int64
		for i := range all {
			at, ok := start(&all[i].starts)
			if !ok {
				return nil
			}
			found = append(found, at)
		}
		return found
	}
	moments := shared(func(s *starts) (int64, bool) { return s.recorded, s.recorded != 0 })
	if moments == nil {
		moments = shared(func(s *starts) (int64, bool) { return s.by(trace.Realtime) })
	}
	for _, clock := range []trace.SystemClock{trace.Boottime, trace.Monotonic} {
		if moments != nil {
			break
		}
		if moments = shared(func(s *starts) (int64, bool) { return s.by(clock) }); moments != nil && otherBoots(all, moments) {
			return repeats.Order{}, OtherBoots
		}
	}
	if moments == nil {
		stated := !slices.ContainsFunc(all, func(r Run) bool { return len(r.starts.readings) == 0 && r.starts.recorded == 0 })
		if stated {
			return repeats.Order{}, OtherClocks
		}
		return repeats.Order{}, NoStarts
	}
	// Differences between times are exact as floating-point numbers. Nanoseconds since 1970 are
	// not.
	first := slices.Min(moments)
	places := make([]float64, len(moments))
	for i, at := range moments {
		places[i] = float64(at - first)
	}
	o := repeats.NewOrder(places[:len(subject)], places[len(subject):])
	if o.Sequence == repeats.UnknownOrder {
		return o, EqualStarts
	}
	return o, NoOrderGap
}

// otherBoots reports whether the moments are from several phones, or from several starts of a
// phone. The signs are that two runs overlap, or that the recordings name different phones.
func otherBoots(runs []Run, moments []int64) bool {
	sorted := make([]int, len(runs))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(a, b int) int {
		switch {
		case moments[a] < moments[b]:
			return -1
		case moments[a] > moments[b]:
			return 1
		}
		return 0
	})
	for k, i := range sorted {
		if runs[i].starts.device != runs[0].starts.device {
			return true
		}
		if k > 0 && moments[i]-moments[sorted[k-1]] < int64(runs[sorted[k-1]].Elapsed) {
			return true
		}
	}
	return false
}
