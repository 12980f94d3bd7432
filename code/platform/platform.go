package platform

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

// An Owner is the owner of a method's code.
type Owner uint8

// The owners.
const (
	// Caller means that the method belongs to the owner of its caller.
	Caller Owner = iota
	// Framework means that the method is part of the system on the device.
	Framework
	// App means that the method came with the app.
	App
)

// A Role is a method's special part in a run. For example, a Launcher only leads a thread to its
// work, and a Recorder belongs to the recorder.
type Role uint8

// The roles.
const (
	// NoRole is the role of all other methods.
	NoRole Role = iota
	// Launcher leads a thread to its work, and does no work itself.
	Launcher
	// Boot is a launcher, but only at the start of a process. Apps may call the same method
	// elsewhere for other purposes.
	Boot
	// Starter begins a thread's work, no matter who calls it. For example, Handler.dispatchMessage.
	Starter
	// Inner is a part of a Starter that newer systems moved to a method of its own.
	Inner
	// Recorder is a method of the recorder. It would not run without recording.
	Recorder
	// Stub is a compiler-generated method that forwards a call to another method.
	Stub
	// Lambda is the method of a class that was generated from a lambda.
	Lambda
	// Runtime is machine code of the kernel or of a managed runtime, such as an interpreter, a
	// garbage collector, or a stub between two languages.
	Runtime
	// Interrupt begins system work that interrupts arbitrary code, such as the kernel's work for a
	// timer. The interrupted code does not cause this work.
	Interrupt
)

// A Platform classifies the methods of a run by the user's rules and by tables of the known
// platforms. The zero Platform has no rules and an empty class table. A Platform is immutable and
// safe for concurrent use.
type Platform struct {
	rules rules
	// own has the packages that the user's rules declare as the app's own. It is nil without such
	// rules.
	own   *Packages
	table classes.Table
	// declared has the packages of the app's sources. See [Platform.Declaring].
	declared map[string]bool
	// desktop is set for runs on a JDK. unpackaged is set if a run omits packages. See
	// [Platform.Running].
	desktop, unpackaged bool
	// system has the symbols of runs that have only machine code. Its values report whether the
	// symbol belongs to the system. It is nil for other runs. See [Platform.Running].
	system map[string]bool
	// dependencies has the packages of the runs' dependencies. See [Run].
	dependencies map[string]string
}

// Rules are the user's rules for who owns which packages. A rule has one of these forms:
//
//   - "com.example" means the package;
//   - "com.example.*" means the package and the packages below it;
//   - "net/http/*" and "tokio::*" mean the same in the notations of Go and Rust;
//   - "*" means every package;
//   - "@kotlin" means the packages of a library group (see [Platform.Library]), and ignores case;
//   - "@libraries" means the packages of all groups.
//
// Rules for packages take precedence over rules for groups. A rule for a single group takes
// precedence over the rule for all groups.
type Rules struct {
	// App and Framework list the packages of each owner.
	App, Framework []string
	// Own lists the app's own packages. All other code of the app then belongs to libraries. If Own
	// is empty, [Platform.Ownership] finds the own packages.
	Own []string
}

// New returns a platform with a class table and the user's rules. A nil table means an empty table.
// Malformed or contradictory rules are errors.
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

// With returns a copy of p that also contains the given classes. The packages of these classes do
// not become framework, because an app ships them.
func (p *Platform) With(more ...classes.Class) *Platform {
	out := *p
	out.table = *p.table.With(more...)
	return &out
}

// Declaring returns a copy of p that assigns packages to the app, because the app's sources declare
// them. This also applies to packages below a parent that only the system uses. Packages in the
// class table remain framework.
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

// Owner returns the owner of a method. It depends on the method's language, module and scope, and
// on whether the method has a type. If [ByName] is true, it also depends on the name. A call takes
// several microseconds, so callers cache the result.
func (p *Platform) Owner(m name.Method) Owner {
	owner, _ := p.Decide(m)
	return owner
}

// ByName reports whether the owner of a method depends on its name. It is true for functions of
// which only the name is known, for starts of a process or a thread, and for Go assembly code.
func ByName(m name.Method) bool {
	return m.Module == "" && m.Scope == "" && m.Type == "" || startsProgram(m) || isGoAssembly(m)
}

// Decide returns the owner of a method, and the reason:
//
//   - the text of a user's rule;
//   - "sources" for packages that the app's sources declare;
//   - "table" for code that the tables of the platforms know;
//   - "default" for code in no table, which belongs to the app;
//   - "program" for functions of a program, in runs that have only machine code (see
//     [Platform.Running]);
//   - "unpackaged" for a class whose owner is unknown because the run omits its package;
//   - "caller" for other code whose owner is [Caller].
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
	if ofToolchain(m) {
		return Framework, "table"
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

// Running returns a copy of p that is adapted to the given runs:
//
//   - If the runs have methods of the JDK and none of Android, they ran on a JDK. Libraries of
//     Android that the JDK lacks then belong to the app.
//   - If one of the runs is [Platform.Unpackaged], the owner of a class without a package is
//     unknown.
//   - If the runs have only machine code and no code that is known to be an app's, they are runs of
//     a single program. A function with only a name then belongs to the app, unless the tables or
//     its callers show that it belongs to the system. All functions in a file that is not a library
//     belong to the app, too.
//   - Packages of dependencies are libraries in all runs.
func (p *Platform) Running(runs ...Run) *Platform {
	out := *p
	out.desktop, out.unpackaged, out.system = false, false, nil
	out.system = out.alone(runs)
	out.dependencies = make(map[string]string)
	for _, r := range runs {
		maps.Copy(out.dependencies, r.Dependencies)
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

// scope returns the part of a method's name that determines its owner. For a script, this is its
// path, without the folders above the innermost node_modules or site-packages.
func scope(m name.Method) string {
	switch m.Lang {
	case name.JavaScript:
		return inside(m.Module, nodeModules)
	case name.Python:
		return inside(strings.ReplaceAll(m.Scope, "/dist-packages/", "/"+sitePackages+"/"), sitePackages)
	}
	return m.Scope
}

// inside cuts off the part of a path before the last folder with the given name. For example,
// /a/node_modules/b becomes node_modules/b. A path without such a folder stays the same.
func inside(path, folder string) string {
	if at := strings.LastIndex(path, "/"+folder+"/"); at >= 0 {
		return path[at+1:]
	}
	return path
}

// Role returns a method's role. It ignores descriptors, because they differ between versions of a
// system. Methods of the app have no role, except for Recorder.
func (p *Platform) Role(m name.Method) Role {
	if records(m) {
		return Recorder
	}
	in := append(make([]byte, 0, 128), m.Scope...) // The array is on the stack, because Role is called for every method.
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
	if role := kernelRole(&m); role != NoRole {
		return role
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

// Related reports whether one of two classes is known to extend the other.
func (p *Platform) Related(a, b string) bool { return p.table.Related(a, b) }

// Supertypes yields the known direct supertypes of a class. It may omit java.lang.Object.
func (p *Platform) Supertypes(class string) iter.Seq[string] { return p.table.Supertypes(class) }

// A system describes the code of a platform.
type system struct {
	// lang is the language of the platform's methods.
	lang name.Lang
	// separator separates the parts of a scope.
	separator string
	// parents are scopes. They and all scopes below them belong to the platform, unless they are
	// below a scope in except.
	parents, except []string
	// folders are parts of the paths of the platform's scripts.
	folders []string
	// modules are the libraries and programs of the platform's runtime, such as libjvm for
	// libjvm.so.
	modules []string
	// roles has the methods with a role, by class and name. For methods without a class, the first
	// key is the scope.
	roles map[string]map[string]Role
	// waits has the names of methods that only wait, by class or scope as in roles.
	waits map[string][]string
}

// systems are the known platforms.
var systems = []system{android, jvm, golang, rust, dotnet, node, python, native, slice}

// owns reports whether a scope belongs to the platform by its parents or folders.
func (s *system) owns(scope string) bool {
	under := func(parent string) bool { return within(scope, parent, s.separator) }
	if slices.ContainsFunc(s.folders, func(folder string) bool { return strings.Contains(scope, folder) }) {
		return true
	}
	return slices.ContainsFunc(s.parents, under) && !slices.ContainsFunc(s.except, under)
}

// within reports whether scope equals parent or is below it.
func within(scope, parent, separator string) bool {
	rest, ok := strings.CutPrefix(scope, parent)
	return ok && (rest == "" || strings.HasPrefix(rest, separator))
}
