package instrument

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/trace"
)

// asyncApp returns an app whose code is testdata/async/Work.dex.
func asyncApp(t *testing.T) *apk.Archive {
	t.Helper()
	data, err := os.ReadFile("testdata/async/Work.dex")
	if err != nil {
		t.Fatal(err)
	}
	entries := small(t)
	entries["classes.dex"] = data
	return archive(t, entries)
}

// TestAsyncRuns runs a program on a Java VM. The program hands work over in all ways that the VM
// supports. The path of work must begin where it was handed over. Without hand-overs, it begins
// with the thread.
func TestAsyncRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	j := newJVM(t)
	printed := ""
	for _, async := range []bool{false, true} {
		made, r, _ := instrumented(t, asyncApp(t), Options{Async: async})
		if async && (r.HandOvers != 20 || r.Carriers != 11) || !async && r.HandOvers+r.Carriers > 0 {
			t.Errorf("%d hand-overs, %d carriers", r.HandOvers, r.Carriers)
		}
		j.folder = t.TempDir()
		program, counting := j.copied(made)
		out := j.java("Work", "diffprof.calls.folder="+j.folder, append([]string{program}, counting...)...)
		if out != printed && printed != "" || strings.TrimSpace(out) == "" {
			t.Errorf("the program prints %q, and %q", out, printed)
		}
		printed = out
		samples, tr := samplesOf(t, filepath.Join(j.folder, "diffprof-calls"))
		if *update && async {
			writeRecording(t, j)
		}
		if len(tr.Warnings) > 1 || len(tr.Warnings) == 1 && tr.Warnings[0].Code != "probe-cost" {
			t.Error(tr.Warnings)
		}
		got := pathsTo(samples, tr, "step")
		golden := fmt.Sprintf("testdata/async/paths-%v.txt", async)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", golden, got, want)
		}
	}
}

// writeRecording writes testdata/async/Work.calls, a recording without its map. A test of the
// command reads it.
func writeRecording(t *testing.T, j *jvm) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(j.folder, "diffprof-calls", "*.calls"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	data, err := os.ReadFile(paths[0])
	if err == nil {
		err = os.WriteFile("testdata/async/Work.calls", data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// pathsTo returns the call paths to a method, with their numbers of calls.
func pathsTo(samples []trace.Sample, tr *trace.Trace, method string) string {
	calls := make(map[string]int64)
	for _, s := range samples {
		if tr.Methods[s.Stack[len(s.Stack)-1]].Name != method {
			continue
		}
		var path []string
		for _, m := range s.Stack {
			path = append(path, tr.Methods[m].Class()+"."+tr.Methods[m].Name)
		}
		calls[strings.Join(path, " > ")] += s.Calls
	}
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(calls)) {
		fmt.Fprintf(&b, "%d %s\n", calls[path], path)
	}
	return b.String()
}

// TestHandOversAreDocumented compares the tables handOvers and carriers with the documentation.
func TestHandOversAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/instrument.md")
	if err != nil {
		t.Fatal(err)
	}
	short := func(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
	for _, h := range handOvers {
		for _, name := range h.names {
			if name == "<init>" {
				name = "new " + short(h.class)
			} else {
				name = short(h.class) + "." + name
			}
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/instrument.md does not list %s", name)
			}
		}
	}
	for _, c := range carriers {
		name, _, _ := strings.Cut(c.method, "(")
		if name = strings.ReplaceAll(short(c.class), "$", ".") + "." + name; !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/instrument.md does not list %s", name)
		}
	}
}

// TestHandOverTable checks that the framework has the classes in handOvers and carriers, and that
// subclasses are found in the app and in the framework.
func TestHandOverTable(t *testing.T) {
	p := &planner{parts: single(asyncApp(t)), result: &Result{Edits: make([][]apk.Edit, 1)}}
	if err := p.manifests(); err != nil {
		t.Fatal(err)
	}
	if err := p.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	descriptor := func(class string) string { return "L" + strings.ReplaceAll(class, ".", "/") + ";" }
	for _, h := range handOvers {
		if !p.isFramework(descriptor(h.class)) {
			t.Errorf("the framework has no %s", h.class)
		}
	}
	for _, c := range carriers {
		if !p.isFramework(descriptor(c.class)) {
			t.Errorf("the framework has no %s", c.class)
		}
	}
	for _, c := range []struct {
		class, super string
		want         bool
	}{
		{"Landroid/widget/TextView;", "android.view.View", true},
		{"Ljava/util/concurrent/ThreadPoolExecutor;", "java.util.concurrent.Executor", true},
		{"LWork$Derived;", "java.lang.Runnable", true},
		{"LWork$Worker;", "java.lang.Thread", true},
		{"LWork$Worker;", "java.lang.Runnable", true},
		{"LWork$Answer;", "java.util.concurrent.Callable", true},
		{"LWork$Answer;", "java.lang.Runnable", false},
		{"LWork;", "java.lang.Runnable", false},
		{"Lcom/unknown/Other;", "java.lang.Runnable", false},
	} {
		if got := p.isSubtype(c.class, c.super); got != c.want {
			t.Errorf("%s below %s: %v", c.class, c.super, got)
		}
	}
	p.hierarchy.classes["La;"] = &class{super: "Lb;"}
	p.hierarchy.classes["Lb;"] = &class{super: "La;"}
	if p.isSubtype("La;", "java.lang.Runnable") {
		t.Error("classes that extend each other are a Runnable")
	}
}
