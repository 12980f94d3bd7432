package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// MeteredPairs compares the measured energy of two runs, by line or by method.
type MeteredPairs struct {
	// Total counts the lines with figures in both runs that pass the filters. Rows lists the first
	// of them. Lines with a different energy per execution come first, then lines with a different
	// energy. Open counts executed lines that are not known within ±50 %.
	Total int           `json:"total"`
	Rows  []MeteredPair `json:"rows"`
	Open  int           `json:"open"`
}

// A MeteredPair compares a line or method in two runs. Its energy is 0 in a run that did not
// execute it.
type MeteredPair struct {
	Method string `json:"method"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	// ReferenceLine is the line in the reference if the line has moved.
	ReferenceLine int  `json:"referenceLine,omitempty"`
	Own           bool `json:"own"`
	// Saving is the subject's energy minus the reference's, and From and To are its interval.
	Saving units.Energy `json:"savingNJ"`
	From   units.Energy `json:"savingFromNJ"`
	To     units.Energy `json:"savingToNJ"`
	// Verdict is "more", "less" or "unclear", about the energy in the whole run. Each is the
	// verdict about one execution. More is 1 if the subject runs the line more often by more than
	// chance, and -1 if the reference does.
	Verdict   string     `json:"verdict"`
	Each      string     `json:"each"`
	More      int        `json:"moreOften"`
	Subject   MeteredUse `json:"subject"`
	Reference MeteredUse `json:"reference"`

	method name.Method
}

// lineVerdicts maps statistical verdicts to the words for lines.
var lineVerdicts = [...]string{repeats.NoEvidence: LineUnclear, repeats.Costlier: LineMore, repeats.Cheaper: LineLess}

// setMeteredPairs compares the measured energy of both runs.
func (l *Lines) setMeteredPairs(o LinesOptions) {
	var moved func(r *metered.Row) int
	if l.maker.movedLine != nil {
		moved = func(r *metered.Row) int { return l.maker.movedLine(r.Method, r.Line) }
	}
	c := metered.Compare(o.Metered, o.MeteredReference, o.ByMethod, moved)
	out := &MeteredPairs{Rows: []MeteredPair{}, Open: c.Open}
	var each, often, unclear []MeteredPair
	for _, p := range c.Pairs {
		either := cmp.Or(p.Subject, p.Reference)
		own := l.maker.owners[either.Method.Label()].own
		if o.Keep != nil && !o.Keep(LineOwner{either.Method, own}) {
			continue
		}
		row := MeteredPair{
			Method: either.Method.Label(), File: either.Method.File, Line: either.Line, Own: own, Saving: p.Saving,
			From: units.Energy(p.Estimate.Interval.Least), To: units.Energy(p.Estimate.Interval.Most),
			Verdict: lineVerdicts[p.Estimate.Verdict], Each: lineVerdicts[p.Each], More: p.CompareExecutions(),
			Subject: meteredUse(o.Metered, p.Subject), Reference: meteredUse(o.MeteredReference, p.Reference), method: either.Method,
		}
		if p.Reference != nil && p.Reference.Line != row.Line {
			row.ReferenceLine = p.Reference.Line
		}
		switch {
		case row.Each != LineUnclear:
			each = append(each, row)
		case row.Verdict != LineUnclear:
			often = append(often, row)
		default:
			unclear = append(unclear, row)
		}
	}
	rows := slices.Concat(each, often, unclear)
	out.Total = len(rows)
	if o.Rows > 0 {
		rows = rows[:min(o.Rows, len(rows))]
	}
	for _, row := range rows {
		l.Methods.add(row.method)
	}
	out.Rows = append(out.Rows, rows...)
	l.MeteredPairs = out
}

// meteredUse converts the energy of a line. A nil row is a line that did not run.
func meteredUse(in *metered.Result, r *metered.Row) MeteredUse {
	if r == nil {
		return MeteredUse{Energy: new(units.Energy)}
	}
	u := MeteredUse{Executions: r.Executions}
	if in.Shown(r) {
		each := r.Each(float64(r.Energy))
		u.Energy, u.Each = &r.Energy, &each
		if r.Most > 0 {
			u.Least, u.Most = &r.Least, &r.Most
		}
	}
	return u
}

// PairName names the line or the method of a pair. short is the method's short name.
func (l *Lines) PairName(p *MeteredPair, short string) string {
	if p.Line == 0 {
		return short
	}
	return l.Name(&LineRow{Method: p.Method, File: p.File, Line: p.Line, ReferenceLine: p.ReferenceLine, Lines: 1}, short)
}

// Why explains how the runs differ at a line: in energy, or in executions.
func (p *MeteredPair) Why() string {
	return words.MeteredWhy(p.Verdict, p.Each, p.More, p.Subject.Executions, p.Reference.Executions)
}

// bothPrecisions returns a sentence about how precise the measured lines of both runs are.
func (l *Lines) bothPrecisions() string {
	carry := func(m *Metered) string {
		if m == nil {
			return ""
		}
		return m.Precision()
	}
	return words.MeteredBoth(carry(l.Metered), carry(l.MeteredReference), l.MeteredPairs != nil)
}

// MeteredPairDoubts returns the warnings about the measured energies of two runs.
func (l *Lines) MeteredPairDoubts() []string {
	var out []string
	if a, b := l.Metered.Window, l.MeteredReference.Window; max(a, b)-min(a, b) > max(a, b)/20 {
		out = append(out, words.MeteredWindows(a, b))
	}
	for i, m := range []*Metered{l.Metered, l.MeteredReference} {
		for _, text := range words.MeteredDoubts(m.Halves, m.Scaled, m.Unjudged) {
			out = append(out, []string{"subject: ", "reference: "}[i]+text)
		}
	}
	return out
}
