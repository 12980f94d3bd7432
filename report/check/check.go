// Package check writes what a comparison found for programs that show it beside changes of
// source code: SARIF, annotations of GitHub, code quality of GitLab, JUnit, and a table as
// CSV.
//
// An issue is a task, or a method of the app, that costs the subject more than the reference,
// as far as the document lists it; where runs were repeated, only with evidence. It stands at
// the app's own method that leads to it. Its identity is the finding's: it survives moved
// lines. A document without issues gives a file that says so.
package check

import (
	"cmp"
	"path/filepath"

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
	// method is the own method that leads to the task, or that drains itself.
	method name.Method
	// path is the file of the method, relative to the root with slashes, empty if the sources do
	// not tell; line is 0 if unknown. file is the name that the recording has of it.
	path, file string
	line       int
	// share is what of the subject could be saved.
	share  float64
	saving units.Energy
}

// A page is a document under way.
type page struct {
	d      *report.Document
	scale  words.Scale
	issues []issue
}

// newPage finds the issues of a document, in its order.
func newPage(d *report.Document, o report.Options) *page {
	r := d.Report
	p := &page{d: d, scale: words.Each(d.Result.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage))}
	if r.Summary.LittleInCommon {
		return p
	}
	for _, at := range r.Ranking() {
		row := r.Row(at)
		if row.Saving <= 0 || row.Verdict == words.Perhaps || r.Repeats != nil && !row.Evidence.Evident() {
			continue
		}
		i := issue{saving: row.Saving, share: units.Share(row.Saving, r.Subject.Energy)}
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
			if t.Peer == nil {
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
		i.message += "; " + words.Basis(r.Spread)
		i.method = r.Methods[place.Method].At(place.File, place.Line)
		i.file, i.line = place.File, place.Line
		if path, line, ok := d.Result.Declared(i.method); ok {
			if i.path, ok = report.Below(o.Root, path); !ok {
				i.path = filepath.ToSlash(path)
			}
			i.line = line
		}
		p.issues = append(p.issues, i)
	}
	return p
}

// none says in a line that there are no issues, and of what.
func (p *page) none() string {
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

// verdict says in a line how the runs compare.
func (p *page) verdict() string {
	r := p.d.Report
	if len(p.issues) == 0 {
		return p.none()
	}
	return words.Name(r.Subject.Path) + " against " + words.Name(r.Reference.Path) + ": " +
		words.Some(len(p.issues), "finding") + ", at most " + p.scale.Energy(r.Summary.Savable) + " could be saved, " + words.Share(r.Summary.Savable, r.Subject.Energy) + "; " + words.Basis(r.Spread)
}
