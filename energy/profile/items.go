package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/diffprof/diffprof/units"
)

// items maps names to the items and arrays of a profile.
type items map[string]entry

// An entry is an item, or an array with its values.
type entry struct {
	line  int
	texts []string
}

// maxDepth is more than the depth of any profile. The deepest is device, modem, active, transmit.
const maxDepth = 16

// readItems reads items and arrays. If a name occurs several times, the last entry counts, as on a
// phone. Since Android 13, profiles describe the modem by nested elements. The name of such an
// entry is a path with the technology, such as modem.active.LTE.receive. Elements for several
// levels become the values of one entry. On an error, readItems returns the line of the error.
func readItems(data []byte) (items, int, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	// Profiles are ASCII, even if the file declares another encoding.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	out := items{}
	// open holds the open elements.
	var open []element
	var text strings.Builder
	seen := false
	for {
		tok, err := d.Token()
		line, _ := d.InputPos()
		var bad *xml.SyntaxError
		switch {
		case err == io.EOF && !seen:
			return nil, 0, errors.New("the file has no <device> element")
		case err == io.EOF:
			return out, 0, nil
		case errors.As(err, &bad):
			return nil, bad.Line, errors.New(bad.Msg)
		case err != nil:
			return nil, line, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			seen = true
			open = append(open, element{tag: tok.Name.Local, name: attr(tok, "name"), line: line})
			text.Reset()
			this := &open[len(open)-1]
			switch {
			case open[0].tag != "device":
				return nil, line, fmt.Errorf("the root element is <%.40s>, not <device>", open[0].tag)
			case len(open) > maxDepth:
				return nil, line, errors.New("elements nest too deep")
			case len(open) == 2 && this.tag != "modem" && this.name != "":
				out[this.name] = entry{line: line}
			case len(open) == 2 && this.tag == "modem":
				this.name = "modem"
			case len(open) > 2 && open[1].tag == "modem":
				this.name = open[len(open)-2].name + "." + this.tag
				for _, key := range []string{"rat", "nrFrequency"} {
					if value := attr(tok, key); value != "" {
						this.name += "." + value
					}
				}
			}
		case xml.CharData:
			text.Write(tok)
		case xml.EndElement:
			if name, at, ok := holder(open); ok {
				e := out[name]
				if e.line == 0 {
					e.line = at
				}
				e.texts = append(e.texts, strings.TrimSpace(text.String()))
				out[name] = e
			}
			open = open[:len(open)-1]
			text.Reset()
		}
	}
}

// An element is an open element: its tag, and the name of its entry.
type element struct {
	tag, name string
	line      int
}

// holder returns the name of the entry to which the text of the innermost element belongs, and the
// line of that element. It returns false if the text is not a value.
func holder(open []element) (name string, line int, ok bool) {
	last := open[len(open)-1]
	switch {
	case len(open) == 2 && last.tag == "item" && last.name != "":
		return last.name, last.line, true
	case len(open) == 3 && open[1].tag == "array" && last.tag == "value" && open[1].name != "":
		return open[1].name, last.line, true
	case len(open) > 2 && open[1].tag == "modem" && last.tag != "active":
		return last.name, last.line, true
	}
	return "", 0, false
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numbers returns the values of an entry, multiplied by scale. A value above limit is an error.
func (v items) numbers(name string, scale, limit int64) ([]int64, error) {
	var out []int64
	for _, text := range v[name].texts {
		n, err := units.Decimal(text, scale, 1)
		if err == nil && n > limit {
			err = errors.New("is too large")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %.40q %w", onLine(name), text, err)
		}
		out = append(out, n)
	}
	return out, nil
}

// names returns the names of all entries, sorted.
func (v items) names() []string { return slices.Sorted(maps.Keys(v)) }

// Names returns the names of all items and arrays, sorted.
func (p *Profile) Names() []string { return p.items.names() }

// Currents returns the milliamperes of an item or array as currents. It returns nil if the profile
// has no such name. An error is a *syntax.Error that has the line.
func (p *Profile) Currents(name string) ([]units.Current, error) {
	numbers, err := p.Numbers(name, int64(units.Milliampere), int64(maxCurrent))
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	out := make([]units.Current, len(numbers))
	for i, n := range numbers {
		out[i] = units.Current(n)
	}
	return out, nil
}

// Numbers returns the values of an item or array, multiplied by scale and rounded. It returns nil
// if the profile has no such name. A value above limit is an error. An error is a *syntax.Error
// that has the line.
func (p *Profile) Numbers(name string, scale, limit int64) ([]int64, error) {
	numbers, err := p.items.numbers(name, scale, limit)
	if err != nil {
		return nil, fail(p.items[name].line, err, "")
	}
	return numbers, nil
}

// onLine removes line breaks from a name, so that a message stays on one line.
func onLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}
