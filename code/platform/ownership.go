package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// A Basis is what tells the app's own code from the libraries that it ships.
type Basis string

// The bases, the one that counts most first.
const (
	// BySetting: the user's rules name it, and nothing else is the app's own.
	BySetting Basis = "setting"
	// ByManifest and BySources: the app's manifest names the package, or its source
	// code declares it.
	ByManifest Basis = "manifest"
	BySources  Basis = "sources"
	// ByMapping: the app's mapping file has classes in the package, which is in no
	// known group of libraries.
	ByMapping Basis = "mapping"
	// ByTrace: the package is in no known group of libraries. Nothing more is known.
	ByTrace Basis = "trace"
)

// Bases returns all bases, the one that counts most first.
func Bases() []Basis { return []Basis{BySetting, ByManifest, BySources, ByMapping, ByTrace} }

// Evidence names packages of the app, beside the user's rules. The order of the names
// does not matter.
type Evidence struct {
	// Manifest are those that the app's manifest names, and Sources those that its source
	// code declares. Each stands for the packages below it, too, if it has two parts or
	// more.
	Manifest, Sources []string
	// Mapping are those of the classes in the app's mapping file, libraries' among them.
	Mapping []string
}

// An Ownership says which methods of one run are of the app's own code, which its
// developers can change where they work. It is immutable and safe for concurrent use.
type Ownership struct {
	platform *Platform
	// declared are packages by what names them; listed are those of a mapping file. One
	// of them is nil, or both.
	declared map[string]Basis
	listed   map[string]bool
}

// Ownership says whose the methods that ran are. The user's rules for own packages
// decide alone if there are any. Otherwise the manifest and the sources decide if a package
// of theirs is among those that ran, else the mapping file if one of its is, else what
// is known of libraries: evidence of another app says nothing about a run.
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

// Own returns what says that a method is of the app's own code, or the empty Basis if
// it is not. It depends on what [Platform.Owner] depends on, and costs as much.
func (o *Ownership) Own(m name.Method) Basis {
	p := o.platform
	switch {
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

// declares returns what declares a package, or the nearest above it.
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
