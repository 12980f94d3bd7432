package report

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Baseline lists the findings of a comparison, or those of the components of a run, so that
// others leave them out.
type Baseline struct {
	SchemaVersion int     `json:"schemaVersion"`
	Findings      []Known `json:"findings"`
}

// Known is a finding of a Baseline. Its ID tells it; the rest is for people.
type Known struct {
	ID string `json:"id"`
	// Code is the code of a finding about a component. It is empty for tasks and app code.
	Code   finding.Code `json:"code,omitempty"`
	Method string       `json:"method"`
	Saving units.Energy `json:"savingNJ"`
}

// NewBaseline lists the rows of a comparison that count, and what the subject's components use
// for nothing.
func NewBaseline(set *finding.Set) *Baseline {
	b, r := &Baseline{SchemaVersion: SchemaVersion, Findings: []Known{}}, set.Result
	for _, at := range set.Ranking() {
		switch {
		case !set.Standing(at).Counts:
		case at.Code:
			row := &r.AppCode.Rows[at.Index]
			b.Findings = append(b.Findings, Known{ID: set.CodeID(at.Index), Method: row.Method.Label(), Saving: row.Saving})
		default:
			t := &r.Tasks[at.Index]
			b.Findings = append(b.Findings, Known{ID: set.ID(at.Index), Method: labelOf(r.Subject.Tree, t.Node), Saving: t.Saving})
		}
	}
	b.wastes(&r.Subject)
	return b
}

// NewRunBaseline lists what the components of a run drain for nothing.
func NewRunBaseline(in *analysis.Input) *Baseline {
	b := &Baseline{SchemaVersion: SchemaVersion, Findings: []Known{}}
	b.wastes(in)
	return b
}

func (b *Baseline) wastes(in *analysis.Input) {
	for _, w := range finding.Wastes(in) {
		b.Findings = append(b.Findings, Known{w.ID, w.Code, w.Method.Label(), w.Saving.Most})
	}
}

// WriteJSON writes the baseline as indented JSON, ended by a newline.
func (b *Baseline) WriteJSON(w io.Writer) error { return writeJSON(w, b) }
