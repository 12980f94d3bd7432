package chrome

import perf "github.com/diffprof/diffprof/ingest/event"

const (
	// maxPerfEvents limits the number of different perf events. Excess events are counted under the
	// last one.
	maxPerfEvents = 1 << 10
	// maxCores is larger than the number of cores of any machine.
	maxCores = 1 << 10
)

// counts describes samples of perf events. Their values are counts, for example of cycles, and not
// times.
type counts struct {
	events []perf.Event
	// cores is the set of cores that have samples.
	cores map[int64]bool
	// chosen is the index of the event to read. counter converts its counts. It is nil if there are
	// no perf samples.
	chosen  perf.Choice
	counter *perf.Counter
}

// event returns the index of the event called name. A new event is added.
func (c *counts) event(name []byte) int32 {
	for i, e := range c.events {
		if e.Name == string(name) {
			return int32(i)
		}
	}
	if len(c.events) < maxPerfEvents {
		c.events = append(c.events, perf.Event{Name: string(name)})
	}
	return int32(len(c.events) - 1)
}

// add counts a sample of an event on a core. core is -1 if unknown.
func (c *counts) add(event int32, core int64) {
	c.events[event].Samples++
	if core >= 0 && core < maxCores {
		if c.cores == nil {
			c.cores = make(map[int64]bool)
		}
		c.cores[core] = true
	}
}

// choose chooses the event to read.
func (c *counts) choose(d *decoder) error {
	if len(c.events) == 0 {
		return nil
	}
	chosen, err := perf.Choose(c.events, "")
	if err != nil {
		return err
	}
	c.chosen = chosen
	c.counter = perf.NewCounter(chosen.Name, perf.Known(d.opts.Frequency, 0))
	return nil
}
