package profile

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Chrome writes a trace for chrome://tracing and other readers of Chrome's events. It has one slice
// per context of a run. A nanojoule is shown as a nanosecond. The exclusive energy of a context is
// an argument of its slice. diffprof reads the energy back from this argument.
func Chrome(w io.Writer, p *Profile) error {
	c := &p.Columns[0]
	t := newText(w)
	t.put(`{"otherData":{"writer":`, quoted(p.writer()), `,"axis":`, quoted(named(c)))
	for i, note := range p.Notes {
		t.put(`,"note `, i+1, `":`, quoted(note))
	}
	t.put(`},"traceEvents":[`, "\n",
		`{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":`, quoted(p.Title), "}},\n",
		`{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":`, quoted(named(c)), "}}")
	l := p.lay(c)
	p.walk(l, func(node int32, at int64, opens bool) {
		if !opens {
			return
		}
		t.put(",\n", `{"ph":"X","pid":1,"tid":1,"name":`, quoted(p.Frames[p.Nodes[node].Frame].Name), `,"ts":`)
		t.decimal(at, 1e3)
		t.put(`,"dur":`)
		t.decimal(l.all[node], 1e3)
		t.put(`,"args":{`)
		first := true
		for i := range p.Columns {
			other := &p.Columns[i]
			if v := other.Self[node]; v != 0 {
				if !first {
					t.put(",")
				}
				first = false
				name := argument(other)
				if i == 0 && other.Unit == Count {
					name = "self_value"
				}
				t.put(quoted(name), ":", v)
			}
		}
		t.put("}}")
	})
	t.put("\n]}\n")
	return t.Flush()
}

// argument names the argument with the exclusive value of a column, such as "self_nJ".
func argument(c *Column) string {
	switch c.Unit {
	case Nanojoules:
		return "self_nJ"
	case Nanoseconds:
		return "self_" + c.Kind + "_ns"
	}
	return "self_" + c.Kind
}

// A chromeStrip writes a timeline as Chrome's events. Each slice has a B event and an E event. The
// slice's exclusive energy is an argument of the E event. By this argument diffprof recognizes slices
// that are calls with real times.
type chromeStrip struct {
	text
	cpu, begun bool
}

func newChromeStrip(w io.Writer, in *analysis.Input, version string) *chromeStrip {
	s := &chromeStrip{text: newText(w), cpu: in.Trace.Clock&trace.ThreadCPU != 0}
	s.put(`{"otherData":{"writer":`, quoted("diffprof "+version), `,"axis":"time","energy":`, quoted(words.Provenance(in.Trace)))
	if in.PowerSource != "" {
		s.put(`,"power":`, quoted(in.PowerSource))
	}
	s.put(`},"traceEvents":[`, "\n")
	return s
}

// beginEvent writes the opening of an event. tid is 0 for events of the whole process.
func (s *chromeStrip) beginEvent(phase string, pid, tid int64) {
	if s.begun {
		s.put(",\n")
	}
	s.begun = true
	s.put(`{"ph":"`, phase, `","pid":`, pid, `,"tid":`, tid)
}

// time writes a time.
func (s *chromeStrip) time(name string, moment int64) {
	s.put(`,"`, name, `":`)
	s.decimal(moment, 1e3)
}

func (s *chromeStrip) event(phase string, l *line, c *cct.Call) {
	s.beginEvent(phase, l.pid, l.tid)
	s.time("ts", c.Time)
	if s.cpu {
		s.time("tts", c.CPU)
	}
}

func (s *chromeStrip) process(pid int64, name string) {
	s.beginEvent("M", pid, 0)
	s.put(`,"name":"process_name","args":{"name":`, quoted(name), "}}")
}

func (s *chromeStrip) thread(l *line) {
	s.beginEvent("M", l.pid, l.tid)
	s.put(`,"name":"thread_name","args":{"name":`, quoted(l.name), "}}")
}

func (s *chromeStrip) begin(l *line, c *cct.Call, name string) {
	s.event("B", l, c)
	s.put(`,"name":`, quoted(name), "}")
}

func (s *chromeStrip) end(l *line, c *cct.Call, argument string) {
	s.event("E", l, c)
	s.put(`,"args":{"`, argument, `":`, int64(c.Energy), `,"`, allEnergy, `":`, int64(c.All), "}}")
}

func (s *chromeStrip) counter(int64, string) {} // The values describe the counter.

func (s *chromeStrip) count(pid int64, name string, at int64, energy units.Energy) {
	s.beginEvent("C", pid, 0)
	s.time("ts", at)
	s.put(`,"name":`, quoted(name), `,"args":{"nJ":`, int64(energy), "}}")
}

func (s *chromeStrip) flush() error {
	s.put("\n]}\n")
	return s.Flush()
}
