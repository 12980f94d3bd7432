package profile

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Timeline writes the calls of a run at their times. It receives them from a replay of the run
// (cct.Player). It has one track per thread, and counters of the energy so far. Its memory does not
// grow with the run.
//
// Energy without a time is in slices of zero length:
//
//   - energy that a call gets after its end, on a separate track;
//   - energy of a thread outside calls, at the thread's end.
type Timeline interface {
	cct.Player
	// End writes the remaining data. It returns the errors of the writer.
	End() error
}

// A strip is a timeline of one format. Its methods write to a buffer. flush returns the errors.
type strip interface {
	process(pid int64, name string)
	thread(l *line)
	begin(l *line, c *cct.Call, name string)
	// end ends the latest open slice. argument is the name of the argument with its exclusive
	// energy.
	end(l *line, c *cct.Call, argument string)
	counter(pid int64, name string)
	count(pid int64, name string, at int64, energy units.Energy)
	flush() error
}

// A line is a thread with its number in the timeline. Numbers are unique and differ from the
// numbers of the system's own threads.
type line struct {
	index    int
	pid, tid int64
	name     string
}

// timeline is a Timeline of any format.
type timeline struct {
	strip
	run      *analysis.Input
	names    []string
	lines    []line
	late     line
	lateUsed bool
	argument string
	drained  energyBins
}

// PerfettoTimeline writes a timeline as a trace of Perfetto's track events.
func PerfettoTimeline(w io.Writer, in *analysis.Input, version string) Timeline {
	return newTimeline(newPerfettoStrip(w), in)
}

// ChromeTimeline writes a timeline as a trace of Chrome's events.
func ChromeTimeline(w io.Writer, in *analysis.Input, version string) Timeline {
	return newTimeline(newChromeStrip(w, in, version), in)
}

func newTimeline(s strip, in *analysis.Input) *timeline {
	t := &timeline{strip: s, run: in, names: methodNames(in), argument: calledEnergy}
	if in.Trace.Calls != trace.CountedCalls {
		t.argument = sampledEnergy
	}
	t.number()
	for i := range t.processes() {
		p := t.processes()[i]
		s.process(p.ID, p.Name)
	}
	for i := range t.lines {
		if in.Trace.Threads[i].Events > 0 {
			s.thread(&t.lines[i])
		}
	}
	return t
}

// Names of the argument that has a slice's exclusive energy: calledEnergy for a recorded call, and
// sampledEnergy for a period of equal samples.
const (
	calledEnergy  = "self_nJ"
	sampledEnergy = "sampled_nJ"
)

// allEnergy names a slice's energy with its callees.
const allEnergy = "all_nJ"

// processes returns the processes of the run. A recording without processes gets one process
// without a name.
func (t *timeline) processes() []trace.Process {
	if p := t.run.Trace.Processes; len(p) > 0 {
		return p
	}
	return []trace.Process{{ID: 1, Name: words.Name(t.run.Path)}}
}

// maxID is the largest thread number that all programs read.
const maxID = 1<<31 - 1

// number numbers the threads. It keeps the recording's numbers if they are distinct.
func (t *timeline) number() {
	used := make(map[int64]bool)
	next := int64(0)
	for _, th := range t.run.Trace.Threads {
		if th.ID < maxID/2 {
			next = max(next, th.ID)
		}
	}
	processes := t.processes()
	add := func(id int64, process int, name string) line {
		if id <= 0 || id > maxID || used[id] {
			next++
			id = next
		}
		used[id] = true
		if name == "" {
			name = fmt.Sprintf("thread %d", id)
		}
		l := line{index: len(t.lines), pid: processes[process].ID, tid: id, name: strings.ToValidUTF8(name, "\uFFFD")}
		t.lines = append(t.lines, l)
		return l
	}
	for _, th := range t.run.Trace.Threads {
		add(th.ID, th.Process, th.Name)
	}
	t.late = add(0, 0, "charged later")
	t.lines = t.lines[:t.late.index]
}

// methodNames returns distinct names of the methods.
func methodNames(in *analysis.Input) []string {
	p := &Profile{}
	frames := newFrames(p)
	for i, m := range in.Trace.Methods {
		frames.frame(int32(i), m)
	}
	frames.name()
	names := make([]string, len(p.Frames))
	for i := range p.Frames {
		names[i] = p.Frames[i].Name
	}
	return names
}

// name returns the name of a call.
func (t *timeline) name(c *cct.Call) string {
	if c.Method == cct.NoMethod {
		return cct.RootLabel
	}
	return t.names[c.Method]
}

// Open implements cct.Player.
func (t *timeline) Open(c *cct.Call) error {
	t.begin(&t.lines[c.Thread], c, t.name(c))
	return nil
}

// Close implements cct.Player.
func (t *timeline) Close(c *cct.Call) error {
	t.end(&t.lines[c.Thread], c, t.argument)
	return nil
}

// Extra implements cct.Player.
func (t *timeline) Extra(c *cct.Call) error {
	l := &t.lines[c.Thread]
	if c.Method != cct.NoMethod {
		if l = &t.late; !t.lateUsed {
			t.thread(l)
			t.lateUsed = true
		}
	}
	t.begin(l, c, t.name(c))
	t.end(l, c, t.argument)
	return nil
}

// Drain implements cct.Player.
func (t *timeline) Drain(at int64, thread trace.ThreadID, account trace.AccountID, energy units.Energy) error {
	t.drained.add(counterKey{t.run.Trace.Threads[thread].Process, account}, at, energy)
	return nil
}

// End implements Timeline.
func (t *timeline) End() error {
	processes := t.processes()
	keys := slices.SortedFunc(maps.Keys(t.drained.sums), func(a, b counterKey) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.account, b.account))
	})
	for _, key := range keys {
		name, pid := t.counterName(key.account), processes[key.process].ID
		t.counter(pid, name)
		t.count(pid, name, 0, 0)
		t.drained.each(key, func(at int64, energy units.Energy) { t.count(pid, name, at, energy) })
	}
	return t.flush()
}

// counterName returns the name of the energy counter of an account.
func (t *timeline) counterName(id trace.AccountID) string {
	accounts := t.run.Trace.Accounts
	if len(accounts) < 2 || int(id) >= len(accounts) {
		return "energy so far"
	}
	a := accounts[id]
	name := cmp.Or(a.Component, "energy")
	if a.Part == trace.Tail {
		name += " " + a.Part.String()
	}
	return name + " so far"
}

// bins is the number of parts of the run in which energy is summed.
const bins = 1 << 12

// energyBins sums energy over parts of the run, for each process and account. The parts have equal
// length, which grows with the run.
type energyBins struct {
	sums map[counterKey]*[bins]units.Energy
	// width is the length of a part in nanoseconds. latest is the latest time.
	width, latest int64
}

// A counterKey identifies a process, by its index, and an account.
type counterKey struct {
	process int
	account trace.AccountID
}

func (d *energyBins) add(key counterKey, at int64, energy units.Energy) {
	if d.sums == nil {
		d.sums, d.width = make(map[counterKey]*[bins]units.Energy), 1
	}
	for at/d.width >= bins {
		d.width *= 2
		for _, sums := range d.sums {
			for i := range bins / 2 {
				sums[i] = sums[2*i] + sums[2*i+1]
			}
			clear(sums[bins/2:])
		}
	}
	sums := d.sums[key]
	if sums == nil {
		sums = new([bins]units.Energy)
		d.sums[key] = sums
	}
	sums[at/d.width] += energy
	d.latest = max(d.latest, at)
}

// each calls f for each part in which energy was used, with the end of the part and the energy up
// to this time.
func (d *energyBins) each(key counterKey, f func(at int64, energy units.Energy)) {
	sum := units.Energy(0)
	for i, energy := range d.sums[key] {
		if energy == 0 {
			continue
		}
		sum += energy
		f(min(int64(i+1)*d.width, d.latest), sum)
	}
}
