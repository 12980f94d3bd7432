package platform

import (
	"iter"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
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
	// Starter begins the work, whatever calls it.
	Starter
	// Inner is a part of a starter that newer systems split off.
	Inner
)

// A Platform answers for the methods of one run, by the user's rules and by what is
// known of Android and the JVM. The zero Platform has no rules and an empty class
// table. A Platform is immutable and safe for concurrent use.
type Platform struct {
	rules rules
	table classes.Table
}

// New returns the platform with the packages and classes of table and the user's
// rules for packages. A rule is a package's name, or the name and ".*" for the
// package and those below it; "*" is every package. A nil table is an empty one.
// Malformed rules and rules that contradict each other are errors.
func New(app, framework []string, table *classes.Table) (*Platform, error) {
	rules, err := newRules(app, framework)
	if err != nil {
		return nil, err
	}
	p := &Platform{rules: rules}
	if table != nil {
		p.table = *table
	}
	return p, nil
}

// With returns a platform that also knows the given classes; p stays as it is. A
// class that an app ships does not make its package framework.
func (p *Platform) With(more ...classes.Class) *Platform {
	return &Platform{rules: p.rules, table: *p.table.With(more...)}
}

// Owner says whether a package, written with dots, is the framework's or the app's.
// It costs up to a microsecond, so callers keep the answer.
func (p *Platform) Owner(pkg string) Owner {
	owner, _ := p.Decide(pkg)
	return owner
}

// Decide is Owner with what decided: the rule as it was given, "table" for what is
// known of the platform, or "default" for packages that nothing names, which are
// the app's.
func (p *Platform) Decide(pkg string) (owner Owner, by string) {
	if owner, by, ok := p.rules.decide(pkg); ok {
		return owner, by
	}
	if pkg != "" && (p.table.Lists(pkg) || slices.ContainsFunc(systems, func(s system) bool { return s.owns(pkg) })) {
		return Framework, "table"
	}
	return App, "default"
}

// Role returns the role of a class's method. Descriptors differ between versions of
// a system and do not matter.
func (p *Platform) Role(class, method string) Role {
	for _, s := range systems {
		if role := s.roles[class][method]; role != NoRole {
			return role
		}
	}
	return NoRole
}

// Supertypes yields what a class directly extends and implements, as far as it is
// known; java.lang.Object may be left out.
func (p *Platform) Supertypes(class string) iter.Seq[string] { return p.table.Supertypes(class) }

// A system is what names tell of one platform's own code.
type system struct {
	// parents own every package below them, libraries are the exceptions. Both end
	// in a dot and are matched against the package plus a dot.
	parents, libraries []string
	// roles are the methods that have a role, by class and name.
	roles map[string]map[string]Role
}

// systems are the platforms that diffprof knows.
var systems = []system{android, jvm}

// owns says whether the package lies under a parent that only the system uses.
func (s system) owns(pkg string) bool {
	under := func(parent string) bool {
		return strings.HasPrefix(pkg, parent) || pkg == parent[:len(parent)-1]
	}
	return slices.ContainsFunc(s.parents, under) && !slices.ContainsFunc(s.libraries, under)
}
