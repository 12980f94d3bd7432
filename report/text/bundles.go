package text

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxBundles, maxDrivers and maxFindings limit the listed bundles, drivers and findings.
const maxBundles, maxDrivers, maxFindings = 12, 4, 10

// minShown is the smallest share of energy with which a bundle is listed.
const minShown = 0.001

// bundles writes the active periods of components, and the energy wasted in them.
func (p *page) bundles(b *report.Bundles) {
	if b == nil {
		return
	}
	periods := int64(0)
	for i := range b.List {
		periods += b.List[i].Count
	}
	p.linef("")
	p.paragraph(p.bold, "Active periods of each component (bundles), most energy first; "+p.measure())
	p.paragraph(p.faint, words.Bundled(b.Share, int64(len(b.List)), periods))
	shown := 0
	for shown < min(len(b.List), maxBundles) && (shown == 0 || b.List[shown].Share >= minShown) {
		p.bundle(shown+1, &b.List[shown])
		shown++
	}
	if more := len(b.List) - shown; more > 0 {
		p.linef("")
		p.linef("%s", p.faint(words.Some(more, "bundle")+" more in --format json"))
	}
	p.wasted(b.Findings)
}

// wasted writes the findings about wasted energy.
func (p *page) wasted(findings []report.Waste) {
	if len(findings) == 0 {
		return
	}
	heading := ""
	for _, w := range findings[:min(len(findings), maxFindings)] {
		if now := words.WasteHeading(w.Caveat != ""); now != heading {
			heading = now
			p.linef("")
			p.paragraph(p.bold, heading+", most first; "+p.measure())
		}
		p.waste(&w)
	}
}

// bundle writes a bundle with its states.
func (p *page) bundle(number int, b *report.Bundle) {
	p.linef("")
	times := ""
	if b.Count > 1 {
		times = fmt.Sprintf(" ×%d", b.Count)
	}
	what := b.Component
	if b.Others {
		what += " (other periods)"
	}
	p.linef("%s", p.bold(fmt.Sprintf("%d. %s%s", number, clean(what), times))+
		fmt.Sprintf("  %s  %s  %s  (use %s, tail %s)  at %s", units.FormatTime(b.Time), p.amount(b.Energy), words.Percent(b.Share), p.amount(b.Use), p.amount(b.Tail), units.FormatTime(b.Begin)))
	for _, s := range b.States {
		p.linef("   %-12s ×%-4d %9s %8s", clean(s.Name), s.Visits, units.FormatTime(s.Time), p.amount(s.Energy))
		p.drivers(s.Drivers)
		if len(s.Routines) > 0 {
			ran := make([]string, len(s.Routines))
			for i, r := range s.Routines {
				ran[i] = p.short(r.Method) + " " + units.FormatTime(r.Time)
			}
			p.wrapped("       meanwhile ", strings.Join(ran, ", "))
		}
	}
	for _, why := range []struct{ question, answer string }{{"so many", b.CountReason}, {"so long", b.LengthReason}} {
		if why.answer != "" {
			p.wrapped("   why "+why.question+": ", clean(why.answer))
		}
	}
	if b.BatchedEnergy != nil && *b.BatchedEnergy < b.Energy {
		p.wrapped("   together: ", fmt.Sprintf("the same operations without a gap would use %s, %s less", p.energy(*b.BatchedEnergy), p.energy(b.Energy-*b.BatchedEnergy)))
	}
}

// wrapped writes the lead and a text. Further lines are indented to the start of the text.
func (p *page) wrapped(lead, s string) {
	for i, line := range wrap(s, p.width-cells(lead)) {
		if i > 0 {
			lead = strings.Repeat(" ", cells(lead))
		}
		p.linef("%s%s", p.faint(lead), line)
	}
}

// drivers writes the calls that caused a state or pay for its energy.
func (p *page) drivers(drivers []report.BundleDriver) {
	for _, d := range drivers[:min(len(drivers), maxDrivers)] {
		text := "unattributed"
		if n := len(d.Path); n > 0 {
			text = p.short(d.Method)
			if d.Path[n-1] != d.Method {
				text += " › " + p.short(d.Path[n-1])
			}
		}
		asked := ""
		if d.Operations > 0 {
			asked = fmt.Sprintf("  %d %s", d.Operations, strings.Join(d.Verbs, ", "))
		}
		p.linef("%s%s%s", pad("       "+p.amount(d.Energy), 18), cutLeft(text, max(p.width-18-cells(asked), 24)), p.faint(asked))
	}
	if more := len(drivers) - maxDrivers; more > 0 {
		p.linef("%s", p.faint(fmt.Sprintf("       and %d more", more)))
	}
}

// waste writes a finding.
func (p *page) waste(w *report.Waste) {
	p.linef("%s  %s  %s", p.bold(p.amount(w.Saving)), words.Percent(w.SavingShare), w.Code)
	p.wrapped("   ", clean(w.Message))
	if len(w.Path) > 0 {
		path := make([]string, len(w.Path))
		for i, label := range w.Path {
			path[i] = p.short(label)
		}
		p.linef("   %s", p.faint(cutLeft(strings.Join(path, " › "), p.width-3)))
	}
}
