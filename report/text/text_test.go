package text

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

func Example() {
	r := &report.Report{
		Alpha:     report.Alpha{Requested: "auto", Used: 1},
		Counts:    "calls",
		Subject:   report.Input{Path: "new.trace", Format: "art", Clock: "thread-cpu", Energy: 50 * units.Millijoule, Provenance: "cpu-time", EnergyFrom: "modelled from CPU time"},
		Reference: report.Input{Path: "old.trace", Format: "art", Clock: "thread-cpu", Energy: 20 * units.Millijoule, Provenance: "cpu-time", EnergyFrom: "modelled from CPU time"},
		Matching:  report.Matching{Size: 7, Pairs: 7},
		Summary: report.Summary{Tasks: 1, Matched: 1, MatchedEnergy: 43600 * units.Microjoule, OutsideTasksEnergy: 6400 * units.Microjoule,
			Outside:   report.Outside{AppCode: 1400 * units.Microjoule, System: 5000 * units.Microjoule},
			Reference: report.RunSummary{Tasks: 1, Matched: 1, MatchedEnergy: 740 * units.Microjoule, OutsideTasksEnergy: 19260 * units.Microjoule, Outside: report.Outside{System: 19260 * units.Microjoule}},
		},
		Tasks: []report.Task{{
			Status: "matched", Verdict: words.Dearer, Method: "android.widget.TextView.setText(Ljava/lang/CharSequence;)V",
			Path:   []string{"(toplevel)", "android.view.View.performClick()Z", "*.onClick(Landroid/view/View;)V", "android.widget.TextView.setText(Ljava/lang/CharSequence;)V"},
			Energy: 43600 * units.Microjoule, Share: 0.872, Own: 43600 * units.Microjoule, Counts: called(596),
			Callers: []report.Caller{{Place: report.Place{Method: "com.example.Player.tick()V", File: "Player.java", Line: 12}, Counts: called(596)}},
			Peer:    &report.Peer{Energy: 740 * units.Microjoule, Share: 0.037, Counts: called(29), Match: "exact"},
			Saving:  42860 * units.Microjoule, Split: &report.Split{Calls: 14500 * units.Microjoule, PerCall: 28360 * units.Microjoule},
		}},
	}
	r.Methods = methodsOf(append(r.Tasks[0].Path, r.Tasks[0].Callers[0].Method)...)
	if err := Comparison(os.Stdout, r, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	//            subject                           reference
	// file       new.trace                         old.trace
	// recording  art, thread-cpu clock             art, thread-cpu clock
	// size       0 events                          0 events
	// contexts   0                                 0
	// CPU time   0 ns                              0 ns
	// energy     50.0 mJ (modelled from CPU time)  20.0 mJ (modelled from CPU time)
	// own code   none ran                          none ran
	// matching   α = 1, chosen by --alpha auto; 7 contexts matched, 7 equal
	// matched    1 of 1 task matched, 87.2% of the energy
	//
	// Tasks, sorted by possible saving; energy in mJ, callees included
	// + only here   > costs more   < costs less   = the same
	//
	// #     saving  subject  share  reference   calls  task
	// 1  >    42.9     43.6  87.2%      0.740  596:29  TextView.setText
	//     from  Player.tick Player.java:12 ×596
	//     why   14.5 mJ because of more calls, 28.4 mJ because each call costs more
	//     via   View.performClick › *.onClick › TextView.setText
	//
	// Where the energy went, each part counted once, in mJ
	//                                 subject      reference
	//   0 tasks only here           0    0.0%      0    0.0%
	//   0 tasks only there          0    0.0%      0    0.0%
	//   1 task matched           43.6   87.2%  0.740    3.7%
	//   outside of tasks         6.40   12.8%   19.3   96.3%
	//     the app's own code     1.40    2.8%      0    0.0%
	//     the system's own work  5.00   10.0%   19.3   96.3%
	//   total                    50.0  100.0%   20.0  100.0%
}

// methodsOf parses the labels in a hand-written report.
func methodsOf(labels ...string) report.Methods {
	methods := report.Methods{}
	for _, label := range labels {
		methods[label] = name.Parse(label, name.JVM)
	}
	return methods
}

// called returns a number of counted calls.
func called(n int64) report.Counts { return report.Counts{Calls: &n} }

func TestShort(t *testing.T) {
	for label, want := range map[string]string{
		"android.widget.TextView.setText(Ljava/lang/CharSequence;)V": "TextView.setText",
		"android.app.SharedPreferencesImpl$EditorImpl.apply()V":      "SharedPreferencesImpl$EditorImpl.apply",
		"*.onClick(Landroid/view/View;)V":                            "*.onClick",
		"com.mine.Main.<init>()V":                                    "Main.<init>",
		"native_symbol":                                              "native_symbol",
		"(toplevel)":                                                 "(toplevel)",
		"":                                                           "",
		"com.mine.\x1b[31mred.run":                                   "\uFFFD[31mred.run",
		"com.mine.a\u202e.b":                                         "a\uFFFD.b",
		"com.mine.A.b\nc":                                            "A.b\uFFFDc",
	} {
		p := page{methods: methodsOf(label)}
		if got := p.short(label); got != want {
			t.Errorf("short(%q) = %q, want %q", label, got, want)
		}
	}
}

func TestSteps(t *testing.T) {
	names := []string{"Looper.loop", "View.performClick", "*.onClick", "TextView.setText"}
	for room, want := range map[int]string{
		80: "Looper.loop › View.performClick › *.onClick › TextView.setText",
		62: "Looper.loop › View.performClick › *.onClick › TextView.setText",
		61: "Looper.loop › … › *.onClick › TextView.setText",
		46: "Looper.loop › … › *.onClick › TextView.setText",
		45: "Looper.loop › … › TextView.setText",
		20: "TextView.setText",
		9:  "….setText",
	} {
		if got := steps(names, room, 0); got != want || cells(got) > room {
			t.Errorf("in %d cells: %q, want %q", room, got, want)
		}
	}
}

// TestTellingSteps checks that a step that distinguishes two paths is shown if there is space.
func TestTellingSteps(t *testing.T) {
	names := []string{"Looper.loop", "Handler.handle", "View.performClick", "*.onClick", "TextView.setText"}
	for _, c := range []struct {
		room, telling int
		want          string
	}{
		{80, 1, "Looper.loop › Handler.handle › View.performClick › *.onClick › TextView.setText"},
		{66, 1, "Looper.loop › Handler.handle › … › *.onClick › TextView.setText"},
		{60, 1, "Looper.loop › Handler.handle › … › TextView.setText"},
		{60, 3, "Looper.loop › … › *.onClick › TextView.setText"},
		{60, 2, "Looper.loop › … › View.performClick › … › TextView.setText"},
		{50, 1, "Looper.loop › Handler.handle › …"},
		{39, 2, "Looper.loop › … › View.performClick › …"},
		{30, 2, "TextView.setText"},
	} {
		if got := steps(names, c.room, c.telling); got != c.want || cells(got) > c.room {
			t.Errorf("step %d in %d cells: %q, want %q", c.telling, c.room, got, c.want)
		}
	}
	path := func(steps ...string) []string { return append([]string{"(toplevel)"}, steps...) }
	told := distinctSteps([]report.Task{
		{ID: "a", Method: "F.f()V", Path: path("X.x()V", "Y.y()V", "*.run()V", "F.f()V")},
		{ID: "b", Method: "F.f()V", Path: path("Y.y()V", "Z.z()V", "*.run()V", "F.f()V")},
		{ID: "c", Method: "F.f()V", Path: path("Y.y()V", "*.go()V", "F.f()V")},
	})
	if !maps.Equal(told, map[string]int{"a": 1, "b": 2}) {
		t.Errorf("what tells the tasks apart: %v", told)
	}
}

// TestVia checks that the thread is named if there are several, and that the path then has less
// space.
func TestVia(t *testing.T) {
	path := []string{"(toplevel)", "*.run()V", "a.Log.d()V"}
	several := report.Input{Threads: 7}
	p := page{methods: methodsOf(path...)}
	if got := p.callPath(several, []string{"main"}, path[:1], 30, 0); got != "(toplevel)" {
		t.Errorf("path of the root alone: %q", got)
	}
	for _, c := range []struct {
		in      report.Input
		threads []string
		want    string
	}{
		{report.Input{Threads: 1}, []string{"main"}, "*.run › Log.d"},
		{several, nil, "*.run › Log.d"},
		{several, []string{"main"}, "[main] › *.run › Log.d"},
		{several, []string{"", "b"}, "[unnamed +1] › *.run › Log.d"},
		{several, []string{"a-name-that-is-much-too-long"}, "Log.d"},
		{several, []string{"a\x1b[31m"}, "[a\ufffd[31m] › *.run › Log.d"},
	} {
		if got := p.callPath(c.in, c.threads, path, 30, 0); got != c.want || cells(got) > 30 {
			t.Errorf("threads %q: %q, want %q", c.threads, got, c.want)
		}
	}
}

// TestLinesFit renders a task with the longest names at many widths: No line of a table or its
// details may be wider than requested.
func TestLinesFit(t *testing.T) {
	long := "com.example." + strings.Repeat("VeryLongClassName", 12) + ".metóde日本()V"
	r := &report.Report{Alpha: report.Alpha{Requested: 3, Used: 3}, Counts: "calls", Tasks: []report.Task{{
		Method: long, Path: []string{"(toplevel)", long, long}, Energy: 5, Saving: 3, Counts: called(1 << 40),
		Callers: []report.Caller{
			{Place: report.Place{Method: long, File: "VeryLongClassName.java", Line: 7}, Counts: called(3)},
			{Place: report.Place{Method: long}, Own: &report.Place{Method: long + "2", File: "VeryLongClassName.java"}, Through: "VeryLongLibraryName"},
			{Place: report.Place{Method: long}, Through: "VeryLongLibraryName"},
		},
		Peer: &report.Peer{Method: long, Path: []string{"(toplevel)", long}, Match: "renamed", How: "alike in what it calls, path 3 steps apart", Distance: new(int32(3)), Counts: called(1 << 40)},
	}}}
	for _, width := range []int{0, 80, 119, 120, 200} {
		var b strings.Builder
		if err := Comparison(&b, r, report.Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if got := cells(strings.TrimSuffix(line, "\n")); got > max(width, 80) {
				t.Errorf("%d cells where %d are to be used: %s", got, width, line)
			}
		}
	}
}

// TestTreeOfAnyDepth renders a chain, a comb and a star that would overflow a
// recursion or square their size in indentation.
func TestTreeOfAnyDepth(t *testing.T) {
	const n = 20000
	tree := &report.Tree{Stage: "raw"}
	for i := range n {
		tree.Contexts = append(tree.Contexts, report.Context{Depth: i, Method: "a.B.c"})
	}
	for i := n - 1; i > 0; i-- {
		tree.Contexts = append(tree.Contexts, report.Context{Depth: i, Method: "a.B.d"})
	}
	for range n {
		tree.Contexts = append(tree.Contexts, report.Context{Depth: 1, Method: "a.B.e"})
	}
	var b strings.Builder
	if err := Tree(&b, tree, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "B."); got != len(tree.Contexts) {
		t.Errorf("%d lines for %d contexts", got, len(tree.Contexts))
	}
	if b.Len() > 200*len(tree.Contexts) {
		t.Errorf("%d bytes for %d contexts", b.Len(), len(tree.Contexts))
	}
}

// TestCuts checks that shortened texts fit their space, whatever their characters, and that
// shortening takes time linear in the length.
func TestCuts(t *testing.T) {
	long := strings.Repeat("a", 1_000_000)
	for _, c := range []struct {
		got, want string
	}{
		{cutLeft("Handler.handleCallback", 10), "…eCallback"},
		{cutLeft("生命生命", 6), "…生命"},
		{cutLeft("abc", 3), "abc"},
		{cutLeft("abc", 1), "…"},
		{cutLeft(long, 3), "…aa"},
		{cutMethod("SQLiteDatabase.query(String, String[], String)", 34), "SQLiteDatabase.query(…g[], String)"},
		{cutMethod("SQLiteDatabase.query(String, String[], String)", 22), "SQLiteDatabase.query"},
		{cutMethod("SQLiteDatabase.query(String)", 10), "…ase.query"},
		{cutMethod("Handler.handleCallback", 10), "…eCallback"},
		{cutMethod(long+"("+long, 3), "…aa"},
		{cutRight(long, 3), "aa…"},
		{cutWords("3.84 µAh (modelled from CPU time)", 20), "3.84 µAh (modelled…"},
		{cutWords("33,784 events, 18 threads", 17), "33,784 events,…"},
		{cutWords("51088", 3), "51088"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestFileFitsThePage checks that a long path is cut at its left, and that the line with the energy
// fits the page.
func TestFileFitsThePage(t *testing.T) {
	in := report.Input{Path: "/home/someone/" + strings.Repeat("folder/", 20) + "app.trace", Energy: 50 * units.Millijoule, EnergyFrom: "modelled from CPU time", Runs: 3}
	for _, width := range []int{80, 100, 120} {
		p := &page{width: width}
		line := "           " + p.fileAndEnergy(in)
		if n := cells(line); n > width || n < width-1 {
			t.Errorf("%d cells of %d: %s", n, width, line)
		}
		if !strings.Contains(line, "app.trace, ") && !strings.Contains(line, "app.trace") {
			t.Errorf("the name of the file is cut: %s", line)
		}
	}
	if got := (&page{width: 80}).fileAndEnergy(report.Input{Path: "app.trace", EnergyFrom: "x"}); !strings.HasPrefix(got, "app.trace") {
		t.Errorf("a short path is cut: %s", got)
	}
}
