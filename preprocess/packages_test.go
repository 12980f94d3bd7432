package preprocess

import (
	"strings"
	"testing"
)

func TestPackagesTakeTheMostSpecificRule(t *testing.T) {
	table := func(pkg string) bool { return strings.HasPrefix(pkg, "android.") }
	p, err := NewPackages(
		[]string{"android.vendor.*", "com.lib.inner.deep", "android.vendor.*"},
		[]string{"com.lib.*", "com.exact"}, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pkg       string
		framework bool
		by        string
	}{
		{"android.os", true, "table"},
		{"android.vendor", false, "android.vendor.*"},
		{"android.vendor.camera", false, "android.vendor.*"},
		{"android.vendors", true, "table"},
		{"com.lib", true, "com.lib.*"},
		{"com.lib.inner", true, "com.lib.*"},
		{"com.lib.inner.deep", false, "com.lib.inner.deep"},
		{"com.lib.inner.deep.er", true, "com.lib.*"},
		{"com.exact", true, "com.exact"},
		{"com.exact.below", false, "default"},
		{"com.libs", false, "default"},
		{"", false, "default"},
	} {
		framework, by := p.Decide(test.pkg)
		if framework != test.framework || by != test.by {
			t.Errorf("Decide(%q) = %v by %q, want %v by %q", test.pkg, framework, by, test.framework, test.by)
		}
		if p.Framework(test.pkg) != framework {
			t.Errorf("Framework(%q) contradicts Decide", test.pkg)
		}
	}
}

func TestPackagesTakeAllWithAStar(t *testing.T) {
	p, err := NewPackages([]string{"com.example.app"}, []string{"*"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]bool{"com.example.app": false, "com.example": true, "": true} {
		if framework, by := p.Decide(pkg); framework != want {
			t.Errorf("Decide(%q) = %v by %q", pkg, framework, by)
		}
	}
}

func TestNewPackagesRefuses(t *testing.T) {
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
		_, err := NewPackages(list(test.app), list(test.framework), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NewPackages(%q, %q) = %v, want %q", test.app, test.framework, err, test.want)
		}
	}
	if _, err := NewPackages([]string{""}, nil, nil); err == nil {
		t.Error("the empty rule is accepted")
	}
	// A package may be the app's while those below are the framework's.
	if _, err := NewPackages([]string{"com.app"}, []string{"com.app.*"}, nil); err != nil {
		t.Error(err)
	}
}
