package trigger

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/trace"
)

//go:embed methods.yaml syscalls.yaml log.yaml
var builtIn embed.FS

// BuiltIn returns the table of Android's methods and log, and of Linux's system calls.
var BuiltIn = sync.OnceValues(func() (*Table, error) {
	t := New()
	for _, name := range [...]string{"methods.yaml", "syscalls.yaml", "log.yaml"} {
		data, err := builtIn.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the built-in triggers: %w", err)
		}
		more, err := parse(data)
		if err != nil {
			return nil, fmt.Errorf("reading the built-in triggers: %s: %w", name, err)
		}
		t = t.With(more)
	}
	return t, nil
})

// OrBuiltIn returns a table, or the built-in one for nil.
func OrBuiltIn(t *Table) (*Table, error) {
	if t != nil {
		return t, nil
	}
	return BuiltIn()
}

// Read reads a table. Errors include the line. docs/triggers.md describes the syntax.
func Read(r io.Reader) (*Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, table.MaxFile+1))
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (*Table, error) {
	root, err := table.Read(data, "table of triggers")
	if err != nil {
		return nil, err
	}
	p := parser{table: New(), lines: make(map[string]int)}
	root.Object(map[string]func(table.Value){
		"methods": func(v table.Value) {
			for _, group := range v.List() {
				p.group(group, false)
			}
		},
		"slices": func(v table.Value) {
			for _, group := range v.List() {
				p.group(group, true)
			}
		},
		"never": func(v table.Value) {
			for _, m := range v.List() {
				if text, ok := p.method(m); ok {
					p.table.never = append(p.table.never, text)
				}
			}
		},
		"syscalls": p.syscalls,
		"files":    func(v table.Value) { p.places(v, "path", isPath, p.table.calls.files) },
		"sockets":  func(v table.Value) { p.places(v, "family of sockets", isFamily, p.table.calls.sockets) },
		"log": func(v table.Value) {
			for _, one := range v.List() {
				p.message(one)
			}
		},
	})
	return p.table, root.Err()
}

// A parser fills a table.
type parser struct {
	table *Table
	// lines has the line on which each text occurs first. The key is the name of a method, or
	// another text with its kind in front.
	lines map[string]int
}

// group reads the methods or slices that make a request to a component, by verb.
func (p *parser) group(v table.Value, isSlices bool) {
	var component, assumes string
	text := func(to *string) func(table.Value) {
		return func(v table.Value) {
			if s, ok := v.Text(); ok {
				*to = strings.TrimSpace(s)
			}
		}
	}
	var found []Trigger
	timed := false
	keys := map[string]func(table.Value){
		"component": text(&component), "assumes": text(&assumes),
	}
	if !isSlices {
		keys["ends"] = func(v table.Value) {
			if text, ok := v.Text(); ok && text != "by itself" {
				v.Fail("ends is: by itself, for what is released after a time; leave it out otherwise")
			}
			timed = true
		}
	}
	for _, verb := range trace.VerbNames() {
		keys[verb] = func(v table.Value) {
			by, _ := trace.VerbOf(verb)
			for _, m := range v.List() {
				read := p.method
				if isSlices {
					read = func(m table.Value) (string, bool) { return p.pattern(m, by) }
				}
				if method, ok := read(m); ok {
					found = append(found, Trigger{Method: method, Verb: by, Slice: isSlices})
				}
			}
		}
	}
	v.Object(keys)
	if component == "" {
		v.Fail("the group has no component, such as component: network")
		return
	}
	for i := range found {
		g := &found[i]
		g.Component, g.Assumption, g.Timed = component, assumes, timed
		if !isSlices {
			p.table.add(g)
			continue
		}
		if assumes == "" && g.Moves() {
			g.Assumption = workAssumption
		}
		p.table.slices = append(p.table.slices, *g)
	}
}

// method reads a method's name, which may occur once in a table.
func (p *parser) method(v table.Value) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	text = strings.TrimSpace(text)
	switch line, twice := p.lines[text]; {
	case strings.ContainsAny(text, " \t*"):
		v.Fail("%q is not a method: write class and name, as in java.net.Socket.connect; names of slices go in the section slices", text)
	case twice:
		v.Fail("%s is already on line %d", text, line)
	default:
		p.lines[text] = v.Line()
		return text, true
	}
	return "", false
}
