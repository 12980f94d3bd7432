package platform

import (
	"iter"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
)

// An Owner says whose code a method is.
type Owner uint8

// The owners.
const (
	// Caller: the method is whose its caller is.
	Caller Owner = iota
	// Framework: the method is part of what the app finds on the device.
	Framework
	// App: the method came with the app.
	App
)

// A Role is a method's part in leading a thread to its work.
type Role uint8

// The roles.
const (
	// NoRole is the role of all other methods.
	NoRole Role = iota
	// Launcher leads a thread to its work and does none itself.
	Launcher
	// Boot is a launcher at the start of a process. Elsewhere apps call it for ends of
	// their own.
	Boot
	// Starter begins the work, whatever calls it.
	Starter
	// Inner is a part of a starter that newer systems split off.
	Inner
	// Recorder is the recorder's own work, which no run without it has.
	Recorder
	// Stub hands a call on to another method; a compiler made it.
	Stub
	// Lambda is the method of a class that a compiler made of a lambda.
	Lambda
	// Runtime is machine code of the kernel or of what runs managed code, such as an
	// interpreter, a collector of garbage or a stub between two languages.
	Runtime
)

// A Platform answers for the methods of a run, by the user's rules and by what is
// known of the platforms. The zero Platform has no rules and an empty class table.
// A Platform is immutable and safe for concurrent use.
type Platform struct {
	rules rules
	// own are the app's own packages, nil if the user names none.
	own   *Packages
	table classes.Table
	// declared are packages of the app's sources: see [Platform.Declaring].
	declared map[string]bool
	// desktop is set where runs are a JDK's, unpackaged where one of them leaves packages
	// out: see [Platform.Running].
	desktop, unpackaged bool
	// system has the functions of runs of machine code alone, by symbol, and whether they are
	// the system's; nil for other runs. See [Platform.Running].
	system map[string]bool
}

// Rules are what the user says of packages. A rule is a package's name, or the name and
// ".*" for the package and those below it; "*" is every package. For languages whose
// packages are written otherwise, a rule is written so too: net/http/*, tokio::*.
// "@kotlin" is the packages of a group of libraries (see [Platform.Library]), whatever its
// case, and "@libraries" those of all groups. Rules for packages count more than
// those for groups, and a group's more than that for all.
type Rules struct {
	// App and Framework say whose packages are.
	App, Framework []string
	// Own are the app's own packages, beside which the rest of the app is
	// libraries; empty is what [Platform.Ownership] takes them for.
	Own []string
}

// New returns the platform with the packages and classes of table and the user's
// rules. A nil table is an empty one. Malformed rules and rules that contradict each
// other are errors.
func New(user Rules, table *classes.Table) (*Platform, error) {
	p := new(Platform)
	var err error
	if p.rules, err = newRules(append(slices.Clone(user.App), user.Own...), user.Framework); err != nil {
		return nil, err
	}
	if len(user.Own) > 0 {
		if p.own, err = NewPackages(user.Own); err != nil {
			return nil, err
		}
	}
	if table != nil {
		p.table = *table
	}
	return p, nil
}

// With returns a platform that also knows the given classes; p stays as it is. A
// class that an app ships does not make its package framework.
func (p *Platform) With(more ...classes.Class) *Platform {
	out := *p
	out.table = *p.table.With(more...)
	return &out
}

// Declaring returns a platform that knows packages which the app's sources declare: they
// are the app's, even below a name that only the system uses, unless the class table
// lists them. p stays as it is.
func (p *Platform) Declaring(packages []string) *Platform {
	out := *p
	out.declared = make(map[string]bool, len(packages))
	for _, pkg := range packages {
		if !p.table.Lists(pkg) {
			out.declared[pkg] = true
		}
	}
	return &out
}

// Owner says whose code a method is. It depends on the method's language, module,
// scope and on whether there is a type, and if it has none of them, on its name. It costs some microseconds, so callers
// keep the answer.
func (p *Platform) Owner(m name.Method) Owner {
	owner, _ := p.Decide(m)
	return owner
}

// Decide is Owner with what decided: "caller" for [Caller], the rule as it was
// given, "sources" for packages of the app's sources, "table" for what is known of the platform, "default" for code that
// nothing names, which is the app's, "program" for the functions of a program that ran alone
// (see [Platform.Running]), or "unpackaged" for a class whose package a run leaves out: whose
// that is nothing tells.
func (p *Platform) Decide(m name.Method) (owner Owner, by string) {
	at := scope(m)
	if module := moduleOf(m); module != "" {
		if owner, by, ok := p.rules.decide(module); ok && by != everything {
			return owner, by
		}
	}
	if at != "" || m.Type != "" {
		if owner, by, ok := p.rules.decide(at); ok {
			return owner, by
		}
	}
	if owner, by, ok := p.decideAlone(m); ok {
		return owner, by
	}
	if at == "" && m.Type == "" && m.Lang != name.Native && m.Lang != name.CPP {
		return Caller, "caller"
	}
	if p.declared[at] && m.Lang == name.JVM {
		return App, string(BySources)
	}
	if p.unpackaged && at == "" && m.Lang == name.JVM {
		return Caller, "unpackaged"
	}
	if m.Lang == name.Native || m.Lang == name.CPP {
		return ofModule(m)
	}
	owner, by = Caller, "caller"
	for i := range systems {
		s := &systems[i]
		if s.lang != m.Lang {
			continue
		}
		if s.owns(at) || s.lang == name.JVM && p.table.Lists(at) {
			if p.desktop && slices.ContainsFunc(androidAlone, func(parent string) bool { return within(at, parent, ".") }) {
				return App, "default"
			}
			return Framework, "table"
		}
		owner, by = App, "default"
	}
	return owner, by
}

// Running returns a platform for some runs; p stays as it is. If some methods are the
// JDK's own and none is Android's, the runs are a JDK's: the libraries that Android brings
// and the JDK does not are then the app's. If one of the runs is [Platform.Unpackaged], a class
// without a package is nobody's.
//
// Runs are of machine code alone if their names are of no other language, and none is known to
// be the app's. Such runs show one program: a function with nothing but a name
// is the app's unless it is one of the system's, as the tables or its callers tell, and so
// are the functions of a file that is no library.
func (p *Platform) Running(runs ...Run) *Platform {
	out := *p
	out.desktop, out.unpackaged, out.system = false, false, nil
	out.system = out.alone(runs)
	for _, r := range runs {
		out.unpackaged = out.unpackaged || p.Unpackaged(r.Methods)
	}
	for _, r := range runs {
		for i := range r.Methods {
			m := &r.Methods[i]
			under := func(parent string) bool { return within(m.Scope, parent, ".") }
			switch {
			case m.Lang != name.JVM:
			case slices.ContainsFunc([]string{"android", "com.android", "dalvik"}, under):
				out.desktop = false
				return &out
			case slices.ContainsFunc([]string{"com.sun", "jdk", "sun"}, under):
				out.desktop = true
			}
		}
	}
	return &out
}

// scope returns the part of a method's name that says whose it is. Of the path of a script
// only what lies in the innermost folder of packages counts.
func scope(m name.Method) string {
	switch m.Lang {
	case name.JavaScript:
		return inside(m.Module, nodeModules)
	case name.Python:
		return inside(strings.ReplaceAll(m.Scope, "/dist-packages/", "/"+sitePackages+"/"), sitePackages)
	}
	return m.Scope
}

// inside returns the part of a path from the last folder of a name on, or all of it if it has
// none.
func inside(path, folder string) string {
	if at := strings.LastIndex(path, "/"+folder+"/"); at >= 0 {
		return path[at+1:]
	}
	return path
}

// Role returns a method's role. Descriptors differ between versions of a system and
// do not matter. An app's methods have none but that of a Recorder.
func (p *Platform) Role(m name.Method) Role {
	if records(m) {
		return Recorder
	}
	in := append(make([]byte, 0, 128), m.Scope...) // not on the heap: every method is asked about
	if m.Scope != "" && m.Type != "" {
		in = append(in, '.')
	}
	in = append(in, m.Type...)
	for i := range systems {
		if s := &systems[i]; s.lang == m.Lang {
			if role := s.roles[string(in)][m.Name]; role != NoRole {
				return role
			}
		}
	}
	switch {
	case m.IsStub(), isTrampoline(m):
		return Stub
	case m.IsLambda():
		return Lambda
	case isRuntime(m):
		return Runtime
	}
	return NoRole
}

// Supertypes yields what a class directly extends and implements, as far as it is
// known; java.lang.Object may be left out.
func (p *Platform) Supertypes(class string) iter.Seq[string] { return p.table.Supertypes(class) }

// A system is what names tell of one platform's own code.
type system struct {
	// lang is the language of the methods that the system has an answer for.
	lang name.Lang
	// separator stands between the parts of a scope.
	separator string
	// parents own every scope below them, but for those below except.
	parents, except []string
	// folders are parts of the paths of scripts that the system brings.
	folders []string
	// modules are the libraries and programs of the system's runtime, without folders and
	// without what follows the name: a version, an extension.
	modules []string
	// roles are the methods that have a role, by their class and name, or by their
	// scope and name where they have no class.
	roles map[string]map[string]Role
	// waits are the methods that do nothing but wait, by class or scope as roles are.
	waits map[string][]string
}

// systems are the platforms that diffprof knows.
var systems = []system{android, jvm, golang, rust, dotnet, node, python, native, slice}

// owns says whether the scope lies under a parent that only the system uses.
func (s *system) owns(scope string) bool {
	under := func(parent string) bool { return within(scope, parent, s.separator) }
	if slices.ContainsFunc(s.folders, func(folder string) bool { return strings.Contains(scope, folder) }) {
		return true
	}
	return slices.ContainsFunc(s.parents, under) && !slices.ContainsFunc(s.except, under)
}

// within says whether a scope is the parent or below it.
func within(scope, parent, separator string) bool {
	rest, ok := strings.CutPrefix(scope, parent)
	return ok && (rest == "" || strings.HasPrefix(rest, separator))
}
