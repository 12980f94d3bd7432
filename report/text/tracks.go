package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// measured writes what was measured in a run, and how the measurements were aligned with it.
func (p *page) measured(in report.Input) {
	if in.Measured != nil {
		p.prose("measured", p.faint, p.measuredEnergy(in.Measured)+"; "+accounted(in.Measured))
		for _, part := range in.Measured.Parts {
			e := words.ScalePerFigure(nil, 0).Energy
			p.prose("", p.faint, fmt.Sprintf("%s: %s measured, %s modelled; %s caused by the run's calls, %s unattributed",
				clean(part.Name), e(part.Measured), e(part.Modelled), e(part.Charged), e(part.Rest)))
		}
	}
	p.alignment("", in)
}

// accounted says how much of the run's energy is based on the measurement.
func accounted(m *report.Measured) string {
	if m.Accounted == nil {
		return "the energy above does not use it"
	}
	e := words.ScalePerFigure(nil, 0).Energy
	text := e(*m.Accounted) + " of the energy here comes from it"
	if *m.ModelOnly > 0 {
		text += ", and " + e(*m.ModelOnly) + " is modelled, since it was not measured"
	}
	return text
}

// measuredEnergy formats the measured energy, "–" if there is none.
func (p *page) measuredEnergy(m *report.Measured) string {
	if m == nil {
		return "–"
	}
	return words.ScalePerFigure(nil, 0).Energy(m.Energy) + " by " + clean(m.By)
}

// alignment writes how a run's further recordings were aligned with it in time.
func (p *page) alignment(side string, in report.Input) {
	for _, b := range in.Aligned {
		p.prose("aligned", p.faint, side+clean(b.Path)+" "+clean(b.How))
	}
}

// tracks writes the recorded signals, one line for each part of the device and kind.
func (p *page) tracks(tracks []report.Track) {
	const few = 12
	kindOf := func(kind string) []report.Track {
		return slices.DeleteFunc(slices.Clone(tracks), func(t report.Track) bool { return t.Kind != kind || t.Span == 0 })
	}
	row := func(name string, all []report.Track, say func(report.Track) string) {
		var parts []string
		for _, t := range all {
			if value := say(t); value != "" {
				parts = append(parts, clean(t.Name)+" "+value)
			}
		}
		if more := len(parts) - few; more > 0 {
			parts = append(parts[:few], "and "+words.Count(more)+" more")
		}
		p.prose(name, p.faint, strings.Join(parts, ", "))
	}
	drains := kindOf("drain")
	slices.SortStableFunc(drains, func(a, b report.Track) int { return int(min(1, max(-1, *b.Energy-*a.Energy))) })
	scale := words.ScalePerFigure(nil, 0)
	row("energy", drains, func(t report.Track) string { return scale.Energy(*t.Energy) })
	row("cores", kindOf("switch"), func(t report.Track) string {
		if *t.Active == 0 {
			return ""
		}
		return "busy " + units.FormatTime(*t.Active)
	})
	row("frequency", kindOf("frequency"), func(t report.Track) string {
		return fmt.Sprintf("%s MHz (%d to %d)", units.Fixed(*t.Mean/1e6, 0), *t.Least/1e6, *t.Most/1e6)
	})
	row("idle", kindOf("idle"), func(t report.Track) string { return units.FormatTime(*t.Active) })
	row("on", slices.Concat(kindOf("state"), kindOf("suspend")), func(t report.Track) string {
		if *t.Active == 0 {
			return ""
		}
		return units.FormatTime(*t.Active)
	})
	reading := func(t report.Track) string {
		unit := strings.TrimRight(" "+t.Unit, " ")
		if *t.Least == *t.Most {
			return fmt.Sprint(*t.Least, unit)
		}
		return fmt.Sprint(*t.Least, " to ", *t.Most, unit)
	}
	row("levels", kindOf("level"), reading)
	row("gauges", kindOf("gauge"), reading)
}
