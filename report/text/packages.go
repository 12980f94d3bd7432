package text

import (
	"fmt"
	"io"
	"slices"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// Packages writes whose code each package is taken for.
func Packages(w io.Writer, r *report.Packages, o report.Options) error {
	p := newPage(o, r.Energy, r.Inputs...)
	for _, in := range r.Inputs {
		p.linef("%s%s", p.faint(pad("file", 11)), p.fileAnd(in))
	}
	names := make([]string, len(r.Packages))
	wide := cells("package")
	for i, pkg := range r.Packages {
		switch {
		case pkg.Name != "":
			names[i] = cutLeft(clean(pkg.Name), p.width/2)
		case pkg.Class == "":
			names[i] = "(no class)"
		default:
			names[i] = "(no package)"
		}
		wide = max(wide, cells(names[i]))
	}
	p.linef("")
	p.linef("%s", p.head(pad("package", wide)+fmt.Sprintf("  code       methods  %10s   share  decided by", p.scale.Noun())))
	for i, pkg := range r.Packages {
		class := pad(pkg.Class, 9)
		switch {
		case pkg.Own:
			class = p.bold(pad("own", 9))
		case pkg.Class == "":
			class = pad("caller's", 9)
		}
		why := clean(pkg.Rule)
		if pkg.Group != "" {
			why += " (" + clean(pkg.Group) + ")"
		}
		p.linef("%s  %s  %7s  %10s  %6s  %s", pad(names[i], wide), class, words.Count(pkg.Methods),
			p.amount(pkg.Energy), words.Percent(pkg.Share), why)
	}
	if hidden := r.Total - len(r.Packages); hidden > 0 {
		rest := r.Energy - r.Code.Outside
		for _, pkg := range r.Packages {
			rest -= pkg.Energy
		}
		p.linef("")
		p.linef("%s", p.faint(fmt.Sprintf("%s more, %s between them: --top 0 shows all.", words.Some(hidden, "package"), p.energy(rest))))
	}
	p.linef("")
	list := []part{
		{"the app's own", r.Code.Own}, {"the app's libraries", r.Code.Libraries}, {"the framework's", r.Code.Framework},
		{"without a class", r.Code.Callers}, {"outside of methods", r.Code.Outside},
	}
	p.parts("Whose methods drained the "+p.scale.Noun()+", in "+p.scale.Unit(), r.Energy, slices.DeleteFunc(list, func(part part) bool { return part.energy == 0 }))
	p.linef("")
	p.paragraph(p.faint, "--own-package, --app-package and --framework-package P decide otherwise; P may be a group, @kotlin.")
	return p.flush(w)
}
