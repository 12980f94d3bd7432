package pipeline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Service is the service that runs a pipeline.
type Service string

// The services.
const (
	GitHub Service = "github"
	GitLab Service = "gitlab"
)

// A Plan describes the pipeline to write, and lists the facts that are unknown.
type Plan struct {
	Service Service
	// Version is the release of diffprof, such as v1.2.3. It is empty if diffprof is not a release.
	Version string
	// Module is the module with the tests. App is the app that they run.
	Module, App Module
	// ApplicationID is the app's application id, or a placeholder if it is unknown.
	ApplicationID string
	// Task is the Gradle task that runs the benchmarks, and Class is the benchmark's class. For
	// instrumented tests, Task is only the variant, such as "FreeDebug", and Class is empty.
	Task, Class string
	// Java is the version of Java.
	Java string
	// Unknown lists what the user must check. Each entry is a sentence without a full stop.
	Unknown []string
	// todo has the entries of Unknown by their key in the template, such as "java".
	todo map[string]string
}

// placeholder replaces an application id that is unknown.
const placeholder = "com.example.app"

// File returns the path of the pipeline's file.
func (p *Plan) File() string {
	if p.Service == GitLab {
		return ".gitlab/energy.yml"
	}
	return ".github/workflows/energy.yml"
}

// unknown adds an entry to Unknown. place is its key in the template, such as "java".
func (p *Plan) unknown(place, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	p.Unknown = append(p.Unknown, message)
	p.todo[place] = message
}

var release = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)$`)

// NewPlan chooses what to record in a repository. version is the version of diffprof.
func NewPlan(r *Repository, s Service, version string) (*Plan, error) {
	p := &Plan{Service: s, Java: r.Java, todo: map[string]string{}}
	if m := release.FindStringSubmatch(version); m != nil {
		p.Version = "v" + m[1]
	}
	if len(r.Modules) == 0 {
		return nil, errors.New("there is no build.gradle or build.gradle.kts here: run it in the root of an Android app's repository")
	}
	modules := func(want func(*Module) bool) (found []Module) {
		for i := range r.Modules {
			if want(&r.Modules[i]) {
				found = append(found, r.Modules[i])
			}
		}
		return found
	}
	benchmarks := modules(func(m *Module) bool { return m.Kind == Test && len(m.Benchmarks) > 0 })
	tests := modules(func(m *Module) bool { return m.Kind == App && m.Tests })
	apps := modules(func(m *Module) bool { return m.Kind == App })
	switch {
	case len(apps) == 0:
		return nil, errors.New("no module of this repository is an app: none uses the plugin com.android.application or has an applicationId")
	case len(benchmarks) > 0:
		p.benchmark(benchmarks, apps)
	case len(tests) > 0:
		p.connected(tests)
	default:
		return nil, errors.New("there are neither macrobenchmarks (a module of com.android.test with a MacrobenchmarkRule) nor tests of an app in src/androidTest: add one of them, or write a scenario for diffprof record (docs/record.md)")
	}
	if p.ApplicationID = p.App.ApplicationID; p.ApplicationID == "" {
		p.ApplicationID = placeholder
		p.unknown("id", "the build file of %s does not state the application id", p.App.Path)
	} else if p.App.HasSuffix {
		p.unknown("id", "%s adds suffixes to the application id: check that %s is the id of the recorded variant", p.App.Path, p.ApplicationID)
	}
	if p.Java == "" {
		p.Java = "17"
		p.unknown("java", "no file states the version of Java")
	}
	if !r.Gradle {
		p.unknown("gradle", "there is no gradlew in the root")
	}
	switch {
	case p.Version != "":
	case s == GitLab:
		p.unknown("version", "this diffprof is not a release, and the component accepts only releases: name one")
	default:
		p.unknown("version", "this diffprof is not a release, so the pipeline builds it from the sources of main: name a release when there is one")
	}
	return p, nil
}

// benchmark plans to run macrobenchmarks.
func (p *Plan) benchmark(modules, apps []Module) {
	p.Module, p.App = modules[0], apps[0]
	if len(modules) > 1 {
		p.unknown("module", "several modules have macrobenchmarks, and this one is the first: %s", paths(modules))
	}
	found := slices.IndexFunc(apps, func(a Module) bool { return a.Path == p.Module.Target })
	switch {
	case found >= 0:
		p.App = apps[found]
	case len(apps) > 1:
		p.unknown("app", "the build file of %s names no target: the app is one of %s", p.Module.Path, paths(apps))
	}
	p.Class = p.Module.Benchmarks[0]
	if startup := slices.IndexFunc(p.Module.Benchmarks, func(c string) bool { return !strings.Contains(strings.ToLower(c), "startup") }); startup > 0 {
		p.Class = p.Module.Benchmarks[startup] // A start of an app is short, so its energy varies much.
	}
	if n := len(p.Module.Benchmarks); n > 1 {
		p.unknown("class", "there are %d benchmarks, and one suffices: choose from %s", n, strings.Join(p.Module.Benchmarks, ", "))
	}
	variant := "Benchmark"
	switch {
	case p.Module.BaselineProfile:
		variant = "BenchmarkRelease" // The plugin of baseline profiles makes this build type.
	case !slices.Contains(p.Module.BuildTypes, "benchmark"):
		p.unknown("task", "the build file of %s creates no build type benchmark: ./gradlew %s:tasks lists the connected tests", p.Module.Path, p.Module.Path)
	}
	flavors := p.Module.Flavors
	if len(flavors) == 0 {
		flavors = p.App.Flavors
	}
	if len(flavors) > 0 {
		variant = upper(flavors[0]) + variant
		p.unknown("task", "the app has the flavours %s: choose one; ./gradlew %s:tasks lists the connected tests", strings.Join(flavors, ", "), p.Module.Path)
	} else if p.Module.ComputesFlavors || p.App.ComputesFlavors {
		p.unknown("task", "the build computes flavours: put one into the name of the task, as in connectedDemo%sAndroidTest; ./gradlew %s:tasks lists the connected tests", variant, p.Module.Path)
	}
	p.Task = strings.TrimSuffix(p.Module.Path, ":") + ":connected" + variant + "AndroidTest"
}

// connected plans to record an app's instrumented tests.
func (p *Plan) connected(modules []Module) {
	p.Module, p.App = modules[0], modules[0]
	if len(modules) > 1 {
		p.unknown("module", "several apps have instrumented tests, and this one is the first: %s", paths(modules))
	}
	variant := "Debug"
	if len(p.App.Flavors) > 0 {
		variant = upper(p.App.Flavors[0]) + variant
		p.unknown("task", "the app has the flavours %s: choose one", strings.Join(p.App.Flavors, ", "))
	} else if p.App.ComputesFlavors {
		p.unknown("task", "the build computes flavours: put one into the names of the tasks, as in assembleDemoDebug")
	}
	p.Task = variant
	p.unknown("class", "Android records into a buffer of 8 MB, so choose a class of tests that takes seconds, with -e class")
}

// Benchmark reports whether the plan runs macrobenchmarks.
func (p *Plan) Benchmark() bool { return p.Class != "" }

// Runner returns the class that runs the app's instrumented tests.
func (p *Plan) Runner() string {
	if p.App.Runner != "" {
		return p.App.Runner
	}
	return "androidx.test.runner.AndroidJUnitRunner"
}

// Todo returns a TODO comment line for a key in the template, or "" if there is nothing to do.
func (p *Plan) Todo(indent int, place string) string {
	if p.todo[place] == "" {
		return ""
	}
	return strings.Repeat(" ", indent) + "# TODO: " + p.todo[place] + ".\n"
}

// Reference returns the version of the action, such as "v1.2.3". If diffprof is not a release, it
// returns "main", and the pipeline builds diffprof from its sources.
func (p *Plan) Reference() string {
	if p.Version == "" {
		return "main"
	}
	return p.Version
}

// Variant returns a variant's folder among the built APKs, such as "free/debug".
func (p *Plan) Variant() string {
	if flavor, ok := strings.CutSuffix(p.Task, "Debug"); ok && flavor != "" {
		return strings.ToLower(flavor[:1]) + flavor[1:] + "/debug"
	}
	return "debug"
}

// Source returns the folder of the app's sources.
func (p *Plan) Source() string { return p.App.Folder + "/src/main" }

func paths(modules []Module) string {
	var list []string
	for _, m := range modules {
		list = append(list, m.Path)
	}
	return strings.Join(list, ", ")
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
