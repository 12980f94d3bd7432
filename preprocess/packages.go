package preprocess

import (
	"fmt"
	"strings"
)

// Packages decides whose code a package is: by rules first, of which the most
// specific wins, then by a table. What neither names is the app's. It is
// immutable and safe for concurrent use.
type Packages struct {
	// exact and below hold true for framework; below's keys are without ".*".
	exact, below map[string]bool
	table        func(pkg string) bool
}

// NewPackages returns the decision by the given rules. A rule is a package's name,
// or the name and ".*" for the package and those below it; "*" is every package.
// A nil table lists nothing. Malformed rules and rules that contradict each other
// are errors.
func NewPackages(app, framework []string, table func(pkg string) bool) (*Packages, error) {
	p := &Packages{exact: make(map[string]bool), below: make(map[string]bool), table: table}
	add := func(rule string, isFramework bool) error {
		name, tree := strings.CutSuffix(rule, ".*")
		if rule == "*" {
			name, tree = "", true
		}
		if !validPackage(name) && rule != "*" {
			return fmt.Errorf("package %q: write a package such as com.example.app, or com.example.* for it and those below", rule)
		}
		rules := p.exact
		if tree {
			rules = p.below
		}
		if old, ok := rules[name]; ok && old != isFramework {
			return fmt.Errorf("package %q is named both as app and as framework", rule)
		}
		rules[name] = isFramework
		return nil
	}
	for _, rule := range app {
		if err := add(rule, false); err != nil {
			return nil, err
		}
	}
	for _, rule := range framework {
		if err := add(rule, true); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func validPackage(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsAny(part, "*/; \t") {
			return false
		}
	}
	return true
}

// Framework says whether pkg, written with dots, is the framework's.
func (p *Packages) Framework(pkg string) bool {
	framework, _ := p.Decide(pkg)
	return framework
}

// Decide says whether pkg is the framework's and what decided so: the rule as it
// was given, "table", or "default" for the app's packages that nothing names.
func (p *Packages) Decide(pkg string) (framework bool, by string) {
	if framework, ok := p.exact[pkg]; ok {
		return framework, pkg
	}
	for name := pkg; name != ""; {
		if framework, ok := p.below[name]; ok {
			return framework, name + ".*"
		}
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	if framework, ok := p.below[""]; ok {
		return framework, "*"
	}
	if p.table != nil && p.table(pkg) {
		return true, "table"
	}
	return false, "default"
}
