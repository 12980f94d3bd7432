package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A Basis is the evidence that distinguishes the app's own code from the libraries that it ships.
type Basis string

// These are the bases, from the strongest to the weakest.
const (
	// BySetting means that the user's rules name the package. In this case, all other code is not
	// the app's own code.
	BySetting Basis = "setting"
	// ByManifest means that the app's manifest names the package. BySources means that the app's
	// source code declares it.
	ByManifest Basis = "manifest"
	BySources  Basis = "sources"
	// ByMapping means that the app's mapping file has classes in the package, and that the package
	// is in no known library group.
	ByMapping Basis = "mapping"
	// ByTrace means that the package is in no known library group. There is no other evidence.
	ByTrace Basis = "trace"
)

// Bases returns all bases, from the strongest to the weakest.
func Bases() []Basis { return []Basis{BySetting, ByManifest, BySources, ByMapping, ByTrace} }

// Evidence names packages of the app, in addition to the user's rules. The order of the names
// does not matter.
type Evidence struct {
	// Manifest lists the packages in the app's manifest. Sources lists the packages declared by its
	// source code. A package with at least two parts includes the packages below it.
	Manifest, Sources []string
	// Mapping has the packages of the classes in the app's mapping file. They include libraries.
	Mapping []string
}

// An Ownership decides which methods of one run are the app's own code. Developers of the app can
// change this code. It is immutable and safe for concurrent use.
type Ownership struct {
	platform *Platform
	// declared maps packages to the evidence that names them. listed has the packages of a
	// mapping file. At most one of them is not nil.
	declared map[string]Basis
	listed   map[string]bool
}

// Ownership determines the owners of the methods that ran. If the user has rules for own packages,
// only these rules decide. Otherwise the manifest and the sources decide, if one of their packages
// ran. If none did, the mapping file decides, if one of its packages ran. As a last resort, the
// known libraries decide. So evidence about another app is ignored.
func (p *Platform) Ownership(e Evidence, ran []name.Method) *Ownership {
	o := &Ownership{platform: p}
	if p.own != nil {
		return o
	}
	declared := make(map[string]Basis, len(e.Sources)+len(e.Manifest))
	for _, pkg := range e.Sources {
		declared[pkg] = BySources
	}
	for _, pkg := range e.Manifest {
		declared[pkg] = ByManifest
	}
	listed := make(map[string]bool, len(e.Mapping))
	for _, pkg := range e.Mapping {
		listed[pkg] = true
	}
	for _, tried := range []Ownership{{platform: p, declared: declared}, {platform: p, listed: listed}} {
		if len(tried.declared)+len(tried.listed) > 0 && slices.ContainsFunc(ran, func(m name.Method) bool { return tried.Own(m) != "" }) {
			return &tried
		}
	}
	return o
}

// Own returns the basis for the decision that a method is the app's own code. It returns the empty
// Basis if the method is not own code. It depends on the same inputs as [Platform.Owner], and takes
// the same time.
func (o *Ownership) Own(m name.Method) Basis {
	p := o.platform
	switch {
	case m.IsSlice() && p.Owner(m) == App: // Slices have no packages.
		return ByTrace
	case p.own != nil && p.own.Has(m):
		return BySetting
	case p.own != nil, p.Owner(m) != App:
		return ""
	case o.declared != nil:
		return o.declares(m.Scope)
	case p.Library(m) != "":
		return ""
	case o.listed == nil:
		return ByTrace
	case o.listed[m.Scope]:
		return ByMapping
	}
	return ""
}

// declares returns the basis of a package, or else of the nearest package above it.
func (o *Ownership) declares(pkg string) Basis {
	for at := pkg; ; at = at[:strings.LastIndexByte(at, '.')] {
		if by := o.declared[at]; by != "" {
			return by
		}
		if strings.Count(at, ".") < 2 {
			return ""
		}
	}
}
