package report

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// Packages lists the packages of one or more inputs, and the owner of each.
type Packages struct {
	SchemaVersion int          `json:"schemaVersion"`
	Tool          Tool         `json:"tool"`
	Inputs        []Input      `json:"inputs"`
	Energy        units.Energy `json:"energyNJ"`
	// Code divides the energy by owner. It includes packages that are not listed.
	Code CodeEnergy `json:"code"`
	// Total counts the packages. Packages has the packages with the most energy, sorted by energy.
	Total    int       `json:"total"`
	Packages []Package `json:"packages"`
}

// A CodeEnergy is the exclusive energy of the methods of each owner. The sum is the energy of the
// inputs.
type CodeEnergy struct {
	// Own is the energy of the app's own code. Libraries is the energy of the app's other code.
	Own       units.Energy `json:"ownNJ"`
	Libraries units.Energy `json:"librariesNJ"`
	Framework units.Energy `json:"frameworkNJ"`
	// Callers is the energy of methods without a class, and of classes whose packages the recordings
	// omit. Outside is the energy outside any method.
	Callers units.Energy `json:"callersNJ"`
	Outside units.Energy `json:"outsideNJ"`
}

// sum returns a pointer to the sum that a package contributes to.
func (c *CodeEnergy) sum(p finding.Package) *units.Energy {
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

// A Package is a package of the inputs.
type Package struct {
	// Name has dots; it is empty for methods without a package.
	Name string `json:"name"`
	// Class is "app" or "framework". It is empty for classes with an unknown owner, and for methods
	// without a class, because these belong to their callers.
	Class string `json:"class"`
	// Rule is the rule that decided Class, as the user gave it. Built-in rules are "table" for the
	// built-in table, "default" for packages that no rule names, and "program" for functions of the
	// only recorded program. If Class is empty, the rule is "unpackaged" for classes whose packages
	// the recordings omit, and "caller" otherwise.
	Rule string `json:"rule"`
	// Group is the package's group of libraries, empty for none.
	Group string `json:"group"`
	// Own is set if the package is the app's own code, which its developers can change. OwnBy is the
	// rule for that, a code of OwnCode. It is empty if Own is not set.
	Own   bool   `json:"own"`
	OwnBy string `json:"ownBy"`
	// Methods counts the called methods. A method counts once per input.
	Methods int `json:"methods"`
	// Energy is the exclusive energy of the package's methods. Share is its share of the energy of
	// all inputs. Of has the energy in each input, in the order of the inputs.
	Energy units.Energy   `json:"energyNJ"`
	Share  float64        `json:"share"`
	Of     []units.Energy `json:"inputsNJ"`
}

// NewPackages lists the first top packages of inputs. 0 means all packages. known decides the owners
// and the rules.
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
		*p.Code.sum(pkg) += pkg.Energy
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

// A PackageEnergy is the exclusive energy of a package's methods in both runs of a comparison.
type PackageEnergy struct {
	// Name has dots. It is empty for methods without a package. For energy outside any method it is
	// the label of the root.
	Name string `json:"name"`
	// Class is "app" or "framework". It is empty for methods without a class.
	Class     string       `json:"class"`
	Subject   units.Energy `json:"subjectNJ"`
	Reference units.Energy `json:"referenceNJ"`
}

// ownerName names the owner of a package's code. Code without an owner belongs to the caller.
var ownerName = map[platform.Owner]string{platform.Framework: "framework", platform.App: "app"}

// packageEnergies converts the result of finding.ByPackage.
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
