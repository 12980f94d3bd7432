package platform

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// rules are the user's rules for who owns which packages. The most specific rule decides.
type rules struct {
	// exact maps a scope to its rule. below maps a scope to the rule for the scope and everything
	// below it. The key "" of below has the rule for all scopes.
	exact, below map[string]rule
}

// A rule has an owner, and the text of the rule as the user wrote it.
type rule struct {
	owner Owner
	text  string
	reach reach
}

// A reach states how many packages a rule names. A rule for one package takes precedence over a
// rule for a library group, and that over the rule for all groups.
type reach uint8

const (
	ofPackage reach = iota
	ofGroup
	ofAll
)

func newRules(app, framework []string) (rules, error) {
	r := rules{exact: make(map[string]rule), below: make(map[string]rule)}
	for _, text := range app {
		if err := r.add(rule{owner: App, text: text}); err != nil {
			return rules{}, err
		}
	}
	for _, text := range framework {
		if err := r.add(rule{owner: Framework, text: text}); err != nil {
			return rules{}, err
		}
	}
	return r, nil
}

// Packages is a set of packages that a user named, in the notation of [Rules].
type Packages struct{ rules rules }

// NewPackages returns the packages in a list. It fails if a name is malformed.
func NewPackages(list []string) (*Packages, error) {
	r, err := newRules(list, nil)
	return &Packages{r}, err
}

// Has reports whether a method is in one of the packages.
func (p *Packages) Has(m name.Method) bool {
	_, _, ok := p.rules.decide(scope(m))
	return ok
}

// everything is the rule that matches every package.
const everything = "*"

// ruleSyntax matches a scope in the notation of its language, such as com.example.app,
// example.com/app, app::net or node:fs. A suffix such as .* may follow.
var ruleSyntax = regexp.MustCompile(`^([^./:*; \t]+(?:(?:[./]|::?)[^./:*; \t]+)*)((?:[./]|::?)\*)?$`)

func (r rules) add(more rule) error {
	if text, ok := strings.CutPrefix(more.text, "@"); ok {
		if packages, ok := group(text); ok {
			more.reach = ofGroup
			if text == allLibraries {
				more.reach = ofAll
			}
			for _, pkg := range packages {
				if err := r.put(r.below, pkg, more); err != nil {
					return err
				}
			}
			return nil
		}
		if !strings.Contains(text, "/") { // This is as in the name of a module, such as @angular/core.
			return fmt.Errorf("package %q: unknown group of libraries; docs/preprocessing.md lists the groups, and @%s is all of them", more.text, allLibraries)
		}
	}
	parts := ruleSyntax.FindStringSubmatch(more.text)
	if more.text == everything {
		parts = []string{"*", "", "*"}
	}
	if parts == nil {
		return fmt.Errorf("package %q: write a package such as com.example.app, or com.example.* for it and those below", more.text)
	}
	if parts[2] != "" {
		return r.put(r.below, parts[1], more)
	}
	return r.put(r.exact, parts[1], more)
}

// put adds a rule for a scope to one of the maps exact and below.
func (r rules) put(table map[string]rule, scope string, more rule) error {
	switch old, ok := table[scope]; {
	case !ok || more.reach < old.reach:
		table[scope] = more
	case more.reach == old.reach && more.owner != old.owner:
		return fmt.Errorf("package %q is named both as app and as framework", more.text)
	}
	return nil
}

// decide returns the owner of a scope, and the text of the rule that decided. ok is false if no
// rule applies.
func (r rules) decide(scope string) (owner Owner, by string, ok bool) {
	if found, ok := r.exact[scope]; ok {
		return found.owner, found.text, true
	}
	for {
		if found, ok := r.below[scope]; ok {
			return found.owner, found.text, true
		}
		if scope == "" {
			return 0, "", false
		}
		scope = strings.TrimSuffix(scope[:max(strings.LastIndexAny(scope, "./:"), 0)], ":")
	}
}
