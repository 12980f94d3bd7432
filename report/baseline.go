package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Baseline lists known findings of a comparison or of a run. Later reports omit them.
type Baseline struct {
	SchemaVersion int            `json:"schemaVersion"`
	Findings      []KnownFinding `json:"findings"`
}

// KnownFinding is one finding of a Baseline. Reports show it again if its saving grows, or if it
// occurs at other callers: see finding.Set.Accept.
type KnownFinding struct {
	ID string `json:"id"`
	// Code is the code of a finding about a component. It is empty for tasks and app code.
	Code   finding.Code `json:"code,omitempty"`
	Method string       `json:"method"`
	Saving units.Energy `json:"savingNJ"`
	// Least and Most are the bounds of the saving. Most is nil in files of older versions.
	Least units.Energy  `json:"savingLeastNJ"`
	Most  *units.Energy `json:"savingMostNJ"`
	// Callers are the app methods where the finding was seen. If it is nil, as in files of older
	// versions, any method is accepted.
	Callers []finding.CallerSaving `json:"callers,omitempty"`
}

// newKnownFinding returns a baseline entry for a row.
func newKnownFinding(set *finding.Set, at finding.Ranked, id, label string, saving units.Energy) KnownFinding {
	bounds := set.Standing(at).Saving
	return KnownFinding{ID: id, Method: label, Saving: saving, Least: bounds.Least, Most: &bounds.Most, Callers: set.Callers(at)}
}

// Accepted returns the entries as values of package finding.
func (b *Baseline) Accepted() []finding.Accepted {
	var list []finding.Accepted
	for _, k := range b.Findings {
		a := finding.Accepted{ID: k.ID, Waste: k.Code != "", Name: k.Method, Method: name.Parse(k.Method, name.JVM), Saving: k.Saving, Interval: finding.Interval{Least: k.Saving, Most: k.Saving}, Callers: k.Callers}
		if k.Most != nil {
			a.Interval = finding.Interval{Least: k.Least, Most: *k.Most}
		}
		list = append(list, a)
	}
	return list
}

// Outdated reports whether an older version wrote the baseline. Its entries have no bounds, and
// accept a finding at any caller up to the saving.
func (b *Baseline) Outdated() bool {
	return slices.ContainsFunc(b.Findings, func(k KnownFinding) bool { return k.Most == nil })
}

// Prune removes entries.
func (b *Baseline) Prune(gone []finding.Accepted) {
	b.Findings = slices.DeleteFunc(b.Findings, func(k KnownFinding) bool {
		return slices.ContainsFunc(gone, func(g finding.Accepted) bool { return g.ID == k.ID })
	})
}

// NewBaseline lists the findings of a comparison, and the wasted energy of the subject's
// components.
func NewBaseline(set *finding.Set) *Baseline {
	b, r := &Baseline{SchemaVersion: SchemaVersion, Findings: []KnownFinding{}}, set.Result
	for _, at := range set.Ranking() {
		switch {
		case !set.Standing(at).IsFinding:
		case at.Code:
			row := &r.AppCode.Rows[at.Index]
			b.Findings = append(b.Findings, newKnownFinding(set, at, set.CodeID(at.Index), row.Method.Label(), row.Saving))
		default:
			t := &r.Tasks[at.Index]
			b.Findings = append(b.Findings, newKnownFinding(set, at, set.ID(at.Index), labelOf(r.Subject.Tree, t.Node), t.Saving))
		}
	}
	b.wastes(&r.Subject)
	return b
}

// NewRunBaseline lists the findings about wasted energy in a run's components.
func NewRunBaseline(in *analysis.Input) *Baseline {
	b := &Baseline{SchemaVersion: SchemaVersion, Findings: []KnownFinding{}}
	b.wastes(in)
	return b
}

func (b *Baseline) wastes(in *analysis.Input) {
	for _, w := range finding.Wastes(in) {
		b.Findings = append(b.Findings, KnownFinding{ID: w.ID, Code: w.Code, Method: w.Method.Label(), Saving: w.Saving.Most, Least: w.Saving.Least, Most: &w.Saving.Most})
	}
}

// WriteJSON writes the baseline as indented JSON, ended by a newline.
func (b *Baseline) WriteJSON(w io.Writer) error { return writeJSON(w, b) }

// maxGone is the largest number of entries that a note names.
const maxGone = 5

// KnownNotes returns notes about known findings: those that became worse, and those that no longer
// occur.
func KnownNotes(a finding.Acceptance, b *Baseline, path string, v units.Voltage) []Note {
	var notes []Note
	scale := words.ScalePerFigure(nil, v)
	for _, w := range a.Increases {
		where := ""
		if w.Caller != "" {
			where = " at " + w.Caller
		}
		notes = append(notes, Note{Code: "worse-than-known", Message: fmt.Sprintf("%s costs more than its entry in %s%s: it could save %s, and the entry accepts %s, so it is no longer accepted",
			w.Name, path, where, words.Interval(w.Now, w.Bounds, scale), words.Interval(w.Saving, w.Interval, scale))})
	}
	switch n := len(a.Gone); {
	case n == 0:
	case n > 1 && n == len(b.Findings):
		notes = append(notes, Note{Code: "known-gone", Message: fmt.Sprintf("no entry of %s occurs in these runs: is it the baseline of another app? If all %d are fixed, diffprof baseline --prune %s removes them",
			path, n, path)})
	default:
		var names []string
		for _, g := range a.Gone[:min(n, maxGone)] {
			names = append(names, g.Name)
		}
		if n > maxGone {
			names = append(names, fmt.Sprintf("and %d more", n-maxGone))
		}
		verb := "no longer occur"
		if n == 1 {
			verb = "no longer occurs"
		}
		notes = append(notes, Note{Code: "known-gone", Message: fmt.Sprintf("%s of %s %s: %s; diffprof baseline --prune %s removes what is gone",
			entries(n), path, verb, strings.Join(names, ", "), path)})
	}
	if b.Outdated() {
		notes = append(notes, Note{Code: "old-baseline", Message: path + " was written by an older version: it accepts findings up to the listed saving, at any caller; write it again with diffprof baseline to add bounds and callers"})
	}
	return notes
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
