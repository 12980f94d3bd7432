package trigger

import (
	"strings"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// workAssumption is the assumption about slices that move data. The report shows this sentence.
const workAssumption = "a component works for the whole time of a slice that moves data"

// Slice returns the trigger for the text of a slice (a named period in a trace), or nil. The first
// pattern that matches applies. A nil table has no triggers.
func (t *Table) Slice(text string) *Trigger {
	if t == nil {
		return nil
	}
	for i := range t.slices {
		if matches(t.slices[i].Method, text) {
			return &t.slices[i]
		}
	}
	return nil
}

// HasSlices reports whether the table has patterns of slices.
func (t *Table) HasSlices() bool { return t != nil && len(t.slices) > 0 }

// ofSlice returns the trigger for a method that may be a slice. For example, names in a Chrome
// trace may be methods or other periods.
func (t *Table) ofSlice(m name.Method) *Trigger {
	if len(t.slices) == 0 || m.Process() {
		return nil
	}
	return t.Slice(strings.TrimSuffix(m.Label(), m.Mark))
}

// anyText matches any text in a pattern.
const anyText = "*"

// matches reports whether a text fits a pattern. Each * matches any text, even an empty text.
func matches(pattern, text string) bool {
	head, rest, several := strings.Cut(pattern, anyText)
	if !several {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, head)
	if !ok {
		return false
	}
	for {
		part, more, again := strings.Cut(rest, anyText)
		if !again {
			return strings.HasSuffix(text, part)
		}
		// The first occurrence leaves the longest rest for the other parts.
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], more
	}
}

// pattern reads a pattern of slices. A pattern may occur once in a table.
func (p *parser) pattern(v table.Value, verb trace.Verb) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	text = strings.TrimSpace(text)
	line, twice := p.lines["slice "+text]
	switch {
	case verb == trace.OpClose || verb == trace.OpRelease || verb == trace.OpStop:
		v.Fail("%s is not a verb of slices: the end of a slice also ends what the slice opened, acquired or started", verb)
	case strings.Trim(text, anyText) == "":
		v.Fail("the pattern %q matches every slice: write a part of the name, as in \"NETWORK: *\"", text)
	case twice:
		v.Fail("%s is already on line %d", text, line)
	default:
		p.lines["slice "+text] = v.Line()
		return text, true
	}
	return "", false
}
