package platform

import (
	"fmt"
	"regexp"
	"strings"
)

// rules are what the user says of scopes. The most specific rule decides.
type rules struct {
	// exact holds rules for one scope, below those for a scope and all below it. The
	// key "" of below is the rule for every scope.
	exact, below map[string]rule
}

// A rule is an owner and the text that the user wrote.
type rule struct {
	owner Owner
	text  string
}

func newRules(app, framework []string) (rules, error) {
	r := rules{exact: make(map[string]rule), below: make(map[string]rule)}
	for _, text := range app {
		if err := r.add(rule{App, text}); err != nil {
			return rules{}, err
		}
	}
	for _, text := range framework {
		if err := r.add(rule{Framework, text}); err != nil {
			return rules{}, err
		}
	}
	return r, nil
}

// ruleSyntax is a scope in the words of its language (com.example.app,
// example.com/app, app::net, node:fs), then the end that means all below it.
var ruleSyntax = regexp.MustCompile(`^([^./:*; \t]+(?:(?:[./]|::?)[^./:*; \t]+)*)((?:[./]|::?)\*)?$`)

func (r rules) add(more rule) error {
	parts := ruleSyntax.FindStringSubmatch(more.text)
	if more.text == "*" {
		parts = []string{"*", "", "*"}
	}
	if parts == nil {
		return fmt.Errorf("package %q: write a package such as com.example.app, or com.example.* for it and those below", more.text)
	}
	scope, table := parts[1], r.exact
	if parts[2] != "" {
		table = r.below
	}
	if old, ok := table[scope]; ok && old.owner != more.owner {
		return fmt.Errorf("package %q is named both as app and as framework", more.text)
	}
	table[scope] = more
	return nil
}

// decide returns the owner of a scope and the rule that says so; ok is false if no
// rule names the scope.
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
