// Package check writes what a comparison or the profile of a run found for programs that show it
// beside changes of source code: SARIF, annotations of GitHub, code quality of GitLab, JUnit,
// and a table as CSV.
//
// An issue of a comparison is a task, or a method of the app, that costs the subject more than
// the reference, as far as the document lists it; where runs were repeated, only with evidence.
// A task that a fleet makes suspect is an issue, too: a note, unless it costs more.
// An issue of either is what components of the run, or of the subject, drain for nothing. It
// stands at the app's own method that leads to it. Its identity is the finding's: it survives
// moved lines. A document without issues gives a file that says so.
package check

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// An issue is one finding at its place.
type issue struct {
	id   string
	code finding.Code
	// message is a sentence, title a few words.
	message, title string
	// method is the own method that leads to the task, or that drains itself; that of a component
	// may be unknown.
	method name.Method
	// component is the part of the device that drains something for nothing, empty for none.
	component string
	// path is the file of the method, relative to the root with slashes, empty if the sources do
	// not tell; line is 0 if unknown. file is the name that the recording has of it.
	path, file string
	line       int
	// share is what of the subject could be saved.
	share  float64
	saving units.Energy
	// suspect says why a fleet makes the task suspect, nil if it does not.
	suspect *report.Suspect
}

// note says whether an issue is none by the two runs alone.
func (i issue) note() bool { return i.code == finding.FleetSuspect }

// A page is a document under way.
type page struct {
	d     *report.Document
	scale words.Scale
	root  string
	// in is the run that issues are of, the subject of a comparison.
	in     *analysis.Input
	issues []issue
}

// newPage finds the issues of a document, in its order.
func newPage(d *report.Document, o report.Options) *page {
	p := &page{d: d, root: o.Root}
	if d.View == report.EnergyProfile {
		p.in, p.scale = d.Input, words.Each(d.Input.Unit(o.Unit), cmp.Or(o.Voltage, d.Profile.Voltage))
	} else {
		p.in, p.scale = &d.Result.Subject, words.Each(d.Result.Unit(o.Unit), cmp.Or(o.Voltage, d.Report.Voltage))
		p.compared(d.Report)
	}
	p.wasted()
	return p
}

// compared finds what costs the subject more, and what is suspect.
func (p *page) compared(r *report.Report) {
	for _, at := range r.Ranking() {
		row := r.Row(at)
		costs := !r.Summary.LittleInCommon && row.Saving > 0 && row.Verdict != words.Perhaps && (r.Repeats == nil || row.Evidence.Evident())
		if !costs && row.Suspect == nil {
			continue
		}
		i := issue{saving: row.Saving, share: units.Share(row.Saving, r.Subject.Energy), suspect: row.Suspect}
		var place report.Place
		if at.Code {
			c := &r.AppCode[at.Index]
			if c.Kind != "method" || c.Peer == nil && !r.Summary.AppCode.OneApp {
				continue
			}
			i.id, i.code, i.message, place = c.ID, finding.CostlierCode, c.Message, c.Place
			i.title = r.Methods.Short(c.Method) + " itself"
		} else {
			t := &r.Tasks[at.Index]
			i.id, i.code, i.message = t.ID, finding.CostlierTask, t.Message
			switch {
			case !costs:
				i.code = finding.FleetSuspect
			case t.Peer == nil:
				i.code = finding.UnmatchedTask
			}
			if len(t.Callers) > 0 {
				place = t.Callers[0].Place
				if own := t.Callers[0].Own; own != nil {
					place = *own
				}
			}
			i.title = r.Methods.Short(t.Method)
		}
		verdict := string(row.Verdict)
		if e := row.Evidence; e != nil {
			verdict = words.Estimate(row.Saving, e.SavingLeast, e.SavingMost, e.Verdict, p.scale)
		}
		i.title += ": " + verdict
		if said := r.SuspectOf(i.suspect); said != "" {
			i.title += ", suspect"
			i.message += "; " + said
		}
		i.message += "; " + words.Basis(r.Spread)
		p.add(i, r.Methods[place.Method].At(place.File, place.Line))
	}
}

// wasted finds what components drain for nothing.
func (p *page) wasted() {
	for _, w := range finding.Wastes(p.in) {
		who := w.Method.Short()
		if len(w.Path) == 0 {
			who = "a call that is not known"
		}
		p.add(issue{
			id: w.ID, code: w.Code, component: w.Component, saving: w.Saving.Most, share: units.Share(w.Saving.Most, p.in.Energy),
			title:   w.Component + " by " + who + ": " + p.scale.Energy(w.Saving.Most) + " for nothing",
			message: strings.TrimSuffix(words.Waste(&w, p.in), "."),
		}, w.Method)
	}
}

// add adds an issue at a method.
func (p *page) add(i issue, at name.Method) {
	i.method, i.file, i.line = at, at.File, at.Line
	if path, line, ok := p.in.Declared(at); ok {
		if i.path, ok = report.Below(p.root, path); !ok {
			i.path = filepath.ToSlash(path)
		}
		i.line = line
	}
	p.issues = append(p.issues, i)
}

// place is what an issue stands at: its method, or the component if no method is known.
func (i *issue) place() string {
	if i.method.Name == "" {
		return i.component
	}
	return i.method.Place()
}

// where is a path of an issue for formats that need one. Where the sources do not tell it, that
// is the file's name in the recording, the class, or the recording.
func (p *page) where(i *issue) string {
	return cmp.Or(i.path, i.file, i.method.Place(), words.Name(p.in.Path))
}

// version is that of the program.
func (p *page) version() string {
	if p.d.Report != nil {
		return p.d.Report.Tool.Version
	}
	return p.d.Profile.Tool.Version
}

// none says in a line that there are no issues, and of what.
func (p *page) none() string {
	if p.d.View == report.EnergyProfile {
		return words.NothingWasted(p.in)
	}
	r := p.d.Report
	switch said := words.NothingToSave(r.Subject.Energy, r.Reference.Energy, r.MostSaving(), p.scale); {
	case r.Summary.LittleInCommon:
		return "These runs have little in common: nothing can be called a saving."
	case r.Same != "":
		return r.Same
	case said != "":
		return said
	}
	return "No task and no method of the app that is listed costs the subject more: " + words.Basis(r.Spread) + "."
}

// verdict says in a line how the runs compare, and what a fleet says.
func (p *page) verdict() string {
	said := p.none()
	if len(p.issues) > 0 {
		said = p.found()
	}
	if r := p.d.Report; r != nil && r.Fleet != nil {
		said = strings.TrimSuffix(said, ".") + "; " + r.Fleet.Message
	}
	return said
}

// found says in a line what the issues come to.
func (p *page) found() string {
	wasted, others := units.Energy(0), 0
	for _, i := range p.issues {
		switch {
		case i.component != "":
			wasted += i.saving
		case !i.note():
			others++
		}
	}
	said := words.Name(p.in.Path)
	if r := p.d.Report; r != nil {
		here, there := words.Names(r.Subject.Path, r.Reference.Path)
		said = here + " against " + there
	}
	said += ": " + words.Some(len(p.issues), "finding")
	if others > 0 {
		s := &p.d.Report.Summary
		said += ", at most " + p.scale.Energy(s.Savable) + " could be saved, " + words.Share(s.Savable, p.in.Energy)
	}
	if wasted > 0 {
		said += ", components drain " + p.scale.Energy(wasted) + " for nothing, " + words.Share(wasted, p.in.Energy)
	}
	if r := p.d.Report; r != nil {
		said += "; " + words.Basis(r.Spread)
	}
	return said
}
