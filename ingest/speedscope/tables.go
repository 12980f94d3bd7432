package speedscope

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// kind states what a profile's values measure. If a file has several kinds, the first one in this
// list is read.
type kind uint8

const (
	energy kind = iota
	cpu
	wall
	// settled means that the file states no unit. The values are in Options.Unit.
	settled
	other
)

// A profile is a profile of the file.
type profile struct {
	name, unit string
	// weights are in nanojoules or nanoseconds.
	weights []int64
	kind    kind
	chosen  bool
	thread  trace.ThreadID
	// start and end are the values at the start and the end of the profile, as text.
	start, end string
	// moments counts the events of the profile. late counts the events after the profile's end.
	moments, late int
	// num/den is the number of nanojoules or nanoseconds per unit.
	num, den int64
}

// classify sets the kind and the unit of the profile's values.
func (p *profile) classify(o Options) {
	scales := map[string]int64{"nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}
	p.kind, p.num, p.den = other, 1, 1
	if n, ok := scales[p.unit]; ok {
		p.kind, p.num = wall, n
		for word := range strings.FieldsSeq(strings.ToLower(p.name)) {
			if word == "cpu" {
				p.kind = cpu
			}
		}
		return
	}
	if o.Voltage == 0 {
		o.Voltage = units.DefaultVoltage
	}
	if inner, ok := strings.CutSuffix(p.name, ")"); ok {
		_, text, _ := cutLast(inner, "(")
		if u, err := units.ParseUnit(text); err == nil {
			p.kind = energy
			p.num, p.den = u.Scale(o.Voltage)
			return
		}
	}
	if p.unit != "bytes" && o.Unit.Stated() {
		p.kind = settled
		p.num, p.den = o.Unit.Scale(o.Voltage)
	}
}

// cutLast splits s at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// tables reads the frames, and the profiles without their samples.
func (d *decoder) tables(ctx context.Context) error {
	return d.in.Members(func(name []byte) error {
		switch string(name) {
		case "shared":
			return d.in.Members(func(name []byte) error {
				if string(name) != "frames" {
					return d.in.Skip()
				}
				if err := d.in.Elements(d.frame); err != nil {
					return err
				}
				d.addOuter()
				return nil
			})
		case "profiles":
			return d.in.Elements(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return d.header()
			})
		case "exporter":
			text, err := d.in.Text()
			d.elapsed = string(text) == "pyinstrument"
			d.comparison = bytes.HasPrefix(text, []byte("diffprof")) && bytes.HasSuffix(text, []byte("comparison"))
			d.lined = notesLines(text)
			return err
		}
		return d.in.Skip()
	})
}

// notesLines reports whether an exporter writes the sampled line into each frame. The format does
// not define a frame's line. Other exporters may write, for example, the first line of the
// function, so their lines are not read.
func notesLines(exporter []byte) bool {
	for _, known := range []string{"py-spy@", "rbspy@", "Austin2Speedscope"} {
		if bytes.HasPrefix(exporter, []byte(known)) {
			return true
		}
	}
	return false
}

// frame reads a frame.
func (d *decoder) frame() error {
	if len(d.methods) >= maxFrames {
		return fmt.Errorf("there are more than %d frames", maxFrames)
	}
	var text, file string
	line := int32(0)
	err := d.in.Members(func(member []byte) (err error) {
		switch string(member) {
		case "name":
			text, err = d.in.Name()
		case "file":
			file, err = d.in.Name()
		case "line":
			line, err = d.in.Index()
		default:
			err = d.in.Skip()
		}
		return err
	})
	switch {
	case strings.HasSuffix(file, ".py"), strings.HasSuffix(file, ".pyx"):
		text += " (" + file + ")" // Several files may have functions with this name.
	case strings.HasSuffix(file, ".rb"):
		text += " - " + file
	}
	var m trace.MethodID
	if isScript(file) && !strings.Contains(text, file) {
		m = d.names.Add(name.OfScript(text, file, int(max(0, line))))
		d.roles = append(d.roles, method)
	} else {
		m = d.addFrame(text)
	}
	d.methods, d.lines = append(d.methods, m), append(d.lines, max(line, 0))
	return err
}

// isScript reports whether a file is JavaScript. Its functions often have empty or equal names.
func isScript(file string) bool {
	for _, end := range []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"} {
		if strings.HasSuffix(file, end) {
			return true
		}
	}
	return strings.HasPrefix(file, "node:")
}

// header reads a profile without its samples. It leaves the weights to another pass if their unit
// is not known yet.
func (d *decoder) header() error {
	at := len(d.profiles)
	if at >= maxProfiles {
		return errors.New("there are too many profiles")
	}
	var p profile
	named := at < len(d.known)
	if named {
		p.name, p.unit = d.known[at].name, d.known[at].unit
	}
	err := d.in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "name":
			p.name, err = d.in.Name()
		case "unit":
			p.unit, err = d.in.Name()
		case "startValue":
			p.start, err = d.in.Name()
		case "endValue":
			p.end, err = d.in.Name()
		case "weights":
			if !named && (p.name == "" || p.unit == "") {
				d.again = true
				return d.in.Skip()
			}
			p.classify(d.opts)
			return d.in.Elements(func() error { return d.weight(&p) })
		default:
			err = d.in.Skip()
		}
		return err
	})
	d.profiles = append(d.profiles, p)
	return err
}

// weight reads a weight of a profile.
func (d *decoder) weight(p *profile) error {
	if d.kept++; d.kept > maxWeights {
		return errors.New("there are too many samples")
	}
	w, err := d.in.Scaled(p.num, p.den)
	if err == nil && w < 0 {
		return errors.New("a weight is negative, as in the difference of two profiles; read the two profiles")
	}
	p.weights = append(p.weights, w)
	return err
}
