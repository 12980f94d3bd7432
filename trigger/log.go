package trigger

import (
	"regexp"
	"strings"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/trace"
)

// A Message is a kind of line in Android's log. Most report a request to a component, such as
// acquiring a wake lock.
type Message struct {
	// Component is empty for a line without a request.
	Component string
	Verb      trace.Verb
	pattern   *regexp.Regexp
	// handle and name are the numbers of the pattern's groups with the handle and the name, or -1.
	handle, name int
}

// Match reports whether a line's text is the message. It returns the text that identifies an open
// resource, and a readable name. Both may be nil.
func (m *Message) Match(text []byte) (handle, name []byte, ok bool) {
	found := m.pattern.FindSubmatch(text)
	if found == nil {
		return nil, nil, false
	}
	group := func(i int) []byte {
		if i < 0 {
			return nil
		}
		return found[i]
	}
	return group(m.handle), group(m.name), true
}

// Messages returns the messages of a tag. The first that matches applies. The caller must not
// change them.
func (t *Table) Messages(tag []byte) []Message { return t.log[string(tag)] }

// message reads a message of the log.
func (p *parser) message(v table.Value) {
	m := Message{Verb: noVerb}
	var tags []string
	text := func(to *string) func(table.Value) {
		return func(v table.Value) {
			if s, ok := v.Text(); ok {
				*to = strings.TrimSpace(s)
			}
		}
	}
	var component, when string
	before := v.Problems()
	v.Object(map[string]func(table.Value){
		"tags": func(v table.Value) {
			for _, tag := range v.List() {
				if s, ok := tag.Text(); ok {
					tags = append(tags, s)
				}
			}
		},
		"pattern": func(v table.Value) {
			s, ok := v.Text()
			if !ok {
				return
			}
			pattern, err := regexp.Compile(s)
			if err != nil {
				v.Fail("the pattern is not a regular expression of Go: %v", err)
				return
			}
			m.pattern, m.handle, m.name = pattern, pattern.SubexpIndex("handle"), pattern.SubexpIndex("name")
		},
		"component": text(&component),
		"verb": func(v table.Value) {
			s, ok := v.Text()
			if !ok {
				return
			}
			if m.Verb, ok = trace.VerbOf(strings.TrimSpace(s)); !ok {
				v.Fail("unknown verb %q; the verbs are %s", s, strings.Join(trace.VerbNames(), ", "))
			}
		},
		"when": text(&when),
	})
	asks := component != none
	switch {
	case v.Problems() > before:
	case len(tags) == 0:
		v.Fail("the message has no tags, such as tags: [CameraService]")
	case m.pattern == nil || component == "":
		v.Fail("a message needs a pattern and a component")
	case asks && m.Verb == noVerb:
		v.Fail("the message has no verb, such as verb: start")
	default:
		if asks {
			m.Component = component
		}
		for _, tag := range tags {
			p.table.log[tag] = append(p.table.log[tag], m)
		}
	}
}

// noVerb means that no verb was given.
const noVerb = trace.Verb(255)
