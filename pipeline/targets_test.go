package pipeline_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/pipeline"
)

// TestTargets checks the app that benchmarks run. It is the app that the build file names, else the
// first one, and then it is stated as unknown if there are several.
func TestTargets(t *testing.T) {
	for _, test := range []struct {
		target  string
		apps    []string
		want    string
		unknown bool
	}{
		{":a", []string{":a", ":b"}, ":a", false},
		{":b", []string{":a", ":b"}, ":b", false},
		{"", []string{":a", ":b"}, ":a", true},
		{":c", []string{":a", ":b"}, ":a", true},
		{"", []string{":a"}, ":a", false},
	} {
		r := &pipeline.Repository{Modules: []pipeline.Module{{Path: ":bench", Kind: pipeline.Test, Target: test.target, Benchmarks: []string{"Scroll"}}}}
		for _, app := range test.apps {
			r.Modules = append(r.Modules, pipeline.Module{Path: app, Kind: pipeline.App})
		}
		p, err := pipeline.NewPlan(r, pipeline.GitHub, "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		if p.App.Path != test.want {
			t.Errorf("the target %q of %v: the app is %s, want %s", test.target, test.apps, p.App.Path, test.want)
		}
		if unknown := strings.Contains(strings.Join(p.Unknown, "\n"), "names no target"); unknown != test.unknown {
			t.Errorf("the target %q of %v: the app is unknown: %v", test.target, test.apps, unknown)
		}
	}
}

// TestBenchmarksOfOneModule checks the benchmark that a plan chooses. A benchmark of the start of
// the app is chosen only if there is no other.
func TestBenchmarksOfOneModule(t *testing.T) {
	for _, test := range []struct {
		benchmarks []string
		want       string
	}{
		{[]string{"Scroll"}, "Scroll"},
		{[]string{"StartupBenchmark"}, "StartupBenchmark"},
		{[]string{"Scroll", "Startup"}, "Scroll"},
		{[]string{"ColdStartup", "Scroll", "Swipe"}, "Scroll"},
		{[]string{"ColdStartup", "WarmStartup"}, "ColdStartup"},
	} {
		r := &pipeline.Repository{Modules: []pipeline.Module{
			{Path: ":app", Kind: pipeline.App}, {Path: ":bench", Kind: pipeline.Test, Target: ":app", Benchmarks: test.benchmarks},
		}}
		p, err := pipeline.NewPlan(r, pipeline.GitLab, "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		if p.Class != test.want {
			t.Errorf("%v: the benchmark is %s, want %s", test.benchmarks, p.Class, test.want)
		}
		if several := strings.Contains(strings.Join(p.Unknown, "\n"), "one suffices"); several != (len(test.benchmarks) > 1) {
			t.Errorf("%v: several benchmarks are stated: %v", test.benchmarks, several)
		}
	}
}
