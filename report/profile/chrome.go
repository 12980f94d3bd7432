package profile

import "io"

// Chrome writes a trace for chrome://tracing and what else reads Chrome's events: a slice
// for each context of a run, on an axis on which a nanojoule is a nanosecond. What a context
// drained itself is an argument, by which diffprof reads the energy again.
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

// argument is what slices call what they have of a column themselves.
func argument(c *Column) string {
	switch c.Unit {
	case Nanojoules:
		return "self_nJ"
	case Nanoseconds:
		return "self_" + c.Kind + "_ns"
	}
	return "self_" + c.Kind
}
