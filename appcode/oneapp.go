package appcode

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
)

// A Basis is the evidence that two runs belong to one app.
type Basis uint8

// The bases, in the order in which they are looked for.
const (
	// NoBasis: nothing shows that the runs belong to one app.
	NoBasis Basis = iota
	// Classes: the runs have own classes in common.
	Classes
	// Binary: the runs have own functions of one program, module or source file in common.
	Binary
	// Functions: the runs have own functions in common, whose program is not known or has
	// another name.
	Functions
	// Packages: the runs have own packages in common.
	Packages
	// Shape: own methods under other names have the same shape: they call the same
	// F-methods, from the same places.
	Shape
)

// String names the basis as reports do.
func (b Basis) String() string {
	return [...]string{"", "classes", "binary", "functions", "packages", "shape"}[b]
}

// An identity names own code: a class, or a function that has none.
type identity struct{ place, function string }

// names are the identities of a run's own code.
type names struct {
	// classes and functions are by their whole names, symbols without their places.
	// stripped are files of which no function has a name.
	classes, functions, symbols, packages, stripped map[identity]bool
	// methods are the names of methods in packages of the JVM, without those that any class may
	// have.
	methods map[identity]bool
}

// names collects the identities of the run's own code, without those that two apps may have by
// chance.
func (r *run) names(own func(trace.MethodID) bool) names {
	var n names
	for _, set := range []*map[identity]bool{&n.classes, &n.functions, &n.symbols, &n.packages, &n.stripped, &n.methods} {
		*set = make(map[identity]bool)
	}
	for _, s := range r.sides {
		m := s.Method
		if !own(s.Parts[0].Method) || ofBrowser(m) {
			continue
		}
		if tellingPackage(m) {
			n.packages[identity{place: m.Scope}] = true
			if m.Lang == name.JVM && !anyMethod(m.Name) {
				n.methods[identity{m.Scope, m.Name}] = true
			}
		}
		switch {
		case m.Type != "":
			if telling(m) && !(m.Scope == "" && generic[strings.ToLower(m.Type)]) {
				n.classes[identity{place: m.Place()}] = true
			}
		case m.IsAddress():
			if file := m.Package(); len(file) > 2 && !generic[file] {
				n.stripped[identity{place: file}] = true
			}
		case len(m.Name) > 2 && !generic[strings.ToLower(m.Name)]:
			n.functions[identity{m.Package(), m.Name}] = true
			n.symbols[identity{function: m.Name}] = true
		}
	}
	return n
}

// anyMethod reports whether classes of any two apps may have a method of this name: constructors,
// callbacks of the system and generic names.
func anyMethod(called string) bool {
	if len(called) > 2 && strings.HasPrefix(called, "on") && called[2] >= 'A' && called[2] <= 'Z' {
		return true
	}
	return strings.HasPrefix(called, "<") || generic[strings.ToLower(called)]
}

// ofBrowser reports whether a script is part of a browser, such as what records a profile.
func ofBrowser(m name.Method) bool {
	return m.Lang == name.JavaScript && (strings.HasPrefix(m.Scope, "resource://") || strings.HasPrefix(m.Scope, "chrome://") || strings.HasPrefix(m.Scope, "self-hosted"))
}

// tellingPackage reports whether two apps do not have a method's package by chance: a package of
// the JVM, or the path of a script.
func tellingPackage(m name.Method) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(m.Scope, prefix) }
	switch m.Lang {
	case name.JVM:
		return strings.Contains(m.Scope, ".") && len(m.Scope) > shortestPackage && !begins("com.example")
	case name.JavaScript, name.Python:
		return strings.Count(m.Scope, "/") >= fewestFolders && !slices.ContainsFunc(imageFolders, begins)
	}
	return false
}

// imageFolders are where images of containers have their program, whatever it is.
var imageFolders = []string{"/app/", "/code/", "/home/node/app/", "/srv/", "/usr/src/app/", "/workspace/"}

// fewestFolders is how many folders the path of a script has that no other app has.
const fewestFolders = 3

// shortestPackage is the length up to which obfuscators make up names of packages.
const shortestPackage = 5

// generic are names of functions, classes and programs that any app may have.
var generic = map[string]bool{
	"a.out": true, "app": true, "application": true, "callback": true, "close": true, "exec": true, "exit": true, "func1": true, "get": true, "handle": true, "handler": true,
	"init": true, "loop": true, "main": true, "mainactivity": true, "new": true, "open": true, "process": true, "program": true, "read": true, "run": true, "runner": true,
	"set": true, "start": true, "stop": true, "test": true, "update": true, "usage": true, "work": true, "worker": true, "write": true, "(anonymous)": true, "<module>": true,
}

// basis returns the evidence in the names that two runs belong to one app.
func (n names) basis(o names) Basis {
	classes, ofClasses := inBoth(n.classes, o.classes)
	functions, ofFunctions := inBoth(n.functions, o.functions)
	symbols, ofSymbols := inBoth(n.symbols, o.symbols)
	packages, ofPackages := inBoth(n.packages, o.packages)
	stripped, _ := inBoth(n.stripped, o.stripped)
	methods, _ := inBoth(n.methods, o.methods)
	few := ofClasses + ofFunctions
	switch {
	case classes > 0 && 4*(classes+functions) >= few:
		return Classes
	case functions > 0 && placed(n.functions, o.functions) && 4*functions >= few:
		return Binary
	case stripped > 0 && few == 0:
		return Binary
	case symbols > 0 && 2*symbols >= ofSymbols && (symbols >= leastSymbols || ofClasses == 0 && !n.hasPlaces() && !o.hasPlaces()):
		return Functions
	case packages > 0 && 2*packages >= ofPackages && (packages >= leastPackages || methods >= leastSymbols || n.scripts()):
		return Packages
	}
	return NoBasis
}

// inBoth counts the identities that two runs have in common, and those of the run that has
// fewer.
func inBoth(a, b map[identity]bool) (common, fewer int) {
	for id := range a {
		if b[id] {
			common++
		}
	}
	return common, min(len(a), len(b))
}

// leastSymbols is how many functions runs of two programs need to have in common.
const leastSymbols = 3

// leastPackages is how many packages of the JVM runs of one app have in common, if they have neither
// classes nor names of methods in common: programs of one organisation may share a package.
const leastPackages = 2

// scripts reports whether the packages are paths of scripts.
func (n names) scripts() bool {
	for id := range n.packages {
		if strings.Contains(id.place, "/") {
			return true
		}
	}
	return false
}

// hasPlaces reports whether the program of a function is known.
func (n names) hasPlaces() bool {
	for id := range n.functions {
		if id.place != "" {
			return true
		}
	}
	return false
}

// placed reports whether a function that both have has a place that tells.
func placed(a, b map[identity]bool) bool {
	for id := range a {
		if b[id] && id.place != "" && !generic[strings.ToLower(id.place)] {
			return true
		}
	}
	return false
}

// telling says whether the name of a method's class tells which it is.
func telling(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Place()) > 2 }

// shrunk reports whether an obfuscator named a method's class.
func shrunk(m name.Method) bool { return m.Lang == name.JVM && m.Type != "" && len(m.Type) <= 2 }

// hasShrunk reports whether the run has such methods.
func (r *run) hasShrunk() bool {
	return slices.ContainsFunc(r.sides, func(s *side) bool { return shrunk(s.Method) })
}
