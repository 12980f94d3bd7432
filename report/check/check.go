// Package check writes the findings of a comparison or of a run's profile for programs that show
// them next to source changes: SARIF, annotations of GitHub, code quality of GitLab, JUnit, and a
// CSV table.
//
// There are three kinds of issues:
//
//   - a listed row of a comparison whose difference counts (see package finding);
//   - a task that the data of many devices (a fleet) makes suspect. It is a note, unless its difference counts;
//   - energy that components use without need, in the run or in the subject.
//
// The place of an issue is the app's own method that causes it. The identity of an issue is the
// finding's identity, which does not change when lines move. A document without issues results in a
// file that states this.
package check

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// An issue is one finding at its place.
type issue struct {
	id   string
	code finding.Code
	// message is a sentence. title has a few words.
	message, title string
	// method is the app's own method that leads to the task or uses the energy itself. It may be
	// unknown for a component.
	method name.Method
	// component is the part of the device that uses energy without need. It is empty for other
	// issues.
	component string
	// doubt is set if the energy may have been needed.
	doubt bool
	// path is the file of the method, relative to the root, with slashes. It is empty if the sources
	// do not have the method. line is 0 if unknown. file is the file's name in the recording.
	path, file string
	line       int
	// severity is a value of finding.Severity.
	severity string
	saving   units.Energy
	// suspect is the reason why a fleet makes the task suspect, or nil.
	suspect *report.Suspect
}

// note reports whether an issue only informs: it is small, or the two runs alone do not show it.
func (i issue) note() bool { return i.severity != "error" && i.severity != "warning" }

// severityOf returns the severity of a finding with a saving.
func severityOf(d *report.Document, saving units.Energy) string {
	if d.Set != nil {
		return d.Set.Severity.Level(d.Set.Share(saving))
	}
	return finding.DefaultSeverity().Level(units.Share(saving, d.Input.Energy))
}

// A page is the state of rendering a document.
type page struct {
	d       *report.Document
	scale   words.Scale
	root    string
	options report.Options
	// in is the run that has the issues. In a comparison it is the subject.
	in     *analysis.Input
	issues []issue
}

// newPage finds the issues of a document, in its order.
func newPage(d *report.Document, o report.Options) *page {
	p := &page{d: d, root: o.Root, options: o}
	if d.View == report.EnergyProfile {
		p.in, p.scale = d.Input, words.ScalePerFigure(d.Input.Unit(o.Unit), cmp.Or(o.Voltage, d.Profile.Voltage))
	} else {
		p.in, p.scale = &d.Set.Result.Subject, words.ScalePerFigure(d.Set.Result.Unit(o.Unit), cmp.Or(o.Voltage, d.Report.Voltage))
		p.compared(d.Report)
	}
	p.wasted()
	return p
}

// compared adds issues for suspect tasks, and for rows with which the subject uses more energy.
func (p *page) compared(r *report.Report) {
	for _, at := range r.Ranking() {
		row := r.Row(at)
		if !row.IsFinding && row.Suspect == nil {
			continue
		}
		i := issue{saving: row.Saving, severity: cmp.Or(row.Severity, "hint"), suspect: row.Suspect}
		var place report.Place
		var callee name.Method
		if at.Code {
			c := &r.AppCode[at.Index]
			i.id, i.code, i.message, place = c.ID, finding.CostlierCode, c.Message, c.Place
			if c.Kind != "method" && len(c.Parts) > 0 {
				place = c.Parts[0].Place
			}
			i.title = r.Methods.Short(c.Method) + " itself"
		} else {
			t := &r.Tasks[at.Index]
			i.id, i.code, i.message = t.ID, finding.CostlierTask, t.Message
			switch {
			case !row.IsFinding:
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
			if task, ok := p.d.Set.ByID(t.ID); ok {
				callee = p.d.Set.Callee(task, place.Method)
			}
			i.title = r.Methods.Short(t.Method)
		}
		verdict := row.Verdict.Words()
		if row.IsFinding {
			verdict = words.Interval(row.Saving, finding.Interval{Least: row.SavingLeast, Most: row.SavingMost}, p.scale) + " could be saved"
		}
		i.title += ": " + verdict
		if text := r.SuspectOf(i.suspect); text != "" {
			i.title += ", suspect"
			i.message += "; " + text
		}
		i.message += "; " + p.basis()
		p.add(i, r.Methods[place.Method].At(place.File, place.At()), callee)
	}
}

// wasted adds issues for energy that components use without need.
func (p *page) wasted() {
	for _, w := range finding.Wastes(p.in) {
		who := w.Method.Short()
		if len(w.Path) == 0 {
			who = "an unknown call"
		}
		severity, why := severityOf(p.d, w.Saving.Most), " for nothing"
		if w.Caveat != "" {
			severity, why = "hint", " possibly for nothing"
		}
		p.add(issue{
			id: w.ID, code: w.Code, component: w.Component, saving: w.Saving.Most, severity: severity, doubt: w.Caveat != "",
			title:   w.Component + " by " + who + ": " + p.scale.Energy(w.Saving.Most) + why,
			message: strings.TrimSuffix(words.Waste(&w, p.in), "."),
		}, w.Method, name.Method{})
	}
}

// add adds an issue at a method, or at the method's call of the callee.
func (p *page) add(i issue, at, callee name.Method) {
	i.method, i.file, i.line = at, at.File, at.Line
	if path, line, ok := p.in.Called(at, callee); ok {
		if i.path, ok = report.RelativePath(p.root, path); !ok {
			i.path = filepath.ToSlash(path)
		}
		i.line = line
	}
	i.title, i.message = clean(i.title), clean(i.message)
	p.issues = append(p.issues, i)
}

// place names the place of an issue: its method, or the component if no method is known.
func (i *issue) place() string {
	if i.method.Name == "" {
		return i.component
	}
	return clean(i.method.Place())
}

// where returns a path of an issue for formats that need one. If the sources do not have the file,
// it returns the file's name in the recording, the class, or the recording.
func (p *page) where(i *issue) string {
	return clean(cmp.Or(i.path, i.file, i.method.Place(), words.Name(p.in.Path)))
}

// version returns the version of the program.
func (p *page) version() string {
	if p.d.Report != nil {
		return p.d.Report.Tool.Version
	}
	return p.d.Profile.Tool.Version
}

// basis says how many runs the issues are based on.
func (p *page) basis() string {
	basis, _, _ := strings.Cut(p.d.Report.Spread, ":")
	return strings.ToLower(basis[:1]) + basis[1:]
}

// verdict returns one line: the result of the comparison, the sum of the issues, and the fleet's
// result.
func (p *page) verdict() string {
	if p.d.View == report.EnergyProfile {
		if len(p.issues) == 0 {
			return words.NothingWasted(p.in)
		}
		return words.Name(p.in.Path) + ": " + words.Some(len(p.issues), "finding") + p.wastes()
	}
	summary := strings.Join(p.d.Report.Headline(p.options).Sentences(), " ")
	if wastes := p.wastes(); wastes != "" {
		summary += " C" + strings.TrimPrefix(wastes, ", c") + "."
	}
	if fleet := p.d.Report.Fleet; fleet != nil {
		summary = strings.TrimSuffix(summary, ".") + "; " + fleet.Message
	}
	return clean(summary)
}

// wastes states the wasted energy of components, after a comma. It returns "" if no energy is
// wasted.
func (p *page) wastes() string {
	wasted := units.Energy(0)
	for _, i := range p.issues {
		if i.component != "" && !i.doubt {
			wasted += i.saving
		}
	}
	if wasted == 0 {
		return ""
	}
	return ", components use " + p.scale.Energy(wasted) + " for nothing, " + words.Share(wasted, p.in.Energy)
}
