package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A Basis is the kind of evidence that code is the app's own, not a library's.
type Basis string

// The bases, from the strongest to the weakest.
const (
	// BySetting means that the user's rules name the package. All code that they do not name is
	// then not the app's own.
	BySetting Basis = "setting"
	// ByManifest means that the app's manifest names the package. BySources means that the app's
	// source code declares the package.
	ByManifest Basis = "manifest"
	BySources  Basis = "sources"
	// ByMapping means that the app's mapping file has classes in the package, and that the package
	// does not belong to a known library.
	ByMapping Basis = "mapping"
	// ByTrace means that the package does not belong to a known library. There is no other
	// evidence.
	ByTrace Basis = "trace"
)

// Bases returns all bases, from the strongest to the weakest.
func Bases() []Basis { return []Basis{BySetting, ByManifest, BySources, ByMapping, ByTrace} }

// Evidence has package names of the app, in addition to the user's rules. Their order does not
// matter.
type Evidence struct {
	// Manifest lists the packages in the app's manifest. Sources lists the packages that its source
	// code declares. A package with at least two parts includes the packages below it.
	Manifest, Sources []string
	// Mapping lists the packages of the classes in the app's mapping file, including libraries.
	Mapping []string
}

// An Ownership decides which methods of a run are the app's own code: the code that its developers
// can change. It is immutable and safe for concurrent use.
type Ownership struct {
	platform *Platform
	// declared has the packages of the manifest and the sources. listed has the packages of the
	// mapping file. At most one of the maps is not nil.
	declared map[string]Basis
	listed   map[string]bool
}

// Ownership determines which of the methods that ran are the app's own. It uses the first of these
// that applies:
//
//  1. The user's rules for own packages.
//  2. The manifest and the sources, if one of their packages ran.
//  3. The mapping file, if one of its packages ran.
//  4. All code of the app outside of known libraries.
//
// So evidence about another app is ignored.
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

// Own returns the evidence that a method is the app's own code, or "" if it is not. It depends on
// the same parts of the method as [Platform.Owner], and takes the same time.
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

// declares returns the evidence for a package, or for the nearest declared package above it.
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
