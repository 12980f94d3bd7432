package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/nearest"
)

// A Pair is a subject and a reference to compare, with a name in the project file. For example,
// they are the traces of a flavor or of a module.
type Pair struct {
	Name               string
	Subject, Reference analysis.Side
}

// Selected returns the settings with the inputs of the pair named s.Pair. If s.Pair is empty, it
// returns s itself, or the first pair if s names no traces. An unknown name is an error.
func (s Settings) Selected() (Settings, error) {
	var names []string
	for i, p := range s.Pairs {
		if s.Pair == p.Name || s.Pair == "" && i == 0 && s.Subject.Path == "" && s.Reference.Path == "" {
			s.Pair = p.Name
			s.Subject, s.Reference = p.Subject, p.Reference
			return s, nil
		}
		names = append(names, p.Name)
	}
	switch near := nearest.Name(s.Pair, names); {
	case s.Pair == "":
		return s, nil
	case len(names) == 0:
		return s, fmt.Errorf("unknown pair %q: %s has no pairs", shortened(s.Pair), FileName)
	case near != "":
		return s, fmt.Errorf("unknown pair %q; did you mean %s?", shortened(s.Pair), near)
	default:
		return s, fmt.Errorf("unknown pair %q; use one of %s", shortened(s.Pair), strings.Join(names, ", "))
	}
}

// setPairs reads an object of pairs by name.
func setPairs(r *reader, s *Settings, v value) {
	if v.kind != objectValue {
		r.wrong(v, "use names, and a subject and a reference for each")
		return
	}
	var pairs []Pair
	given := map[string]bool{}
	for i, name := range v.names {
		p := Pair{Name: name.text}
		r.key = append(r.key, name.text)
		switch {
		case name.text == "":
			r.report(name.at, "pairs: a pair needs a name")
		case given[name.text]:
			r.report(name.at, "%s is given twice", strings.Join(r.key, "."))
		case readObject(r, v.items[i], &p, pairKeys()):
			if p.Subject.Path == "" || p.Reference.Path == "" {
				r.report(name.at, "%s: a pair needs a subject and a reference", strings.Join(r.key, "."))
			} else {
				pairs = append(pairs, p)
			}
		}
		given[name.text] = true
		r.key = r.key[:len(r.key)-1]
	}
	s.Pairs = pairs
}

// pairKeys returns the keys of a pair, which are settings with their names.
func pairKeys() []key[Pair] {
	fields := map[string]func(*Pair) *string{
		"subject":          func(p *Pair) *string { return &p.Subject.Path },
		"reference":        func(p *Pair) *string { return &p.Reference.Path },
		"mappingSubject":   func(p *Pair) *string { return &p.Subject.Mapping },
		"mappingReference": func(p *Pair) *string { return &p.Reference.Mapping },
		"flowsSubject":     func(p *Pair) *string { return &p.Subject.Flows },
		"flowsReference":   func(p *Pair) *string { return &p.Reference.Flows },
		"processSubject":   func(p *Pair) *string { return &p.Subject.Process },
		"processReference": func(p *Pair) *string { return &p.Reference.Process },
	}
	lists := map[string]func(*Pair) *[]string{
		"withSubject":   func(p *Pair) *[]string { return &p.Subject.With },
		"withReference": func(p *Pair) *[]string { return &p.Reference.With },
	}
	var out []key[Pair]
	for _, k := range besideKeys() {
		if list := lists[k.name]; list != nil {
			out = append(out, key[Pair]{name: k.name, doc: k.doc, schema: k.schema, set: func(r *reader, p *Pair, v value) { r.paths(v, list(p)) }})
		}
	}
	for _, k := range slices.Concat(inputKeys(), processKeys()) {
		field := fields[k.name]
		out = append(out, key[Pair]{name: k.name, doc: k.doc, schema: k.schema, set: func(r *reader, p *Pair, v value) {
			if k.flag.kind == kindProcess {
				r.process(v, field(p))
			} else if text, ok := r.text(v); ok {
				*field(p) = r.path(text)
			}
		}})
	}
	return out
}
