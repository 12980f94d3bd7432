package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// TestFlagsSayWhatSettingsDo holds compare's flags to the settings that they stand
// for: a flag, and the same in a project file, must give the same settings.
func TestFlagsSayWhatSettingsDo(t *testing.T) {
	given := map[string]struct {
		args []string
		yaml string
	}{
		"alpha":             {[]string{"3"}, "alpha: 3"},
		"app-package":       {[]string{"com.mine.*", "com.too"}, "appPackages: [com.mine.*, com.too]"},
		"framework-package": {[]string{"okhttp3.*"}, "frameworkPackages: [okhttp3.*]"},
		"merge":             {[]string{"app, entry"}, "merge: [app, entry]"},
		"mapping-subject":   {[]string{"1.txt"}, "mappingSubject: 1.txt"},
		"mapping-reference": {[]string{"2.txt"}, "mappingReference: 2.txt"},
		"classpath":         {[]string{"a.jar", "b,c"}, "classpath: [a.jar, 'b,c']"},
		"power-profile":     {[]string{"12"}, "powerProfile: '12'"},
		"voltage":           {[]string{"3.85"}, "voltage: 3.85"},
		"unit":              {[]string{"uAh"}, "unit: uAh"},
	}
	for _, flag := range settings.Flags() {
		g, ok := given[flag.Name]
		if !ok {
			t.Errorf("--%s: no value to try", flag.Name)
			continue
		}
		want, problems := settings.Default().WithYAML([]byte(g.yaml), "")
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if reflect.DeepEqual(want, settings.Default()) {
			t.Errorf("%s changes nothing", g.yaml)
		}
		f := newCompare(&outputs{stdout: os.Stdout}).Flags().Lookup(flag.Name)
		value, ok := f.Value.(*settingFlag)
		if !ok || f.Usage != flag.Usage || value.Type() != flag.Kind {
			t.Errorf("--%s of compare is not that of its setting: %+v", flag.Name, f)
			continue
		}
		for _, arg := range g.args {
			if err := value.Set(arg); err != nil {
				t.Errorf("--%s %q: %v", flag.Name, arg, err)
			}
		}
		if got, err := (settingFlags{value}).on(settings.Default()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("--%s %q gives %+v (%v), and %s gives %+v", flag.Name, g.args, got, err, g.yaml, want)
		}
	}
}

// TestNoFlagRepeatsASetting finds flags of compare that are named as a setting is
// and have nothing to do with it.
func TestNoFlagRepeatsASetting(t *testing.T) {
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(settings.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	named := func(flag string) bool {
		for name := range schema.Properties {
			var b strings.Builder
			for _, r := range name {
				if unicode.IsUpper(r) {
					b.WriteByte('-')
				}
				b.WriteRune(unicode.ToLower(r))
			}
			if b.String() == flag {
				return true
			}
		}
		return false
	}
	if !named("mapping-subject") {
		t.Fatal("mappingSubject is not found by its flag's name")
	}
	newCompare(&outputs{stdout: os.Stdout}).Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Value.(*settingFlag); !ok && named(f.Name) {
			t.Errorf("--%s has texts of its own, and there is a setting of its name", f.Name)
		}
	})
}
