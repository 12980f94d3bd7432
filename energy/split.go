package energy

import (
	"slices"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The split-time policy attributes the energy of components to the code that runs at the same time
// (eprof, Section 6.1). It takes two scans. The first scan measures the energy of components and
// the running time of threads in each time slot. The second scan distributes the energy of each
// slot over the calls that ran in the slot. Each call gets a share in proportion to its running
// time. The energy of slots in which no thread runs is unattributed.

const (
	// minSlot is the least length of a slot in nanoseconds.
	minSlot = 1_000_000
	// maxSlots bounds the number of slots. In a longer run, slots are longer.
	maxSlots = 1 << 18
)

// slots divides the time of a run into time slots of equal length.
type slots struct {
	length int64
	// ran is the running time of threads per slot, in nanoseconds.
	ran []int64
	// drained has two lists for each component: the energy of its use in each slot, and the energy
	// of its tail.
	drained [][]units.Energy
}

func newSlots(components int) *slots {
	return &slots{length: minSlot, drained: make([][]units.Energy, 2*components)}
}

// reach lengthens the slots until they cover moment, and returns the slot that contains moment.
func (s *slots) reach(moment int64) int {
	for moment/s.length >= maxSlots {
		s.length *= 2
		s.ran = halved(s.ran)
		for i := range s.drained {
			s.drained[i] = halved(s.drained[i])
		}
	}
	return int(moment / s.length)
}

// halved returns the sums of adjacent pairs of a list.
func halved[T int64 | units.Energy](list []T) []T {
	for i := range list {
		if i%2 == 0 {
			list[i/2] = list[i]
		} else {
			list[i/2] += list[i]
		}
	}
	return list[:(len(list)+1)/2]
}

func addTo[T int64 | units.Energy](list []T, i int, x T) []T {
	if i >= len(list) {
		list = slices.Grow(list, i+1-len(list))[:i+1]
	}
	list[i] += x
	return list
}

// each yields the slots between two moments, with the time that is in each slot.
func (s *slots) each(from, to int64, yield func(slot int, ns int64)) {
	s.reach(to)
	for from < to {
		slot := from / s.length
		end := min(to, (slot+1)*s.length)
		yield(int(slot), end-from)
		from = end
	}
}

// run records ns nanoseconds of running time that end at until.
func (s *slots) run(until, ns int64) {
	s.each(until-min(ns, until), until, func(slot int, ns int64) { s.ran = addTo(s.ran, slot, ns) })
}

// drain spreads the energy of a component over the slots of an interval.
func (s *slots) drain(component int, interval *machine.Interval, drained units.Energy) {
	list, length, given := &s.drained[2*component+int(interval.Part)], interval.End-interval.Begin, units.Energy(0)
	if length <= 0 {
		*list = addTo(*list, s.reach(max(interval.Begin, 0)), drained)
		return
	}
	// Energy from before the run counts in the first slot.
	begin, past := max(interval.Begin, 0), max(interval.Begin, 0)-interval.Begin
	s.each(begin, max(interval.End, begin), func(slot int, ns int64) {
		past += ns
		upTo := units.Energy(units.MulDiv(int64(drained), past, length))
		*list = addTo(*list, slot, upTo-given)
		given = upTo
	})
}

// take gives a thread its shares of the energy of all components. The thread ran for ns nanoseconds
// up to the time until. Each share is subtracted from its slot and passed to give.
func (s *slots) take(until, ns int64, give func(list int, e units.Energy)) {
	s.each(until-min(ns, until), until, func(slot int, ns int64) {
		for i, list := range s.drained {
			if slot < len(list) && list[slot] != 0 {
				e := units.Energy(units.MulDiv(int64(list[slot]), ns, s.ran[slot]))
				list[slot] -= e
				give(i, e)
			}
		}
		s.ran[slot] -= ns
	})
}

// A splitter is the sink of the second scan. For each call, it adds an event with the call's share
// of the energy in the time slots.
type splitter struct {
	sink trace.Sink
	// elapsed means that elapsed time counts as running time, because there is no thread clock.
	elapsed bool
	// ledger is the ledger of the first scan.
	ledger  *ledger
	threads []caller
	given   []units.Energy
	out     []trace.Event
	sampled []trace.Sample
}

func newSplitter(sink trace.Sink, first *ledger) *splitter {
	return &splitter{sink: sink, ledger: first, given: make([]units.Energy, len(first.slots.drained))}
}

// insertedMark is the number of the marks that the splitter inserts. Marks of the recording have
// greater numbers.
const insertedMark = trace.Ref(0)

// events takes a batch of events. They already have the energy of the processor, but not of the
// components.
func (p *splitter) events(batch []trace.Event) error {
	p.out = p.out[:0]
	for i := range batch {
		e := &batch[i]
		th := p.thread(e.Thread)
		ran := e.CPU
		if p.elapsed && th.met && e.Activity.Costs() {
			ran = e.Time - th.time
		}
		if ran > 0 {
			p.ledger.slots.take(e.Time, ran, func(list int, drained units.Energy) { p.given[list] += drained })
			for list, drained := range p.given {
				if drained != 0 {
					// This mark changes no stack, and no operation refers to it.
					th.added++
					p.out = append(p.out, trace.Event{
						Time: th.time, Energy: p.credit(list, drained), Ref: insertedMark, Thread: e.Thread, Account: p.account(list), Kind: trace.Mark,
					})
					p.given[list] = 0
				}
			}
		}
		th.met, th.time = true, e.Time
		switch e.Kind {
		case trace.Mark, trace.Charge:
			if e.Ref != trace.NoRef {
				e.Ref++
			}
		}
		p.out = append(p.out, *e)
	}
	return p.sink.Events(p.out)
}

// samples takes a batch of samples.
func (p *splitter) samples(batch []trace.Sample) error {
	p.sampled = p.sampled[:0]
	for i := range batch {
		s := &batch[i]
		th := p.thread(s.Thread)
		th.met, th.time = true, max(th.time, s.Time)
		ran := s.CPU
		if p.elapsed && s.Activity.Costs() {
			ran = s.Wall
		}
		p.sampled = append(p.sampled, *s)
		p.ledger.slots.take(s.Time, ran, func(list int, drained units.Energy) { p.given[list] += drained })
		for list, drained := range p.given {
			if drained != 0 {
				th.added++
				p.sampled = append(p.sampled, trace.Sample{
					Time: s.Time, Thread: s.Thread, ID: s.ID, Stack: s.Stack, Energy: p.credit(list, drained), Account: p.account(list),
				})
				p.given[list] = 0
			}
		}
	}
	return p.sink.Samples(p.sampled)
}

func (p *splitter) thread(id trace.ThreadID) *caller {
	if n := int(id) + 1; n > len(p.threads) {
		p.threads = slices.Grow(p.threads, n-len(p.threads))[:n]
	}
	return &p.threads[id]
}

func (p *splitter) account(list int) trace.AccountID {
	return p.ledger.parts[list/2].Account + trace.AccountID(list%2)
}

// credit adds energy e of a list to the account of its component. It returns the energy.
func (p *splitter) credit(list int, e units.Energy) units.Energy {
	c := p.ledger.parts[list/2]
	c.Rest -= e
	c.rest -= e
	if trace.Part(list%2) == trace.Use {
		c.Use += e
	} else {
		c.Tail += e
	}
	return e
}

// finish charges the remaining energy as unattributed.
func (p *splitter) finish() error {
	first := slices.IndexFunc(p.threads, func(th caller) bool { return th.met })
	if first < 0 {
		return nil
	}
	th := &p.threads[first]
	p.out = p.out[:0]
	for account, e := range p.ledger.unattributed() {
		th.added++
		p.out = append(p.out, trace.Event{
			Time: th.time, Energy: e, Ref: trace.NoRef, Thread: trace.ThreadID(first), Account: account, Kind: trace.Charge,
		})
	}
	if len(p.out) == 0 {
		return nil
	}
	return p.sink.Events(p.out)
}
