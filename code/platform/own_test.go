package platform

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

func inPackage(pkg string) name.Method { return name.OfClass(pkg+".C", "m", "") }

// TestAndroidPartsAreTheTables checks that every package of the class table below android or java
// counts as framework even without the table. Packages that later versions add next to them then
// count as framework, too.
func TestAndroidPartsAreTheTables(t *testing.T) {
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	bare, checked := new(Platform), 0
	for pkg := range table.Packages() {
		if !strings.HasPrefix(pkg, "android.") && !strings.HasPrefix(pkg, "java.") {
			continue
		}
		checked++
		if bare.Owner(inPackage(pkg)) != Framework {
			t.Errorf("%s is in the class table and not the framework's", pkg)
		}
		if library := bare.Library(inPackage(pkg)); library != "" {
			t.Errorf("%s is in the class table and in %s", pkg, library)
		}
	}
	if checked < 500 {
		t.Errorf("the class table has only %d packages below android and java", checked)
	}
}

func TestLibrary(t *testing.T) {
	p := builtIn(t)
	for pkg, want := range map[string]string{
		"androidx.compose.ui": "Compose", "androidx.recyclerview.widget": "androidx", "android.support.v4.app": "android.support",
		"kotlin": "Kotlin", "kotlinx.coroutines.flow": "Coroutines", "kotlins": "", "okio": "OkHttp", "okhttp": "",
		"com.facebook.imagepipeline.core": "Fresco", "com.facebook.react.bridge": "ReactNative", "com.facebook": "",
		"com.example.app": "", "": "", "android.app": "", "org.mozilla.fenix": "",
	} {
		if got := p.Library(inPackage(pkg)); got != want {
			t.Errorf("%q is in %q, want %q", pkg, got, want)
		}
	}
	for text, want := range map[string]string{
		"libunity.so`f": "Unity", "libil2cpp.so`A::b()": "Unity", "libflutter.so`f": "Flutter", "libhermes.so`f": "ReactNative", "libc.so`f": "",
		"a (/app/node_modules/express/lib/router.js:3)": "npm", "a (/usr/lib/python3/dist-packages/numpy/core.py:3)": "PyPI", "a (/app/b.js:3)": "",
		"org.springframework.web.A.b()V": "Spring", "io.netty.channel.nio.NioEventLoop.run()V": "Netty", "scala.A.b()V": "Scala",
	} {
		if got := p.Library(name.Parse(text, name.Unknown)); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
	for rule, text := range map[string]string{
		"@unity": "libunity.so`f", "libfoo": "libfoo.so`f", "@npm": "a (/app/node_modules/b/c.js:3)", "node_modules/b/*": "a (/app/node_modules/b/c.js:3)",
		"@pypi": "a (/usr/lib/python3/dist-packages/numpy/core.py:3)", "org.springframework.*": "org.springframework.web.A.b()V",
	} {
		q, err := New(Rules{Framework: []string{rule}}, nil)
		if err != nil || q.Owner(name.Parse(text, name.Unknown)) != Framework {
			t.Errorf("%s does not make %s framework: %v", rule, text, err)
		}
	}
	if got := p.Library(name.Method{Lang: name.Go, Scope: "kotlin"}); got != "" {
		t.Errorf("a package of Go is in %s", got)
	}
}

// TestDependencies checks that packages of a dependency of either run are a library in both.
func TestDependencies(t *testing.T) {
	p, err := New(Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	zap := name.Method{Lang: name.Go, Scope: "go.uber.org/zap/zapcore", Name: "Write"}
	app := name.Method{Lang: name.Go, Scope: "example.com/app", Name: "Run"}
	running := p.Running(Run{}, Run{Dependencies: map[string]string{"go.uber.org/zap/zapcore": "go.uber.org/zap"}})
	own := running.Ownership(Evidence{}, []name.Method{zap, app})
	if got := running.Library(zap); got != "go.uber.org/zap" || own.Own(zap) != "" {
		t.Errorf("the dependency is in %q, and own code by %q", got, own.Own(zap))
	}
	if got := running.Library(app); got != "" || own.Own(app) != ByTrace {
		t.Errorf("the program is in %q, and own code by %q", got, own.Own(app))
	}
	if got := p.Library(zap); got != "" {
		t.Errorf("without runs, the dependency is in %q", got)
	}
	declared := running.Ownership(Evidence{Sources: []string{"go.uber.org/zap/zapcore"}}, []name.Method{zap})
	if got := declared.Own(zap); got != BySources {
		t.Errorf("a package that the sources declare is own code by %q", got)
	}
}

// TestLibrariesAreApart checks that no group is empty or named twice, and that no package already
// belongs to an earlier group.
func TestLibrariesAreApart(t *testing.T) {
	p := builtIn(t)
	var names []string
	for _, l := range libraries {
		if slices.Contains(names, strings.ToLower(l.name)) || l.name == allLibraries || strings.Contains(l.name, " ") {
			t.Errorf("the group %q cannot be told apart", l.name)
		}
		names = append(names, strings.ToLower(l.name))
		if Category(l.name) != l.category || l.category == "" {
			t.Errorf("%s is for %q", l.name, Category(l.name))
		}
		for _, pkg := range l.packages {
			if got := p.Library(inPackage(pkg)); got != l.name {
				t.Errorf("%s of %s is in %s", pkg, l.name, got)
			}
			if p.Owner(inPackage(pkg)) != App && !strings.HasPrefix(pkg, "javax.") {
				t.Errorf("%s of %s is the framework's", pkg, l.name)
			}
		}
	}
}

// TestOwnership checks that the strongest evidence decides. Evidence that matches no method of the
// run must be ignored, because it belongs to another app.
func TestOwnership(t *testing.T) {
	known := builtIn(t)
	ruled, err := New(Rules{Own: []string{"com.mine.*", "androidx.mine"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"com.mine", "com.mine.ui", "com.mines", "com.theirs", "androidx.mine", "androidx.core", "android.app", "kotlin"}
	var ran []name.Method
	for _, pkg := range packages {
		ran = append(ran, inPackage(pkg))
	}
	list := func(packages ...string) []string { return packages }
	for _, test := range []struct {
		what string
		p    *Platform
		Evidence
		want string
	}{
		{"nothing is known", known, Evidence{}, "com.mine trace, com.mine.ui trace, com.mines trace, com.theirs trace"},
		{"rules", ruled, Evidence{}, "com.mine setting, com.mine.ui setting, androidx.mine setting"},
		{"rules count more than all else", ruled, Evidence{list("com.theirs"), list("com.theirs"), list("com.theirs")}, "com.mine setting, com.mine.ui setting, androidx.mine setting"},
		{"a manifest", known, Evidence{Manifest: list("com.mine")}, "com.mine manifest, com.mine.ui manifest"},
		{"sources, in a library's package", known, Evidence{Sources: list("androidx.mine")}, "androidx.mine sources"},
		{"both", known, Evidence{Manifest: list("com.mine.ui"), Sources: list("com.mine", "com.mine.ui")}, "com.mine sources, com.mine.ui manifest"},
		{"one part does not stand for what is below it", known, Evidence{Manifest: list("com"), Sources: list("com.theirs")}, "com.theirs sources"},
		{"the framework's is not the app's", known, Evidence{Sources: list("android.app", "com.mine")}, "com.mine sources, com.mine.ui sources"},
		{"a mapping, but for libraries", known, Evidence{Mapping: list("com.mine", "androidx.core", "kotlin")}, "com.mine mapping"},
		{"a manifest counts more than a mapping", known, Evidence{Manifest: list("com.theirs"), Mapping: list("com.mine")}, "com.theirs manifest"},
		{"of another app", known, Evidence{Manifest: list("org.other"), Mapping: list("com.mines")}, "com.mines mapping"},
		{"all of another app", known, Evidence{list("org.other"), list("org.other"), list("org.other")}, "com.mine trace, com.mine.ui trace, com.mines trace, com.theirs trace"},
	} {
		for _, reversed := range []bool{false, true} {
			if reversed {
				for _, l := range [][]string{test.Manifest, test.Sources, test.Mapping, packages} {
					slices.Reverse(l)
				}
				slices.Reverse(ran)
			}
			o := test.p.Ownership(test.Evidence, ran)
			var got []string
			for i, m := range ran {
				if by := o.Own(m); by != "" {
					got = append(got, packages[i]+" "+string(by))
					if test.p.Owner(m) != App {
						t.Errorf("%s: %s is own and not the app's", test.what, packages[i])
					}
				}
			}
			want := strings.Split(test.want, ", ")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, reversed %v: %q, want %q", test.what, reversed, got, want)
			}
			if o.Own(name.Method{Lang: name.Native, Name: "memcpy"}) != "" {
				t.Errorf("%s: a method that is its caller's is own", test.what)
			}
		}
	}
}

func TestRecorder(t *testing.T) {
	p := builtIn(t)
	for label, want := range map[string]Role{
		"dalvik.system.VMDebug.startClassPrep()V":                         Recorder,
		"dalvik.system.VMDebug.startMethodTracingFd(I)V":                  Recorder,
		"dalvik.system.VMDebug.stopMethodTracing()V":                      Recorder,
		"dalvik.system.VMDebug.getInstructionCount()V":                    NoRole,
		"android.os.Debug.startMethodTracingSampling(II)V":                Recorder,
		"android.os.Debug.getMemoryInfo()V":                               NoRole,
		"org.mozilla.gecko.GeckoJavaSampler$Frame.<init>()V":              Recorder,
		"org.mozilla.gecko.GeckoJavaSamplers.run()V":                      NoRole,
		"com.android.tools.profiler.support.profilers.EventProfiler.i()V": Recorder,
		"com.android.tools.r8.GeneratedOutlineSupport.outline1()V":        NoRole,
	} {
		if got := p.Role(name.Parse(label, name.JVM)); got != want {
			t.Errorf("the role of %s is %v, want %v", label, got, want)
		}
	}
}

var update = flag.Bool("update", false, "write the list of libraries in docs/preprocessing.md anew")

// TestLibrariesAreDocumented compares the list in the documentation with the groups.
func TestLibrariesAreDocumented(t *testing.T) {
	const begin = "shows which packages of a run are in them:\n\n"
	file := filepath.Join("..", "..", "docs", "preprocessing.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		t.Fatal("the documentation has no list of groups")
	}
	var categories, rows []string
	groups := make(map[string][]string)
	for _, l := range libraries {
		if groups[l.category] == nil {
			categories = append(categories, l.category)
		}
		groups[l.category] = append(groups[l.category], "`@"+strings.ToLower(l.name)+"`")
	}
	for _, category := range categories {
		rows = append(rows, "- **"+category+"**: "+strings.Join(groups[category], ", "))
	}
	want := before + begin + strings.Join(rows, "\n") + "\n\n" + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("docs/preprocessing.md lists other groups of libraries; run go test ./code/platform -update")
	}
}
