package platform

import (
	"iter"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

// An Owner is the owner of a method's code.
type Owner uint8

// The owners.
const (
	// Caller: the method has the owner of its caller.
	Caller Owner = iota
	// Framework: the method is part of the system on the device.
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
	// Boot is a launcher at the start of a process. Apps call it elsewhere for other purposes.
	Boot
	// Starter begins the work, whatever calls it.
	Starter
	// Inner is a part of a starter that newer systems split off.
	Inner
	// Recorder is work of the recorder. A run without it has none.
	Recorder
	// Stub is compiler-generated and forwards a call to another method.
	Stub
	// Lambda is the method of a class generated from a lambda.
	Lambda
	// Runtime is machine code of the kernel or of a managed runtime, such as an interpreter, a
	// garbage collector or a stub between two languages.
	Runtime
)

// A Platform classifies the methods of a run, by the user's rules and by its knowledge of the
// platforms. The zero Platform has no rules and an empty class table. A Platform is immutable
// and safe for concurrent use.
type Platform struct {
	rules rules
	// own are the app's own packages. It is nil if the user names none.
	own   *Packages
	table classes.Table
	// declared are packages of the app's sources: see [Platform.Declaring].
	declared map[string]bool
	// desktop is set for runs of a JDK. unpackaged is set if a run omits packages: see
	// [Platform.Running].
	desktop, unpackaged bool
	// system reports, for runs of machine code alone, whether a symbol belongs to the system.
	// It is nil for other runs. See [Platform.Running].
	system map[string]bool
}

// Rules are the user's rules for packages. A rule is a package's name, or the name and ".*" for
// the package and those below it; "*" is every package. Languages with other notations use them
// in rules, too: net/http/*, tokio::*. "@kotlin" is the packages of a group of libraries (see
// [Platform.Library]), ignoring case, and "@libraries" the packages of all groups. Rules for
// packages take precedence over rules for groups, and a group's rule over the rule for all
// groups.
type Rules struct {
	// App and Framework list the packages of each owner.
	App, Framework []string
	// Own are the app's own packages. The rest of the app is then libraries. If empty,
	// [Platform.Ownership] determines them.
	Own []string
}

// New returns the platform with the packages and classes of table and the user's rules. A nil
// table is an empty one. Malformed and contradictory rules are errors.
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

// With returns a platform that also contains the given classes. It does not change p. A class
// that an app ships does not make its package framework.
func (p *Platform) With(more ...classes.Class) *Platform {
	out := *p
	out.table = *p.table.With(more...)
	return &out
}

// Declaring returns a platform with packages declared by the app's sources. They belong to the
// app even below a parent that only the system uses, unless the class table lists them. It does
// not change p.
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

// Owner returns the owner of a method. It depends on the method's language, module and scope,
// on whether there is a type, and on its name if [ByName] is true. It takes some microseconds,
// so callers cache the result.
func (p *Platform) Owner(m name.Method) Owner {
	owner, _ := p.Decide(m)
	return owner
}

// ByName reports whether the owner of a method depends on its name: only the name is known, or it
// starts a process or a thread.
func ByName(m name.Method) bool {
	return m.Module == "" && m.Scope == "" && m.Type == "" || startsProgram(m)
}

// Decide is Owner with the reason: "caller" for [Caller], the user's rule, "sources" for
// packages of the app's sources, "table" for knowledge of the platform, "default" for code in
// no table, which belongs to the app, "program" for the functions of a program that ran alone
// (see [Platform.Running]), or "unpackaged" for a class whose package a run omits and whose
// owner is therefore unknown.
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

// Running returns a platform for some runs. It does not change p. If some methods belong to the
// JDK and none to Android, the runs are a JDK's: libraries of Android that the JDK lacks then
// belong to the app. If one of the runs is [Platform.Unpackaged], a class without a package has
// no known owner.
//
// Runs are of machine code alone if they have names of no other language, and no code known to
// be the app's. Such runs show one program. A function with nothing but a name belongs to the
// app unless the tables or its callers show that it is the system's. The functions of a file
// that is not a library also belong to the app.
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

// scope returns the part of a method's name that determines its owner. For the path of a
// script, this is the part in the innermost folder of packages.
func scope(m name.Method) string {
	switch m.Lang {
	case name.JavaScript:
		return inside(m.Module, nodeModules)
	case name.Python:
		return inside(strings.ReplaceAll(m.Scope, "/dist-packages/", "/"+sitePackages+"/"), sitePackages)
	}
	return m.Scope
}

// inside returns the part of a path from the last folder with a name on, or the whole path.
func inside(path, folder string) string {
	if at := strings.LastIndex(path, "/"+folder+"/"); at >= 0 {
		return path[at+1:]
	}
	return path
}

// Role returns a method's role. Descriptors differ between versions of a system and are
// ignored. An app's methods have no role other than Recorder.
func (p *Platform) Role(m name.Method) Role {
	if records(m) {
		return Recorder
	}
	in := append(make([]byte, 0, 128), m.Scope...) // not on the heap: this is called for every method
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

// Related reports whether one of two classes extends the other, as far as known.
func (p *Platform) Related(a, b string) bool { return p.table.Related(a, b) }

// Supertypes yields the known direct supertypes of a class. It may omit java.lang.Object.
func (p *Platform) Supertypes(class string) iter.Seq[string] { return p.table.Supertypes(class) }

// A system describes the code of one platform by its names.
type system struct {
	// lang is the language of the methods that the system covers.
	lang name.Lang
	// separator separates the parts of a scope.
	separator string
	// parents own every scope below them, except the scopes below except.
	parents, except []string
	// folders are parts of the paths of the system's scripts.
	folders []string
	// modules are the libraries and programs of the system's runtime, without folders, versions
	// and extensions.
	modules []string
	// roles are the methods that have a role, by their class and name, or by their scope and
	// name if they have no class.
	roles map[string]map[string]Role
	// waits are the methods that only wait, with keys like roles.
	waits map[string][]string
}

// systems are the known platforms.
var systems = []system{android, jvm, golang, rust, dotnet, node, python, native, slice}

// owns reports whether the scope is below a parent that only the system uses.
func (s *system) owns(scope string) bool {
	under := func(parent string) bool { return within(scope, parent, s.separator) }
	if slices.ContainsFunc(s.folders, func(folder string) bool { return strings.Contains(scope, folder) }) {
		return true
	}
	return slices.ContainsFunc(s.parents, under) && !slices.ContainsFunc(s.except, under)
}

// within reports whether a scope is the parent or below it.
func within(scope, parent, separator string) bool {
	rest, ok := strings.CutPrefix(scope, parent)
	return ok && (rest == "" || strings.HasPrefix(rest, separator))
}
