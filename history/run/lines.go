package run

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A keptLine is an analysis.StoredLine as it is stored. First is the line of the method.
type keptLine struct {
	Method name.Texts
	First  int `json:",omitempty"`
	Line   int
	Text   string `json:",omitempty"`
	Number int    `json:",omitempty"`
	Own    units.Energy
}

// packLines converts lines to their stored form.
func packLines(list []analysis.StoredLine) (out []keptLine) {
	for _, l := range list {
		out = append(out, keptLine{l.Method.Texts(), l.Method.Line, l.Line, l.Text, l.Number, l.Own})
	}
	return out
}

// unpackLines converts lines from their stored form. ok is false if packLines did not write them.
func unpackLines(list []keptLine) (out []analysis.StoredLine, ok bool) {
	for _, l := range list {
		m, ok := l.Method.Method(l.First)
		if !ok || l.Line <= 0 || l.Number < 0 || l.Own < 0 || len(list) > analysis.MaxStoredLines {
			return nil, false
		}
		out = append(out, analysis.StoredLine{Method: m, Line: l.Line, Text: l.Text, Number: l.Number, Own: l.Own})
	}
	return out, true
}
