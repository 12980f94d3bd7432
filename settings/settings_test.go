package settings

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/finding"
)

// same compares settings. Empty and nil lists are equal.
func same(t *testing.T, got, want Settings) {
	t.Helper()
	for _, s := range []*Settings{&got, &want} {
		for _, list := range []*[]string{&s.AppPackages, &s.FrameworkPackages, &s.OwnPackages, &s.Manifests, &s.EqualBuilds, &s.Subject.With, &s.Reference.With, &s.Sources, &s.Classpath} {
			if len(*list) == 0 {
				*list = nil
			}
		}
		if len(s.Ignore) == 0 {
			s.Ignore = nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings:\n%+v\nwant:\n%+v", got, want)
	}
}

// TestProblems reads the project files in testdata/problems.txtar, and marks the problems under
// their lines.
func TestProblems(t *testing.T) {
	golden(t, "testdata/problems.txtar", func(data []byte) string {
		_, problems := Default().WithYAML(data, "")
		slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
		var b strings.Builder
		lines := strings.SplitAfter(string(data), "\n")
		for n, line := range lines {
			b.WriteString(line)
			for _, p := range problems {
				if p.Line == n+1 {
					fmt.Fprintf(&b, "%s%s %s\n", strings.Repeat(" ", p.Column-1), strings.Repeat("^", max(1, p.EndColumn-p.Column)), p.Message)
				}
			}
		}
		return b.String()
	})
}

// TestAddIgnore adds an entry to the project files in testdata/ignore.txtar.
func TestAddIgnore(t *testing.T) {
	golden(t, "testdata/ignore.txtar", func(data []byte) string {
		out, err := AddIgnore(data, Ignore{Task: "a.B.c(I)V", ID: "0123456789abcdef", Reason: "it's: fine #1"})
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return string(out)
	})
}

// golden compares the result for each file NAME of an archive with the file "NAME, done".
func golden(t *testing.T, path string, render func([]byte) string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ", done") {
			continue
		}
		got := render(f.Data)
		out.Files = append(out.Files, f, txtar.File{Name: f.Name + ", done", Data: []byte(got)})
		if !*update && got != want[f.Name+", done"] {
			t.Errorf("%s:\n%s\nwant:\n%s\nIf that is right, run go test ./settings -update and read the diff.", f.Name, got, want[f.Name+", done"])
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLayers(t *testing.T) {
	s, problems := Default().WithJSON([]byte(`{"diffprof":{"alpha":2,"minShare":"5%","codeLens":{"class":false},"subject":null}}`), "/ws")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s, problems = s.WithYAML([]byte("alpha: 3\nsubject: a b/ü.trace\nreference: /abs.trace\nclasspath: [x.jar]\nseverity: {error: never}\n"), "/ws/app")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Default()
	want.Alpha, want.MinShare = 3, 0.05
	want.CodeLens = maps.Clone(Default().CodeLens)
	want.CodeLens["class"] = false
	want.Subject.Path, want.Reference.Path = filepath.FromSlash("/ws/app/a b/ü.trace"), "/abs.trace"
	want.Classpath = []string{filepath.FromSlash("/ws/app/x.jar")}
	want.Severity.Error = finding.Unreachable
	same(t, s, want)
	if got := s.Severity.Level(0.99); got != "warning" {
		t.Errorf("severity of 99%% is %s", got)
	}
	same(t, Default(), Default())
}

// TestWarning: a value that is probably a mistake is used, and is not a fault.
func TestWarning(t *testing.T) {
	s, problems := Default().WithYAML([]byte("alpha: 99\ntop: -1\n"), "")
	if s.Alpha != 99 || len(problems) != 2 || !problems[0].Warning || problems[1].Warning {
		t.Errorf("α is %d, problems %+v", s.Alpha, problems)
	}
	if faults := Faults(problems); len(faults) != 1 || faults[0].Key != "top" {
		t.Errorf("faults are %+v", faults)
	}
	if s, err := Default().WithFlag("alpha", "99"); err != nil || s.Alpha != 99 {
		t.Errorf("--alpha 99 is %d, %v", s.Alpha, err)
	}
}

func TestWithFlag(t *testing.T) {
	for _, c := range []struct {
		flag  string
		given []string
		want  string
	}{
		{"alpha", []string{"x", "2"}, ""}, // The last value counts.
		{"merge", []string{"none"}, ""},
		{"alpha", []string{"-1"}, "use auto, paper, or a whole number from 0 up"},
		{"alpha", []string{"1.5"}, "use auto, paper, or a whole number from 0 up"},
		{"merge", []string{"apps"}, "unknown step, did you mean app?; use any of async, recorder, idle, detail, runtime, synthetic, entry, app, hierarchy"},
		{"appPackages", []string{"a..b"}, `package "a..b": write a package such as com.example.app, or com.example.* for it and those below`},
		{"threads", []string{"x"}, "use a whole number from 0 up"},
		{"top", []string{"-3"}, "use auto, or a whole number from 0 up"},
		{"partial", []string{"perhaps"}, "use true or false"},
		{"maxExpanded", []string{"-5"}, "use a size above 0, such as 512MiB or 8GiB"},
		{"maxExpanded", []string{"auto"}, "use a size above 0, such as 512MiB or 8GiB"},
		{"maxMemory", []string{"0"}, "use a size above 0, such as 512MiB or 8GiB, or auto"},
		{"maxMemory", []string{"9EiB"}, "use a size above 0, such as 512MiB or 8GiB, or auto"},
		{"minShare", []string{"101"}, "use a percentage from 0 to 100, such as 1%, or auto"},
		{"foldedUnit", []string{"kWh"}, "use one of unknown, nJ, uJ, mJ, J, uAh, ns, us, ms, s"},
		{"subject", []string{"a.trace"}, `no flag sets the setting "subject"`},
		{"", []string{"a"}, `no flag sets the setting ""`},
	} {
		s, err := Default().WithFlag(c.flag, c.given...)
		got := ""
		if err != nil {
			got = err.Error()
			same(t, s, Default())
		}
		if got != c.want {
			t.Errorf("--%s %q: %q, want %q", c.flag, c.given, got, c.want)
		}
	}
}

func TestSeverityOf(t *testing.T) {
	s := Default().Severity
	if got := s.Level(1); got != "warning" {
		t.Errorf("by default all of the run is %s, want a warning", got)
	}
	s.Error = 0.1
	for share, want := range map[float64]string{1: "error", 0.1: "error", 0.099: "warning", 0.02: "warning", 0.006: "information", 0.001: "hint", 0: "hint"} {
		if got := s.Level(share); got != want {
			t.Errorf("severity of %v is %s, want %s", share, got, want)
		}
	}
}

func TestIgnored(t *testing.T) {
	const label = "android.widget.TextView.setText(Ljava/lang/CharSequence;)V"
	above := []string{"(toplevel)", "android.os.Looper.loop()V", "*.onClick(Landroid/view/View;)V", "com.mine.Main.show()V"}
	for _, c := range []struct {
		g    Ignore
		want bool
	}{
		{Ignore{Task: label}, true},
		{Ignore{Task: "android.widget.TextView.setText"}, true},
		{Ignore{Task: "android.widget.TextView.setTex"}, false},
		{Ignore{Task: "android.widget.TextView.setText(I)V"}, false},
		{Ignore{Task: "*.setText"}, true},
		{Ignore{Task: "android.*.set*"}, true},
		{Ignore{Task: "*"}, true},
		{Ignore{Task: "a*a*z"}, false},
		{Ignore{Task: "*setText(*CharSequence;)V"}, true},
		{Ignore{Task: label, Path: "com.mine.Main.show"}, true},
		{Ignore{Task: label, Path: "com.mine.*"}, true},
		{Ignore{Task: label, Path: "*.onClick"}, true},
		{Ignore{Task: label, Path: "com.theirs.*"}, false},
		{Ignore{ID: "x"}, true},
		{Ignore{ID: "y"}, false},
		{Ignore{ID: "x", Task: "no.such"}, false},
	} {
		s := Settings{Ignore: []Ignore{c.g}}
		if got := s.Ignored("x", label, slices.Values(above)) != nil; got != c.want {
			t.Errorf("%+v: ignored %v", c.g, got)
		}
	}
}

// FuzzWithYAML checks the laws of the reader on any bytes: settings are within bounds, problems
// are within the file, results are repeatable, and adding an entry to a file without problems
// does not change its other settings.
func FuzzWithYAML(f *testing.F) {
	for _, path := range []string{"testdata/problems.txtar", "testdata/ignore.txtar"} {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("a: &x [*x]\nb: *x"))
	f.Fuzz(checkYAML)
}

func checkYAML(t *testing.T, data []byte) {
	s, problems := Default().WithYAML(data, "/f")
	again, twice := Default().WithYAML(data, "/f")
	if !reflect.DeepEqual(s, again) || !slices.Equal(problems, twice) {
		t.Fatalf("%q: read twice, two results", data)
	}
	checkBounds(t, data, &s)
	lines := strings.Split(string(data), "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.EndColumn < p.Column || p.EndColumn > len(lines[p.Line-1])+1 {
			t.Fatalf("%q: problem %+v is outside of the file", data, p)
		}
		if p.Message == "" || strings.Contains(p.Message, "\n") {
			t.Fatalf("%q: message %q", data, p.Message)
		}
	}
	out, err := AddIgnore(data, Ignore{Task: "a.B.c", Reason: "r"})
	if err != nil {
		return
	}
	after, _ := Default().WithYAML(out, "/f")
	if n := len(after.Ignore); n != len(s.Ignore)+1 || after.Ignore[n-1] != (Ignore{Task: "a.B.c", Reason: "r"}) {
		t.Fatalf("%q: entry missing in %q", data, out)
	}
	after.Ignore, s.Ignore = nil, nil
	if !reflect.DeepEqual(after, s) {
		t.Fatalf("%q became %q, which says something else", data, out)
	}
}

// checkBounds checks settings against the schema.
func checkBounds(t *testing.T, data []byte, s *Settings) {
	t.Helper()
	if s.Alpha < Auto || s.Top < Auto || s.Matching.Threads < 0 ||
		s.MinShare != Auto && !(s.MinShare >= 0 && s.MinShare <= 1) || s.Severity.Error < 0 ||
		s.Voltage <= 0 || s.Ingest.MaxExpanded <= 0 || s.MaxMemory < 0 || s.Merge == nil || s.CodeLens == nil {
		t.Fatalf("%q: out of bounds: %+v", data, s)
	}
}

// FuzzWithJSON checks the same laws on editors' settings.
func FuzzWithJSON(f *testing.F) {
	f.Add([]byte(`{"diffprof":{"alpha":2,"ignore":[{"task":"a"}]}}`))
	f.Add([]byte(`[[[[[[[[{}]]]]]]]]`))
	f.Add([]byte(`{"severity":{"error":1e999}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := Default().WithJSON(data, "")
		checkBounds(t, data, &s)
	})
}

// TestDamaged cuts a file at every byte and changes bytes at random.
func TestDamaged(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/problems.txtar")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, f := range archive.Files {
		for i := 0; i < len(f.Data); i += 3 {
			checkYAML(t, f.Data[:i])
			changed := slices.Clone(f.Data)
			changed[i] = byte(rnd.IntN(256))
			checkYAML(t, changed)
		}
	}
}

func Example() {
	s, problems := Default().WithYAML([]byte("alpha: 2\nminshare: 1%\n"), ".")
	fmt.Println("α =", s.Alpha)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// α = 2
	// line 2: unknown setting "minshare", did you mean minShare?
}
