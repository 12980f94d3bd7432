// Package event interprets the counts in the samples of perf and simpleperf. What a count means
// depends on the event:
//
//   - cpu-clock and task-clock count nanoseconds of processor time.
//   - Cycles become processor time if the processor's frequency is known (see [Known]). The trace's
//     clock then includes [trace.Cycles]. Otherwise they are not times.
//   - All other events count in their own unit, and so do cycles without a frequency
//     ([trace.Trace].Unstated).
//
// Samples of scheduler events represent no time, and are never added to samples of another event.
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

// Wall is the event name of samples of elapsed time.
const Wall = "wall"

// An Event is an event of a recording, with its number of samples.
type Event struct {
	Name    string
	Samples int64
}

// modifierLetters are the modifiers of events.
const modifierLetters = "ukhHGpPSDIWebR"

// base returns an event's name without its modifiers, and without the kind of core that counts it.
// For example, cycles:u, cpu/cycles/ and cpu_core/cycles/P become cycles.
func base(name string) string {
	if _, event := ofCore(name); event != "" {
		return event
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 && strings.Trim(name[i+1:], modifierLetters) == "" {
		name = name[:i]
	}
	return strings.TrimSuffix(name, "/")
}

// mode returns the mode of the processor in which an event counts, by its modifiers: "user" for
// cycles:u and cpu_core/cycles/Pu, "kernel" for cycles:k, and "" for all other events.
func mode(name string) string {
	_, modifiers, _ := strings.Cut(name, ":")
	if core, _ := ofCore(name); core != "" {
		modifiers = name[strings.LastIndexByte(name, '/')+1:]
	}
	if strings.Trim(modifiers, modifierLetters) != "" {
		return "" // This is the name of a tracepoint, such as syscalls:sys_enter_futex.
	}
	switch user, kernel := strings.Contains(modifiers, "u"), strings.Contains(modifiers, "k"); {
	case user && !kernel:
		return "user"
	case kernel && !user:
		return "kernel"
	}
	return ""
}

// ofCore splits the name of an event that a kind of core counts, such as cpu_core/cycles/P and
// armv8_cortex_a53/cpu_cycles/. Other names have no kind.
func ofCore(name string) (core, event string) {
	core, event, ok := strings.Cut(name, "/")
	if !ok || !slices.ContainsFunc([]string{"cpu", "armv", "apple_"}, func(prefix string) bool { return strings.HasPrefix(core, prefix) }) {
		return "", ""
	}
	event, _, _ = strings.Cut(event, "/")
	return core, event
}

// IsClock reports whether the counts of an event are nanoseconds of processor time.
func IsClock(name string) bool {
	b := base(name)
	return b == "cpu-clock" || b == "task-clock"
}

func isCycles(name string) bool {
	switch base(name) {
	case "cycles", "cpu-cycles", "cpu_cycles":
		return true
	}
	return false
}

// IsScheduler reports whether an event belongs to the scheduler.
func IsScheduler(name string) bool { return strings.HasPrefix(name, "sched:") }

// A Choice is the event to read.
//
// On a processor with cores of several kinds, each kind counts an event of its own, such as
// cpu_core/cycles/ and cpu_atom/cycles/. These events are read together.
type Choice struct {
	// Name is the name of the event. For several events, it has no kind of core.
	Name string
	// First is the index of the event, and more has the indices of those that are read with it.
	First int
	more  []int
}

// Has reports whether the event with this index is read.
func (c *Choice) Has(event int) bool { return event == c.First || slices.Contains(c.more, event) }

// Choose returns the event to read. If name is not empty, Choose looks for the event with that name,
// with or without modifiers such as ":u", and the kind of core. Otherwise it prefers, in this order:
//
//   - a clock event
//   - cycles
//   - an event that does not belong to the scheduler
//   - any other event
//
// Among equals, the first event wins. Events without samples are ignored.
func Choose(events []Event, name string) (Choice, error) {
	var names []string
	best, rank := -1, -1
	for i, e := range events {
		if e.Samples == 0 {
			continue
		}
		names = append(names, e.Name)
		r := 0
		switch {
		case name != "" && e.Name == name:
			r = 4
		case name != "" && (base(e.Name) == name || isCycles(name) && isCycles(e.Name)):
			r = 3
		case name != "":
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
		return Choice{}, errors.New("the recording has no samples")
	case best < 0:
		return Choice{}, fmt.Errorf("no event is called %q; the recording has %s", name, strings.Join(names, ", "))
	}
	c := Choice{Name: events[best].Name, First: best}
	core, what := ofCore(c.Name)
	if core == "" || name == c.Name {
		return c, nil
	}
	cores := []string{core}
	for i, e := range events {
		if other, same := ofCore(e.Name); e.Samples > 0 && same == what && !slices.Contains(cores, other) {
			c.Name, c.more, cores = what, append(c.more, i), append(cores, other)
		}
	}
	if m := mode(events[best].Name); m != "" && len(c.more) > 0 {
		c.Name += ":" + m[:1]
	}
	return c, nil
}

// Others returns a warning for each event that has samples and is not read, and one if several are
// read together.
func Others(events []Event, chosen *Choice) []trace.Warning {
	var out []trace.Warning
	if len(chosen.more) > 0 {
		together := []string{events[chosen.First].Name}
		for _, i := range chosen.more {
			together = append(together, events[i].Name)
		}
		out = append(out, trace.Warning{
			Code: "kinds-of-cores", Message: fmt.Sprintf("the events of %d kinds of cores are added: %s; a count of one kind may take more energy than one of another", len(together), strings.Join(together, ", ")),
		})
	}
	for i, e := range events {
		if !chosen.Has(i) && e.Samples > 0 {
			out = append(out, trace.Warning{
				Code:    "other-events",
				Message: trace.Counted("%d {sample|samples} of %s {is|are} not counted; --sample-type chooses the event", e.Samples, e.Name),
			})
		}
	}
	slices.SortFunc(out, func(a, b trace.Warning) int { return strings.Compare(a.Message, b.Message) })
	return out
}

// A Frequency is the processor's frequency, or 0 if unknown. Source states where it comes from.
type Frequency struct {
	units.Frequency
	Source string
}

// Known returns the frequency that the user gave. If that is 0, it returns the frequency stated in
// the name of the processor in the recording. Both may be 0.
func Known(given, stated units.Frequency) Frequency {
	if given > 0 {
		return Frequency{given, "--cpu-frequency gives"}
	}
	return Frequency{stated, "the name of the processor states"}
}

// A Counter converts the counts of one event's samples. It must not be used concurrently.
type Counter struct {
	name      string
	reading   reading
	frequency Frequency
	// rest has, for each thread, less than a nanosecond of its cycles. It is added to the thread's
	// next sample.
	rest []uint64
	sum  int64
	// least is the smallest count of a sample other than 0, or 0 if there is none. For a clock
	// event, it is the sampling period.
	least int64
	// idle counts the samples of idle cores.
	idle int64
}

// A reading says how to interpret counts.
type reading uint8

const (
	plain   reading = iota // Counts are numbers in the unit of the event.
	clock                  // Counts are nanoseconds of processor time.
	cycles                 // Counts are cycles. With a frequency, they are processor time.
	elapsed                // Counts are nanoseconds of elapsed time.
)

// NewCounter returns a counter for the event called name. The event [Wall] counts elapsed time.
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

// Idle reports whether a sample of a thread is from an idle core, and counts such samples. Clock
// events also sample idle cores, which have thread 0.
func (c *Counter) Idle(thread int64) bool {
	if c.reading != clock || thread != 0 {
		return false
	}
	c.idle++
	return true
}

// Begin sets the trace's clock and energy. It must be called before the first Charge.
func (c *Counter) Begin(t *trace.Trace) {
	t.Mode = mode(c.name)
	switch c.reading {
	case clock:
		t.Clock = trace.ThreadCPU
	case cycles:
		t.Clock, t.Frequency = trace.ThreadCPU|trace.Cycles, c.frequency.Frequency
	case elapsed:
		t.Clock = trace.WallClock
	default:
		t.Energy, t.Unstated, t.Weight = trace.Given, true, cmp.Or(base(c.name), "events")
		t.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
}

// Charge converts the count of a sample to the sample's time or energy, and adds it to the totals
// of the sample's thread.
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

// Finish sets the trace's interval between samples and adds warnings.
func (c *Counter) Finish(t *trace.Trace) {
	warn := func(code, format string, args ...any) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
	}
	if c.idle > 0 {
		warn("idle", "%d {sample|samples} of idle processors {is|are} not counted; --process 0 reads {it|them}", c.idle)
	}
	switch c.reading {
	case clock:
		t.Interval = time.Duration(c.least)
	case cycles:
		warn("cycle-time", "%d %s are converted to processor time at %v, which %s: the times are as accurate as that frequency",
			c.sum, base(c.name), c.frequency.Frequency, c.frequency.Source)
	case plain:
		advice := ""
		if isCycles(c.name) {
			advice = "; --cpu-frequency, such as 2.4GHz, converts them to processor time"
		}
		warn("other-unit", "the values count %s, which is neither energy nor time%s", c.name, advice)
	}
}
