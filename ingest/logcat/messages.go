package logcat

import (
	_ "embed"
	"fmt"
	"regexp"
	"sync"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/trace"
)

//go:embed messages.yaml
var builtIn []byte

// A message is a line of the log that says that something was asked.
type message struct {
	pattern   *regexp.Regexp
	component string
	verb      trace.Verb
	// begins says that the verb begins what another one ends.
	begins bool
	// handle and name are the groups of the pattern that say them, -1 if none does.
	handle, name int
}

// group returns the text of a group, nil for -1.
func (m *message) group(found [][]byte, i int) []byte {
	if i < 0 {
		return nil
	}
	return found[i]
}

// messages returns the messages of the table, by their tags.
var messages = sync.OnceValues(func() (map[string][]message, error) {
	root, err := table.Read(builtIn, "table of messages")
	if err != nil {
		return nil, fmt.Errorf("reading the built-in messages: %w", err)
	}
	all := make(map[string][]message)
	root.Object(map[string]func(table.Value){"messages": func(v table.Value) {
		for _, one := range v.List() {
			m, tags := readMessage(one)
			for _, tag := range tags {
				all[tag] = append(all[tag], m)
			}
		}
	}})
	if err := root.Err(); err != nil {
		return nil, fmt.Errorf("reading the built-in messages: %w", err)
	}
	return all, nil
})

// readMessage reads an entry of the table.
func readMessage(v table.Value) (m message, tags []string) {
	v.Object(map[string]func(table.Value){
		"tags": func(v table.Value) {
			for _, tag := range v.List() {
				if s, ok := tag.Text(); ok {
					tags = append(tags, s)
				}
			}
		},
		"pattern": func(v table.Value) {
			s, _ := v.Text()
			pattern, err := regexp.Compile(s)
			if err != nil {
				v.Fail("the pattern is no regular expression: %v", err)
				return
			}
			m.pattern, m.handle, m.name = pattern, pattern.SubexpIndex("handle"), pattern.SubexpIndex("name")
		},
		"component": func(v table.Value) { m.component, _ = v.Text() },
		"verb": func(v table.Value) {
			s, _ := v.Text()
			verb, ok := trace.VerbOf(s)
			if !ok {
				v.Fail("there is no verb %q", s)
			}
			m.verb, m.begins = verb, verb == trace.OpAcquire || verb == trace.OpStart || verb == trace.OpOpen
		},
		"when": func(v table.Value) { v.Text() },
	})
	if m.pattern == nil || m.component == "" {
		v.Fail("a message needs a pattern and a component")
	}
	return m, tags
}
