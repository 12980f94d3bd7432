package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Packages lists the packages of one or more inputs and whose code each is.
type Packages struct {
	SchemaVersion int          `json:"schemaVersion"`
	Tool          Tool         `json:"tool"`
	Inputs        []Input      `json:"inputs"`
	Energy        units.Energy `json:"energyNJ"`
	// Packages come largest energy first.
	Packages []Package `json:"packages"`
}

// A Package is a package as the inputs have it between them.
type Package struct {
	// Name has dots; it is empty for methods without a package.
	Name string `json:"name"`
	// Class is "app" or "framework"; empty for methods without a class, which are
	// whoever's calls them.
	Class string `json:"class"`
	// Rule is what decided so: the rule as it was given, "table" for the built-in
	// table, "default" for what nothing names, "caller" where Class is empty.
	Rule string `json:"rule"`
	// Methods counts the methods that were called, each once an input.
	Methods int `json:"methods"`
	// Energy is what was drained in the package's methods themselves, Share its
	// part of all inputs together.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
}

// NewPackages lists the packages of inputs; known says whose each is and by which
// rule.
func NewPackages(inputs []*analysis.Input, version string, known *platform.Platform) *Packages {
	p := &Packages{
		SchemaVersion: SchemaVersion,
		Tool:          Tool{Name: "diffprof", Version: version},
		Inputs:        make([]Input, len(inputs)),
		Packages:      []Package{},
	}
	type key struct {
		name  string
		owner platform.Owner
	}
	found := map[key]*Package{}
	for i, in := range inputs {
		p.Inputs[i] = newInput(*in)
		p.Energy += in.Energy
		tree := in.Tree.Source
		packages := make([]*Package, len(tree.Methods)) // by method
		for _, n := range tree.Nodes[1:] {
			pkg := packages[n.Method]
			if pkg == nil {
				m := tree.Methods[n.Method]
				owner, rule := known.Decide(m)
				at := key{m.Scope, owner}
				if pkg = found[at]; pkg == nil {
					pkg = &Package{Name: m.Scope, Class: ownerName[owner], Rule: rule}
					found[at] = pkg
				}
				packages[n.Method] = pkg
				pkg.Methods++
			}
			pkg.Energy += n.Exclusive
		}
	}
	for _, pkg := range found {
		pkg.Share = units.Share(pkg.Energy, p.Energy)
		p.Packages = append(p.Packages, *pkg)
	}
	slices.SortFunc(p.Packages, func(a, b Package) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Class, b.Class))
	})
	return p
}

// A PackageEnergy is what the methods of a package drained by themselves, without
// what they call, on either side of a comparison.
type PackageEnergy struct {
	// Name has dots. It is empty for methods without a package, and the root's
	// label for what was drained outside of any method.
	Name string `json:"name"`
	// Class is "app" or "framework"; empty for methods without a class.
	Class     string       `json:"class"`
	Subject   units.Energy `json:"subjectNJ"`
	Reference units.Energy `json:"referenceNJ"`
}

// ownerName and className name whose code a package is: "" where it is the caller's.
var (
	ownerName = map[platform.Owner]string{platform.Framework: "framework", platform.App: "app"}
	className = map[preprocess.Kind]string{preprocess.Framework: "framework", preprocess.App: "app"}
)

// byPackage lists the packages that drained something, those that drained most on
// either side first.
func byPackage(r *analysis.Result) []PackageEnergy {
	type key struct{ name, class string }
	found := map[key][2]units.Energy{}
	for side, tree := range []*preprocess.Tree{r.Subject.Tree, r.Reference.Tree} {
		add := func(at key, e units.Energy) {
			if e != 0 {
				sums := found[at]
				sums[side] += e
				found[at] = sums
			}
		}
		drained := make([]units.Energy, len(tree.Source.Methods))
		for i := range tree.Source.Nodes {
			if n := &tree.Source.Nodes[i]; n.Method == cct.NoMethod {
				add(key{name: cct.RootLabel}, n.Exclusive)
			} else {
				drained[n.Method] += n.Exclusive
			}
		}
		for i, e := range drained {
			m := &tree.Source.Methods[i]
			add(key{m.Scope, className[tree.MethodKind(trace.MethodID(i))]}, e)
		}
	}
	packages := make([]PackageEnergy, 0, len(found))
	for at, sums := range found {
		packages = append(packages, PackageEnergy{Name: at.name, Class: at.class, Subject: sums[0], Reference: sums[1]})
	}
	slices.SortFunc(packages, func(a, b PackageEnergy) int {
		return cmp.Or(cmp.Compare(max(b.Subject, b.Reference), max(a.Subject, a.Reference)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Class, b.Class))
	})
	return packages
}

// WriteJSON writes the list as indented JSON, ended by a newline.
func (p *Packages) WriteJSON(w io.Writer) error { return writeJSON(w, p) }
