package report

import (
	"cmp"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Wording has a report's sentences in each unit, for pages where the reader chooses the unit.
type Wording struct {
	// UnitChosen is set if the user chose a unit, which is then shown first.
	UnitChosen bool `json:"asked"`
	// Headline maps the symbol of a unit to the headline's sentences.
	Headline map[string][]string `json:"headline"`
	// Rows maps the ID of a task or app code to its sentences. It omits rows whose sentences have
	// no energies.
	Rows map[string]RowPhrases `json:"rows"`
}

// RowPhrases are the sentences of a row that contain energies.
type RowPhrases struct {
	// The fields are the sentences of a Task's fields with the same names.
	Message  words.Phrase `json:"message,omitempty"`
	Split    words.Phrase `json:"split,omitempty"`
	Evidence words.Phrase `json:"evidence,omitempty"`
	Suspect  words.Phrase `json:"suspect,omitempty"`
}

// selectableUnits are the units that a reader can choose.
var selectableUnits = [...]units.Unit{units.One, units.Milli, units.Micro, units.Nano, units.MicroampereHour}

// Wording returns the report's sentences in every unit. o is as in Headline. The result is nil if
// the report was read from a file, or if the inputs do not state their unit.
func (r *Report) Wording(o Options) *Wording {
	if r.set == nil || r.set.Result.Unit(nil) != nil {
		return nil
	}
	result := r.set.Result
	s := &Wording{UnitChosen: o.Unit != nil, Headline: make(map[string][]string, len(selectableUnits)), Rows: make(map[string]RowPhrases, len(r.Tasks)+len(r.AppCode))}
	for _, unit := range selectableUnits {
		s.Headline[unit.String()] = words.NewHeadline(r.set, words.ScalePerFigure(&unit, cmp.Or(o.Voltage, r.Voltage))).Sentences()
	}
	tasks := make(map[string]int, len(result.Tasks))
	for i := range result.Tasks {
		tasks[r.set.ID(i)] = i
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		at := tasks[t.ID]
		row := RowPhrases{
			Message:  words.NewPhrase(func(s words.Scale) string { return words.Task(result, at, s) }),
			Evidence: t.Evidence.phrase(t.Saving),
		}
		if t.Split != nil {
			row.Split = words.NewPhrase(func(s words.Scale) string { return words.Split(t.Split.Calls, t.Split.PerCall, s) })
		}
		if t.Suspect != nil {
			if suspect, ok := r.set.Suspicion.Suspect(&result.Tasks[at]); ok {
				row.Suspect = words.NewPhrase(func(s words.Scale) string { return words.Suspect(suspect, s) })
			}
		}
		s.Rows[t.ID] = row
	}
	for i := range r.AppCode {
		if c := &r.AppCode[i]; c.Evidence != nil {
			s.Rows[c.ID] = RowPhrases{Evidence: c.Evidence.phrase(c.Saving)}
		}
	}
	return s
}

// phrase returns the sentence of the evidence, or nil.
func (e *Evidence) phrase(saving units.Energy) words.Phrase {
	if e == nil {
		return nil
	}
	return words.NewPhrase(func(s words.Scale) string {
		return words.Estimate(saving, e.SavingLeast, e.SavingMost, e.Verdict, s)
	})
}
