// Package event knows the events that perf and simpleperf take samples of, and what the
// counts of their samples stand for.
//
// The counts of cpu-clock and task-clock are nanoseconds of processor time. Those of cycles
// are no time, since nobody knows how fast each core ran: divided by a frequency they are
// taken for processor time ([trace.Cycles]), which has a provenance of its own. Counts of
// all other events, and of cycles without a frequency, are numbers in the event's own unit
// ([trace.Trace].Unstated). Samples of the scheduler take no time, and never add to those of
// another event.
package event

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Wall is the sample type that asks for elapsed time, where a recording tells it.
const Wall = "wall"

// An Event is an event of a recording, and how many samples it has.
type Event struct {
	Name    string
	Samples int64
}

// base is an event's name without its modifiers, letters behind a colon or a slash.
func base(name string) string {
	if i := strings.LastIndexByte(name, ':'); i >= 0 && strings.Trim(name[i+1:], "ukhHGpPSDIWebR") == "" {
		name = name[:i]
	}
	return strings.TrimSuffix(name, "/")
}

// IsClock says whether the counts of an event are nanoseconds of processor time.
func IsClock(name string) bool {
	b := base(name)
	return b == "cpu-clock" || b == "task-clock"
}

func isCycles(name string) bool {
	switch base(name) {
	case "cycles", "cpu-cycles", "cpu/cycles", "cpu/cpu-cycles", "cpu_core/cycles", "cpu_atom/cycles":
		return true
	}
	return false
}

// IsScheduler says whether an event is the scheduler's.
func IsScheduler(name string) bool { return strings.HasPrefix(name, "sched:") }

// Choose returns the index of the event to read: the one that is asked for, by its name
// with or without modifiers, else the first clock, else the first cycles, else the first
// that is none of the scheduler's. Events without samples do not count.
func Choose(events []Event, asked string) (int, error) {
	var names []string
	best, rank := -1, -1
	for i, e := range events {
		if e.Samples == 0 {
			continue
		}
		names = append(names, e.Name)
		r := 0
		switch {
		case asked != "" && e.Name == asked:
			r = 4
		case asked != "" && (base(e.Name) == asked || isCycles(asked) && isCycles(e.Name)):
			r = 3
		case asked != "":
			continue
		case IsClock(e.Name):
			r = 3
		case isCycles(e.Name):
			r = 2
		case !IsScheduler(e.Name):
			r = 1
		}
		if r > rank {
			best, rank = i, r
		}
	}
	switch {
	case len(names) == 0:
		return 0, errors.New("the recording has no samples")
	case best < 0:
		return 0, fmt.Errorf("no event is called %q; the recording has %s", asked, strings.Join(names, ", "))
	}
	return best, nil
}

// Others returns a warning for each event but the chosen one that has samples.
func Others(events []Event, chosen int) []trace.Warning {
	var out []trace.Warning
	for i, e := range events {
		if i != chosen && e.Samples > 0 {
			out = append(out, trace.Warning{
				Code:    "other-events",
				Message: trace.Counted("%d {sample|samples} of %s {is|are} not counted; --sample-type chooses the event", e.Samples, e.Name),
			})
		}
	}
	slices.SortFunc(out, func(a, b trace.Warning) int { return strings.Compare(a.Message, b.Message) })
	return out
}

// A Frequency is how fast the processor ran, 0 where that is not known, and who says so.
type Frequency struct {
	units.Frequency
	Source string
}

// Known returns the frequency that the user gives, or the one that the recording states of
// its processor. Either may be 0.
func Known(given, stated units.Frequency) Frequency {
	if given > 0 {
		return Frequency{given, "--cpu-frequency gives"}
	}
	return Frequency{stated, "the name of the processor states"}
}

// A Counter turns the counts of an event's samples into what the trace has of them. It is
// for one goroutine.
type Counter struct {
	name      string
	reading   reading
	frequency Frequency
	// rest is what cycles of each thread left over below a nanosecond.
	rest []uint64
	sum  int64
	// least is the smallest count of a sample, 0 before the first: of a clock, its period.
	least int64
	// idle counts the samples of processors that had nothing to do.
	idle int64
}

// A reading is what counts are read as.
type reading uint8

const (
	plain   reading = iota // numbers in the event's own unit
	clock                  // nanoseconds of processor time
	cycles                 // cycles, of which a frequency makes processor time
	elapsed                // nanoseconds of elapsed time
)

// NewCounter returns a counter of an event. An event called [Wall] counts elapsed time.
func NewCounter(name string, f Frequency) *Counter {
	c := &Counter{name: name, frequency: f}
	switch {
	case name == Wall:
		c.reading = elapsed
	case IsClock(name):
		c.reading = clock
	case isCycles(name) && f.Frequency > 0:
		c.reading = cycles
	}
	return c
}

// Idle says whether a sample of a thread is of a processor that has nothing to do: clocks
// have such, of the thread 0. It counts them.
func (c *Counter) Idle(thread int64) bool {
	if c.reading != clock || thread != 0 {
		return false
	}
	c.idle++
	return true
}

// Begin tells the trace its clock and energy, which must be known before the first sample.
func (c *Counter) Begin(t *trace.Trace) {
	switch c.reading {
	case clock:
		t.Clock = trace.ThreadCPU
	case cycles:
		t.Clock = trace.ThreadCPU | trace.Cycles
	case elapsed:
		t.Clock = trace.WallClock
	default:
		t.Energy, t.Unstated, t.Weight = trace.Given, true, cmp.Or(base(c.name), "events")
		t.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
}

// Charge gives a sample what its count stands for, and its thread's totals the sample.
func (c *Counter) Charge(t *trace.Trace, s *trace.Sample, count int64) error {
	if count < 0 || count > math.MaxInt64-c.sum {
		return errors.New("the sum of the counts up to here is too large")
	}
	if count > 0 && (c.least == 0 || count < c.least) {
		c.least = count
	}
	th := &t.Threads[s.Thread]
	switch c.reading {
	case clock:
		s.CPU = count
	case cycles:
		for len(c.rest) <= int(s.Thread) {
			c.rest = append(c.rest, 0)
		}
		s.CPU, c.rest[s.Thread] = c.frequency.Period(count, c.rest[s.Thread])
		if s.CPU > math.MaxInt64-int64(t.CPU()) {
			return errors.New("the sum of the counts up to here is too large")
		}
	case elapsed:
		s.Wall = count
	default:
		s.Energy, s.Weight = units.Energy(count), count
	}
	c.sum += count
	th.Events++
	th.CPU += time.Duration(s.CPU)
	th.Wall += time.Duration(s.Wall)
	s.Count = 1
	t.Events++
	return nil
}

// Finish completes the trace with the interval between samples and with warnings.
func (c *Counter) Finish(t *trace.Trace) {
	warn := func(code, format string, args ...any) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
	}
	if c.idle > 0 {
		warn("idle", "%d {sample is|samples are} of processors with nothing to do, and {counts|count} for nothing; --process 0 reads {it|them}", c.idle)
	}
	switch c.reading {
	case clock:
		t.Interval = time.Duration(c.least)
	case cycles:
		warn("cycle-time", "%d %s are taken for processor time at %v, which %s: times are as good as that",
			c.sum, base(c.name), c.frequency.Frequency, c.frequency.Source)
	case plain:
		advice := ""
		if isCycles(c.name) {
			advice = "; --cpu-frequency, such as 2.4GHz, makes processor time of them"
		}
		warn("other-unit", "the values count %s, which is neither energy nor time%s", c.name, advice)
	}
}
