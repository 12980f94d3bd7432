package platform

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

func TestDecideTakesTheMostSpecificRule(t *testing.T) {
	p, err := New(Rules{
		App:       []string{"android.app.*", "com.lib.inner.deep", "android.app.*"},
		Framework: []string{"com.lib.*", "com.exact"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pkg   string
		owner Owner
		by    string
	}{
		{"android.os", Framework, "table"},
		{"android.app", App, "android.app.*"},
		{"android.app.backup", App, "android.app.*"},
		{"android.appwidget", Framework, "table"},
		{"com.lib", Framework, "com.lib.*"},
		{"com.lib.inner", Framework, "com.lib.*"},
		{"com.lib.inner.deep", App, "com.lib.inner.deep"},
		{"com.lib.inner.deep.er", Framework, "com.lib.*"},
		{"com.exact", Framework, "com.exact"},
		{"com.exact.below", App, "default"},
		{"com.libs", App, "default"},
	} {
		owner, by := p.Decide(name.OfClass(test.pkg+".C", "m", ""))
		if owner != test.owner || by != test.by {
			t.Errorf("Decide(%q) = %v by %q, want %v by %q", test.pkg, owner, by, test.owner, test.by)
		}
		if p.Owner(name.OfClass(test.pkg+".C", "m", "")) != owner {
			t.Errorf("Owner(%q) contradicts Decide", test.pkg)
		}
	}
}

// TestRulesInTheWordsOfALanguage checks rules in the notation of each language.
func TestRulesInTheWordsOfALanguage(t *testing.T) {
	p, err := New(Rules{
		App:       []string{"net/http/*", "std::net", "node:fs", "System.Reactive.*"},
		Framework: []string{"example.com/lib/*", "tokio::*"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		m     name.Method
		owner Owner
		by    string
	}{
		{name.Method{Lang: name.Go, Scope: "net/http"}, App, "net/http/*"},
		{name.Method{Lang: name.Go, Scope: "net/http/internal"}, App, "net/http/*"},
		{name.Method{Lang: name.Go, Scope: "net/httpx"}, Framework, "table"},
		{name.Method{Lang: name.Go, Scope: "example.com/lib/a/b"}, Framework, "example.com/lib/*"},
		{name.Method{Lang: name.Go, Scope: "example.com/library"}, App, "default"},
		{name.Method{Lang: name.Rust, Scope: "tokio::runtime::task"}, Framework, "tokio::*"},
		{name.Method{Lang: name.Rust, Scope: "std::net"}, App, "std::net"},
		{name.Method{Lang: name.Rust, Scope: "std::net::tcp"}, Framework, "table"},
		{name.Method{Lang: name.DotNet, Scope: "System.Reactive.Linq", Type: "Observable"}, App, "System.Reactive.*"},
		{name.Method{Lang: name.JavaScript, Module: "node:fs"}, App, "node:fs"},
		{name.Method{Lang: name.JavaScript, Module: "node:fs/promises"}, Framework, "table"},
		{name.Method{Lang: name.CPP, Scope: "tokio"}, Framework, "tokio::*"},
	} {
		if owner, by := p.Decide(test.m); owner != test.owner || by != test.by {
			t.Errorf("Decide(%+v) = %v by %q, want %v by %q", test.m, owner, by, test.owner, test.by)
		}
	}
}

func TestStarIsEveryPackage(t *testing.T) {
	p, err := New(Rules{App: []string{"com.example.app"}, Framework: []string{"*"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]Owner{"com.example.app": App, "com.example": Framework, "": Framework} {
		if owner, by := p.Decide(name.OfClass(strings.TrimPrefix(pkg+".C", "."), "m", "")); owner != want {
			t.Errorf("Decide(%q) = %v by %q", pkg, owner, by)
		}
	}
}

func TestNewRefusesRules(t *testing.T) {
	for _, test := range []struct{ app, framework, want string }{
		{"com.*.app", "", `package "com.*.app": write a package such as`},
		{"", "com..app", `package "com..app": write`},
		{"com.app.", "", `package "com.app."`},
		{".*", "", `package ".*"`},
		{"com//app", "", `package "com//app"`},
		{"com/", "", `package "com/"`},
		{"/com", "", `package "/com"`},
		{"com:::app", "", `package "com:::app"`},
		{"::*", "", `package "::*"`},
		{"com app", "", `package "com app"`},
		{"**", "", `package "**"`},
		{"com.app.*", "com.app.*", `package "com.app.*" is named both as app and as framework`},
		{"*", "*", `package "*" is named both`},
		{"@kotlin", "@Kotlin", `package "@Kotlin" is named both`},
		{"@kotlins", "", `package "@kotlins": unknown group of libraries`},
	} {
		list := func(rule string) []string {
			if rule == "" {
				return nil
			}
			return []string{rule}
		}
		_, err := New(Rules{App: list(test.app), Framework: list(test.framework)}, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%q, %q) = %v, want %q", test.app, test.framework, err, test.want)
		}
	}
	if _, err := New(Rules{App: []string{""}}, nil); err == nil {
		t.Error("the empty rule is accepted")
	}
	// A package may belong to the app while packages below it are framework.
	if _, err := New(Rules{App: []string{"com.app"}, Framework: []string{"com.app.*"}}, nil); err != nil {
		t.Error(err)
	}
}

// TestGroups checks that a rule for a library group applies to its packages, and that of two rules,
// the narrower one decides.
func TestGroups(t *testing.T) {
	p, err := New(Rules{
		App:       []string{"@kotlin", "okio.*", "@angular/core"},
		Framework: []string{"@libraries", "@OkHttp", "kotlin.text.*"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]struct {
		owner Owner
		by    string
	}{
		"kotlin":            {App, "@kotlin"},
		"kotlin.io":         {App, "@kotlin"},
		"kotlin.text":       {Framework, "kotlin.text.*"},
		"kotlinx.io":        {App, "@kotlin"},
		"okio":              {App, "okio.*"},
		"okhttp3.internal":  {Framework, "@OkHttp"},
		"androidx.core.app": {Framework, "@libraries"},
		"com.example":       {App, "default"},
	} {
		if owner, by := p.Decide(name.OfClass(pkg+".C", "m", "")); owner != want.owner || by != want.by {
			t.Errorf("Decide(%q) = %v by %q, want %v by %q", pkg, owner, by, want.owner, want.by)
		}
	}
}
