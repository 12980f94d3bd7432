package platform

import (
	"strings"
	"testing"
)

func TestDecideTakesTheMostSpecificRule(t *testing.T) {
	p, err := New(
		[]string{"android.vendor.*", "com.lib.inner.deep", "android.vendor.*"},
		[]string{"com.lib.*", "com.exact"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pkg   string
		owner Owner
		by    string
	}{
		{"android.os", Framework, "table"},
		{"android.vendor", App, "android.vendor.*"},
		{"android.vendor.camera", App, "android.vendor.*"},
		{"android.vendors", Framework, "table"},
		{"com.lib", Framework, "com.lib.*"},
		{"com.lib.inner", Framework, "com.lib.*"},
		{"com.lib.inner.deep", App, "com.lib.inner.deep"},
		{"com.lib.inner.deep.er", Framework, "com.lib.*"},
		{"com.exact", Framework, "com.exact"},
		{"com.exact.below", App, "default"},
		{"com.libs", App, "default"},
		{"", App, "default"},
	} {
		owner, by := p.Decide(test.pkg)
		if owner != test.owner || by != test.by {
			t.Errorf("Decide(%q) = %v by %q, want %v by %q", test.pkg, owner, by, test.owner, test.by)
		}
		if p.Owner(test.pkg) != owner {
			t.Errorf("Owner(%q) contradicts Decide", test.pkg)
		}
	}
}

func TestStarIsEveryPackage(t *testing.T) {
	p, err := New([]string{"com.example.app"}, []string{"*"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]Owner{"com.example.app": App, "com.example": Framework, "": Framework} {
		if owner, by := p.Decide(pkg); owner != want {
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
		{"com/app", "", `package "com/app"`},
		{"com app", "", `package "com app"`},
		{"**", "", `package "**"`},
		{"com.app.*", "com.app.*", `package "com.app.*" is named both as app and as framework`},
		{"*", "*", `package "*" is named both`},
	} {
		list := func(rule string) []string {
			if rule == "" {
				return nil
			}
			return []string{rule}
		}
		_, err := New(list(test.app), list(test.framework), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New(%q, %q) = %v, want %q", test.app, test.framework, err, test.want)
		}
	}
	if _, err := New([]string{""}, nil, nil); err == nil {
		t.Error("the empty rule is accepted")
	}
	// A package may be the app's while those below are the framework's.
	if _, err := New([]string{"com.app"}, []string{"com.app.*"}, nil); err != nil {
		t.Error(err)
	}
}
