package report

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// Packages lists the packages of one or more inputs and whose code each is.
type Packages struct {
	SchemaVersion int          `json:"schemaVersion"`
	Tool          Tool         `json:"tool"`
	Inputs        []Input      `json:"inputs"`
	Energy        units.Energy `json:"energyNJ"`
	// Code says whose methods drained it, listed or not.
	Code CodeEnergy `json:"code"`
	// Total counts the packages. Packages are the first of them, largest energy first.
	Total    int       `json:"total"`
	Packages []Package `json:"packages"`
}

// A CodeEnergy is what the methods of each owner drained themselves. It adds up to the
// energy of the inputs.
type CodeEnergy struct {
	// Own is the app's own code's, Libraries what else belongs to the app.
	Own       units.Energy `json:"ownNJ"`
	Libraries units.Energy `json:"librariesNJ"`
	Framework units.Energy `json:"frameworkNJ"`
	// Callers is what methods without a class drained, and those of classes whose packages the
	// recordings leave out, Outside what no method did.
	Callers units.Energy `json:"callersNJ"`
	Outside units.Energy `json:"outsideNJ"`
}

// of returns the sum that a package belongs to.
func (c *CodeEnergy) of(p finding.Package) *units.Energy {
	switch {
	case p.Own != "":
		return &c.Own
	case p.Owner == platform.App:
		return &c.Libraries
	case p.Owner == platform.Framework:
		return &c.Framework
	}
	return &c.Callers
}

// A Package is a package as the inputs have it between them.
type Package struct {
	// Name has dots; it is empty for methods without a package.
	Name string `json:"name"`
	// Class is "app" or "framework"; empty for methods without a class, which are
	// whoever's calls them, and for classes of which nothing tells whose they are.
	Class string `json:"class"`
	// Rule is what decided so: the rule as it was given, "table" for the built-in
	// table, "default" for what nothing names, "program" for the functions of a program that
	// ran alone; where Class is empty "unpackaged" for classes
	// whose packages the recordings leave out, and else "caller".
	Rule string `json:"rule"`
	// Group is the group of libraries that the package is in, empty for none.
	Group string `json:"group"`
	// Own says whether the package is the app's own, which its developers can change. OwnBy is the
	// rule for that, a code of OwnCode. It is empty if Own is not set.
	Own   bool   `json:"own"`
	OwnBy string `json:"ownBy"`
	// Methods counts the methods that were called, each once an input.
	Methods int `json:"methods"`
	// Energy is what was drained in the package's methods themselves, Share its
	// part of all inputs together. Of is the energy by input, in their order.
	Energy units.Energy   `json:"energyNJ"`
	Share  float64        `json:"share"`
	Of     []units.Energy `json:"inputsNJ"`
}

// NewPackages lists the first top packages of inputs, 0 is all; known says whose each is
// and by which rule.
func NewPackages(inputs []*analysis.Input, version string, known *platform.Platform, top int) *Packages {
	p := &Packages{
		SchemaVersion: SchemaVersion,
		Tool:          Tool{Name: "diffprof", Version: version},
		Inputs:        make([]Input, len(inputs)),
		Packages:      []Package{},
	}
	for i, in := range inputs {
		p.Inputs[i] = newInput(*in)
		p.Energy += in.Energy
	}
	found := finding.Packages(inputs, known)
	p.Total, p.Code.Outside = len(found), p.Energy
	for i, pkg := range found {
		*p.Code.of(pkg) += pkg.Energy
		p.Code.Outside -= pkg.Energy
		if top > 0 && i >= top {
			continue
		}
		p.Packages = append(p.Packages, Package{
			Name: pkg.Name, Class: ownerName[pkg.Owner], Rule: pkg.Rule, Group: pkg.Group, Own: pkg.Own != "", OwnBy: string(pkg.Own), Methods: pkg.Methods,
			Energy: pkg.Energy, Share: units.Share(pkg.Energy, p.Energy), Of: pkg.Inputs,
		})
	}
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

// ownerName names the owner of a package's code. Code without an owner belongs to the caller.
var ownerName = map[platform.Owner]string{platform.Framework: "framework", platform.App: "app"}

// packageEnergies converts the list of package finding.
func packageEnergies(r *analysis.Result) []PackageEnergy {
	found := finding.ByPackage(r)
	packages := make([]PackageEnergy, len(found))
	for i, p := range found {
		packages[i] = PackageEnergy{Name: p.Name, Class: ownerName[p.Owner], Subject: p.Subject, Reference: p.Reference}
	}
	return packages
}

// WriteJSON writes the list as indented JSON, ended by a newline.
func (p *Packages) WriteJSON(w io.Writer) error { return writeJSON(w, p) }
