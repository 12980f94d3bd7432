package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// GateFailure explains why a gate failed: "total>+3%: total is +4.6% (+3.9% to +5.3%). It passes if
// total is +3% or less. …".
func GateFailure(set *finding.Set, gate finding.Gate, fired []finding.FiredAlternative) string {
	g := gateWriter{set: set, scale: ScalePerFigure(nil, set.Result.Voltage)}
	text := g.fired(gate, fired)
	compares := func(m finding.ConditionValue) bool {
		return m.Measure != finding.Wasted && m.Measure != finding.FleetHog
	}
	if !slices.ContainsFunc(fired, func(f finding.FiredAlternative) bool { return slices.ContainsFunc(f.Values, compares) }) {
		return strings.TrimSuffix(text, ".")
	}
	return text + " " + strings.TrimSuffix(Basis(set.Result), ".")
}

// RunGateFailure is like [GateFailure] for a single run.
func RunGateFailure(gate finding.Gate, fired []finding.FiredAlternative, v units.Voltage) string {
	g := gateWriter{scale: ScalePerFigure(nil, v)}
	return strings.TrimSuffix(g.fired(gate, fired), ".")
}

// A gateWriter writes conditions. set is nil for a single run.
type gateWriter struct {
	set   *finding.Set
	scale Scale
}

func (g gateWriter) fired(gate finding.Gate, fired []finding.FiredAlternative) string {
	var holds, passes []string
	for _, f := range fired {
		var figures, limits []string
		for _, m := range f.Values {
			figures = append(figures, g.figure(m))
			limits = append(limits, limit(m.Condition))
		}
		holds = append(holds, f.Text+": "+strings.Join(figures, ", and "))
		passes = append(passes, strings.Join(limits, ", or if "))
	}
	text := strings.Join(holds, "; ")
	if all := gate.Alternatives(); all > 1 {
		text += fmt.Sprintf(" (%d of %d conditions are true; one is enough: %s)", len(fired), all, gate)
	}
	passing := strings.Join(passes, ", and if ")
	return text + ". It passes if " + passing + "."
}

// figure formats the value that a condition compares with its limit.
func (g gateWriter) figure(m finding.ConditionValue) string {
	without := ""
	if m.Known {
		without = " without known rows"
	}
	switch m.Measure {
	case finding.Total:
		return "total is " + g.change(m) + without
	case finding.Evidence:
		var parts []string
		if m.TotalCostlier {
			m.InEnergy = m.Base == 0
			parts = append(parts, "the total"+without+", "+g.change(m))
		}
		if m.Rows > 0 {
			parts = append(parts, Some(m.Rows, "row")+", first "+g.row(m.Row))
		}
		return "more than chance: " + strings.Join(parts, ", and ")
	case finding.FleetHog:
		return FleetHog(m.Claim, m.Version)
	}
	text := map[string]string{
		finding.Saving: "the subject could save ", finding.Row: "one task or method could save ", finding.Unmatched: "tasks only in the subject use ",
		finding.Wasted: "components waste ",
	}[m.Measure]
	if m.InEnergy {
		text += Interval(m.Energy, m.Interval, g.scale)
	} else {
		text += Percent(m.Share)
		if m.Interval.Least != m.Interval.Most {
			text += fmt.Sprintf(" (%s to %s)", Share(m.Interval.Least, m.Base), Share(m.Interval.Most, m.Base))
		}
		text += " of the subject's energy"
	}
	switch {
	case m.Rows == 0 || m.Measure == finding.Unmatched:
	case m.Measure == finding.Row:
		text += ", " + g.name(m.Row)
	default:
		text += ", most by " + g.name(m.Row)
	}
	return text
}

// change formats a difference with its sign and its bounds.
func (g gateWriter) change(m finding.ConditionValue) string {
	change := func(e units.Energy) string {
		if !m.InEnergy {
			return changeOf(float64(e), float64(max(m.Base, 1)))
		}
		if e > 0 {
			return "+" + g.scale.Energy(e)
		}
		return g.scale.Energy(e)
	}
	text := change(m.Energy)
	if m.Interval.Least != m.Interval.Most {
		text += fmt.Sprintf(" (%s to %s)", change(m.Interval.Least), change(m.Interval.Most))
	}
	return text
}

// row names a row with its saving.
func (g gateWriter) row(at finding.Ranked) string {
	saving := units.Energy(0)
	if at.Code {
		saving = g.set.Result.AppCode.Rows[at.Index].Saving
	} else {
		saving = g.set.Result.Tasks[at.Index].Saving
	}
	return g.name(at) + " by " + Interval(saving, g.set.Standing(at).Saving, g.scale)
}

// name returns the short name of a row.
func (g gateWriter) name(at finding.Ranked) string {
	r := g.set.Result
	if at.Code {
		m, _ := finding.RowMethod(r, &r.AppCode.Rows[at.Index])
		return m.Short()
	}
	return r.Subject.Tree.Labels.Method(r.Subject.Tree.Nodes[r.Tasks[at.Index].Node].Label).Short()
}

// limit says when a condition is not met: "total is +3% or less".
func limit(c finding.Condition) string {
	switch c.Measure {
	case finding.Evidence:
		return "nothing costs more than chance explains"
	case finding.FleetHog:
		return "the fleet does not show a hog"
	}
	at := strings.IndexByte(c.Text, '>')
	return c.Measure + " is " + c.Text[at+1:] + " or less"
}
