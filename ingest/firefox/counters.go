package firefox

import (
	"cmp"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A counter is a series of numbers over time, such as a power meter's. It belongs to no thread.
type counter struct {
	part                 *part
	name, category, unit string
	time, delta, count   column
}

// powerCategory is the category of energy counters. Each number is the energy since the previous
// number, in picowatt-hours.
const powerCategory = "power"

// A picowatt-hour is 18/5 nanojoules.
const pWhNum, pWhDen = 18, 5

// counter reads a counter.
func (d *decoder) counter(p *part) error {
	c := &counter{part: p}
	err := d.in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "name":
			c.name, err = d.in.Name()
			return err
		case "category":
			c.category, err = d.in.Name()
			return err
		case "display":
			return d.in.Members(func(name []byte) error {
				if string(name) != "unit" {
					return d.in.Skip()
				}
				c.unit, err = d.in.Name()
				return err
			})
		case "samples":
			return d.counts(c)
		case "sampleGroups", "sample_groups":
			group := func() error {
				return d.in.Members(func(name []byte) error {
					if string(name) != "samples" {
						return d.in.Skip()
					}
					return d.counts(c)
				})
			}
			if d.in.Is('{') {
				return group()
			}
			return d.in.Elements(group)
		}
		return d.in.Skip()
	})
	d.counters = append(d.counters, c)
	return err
}

// counts reads the numbers of a counter.
func (d *decoder) counts(c *counter) error {
	return d.table(nil, whole("count", &c.count),
		field{name: "time", to: &c.time, by: millisecond}, field{name: "timeDeltas", to: &c.delta, by: millisecond})
}

// track returns the track of a counter.
func (c *counter) track() trace.Track {
	t := trace.Track{Name: c.name, Core: -1, UID: -1, Unit: c.unit}
	lower := strings.ToLower(c.name)
	switch {
	case c.category == powerCategory:
		t.Unit = "nJ"
		for _, component := range []string{"cpu", "gpu", "dram", "display"} {
			if strings.Contains(lower, component) {
				t.Component = component
				break
			}
		}
	case t.Unit == "" && (c.category == "Memory" || c.category == "Bandwidth"):
		t.Unit = "bytes"
	}
	return t
}

// signals returns a signal for each number of the counter.
func (c *counter) signals(track trace.TrackID, offset int64) []trace.Signal {
	kind := trace.Gauge
	if c.category == powerCategory {
		kind = trace.Drain
	}
	var list []trace.Signal
	sum, now := int64(0), int64(0)
	const most = 1 << 59 // so that the sum of two values, and its energy, fit in an int64
	for i, n := range c.count {
		switch at := c.time.at(int64(i)); {
		case at != none:
			now = max(now, at)
		case c.delta.at(int64(i)) != none:
			now += max(0, c.delta[i])
		}
		if n == none || n > most || n < -most || kind == trace.Drain && n < 0 {
			continue
		}
		if sum += n; sum > most || sum < -most || now > most {
			return list
		}
		value := sum
		if kind == trace.Drain {
			value = units.MulDiv(sum, pWhNum, pWhDen)
		}
		list = append(list, trace.Signal{Time: now + offset, Value: value, Track: track, Thread: trace.NoThread, Kind: kind})
	}
	return list
}

// emitSignals sends the counters to a sink of signals. Times are relative to origin.
func (d *decoder) emitSignals(to trace.SignalSink, origin int64) error {
	var all []trace.Signal
	for i, c := range d.counters {
		if err := to.Track(d.trace.Tracks[i]); err != nil {
			return err
		}
		for _, s := range c.signals(trace.TrackID(i), d.offset(c.part)) {
			if s.Time -= origin; s.Time >= 0 {
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b trace.Signal) int { return cmp.Compare(a.Time, b.Time) })
	if len(all) == 0 {
		return nil
	}
	return to.Signals(all)
}
