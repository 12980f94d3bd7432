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
	// Code is the energy by owner, such as the app or the framework. It includes unlisted packages.
	Code CodeEnergy `json:"code"`
	// Total counts all packages. Packages lists those with the most energy.
	Total    int       `json:"total"`
	Packages []Package `json:"packages"`
}

// A CodeEnergy is the energy of all inputs by the owner of the code, without callees.
type CodeEnergy struct {
	// Own is the app's own code, and Libraries the other code in the app.
	Own       units.Energy `json:"ownNJ"`
	Libraries units.Energy `json:"librariesNJ"`
	Framework units.Energy `json:"frameworkNJ"`
	// Callers is code without a known owner, which counts as its caller's: methods without a class,
	// and classes without a package. Outside is outside any method.
	Callers units.Energy `json:"callersNJ"`
	Outside units.Energy `json:"outsideNJ"`
}

// sum returns the field to which a package's energy is added.
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
	// without a class.
	Class string `json:"class"`
	// Rule is the rule that decided Class. Rules are as the user gave them, or:
	//
	//   - "table" for the built-in table;
	//   - "default" if no rule names the package;
	//   - "program" for functions of the only recorded program;
	//   - "unpackaged" for classes whose packages the recording omits;
	//   - "caller" for other code with an empty Class.
	Rule string `json:"rule"`
	// Group is the name of the group of libraries that the package is in, or empty.
	Group string `json:"group"`
	// Own is set for the app's own code, which its developers can change. OwnBy is the rule, as in
	// OwnCode.By. It is empty if Own is not set.
	Own   bool   `json:"own"`
	OwnBy string `json:"ownBy"`
	// Methods counts the called methods, in each input separately.
	Methods int `json:"methods"`
	// Energy excludes callees. Share is its share of the energy of all inputs. ByInput is the
	// energy in each input.
	Energy  units.Energy   `json:"energyNJ"`
	Share   float64        `json:"share"`
	ByInput []units.Energy `json:"inputsNJ"`
}

// NewPackages lists the packages of inputs with the most energy: the first top, or all if top is 0.
// known has the rules for owners.
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
			Energy: pkg.Energy, Share: units.Share(pkg.Energy, p.Energy), ByInput: pkg.Inputs,
		})
	}
	return p
}

// A PackageEnergy is the energy of a package's methods in both runs, without callees.
type PackageEnergy struct {
	// Name has dots. It is empty for methods without a package. For energy outside any method, it
	// is the root's label.
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
