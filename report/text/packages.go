package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Packages writes the owner of each package.
func Packages(w io.Writer, r *report.Packages, o report.Options) error {
	p := newPage(o, r.Energy, r.Inputs...)
	for i, in := range r.Inputs {
		name := "file"
		if len(r.Inputs) > 1 {
			name = fmt.Sprintf("file %d", i+1)
		}
		p.linef("%s%s", p.faint(pad(name, 11)), p.fileAndEnergy(in))
	}
	p.linef("")
	p.packages(r)
	if hidden := r.Total - len(r.Packages); hidden > 0 {
		rest := r.Energy - r.Code.Outside
		for _, pkg := range r.Packages {
			rest -= pkg.Energy
		}
		p.linef("")
		p.linef("%s", p.faint(fmt.Sprintf("%s more, %s in all: --top 0 shows all.", words.Some(hidden, "package"), p.energy(rest))))
	}
	p.linef("")
	callers := "without a class"
	if slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return in.OwnCode.Unknown }) {
		callers = "without a package"
	}
	list := []part{
		{"the app's own", r.Code.Own}, {"the rest of the app", r.Code.Libraries}, {"the framework's", r.Code.Framework},
		{callers, r.Code.Callers}, {"outside of methods", r.Code.Outside},
	}
	p.parts("Where the "+p.scale.Noun()+" went, by owner of the methods, in "+p.scale.Unit(), r.Energy, slices.DeleteFunc(list, func(part part) bool { return part.energy == 0 }))
	p.linef("")
	p.paragraph(p.faint, "--own-package, --app-package and --framework-package P change the owner; P may be a group such as @kotlin.")
	return p.flush(w)
}

// maxInputs is the largest number of inputs that get a column each.
const maxInputs = 3

// packages writes the table of packages. Each has its energy, its owner, and the rule that decided
// the owner.
func (p *page) packages(r *report.Packages) {
	each := len(r.Inputs) > 1 && len(r.Inputs) <= maxInputs
	// On a narrow page, names need the space.
	all := !each || p.width >= wideEnough
	heading := table.Row{}
	figure := func(row table.Row, energy, share string) table.Row {
		if row = append(row, energy); all {
			row = append(row, share)
		}
		return row
	}
	if each {
		for i := range r.Inputs {
			heading = figure(heading, fmt.Sprintf("file %d", i+1), "share")
		}
	} else {
		heading = figure(heading, p.scale.Noun(), "share")
	}
	if all {
		heading = append(heading, "methods")
	}
	whose, why := make([]string, len(r.Packages)), make([]string, len(r.Packages))
	wide := cells("decided by")
	for i, pkg := range r.Packages {
		whose[i], why[i] = owner(pkg.Class, pkg.Own), clean(decidedBy(pkg))
		wide = max(wide, cells(why[i]))
	}
	wide = min(wide, p.width/4)
	rows := make([]table.Row, len(r.Packages))
	for i, pkg := range r.Packages {
		row := table.Row{}
		if each {
			for n, e := range pkg.ByInput {
				row = figure(row, p.amount(e), words.Percent(units.Share(e, r.Inputs[n].Energy)))
			}
		} else {
			row = figure(row, p.amount(pkg.Energy), words.Percent(pkg.Share))
		}
		if all {
			row = append(row, words.Count(pkg.Methods))
		}
		rows[i] = append(row, whose[i], pad(cutWords(why[i], wide), wide))
	}
	lines := aligned(append(heading, owner("code", false), pad("decided by", wide)), rows)
	names, longest := make([]string, len(r.Packages)), cells("package")
	for i, pkg := range r.Packages {
		names[i] = packageName(pkg)
		longest = max(longest, cells(names[i]))
	}
	longest = min(longest, p.width-cells(lines[0]))
	p.linef("%s", p.head(pad("package", longest)+"  "+strings.TrimRight(lines[0], " ")))
	for i, pkg := range r.Packages {
		name := pad(cutLeft(names[i], longest), longest)
		if pkg.Own {
			name = p.bold(name)
		}
		p.linef("%s  %s", name, strings.TrimRight(lines[i+1], " "))
	}
}

// packageName returns the name of a package in the table.
func packageName(pkg report.Package) string {
	switch {
	case pkg.Name == "" && pkg.Rule == "caller":
		return "(no class)"
	case pkg.Name == "":
		return "(no package)"
	}
	return clean(pkg.Name)
}

// decidedBy names the rule for a package's owner: the user's rule, the rule for own code, or the
// group of libraries.
func decidedBy(pkg report.Package) string {
	switch {
	case pkg.Rule == "default" && pkg.Own:
		return pkg.OwnBy
	case pkg.Rule == "default" && pkg.Group != "":
		return pkg.Group
	case pkg.Group != "" && !strings.EqualFold(pkg.Rule, "@"+pkg.Group):
		return pkg.Rule + " " + pkg.Group
	}
	return pkg.Rule
}
