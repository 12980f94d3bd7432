package appcode

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Basis is the evidence that two runs belong to one app.
type Basis uint8

// The bases, in the order in which they are tried.
const (
	// NoBasis means that nothing shows that the runs belong to one app.
	NoBasis Basis = iota
	// Classes means that the runs have own classes in common.
	Classes
	// Binary means that the runs have own functions of the same program, module or source file in
	// common, or slices of the same process.
	Binary
	// Functions means that the runs have own functions in common. Their program is unknown, or has
	// another name.
	Functions
	// Packages means that the runs have own packages in common.
	Packages
	// Shape means that own methods with different names have the same shape: they call the same
	// F-methods in the same places.
	Shape
)

// String returns the name of the basis in reports.
func (b Basis) String() string {
	return [...]string{"", "classes", "binary", "functions", "packages", "shape"}[b]
}

// An identity is the name of own code, which is the app's code without its libraries: a class, or a
// function outside of classes.
type identity struct{ place, function string }

// names are the names of a run's own code.
type names struct {
	// classes and functions are full names. symbols are names of functions without the program.
	// stripped are files in which no function has a name: the names of the files, or the paths
	// if any program may have the name. addresses are the addresses in them.
	classes, functions, symbols, packages, stripped, addresses map[identity]bool
	// methods are the names of methods in JVM packages, without names that any class may have.
	methods map[identity]bool
	// processes are the processes of trace slices. If a process is known, the names of its slices
	// do not count, because Android and libraries choose most of them.
	processes map[identity]bool
}

// names collects the names of the run's own code. It leaves out names that two apps may have in
// common by chance.
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
			switch {
			case len(file) > 2 && !generic[strings.ToLower(file)]:
				n.stripped[identity{place: file}] = true
			case strings.HasPrefix(m.Module, "/") && strings.Count(m.Module, "/") > minFolders && !inImage(m.Module):
				n.stripped[identity{place: m.Module}] = true
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

// commonMethod reports whether any two apps may have a method with this name. Such methods are
// constructors, callbacks of the system, and methods with generic names.
func commonMethod(called string) bool {
	if len(called) > 2 && strings.HasPrefix(called, "on") && called[2] >= 'A' && called[2] <= 'Z' {
		return true
	}
	return strings.HasPrefix(called, "<") || generic[strings.ToLower(called)]
}

// ofBrowser reports whether a script is part of a browser, such as the browser's profiler.
func ofBrowser(m name.Method) bool {
	return m.Lang == name.JavaScript && (strings.HasPrefix(m.Scope, "resource://") || strings.HasPrefix(m.Scope, "chrome://") || strings.HasPrefix(m.Scope, "self-hosted"))
}

// distinctivePackage reports whether a method's package identifies an app. Only JVM packages and
// paths of scripts can.
func distinctivePackage(m name.Method) bool {
	switch m.Lang {
	case name.JVM:
		return identifiesApp(m.Scope)
	case name.JavaScript, name.Python:
		return strings.Count(m.Scope, "/") >= minFolders && !inImage(m.Scope)
	}
	return false
}

// identifiesApp reports whether the name of a JVM package, or of an Android process, identifies an
// app.
func identifiesApp(pkg string) bool {
	return strings.Contains(pkg, ".") && len(pkg) > shortestPackage && !strings.HasPrefix(pkg, "com.example")
}

// imageFolders are the usual folders of programs in container images. They do not identify a
// program.
var imageFolders = []string{"/app/", "/code/", "/home/node/app/", "/srv/", "/usr/src/app/", "/workspace/"}

// inImage reports whether a path is in a usual folder of container images.
func inImage(path string) bool {
	return slices.ContainsFunc(imageFolders, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// minFolders is the smallest number of folders in the path of a script or a program that identifies
// an app.
const minFolders = 3

// shortestPackage is the length up to which a package name may come from an obfuscator.
const shortestPackage = 5

// generic has names of functions, classes and programs that any app may have.
var generic = map[string]bool{
	"a.out": true, "app": true, "application": true, "callback": true, "close": true, "exec": true, "exit": true, "func1": true, "get": true, "handle": true, "handler": true,
	"init": true, "loop": true, "main": true, "mainactivity": true, "new": true, "open": true, "process": true, "program": true, "read": true, "run": true, "runner": true,
	"set": true, "start": true, "stop": true, "test": true, "update": true, "usage": true, "work": true, "worker": true, "write": true, "(anonymous)": true, "<module>": true,
}

// basis returns the evidence that two runs belong to one app, by their names.
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
	case functions > 0 && haveSamePlaces(n.functions, o.functions) && 4*functions >= few:
		return Binary
	case few == 0 && (stripped > 0 || addresses >= minSymbols && 2*addresses >= ofAddresses):
		return Binary
	case symbols > 0 && 2*symbols >= ofSymbols && (symbols >= minSymbols || ofClasses == 0 && !n.hasPlaces() && !o.hasPlaces()):
		return Functions
	case packages > 0 && 2*packages >= ofPackages && (packages >= minPackages || methods >= minSymbols || n.scripts()):
		return Packages
	}
	return NoBasis
}

// inBoth returns how many identities are in both sets, and the size of the smaller set.
func inBoth(a, b map[identity]bool) (common, fewer int) {
	for id := range a {
		if b[id] {
			common++
		}
	}
	return common, min(len(a), len(b))
}

// sameProcess reports whether both runs have a process of the same app. The names may differ by a
// suffix of a build variant, such as ".debug".
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

// minSymbols is the smallest number of common functions that shows one app in programs with
// different names. Methods of common packages, and addresses in programs without symbols, need as
// many.
const minSymbols = 3

// minPackages is the smallest number of common JVM packages that shows one app without common
// method names. One is too few, because programs of one organization may share a package.
const minPackages = 2

// scripts reports whether a package is the path of a script.
func (n names) scripts() bool {
	for id := range n.packages {
		if strings.Contains(id.place, "/") {
			return true
		}
	}
	return false
}

// hasPlaces reports whether the program of any function is known.
func (n names) hasPlaces() bool {
	for id := range n.functions {
		if id.place != "" {
			return true
		}
	}
	return false
}

// haveSamePlaces reports whether both runs have a function whose file or module has a distinctive
// name.
func haveSamePlaces(a, b map[identity]bool) bool {
	for id := range a {
		if b[id] && id.place != "" && !generic[strings.ToLower(id.place)] {
			return true
		}
	}
	return false
}

// distinctive reports whether the name of a method's class is distinctive.
func distinctive(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Place()) > 2 }

// shrunk reports whether a method's class has an obfuscated name with one or two letters.
func shrunk(m name.Method) bool { return m.Lang == name.JVM && m.Type != "" && len(m.Type) <= 2 }

// hasShrunk reports whether the run has methods of a class with an obfuscated name.
func (r *run) hasShrunk() bool {
	return slices.ContainsFunc(r.sides, func(s *side) bool { return shrunk(s.Method) })
}
