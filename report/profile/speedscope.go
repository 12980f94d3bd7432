package profile

import "io"

// speedscopeUnits has the names of units. Speedscope has no unit of energy.
var speedscopeUnits = map[Unit]string{Nanojoules: "none", Count: "none", Nanoseconds: "nanoseconds"}

// Speedscope writes speedscope's own format, one profile per column. Contexts open and close at the
// sum of the energy so far, so the axis is energy and not time. If the format lacks the unit, the
// profile's name has it.
func Speedscope(w io.Writer, p *Profile) error {
	t := newText(w)
	t.put(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":`, quoted(p.writer()),
		`,"name":`, quoted(p.Title), `,"activeProfileIndex":`, shown(p), `,"shared":{"frames":[`, "\n")
	first := true
	for i := range p.Frames {
		f := &p.Frames[i]
		t.comma(&first)
		t.put(`{"name":`, quoted(f.Name))
		if f.File != "" {
			t.put(`,"file":`, quoted(f.File))
		}
		if f.Line > 0 {
			t.put(`,"line":`, f.Line)
		}
		t.put("}")
	}
	t.put(`]},"profiles":[`, "\n")
	first = true
	for _, c := range p.sides() {
		t.comma(&first)
		p.writeEvents(t, &c)
	}
	t.put("]}\n")
	return t.Flush()
}

// shown returns the index of the profile to show first. For a comparison, this is the energy that
// the subject uses more.
func shown(p *Profile) int {
	if p.Comparison {
		return 2
	}
	return 0
}

// writeEvents writes a profile of a column.
func (p *Profile) writeEvents(t text, c *Column) {
	l := p.lay(c)
	t.put(`{"type":"evented","name":`, quoted(named(c)), `,"unit":"`, speedscopeUnits[c.Unit], `","startValue":0,"endValue":`, l.total, `,"events":[`, "\n")
	first := true
	p.walk(l, func(node int32, at int64, opens bool) {
		kind := "C"
		if opens {
			kind = "O"
		}
		t.comma(&first)
		t.put(`{"type":"`, kind, `","frame":`, p.Nodes[node].Frame, `,"at":`, at, "}")
	})
	t.put("]}")
}

// named returns a column's name with its unit, for formats without units of energy.
func named(c *Column) string {
	if c.Unit == Nanojoules {
		return c.Name + " (nJ)"
	}
	return c.Name
}
