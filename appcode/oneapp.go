package appcode

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Basis is the evidence that two runs belong to one app.
type Basis uint8

// These are the bases in the order in which they are tried.
const (
	// NoBasis means that nothing shows that the runs belong to one app.
	NoBasis Basis = iota
	// Classes means that the runs have own classes in common.
	Classes
	// Binary means that the runs have own functions of one program, module or source file in
	// common, or slices of one process.
	Binary
	// Functions means that the runs have own functions in common, and that the program of these
	// functions is unknown or has another name.
	Functions
	// Packages means that the runs have own packages in common.
	Packages
	// Shape means that own methods with other names have the same shape: they call the same
	// F-methods from the same places.
	Shape
)

// String returns the name of the basis in reports.
func (b Basis) String() string {
	return [...]string{"", "classes", "binary", "functions", "packages", "shape"}[b]
}

// An identity identifies own code. It is a class, or a function outside of classes.
type identity struct{ place, function string }

// names are the identities of a run's own code.
type names struct {
	// classes and functions have full names. symbols have names without places. stripped has the
	// files in which no function has a name, and addresses the addresses in them.
	classes, functions, symbols, packages, stripped, addresses map[identity]bool
	// methods has the names of methods in packages of the JVM. It leaves out names that any class
	// may have.
	methods map[identity]bool
	// processes has the processes of slices. Android and libraries name most slices, so these names
	// count only in runs whose process is unknown.
	processes map[identity]bool
}

// names collects the identities of the run's own code. It leaves out names that two apps may have
// in common by chance.
func (r *run) names(own func(trace.MethodID) bool) names {
	var n names
	for _, set := range []*map[identity]bool{&n.classes, &n.functions, &n.symbols, &n.packages, &n.stripped, &n.addresses, &n.methods, &n.processes} {
		*set = make(map[identity]bool)
	}
	for _, s := range r.sides {
		m := s.Method
		if !own(s.Parts[0].Method) || ofBrowser(m) {
			continue
		}
		if distinctivePackage(m) {
			n.packages[identity{place: m.Scope}] = true
			if m.Lang == name.JVM && !commonMethod(m.Name) {
				n.methods[identity{m.Scope, m.Name}] = true
			}
		}
		switch {
		case m.Process():
			if application, _, _ := strings.Cut(m.Scope, ":"); identifiesApp(application) {
				n.processes[identity{place: application}] = true
			}
		case m.Type != "":
			if distinctive(m) && !(m.Scope == "" && generic[strings.ToLower(m.Type)]) {
				n.classes[identity{place: m.Place()}] = true
			}
		case m.IsAddress():
			file := m.Package()
			if len(file) > 2 && !generic[file] {
				n.stripped[identity{place: file}] = true
			}
			for _, at := range r.tree.Source.Methods {
				if at.Module == m.Module && at.IsAddress() && at.Name != m.Name {
					n.addresses[identity{file, at.Name}] = true
				}
			}
		case len(m.Name) > 2 && !generic[strings.ToLower(m.Name)]:
			n.functions[identity{m.Package(), m.Name}] = true
			n.symbols[identity{function: m.Name}] = true
		}
	}
	return n
}

// commonMethod reports whether classes of any two apps may have a method with this name. Such
// methods are constructors, callbacks of the system, and methods with generic names.
func commonMethod(called string) bool {
	if len(called) > 2 && strings.HasPrefix(called, "on") && called[2] >= 'A' && called[2] <= 'Z' {
		return true
	}
	return strings.HasPrefix(called, "<") || generic[strings.ToLower(called)]
}

// ofBrowser reports whether a script is part of a browser. An example is the browser's profiler.
func ofBrowser(m name.Method) bool {
	return m.Lang == name.JavaScript && (strings.HasPrefix(m.Scope, "resource://") || strings.HasPrefix(m.Scope, "chrome://") || strings.HasPrefix(m.Scope, "self-hosted"))
}

// distinctivePackage reports whether a method's package identifies an app. This must be a package
// of the JVM, or the path of a script.
func distinctivePackage(m name.Method) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(m.Scope, prefix) }
	switch m.Lang {
	case name.JVM:
		return identifiesApp(m.Scope)
	case name.JavaScript, name.Python:
		return strings.Count(m.Scope, "/") >= fewestFolders && !slices.ContainsFunc(imageFolders, begins)
	}
	return false
}

// identifiesApp reports whether a package of the JVM, or the name of Android's process for it,
// identifies an app.
func identifiesApp(pkg string) bool {
	return strings.Contains(pkg, ".") && len(pkg) > shortestPackage && !strings.HasPrefix(pkg, "com.example")
}

// imageFolders are the folders in which container images usually have their program. They are the
// same for many programs.
var imageFolders = []string{"/app/", "/code/", "/home/node/app/", "/srv/", "/usr/src/app/", "/workspace/"}

// fewestFolders is the minimum number of folders in the path of a script that identifies an app.
const fewestFolders = 3

// An obfuscator may have given a package a name of up to shortestPackage letters.
const shortestPackage = 5

// generic has names of functions, classes and programs that any app may have.
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
	addresses, ofAddresses := inBoth(n.addresses, o.addresses)
	methods, _ := inBoth(n.methods, o.methods)
	few := ofClasses + ofFunctions
	if len(n.processes) > 0 && len(o.processes) > 0 {
		if sameProcess(n.processes, o.processes) {
			return Binary
		}
		return NoBasis
	}
	switch {
	case classes > 0 && 4*(classes+functions) >= few:
		return Classes
	case functions > 0 && placed(n.functions, o.functions) && 4*functions >= few:
		return Binary
	case few == 0 && (stripped > 0 || addresses >= leastSymbols && 2*addresses >= ofAddresses):
		return Binary
	case symbols > 0 && 2*symbols >= ofSymbols && (symbols >= leastSymbols || ofClasses == 0 && !n.hasPlaces() && !o.hasPlaces()):
		return Functions
	case packages > 0 && 2*packages >= ofPackages && (packages >= leastPackages || methods >= leastSymbols || n.scripts()):
		return Packages
	}
	return NoBasis
}

// inBoth returns the number of identities that two runs have in common. fewer is the number of
// identities of the run with fewer identities.
func inBoth(a, b map[identity]bool) (common, fewer int) {
	for id := range a {
		if b[id] {
			common++
		}
	}
	return common, min(len(a), len(b))
}

// sameProcess reports whether two runs have a process of one app. A variant of a build has a suffix
// in its name, such as ".debug".
func sameProcess(a, b map[identity]bool) bool {
	for one := range a {
		for other := range b {
			if one == other || strings.HasPrefix(one.place, other.place+".") || strings.HasPrefix(other.place, one.place+".") {
				return true
			}
		}
	}
	return false
}

// leastSymbols is the minimum number of functions that runs of two programs must have in common. If the
// programs have a common name such as a.out, they must have this number of addresses in common.
const leastSymbols = 3

// leastPackages is the minimum number of JVM packages that two runs of one app have in common, if
// they have no classes and no names of methods in common. It is more than one, because programs of
// one organization may have a package in common.
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

// placed reports whether a function that is in both runs has a distinctive place.
func placed(a, b map[identity]bool) bool {
	for id := range a {
		if b[id] && id.place != "" && !generic[strings.ToLower(id.place)] {
			return true
		}
	}
	return false
}

// distinctive reports whether the name of a method's class is distinctive.
func distinctive(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Place()) > 2 }

// shrunk reports whether an obfuscator named a method's class.
func shrunk(m name.Method) bool { return m.Lang == name.JVM && m.Type != "" && len(m.Type) <= 2 }

// hasShrunk reports whether the run has methods whose class an obfuscator named.
func (r *run) hasShrunk() bool {
	return slices.ContainsFunc(r.sides, func(s *side) bool { return shrunk(s.Method) })
}
