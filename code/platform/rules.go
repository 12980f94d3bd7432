package platform

import (
	"fmt"
	"strings"
)

// rules are what the user says of packages. The most specific rule decides.
type rules struct {
	// exact holds rules for one package, below those for a package and all below
	// it; the keys of below have no ".*".
	exact, below map[string]Owner
}

func newRules(app, framework []string) (rules, error) {
	r := rules{exact: make(map[string]Owner), below: make(map[string]Owner)}
	for _, rule := range app {
		if err := r.add(rule, App); err != nil {
			return rules{}, err
		}
	}
	for _, rule := range framework {
		if err := r.add(rule, Framework); err != nil {
			return rules{}, err
		}
	}
	return r, nil
}

func (r rules) add(rule string, owner Owner) error {
	name, tree := strings.CutSuffix(rule, ".*")
	if rule == "*" {
		name, tree = "", true
	}
	if !validPackage(name) && rule != "*" {
		return fmt.Errorf("package %q: write a package such as com.example.app, or com.example.* for it and those below", rule)
	}
	table := r.exact
	if tree {
		table = r.below
	}
	if old, ok := table[name]; ok && old != owner {
		return fmt.Errorf("package %q is named both as app and as framework", rule)
	}
	table[name] = owner
	return nil
}

func validPackage(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsAny(part, "*/; \t") {
			return false
		}
	}
	return true
}

// decide returns the owner of pkg and the rule that says so; ok is false if no rule
// names pkg.
func (r rules) decide(pkg string) (owner Owner, by string, ok bool) {
	if owner, ok := r.exact[pkg]; ok {
		return owner, pkg, true
	}
	for name := pkg; name != ""; {
		if owner, ok := r.below[name]; ok {
			return owner, name + ".*", true
		}
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	owner, ok = r.below[""]
	return owner, "*", ok
}
