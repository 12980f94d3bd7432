package group

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

const cases = "../testdata/cases"

// music returns the music players among the generated cases.
func music(t *testing.T) []Member {
	t.Helper()
	var members []Member
	for _, name := range []string{"pandora57-pandora83/subject", "pandora57-pandora83/reference", "spotify-pandora83/subject", "pandora80-freemusic/subject"} {
		found, _ := filepath.Glob(filepath.Join(cases, name+".trace*"))
		if len(found) != 1 {
			t.Fatalf("%s is not there; run make generate", name)
		}
		members = append(members, Member{Name: strings.ReplaceAll(name, "/", " "), Runs: found})
	}
	return members
}

func options(cache string) Options {
	return Options{Compare: analysis.Options{Alpha: analysis.AutoAlpha, PowerProfile: filepath.Join(cases, "power_profile.xml")}, Cache: cache, Fingerprint: "test"}
}

func run(t *testing.T, members []Member, o Options) *Group {
	t.Helper()
	g, err := Run(context.Background(), members, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestAgreesWithComparisons counts the other apps with each task again, from a comparison of each
// app as the subject with each other app.
func TestAgreesWithComparisons(t *testing.T) {
	members := music(t)
	apps := run(t, members, options("")).Apps()
	for i, a := range apps {
		with, energy := make(map[string]int), units.Energy(0)
		own := make(map[string]units.Energy)
		for j := range members {
			if i == j {
				continue
			}
			o := options("").Compare
			o.Subject.Path, o.Reference.Path = members[i].Path(), members[j].Path()
			r, err := analysis.Compare(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			energy = r.Subject.Energy
			for k, id := range finding.IDs(r) {
				own[id] = r.Tasks[k].Own
				if with[id] += 0; r.Tasks[k].Found != eflask.Unmatched {
					with[id]++
				}
			}
		}
		counts, unique := make([]int, len(members)), units.Energy(0)
		for id, n := range with {
			if counts[n]++; n == 0 {
				unique += own[id]
			}
		}
		if !slices.Equal(a.SharedTasks, counts) || a.Energy != energy || a.Unique != unique || a.Tasks != len(with) || a.Others != len(members)-1 {
			t.Errorf("%s: %+v; counted again %v, %d tasks, %d nJ in all, %d nJ unique", members[i].Name, a, counts, len(with), energy, unique)
		}
	}
}

// TestOrderDoesNotMatter reverses a group.
func TestOrderDoesNotMatter(t *testing.T) {
	members := music(t)
	round := slices.Clone(members)
	slices.Reverse(round)
	g, mirrored := run(t, members, options("")), run(t, round, options(""))
	there := mirrored.Apps()
	for i, a := range g.Apps() {
		b := there[len(there)-1-i]
		b.Member = i
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v, and turned round %+v", members[i].Name, a, b)
		}
		for j := range members {
			one, ok := g.Overlap(i, j)
			other, okToo := mirrored.Overlap(len(members)-1-i, len(members)-1-j)
			if !reflect.DeepEqual(one, other) || ok != okToo {
				t.Errorf("%d and %d have %+v in common, and turned round %+v", i, j, one, other)
			}
		}
	}
	common, others := g.CommonTasks(), mirrored.CommonTasks()
	if len(common) != len(others) {
		t.Fatalf("%d methods, and turned round %d", len(common), len(others))
	}
	for i := range common {
		if common[i].Label != others[i].Label || common[i].Saving != others[i].Saving {
			t.Errorf("%d: %s with %d, and turned round %s with %d", i, common[i].Label, common[i].Saving, others[i].Label, others[i].Saving)
		}
	}
}

// TestTwins compares a run with itself: all tasks match, nothing is unique, and there is no
// possible saving.
func TestTwins(t *testing.T) {
	one := music(t)[0]
	two := one
	two.Name = "twin"
	g := run(t, []Member{one, two}, options(""))
	for _, a := range g.Apps() {
		if a.SharedTasks[0] != 0 || a.ExactShared[0] != 0 || a.Unique != 0 || a.SharedTasks[1] != a.Tasks {
			t.Errorf("%+v", a)
		}
	}
	if o, ok := g.Overlap(0, 1); !ok || o.Methods != 1 || o.Tasks != 1 {
		t.Errorf("%+v, %v", o, ok)
	}
	for _, d := range g.CommonTasks() {
		if d.Saving != 0 {
			t.Errorf("%s has room for %d nJ", d.Label, d.Saving)
		}
	}
}

// TestKeepsComparisons checks that comparisons are not repeated, and that one more app needs only
// its own comparisons.
func TestKeepsComparisons(t *testing.T) {
	members, o := music(t), options(t.TempDir())
	first := run(t, members[:3], o)
	again := run(t, members[:3], o)
	more := run(t, members, o)
	for i, want := range [][2]int{{0, 3}, {3, 0}, {3, 3}} {
		g := []*Group{first, again, more}[i]
		if g.Kept != want[0] || g.Compared != want[1] {
			t.Errorf("run %d kept %d comparisons and made %d, not %v", i+1, g.Kept, g.Compared, want)
		}
	}
	if !reflect.DeepEqual(first.Apps(), again.Apps()) || !reflect.DeepEqual(first.CommonTasks(), again.CommonTasks()) {
		t.Error("what was kept says something else")
	}
	o.Fingerprint = "another program"
	if g := run(t, members[:2], o); g.Kept != 0 {
		t.Error("another program's comparison was taken")
	}
	kept, err := filepath.Glob(filepath.Join(o.Cache, "*.gz"))
	if err != nil || len(kept) != 7 {
		t.Fatalf("the folder has %d comparisons (%v)", len(kept), err)
	}
	for i, path := range kept {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)*i/len(kept)], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o.Fingerprint = "test"
	if g := run(t, members, o); g.Kept != 0 || !reflect.DeepEqual(g.Apps(), more.Apps()) {
		t.Errorf("of damaged files %d were taken", g.Kept)
	}
}

// TestGoesOn stops runs after each comparison until a run completes the group.
func TestGoesOn(t *testing.T) {
	members, o := music(t), options(t.TempDir())
	o.Workers = 1
	for kept := range 6 {
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(done, _ int64) {
			if done == int64(kept)+1 {
				cancel()
			}
		}
		if _, err := Run(ctx, members, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("a run that was stopped ended with %v", err)
		}
		if files, _ := os.ReadDir(o.Cache); len(files) != kept+1 {
			t.Fatalf("after %d stops %d comparisons are kept", kept+1, len(files))
		}
	}
	o.Progress = nil
	if g := run(t, members, o); g.Kept != 6 || g.Compared != 0 {
		t.Errorf("%d were kept and %d made", g.Kept, g.Compared)
	}
}

// small writes n recordings of different apps. Each has its own tasks and common tasks.
func small(t *testing.T, n int) []Member {
	t.Helper()
	folder := t.TempDir()
	members := make([]Member, n)
	for i := range members {
		var text strings.Builder
		for k := range 30 {
			fmt.Fprintf(&text, "android.os.Handler.dispatchMessage;com.app%d.Main.onClick;com.app%d.C%d.run;android.view.View.m%d %d\n", i, i, k, k*(i%3+1), 100+(i*37+k*11)%97)
		}
		path := filepath.Join(folder, fmt.Sprintf("app%02d.folded", i))
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		members[i] = Member{Name: filepath.Base(path), Runs: []string{path}}
	}
	return members
}

// TestSixthApp checks that one more app, at any position, needs one comparison with each other app.
// Other recordings of an app need the same. Another order needs no comparison.
func TestSixthApp(t *testing.T) {
	members := small(t, 7)
	o := options(t.TempDir())
	for i, c := range []struct {
		members        []Member
		kept, compared int
	}{
		{members[:5], 0, 10}, {members[:6], 10, 5}, {[]Member{members[3], members[6], members[0], members[5]}, 3, 3}, {members, 18, 3},
	} {
		if g := run(t, c.members, o); g.Kept != c.kept || g.Compared != c.compared {
			t.Errorf("group %d: %d kept and %d compared, want %d and %d", i, g.Kept, g.Compared, c.kept, c.compared)
		}
	}
	members[2].Runs = append(members[2].Runs, members[4].Runs...)
	if g := run(t, members, o); g.Kept != 15 || g.Compared != 6 {
		t.Errorf("a further run of one of seven apps: %d kept and %d compared", g.Kept, g.Compared)
	}
	model := filepath.Join(t.TempDir(), "triggers.yaml")
	if err := os.WriteFile(model, []byte("triggers: []\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Compare.Triggers = model
	if g, err := Run(context.Background(), members[:3], o); err == nil && g.Kept != 0 {
		t.Error("what was compared by another table of triggers was taken")
	}
}

// TestFullDisk checks that comparisons that cannot be stored still have results, and are counted.
func TestFullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	members := small(t, 3)
	g, want := run(t, members, options(filepath.Join(file, "cache"))), run(t, members, options(""))
	if g.Unsaved != 3 || g.UnsavedReason == nil || len(g.Failures) != 0 || g.Compared != 3 || want.Unsaved != 0 {
		t.Errorf("%d of 3 comparisons could not be kept (%v), %d failed", g.Unsaved, g.UnsavedReason, len(g.Failures))
	}
	if !reflect.DeepEqual(g.Apps(), want.Apps()) || !reflect.DeepEqual(g.CommonTasks(), want.CommonTasks()) {
		t.Error("what could not be kept says something else")
	}
}

// TestKilled kills runs after random numbers of comparisons, from a seeded generator, and continues
// until one is complete. The result equals the result of an uninterrupted run.
func TestKilled(t *testing.T) {
	members, cache := small(t, 8), t.TempDir()
	const pairs = 28
	r := rand.New(rand.NewPCG(3, 4))
	made, kills := 0, 0
	for {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), killed+"="+filepath.Dir(members[0].Path())+string(os.PathListSeparator)+cache)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		goOn, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		last := made + 1 + r.IntN(5)
		lines := bufio.NewScanner(out)
		for done := 0; lines.Scan(); {
			if lines.Text() == "compared" {
				if done++; done == last {
					child.Process.Kill()
				} else {
					goOn.Write([]byte{'\n'}) // The child may have ended.
				}
			}
		}
		if err := child.Wait(); err == nil {
			break
		}
		kills++
		files, _ := filepath.Glob(filepath.Join(cache, "*.gz"))
		if len(files) < made {
			t.Fatalf("of %d comparisons that were kept %d are left", made, len(files))
		}
		if made = len(files); kills > 2*pairs {
			t.Fatal("killed runs get nowhere")
		}
	}
	g, want := run(t, members, options(cache)), run(t, members, options(""))
	if kills < 4 || g.Kept != pairs {
		t.Errorf("after %d kills %d of %d comparisons are kept", kills, g.Kept, pairs)
	}
	g.Kept, g.Compared, g.options = want.Kept, want.Compared, want.options
	if !reflect.DeepEqual(g, want) {
		t.Error("after kills a run says something else")
	}
}

// killed is the environment variable with which TestKilled starts this program as the process to
// kill.
const killed = "DIFFPROF_TEST_KILLED"

func TestMain(m *testing.M) {
	folder, cache, ok := strings.Cut(os.Getenv(killed), string(os.PathListSeparator))
	if !ok {
		os.Exit(m.Run())
	}
	paths, _ := filepath.Glob(filepath.Join(folder, "*.folded"))
	var members []Member
	for _, path := range paths {
		members = append(members, Member{Name: filepath.Base(path), Runs: []string{path}})
	}
	o := options(cache)
	// Without an answer, the process could end before it is killed.
	o.Workers, o.Progress = 2, func(int64, int64) {
		fmt.Println("compared")
		os.Stdin.Read(make([]byte, 1))
	}
	if _, err := Run(context.Background(), members, o); err != nil {
		os.Exit(1)
	}
}

// TestLeavesOut checks that a recording that cannot be read is left out and reported.
func TestLeavesOut(t *testing.T) {
	members := music(t)[:3]
	members[1].Runs = []string{filepath.Join(t.TempDir(), "bad.trace")}
	if err := os.WriteFile(members[1].Path(), []byte("nothing of a recording\n\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	g := run(t, members, options(""))
	if len(g.Failures) != 2 || g.Failures[0].A != 0 || g.Failures[0].B != 1 || !strings.Contains(g.Failures[0].Err.Error(), "bad.trace") {
		t.Errorf("%+v", g.Failures)
	}
	if _, ok := g.Overlap(0, 1); ok {
		t.Error("what was not compared has something in common")
	}
	apps := g.Apps()
	if apps[0].Others != 1 || apps[1].Others != 0 || apps[1].Tasks != 0 {
		t.Errorf("%+v", apps)
	}
	if _, err := Run(context.Background(), members[:2], options("")); err == nil {
		t.Error("a group of which nothing could be compared is no error")
	}
}

func TestRefuses(t *testing.T) {
	members := music(t)
	if _, err := Run(context.Background(), members[:1], Options{}); err == nil {
		t.Error("one app is a group")
	}
	members[1].Name = members[0].Name
	if _, err := Run(context.Background(), members, Options{}); err == nil || !strings.Contains(err.Error(), "have the name") {
		t.Errorf("two apps of one name: %v", err)
	}
}

func TestReadsLists(t *testing.T) {
	got, err := readList(strings.NewReader("apps:\n  - name: Pandora\n    version: \"5.7\"\n    trace: p.trace\n    mapping: m.txt\n  - {name: Tidal, trace: /abs/t.trace, process: com.tidal}\n  - {name: Deezer, runs: [\"d/*.trace\", /abs/more.trace]}\n"), "lists/music.yaml")
	want := []Member{
		{Name: "Pandora 5.7", App: "Pandora", Version: "5.7", Runs: []string{filepath.Join("lists", "p.trace")}, Mapping: filepath.Join("lists", "m.txt")},
		{Name: "Tidal", App: "Tidal", Runs: []string{"/abs/t.trace"}, Process: "com.tidal"},
		{Name: "Deezer", App: "Deezer", Runs: []string{filepath.Join("lists", "d", "*.trace"), "/abs/more.trace"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v)", got, err)
	}
	for text, wants := range map[string]string{
		"":                               "the file is empty",
		"apps: []":                       "names no apps",
		"apps:\n  - trace: x":            "the app has no name",
		"apps:\n  - name: x":             "x has no trace",
		"apps:\n  - {name: x, runs: []}": "x has no trace",
		"apps:\n  - {name: x, trace: a, runs: [b]}": "x has trace and runs",
		"apps:\n  - {name: x, runs: {a: b}}":        "line 2",
		"apps:\n  - nam: x":                         "nam",
		"apps: [":                                   "line 1",
		"apps: 3":                                   "line 1",
		"a: &a [1,1]\nb: &b [*a,*a]\napps: [*b]":    "line",
	} {
		if _, err := readList(strings.NewReader(text), "l.yaml"); err == nil || !strings.Contains(err.Error(), wants) || !strings.Contains(err.Error(), "l.yaml") {
			t.Errorf("%.30q: %v, not %q", text, err, wants)
		}
	}
}

func FuzzReadList(f *testing.F) {
	f.Add("apps:\n  - name: Pandora\n    trace: p.trace\n")
	f.Add("apps: [{name: a, trace: b, process: 3}]")
	f.Fuzz(func(t *testing.T, text string) {
		members, err := readList(strings.NewReader(text), "l.yaml")
		if err == nil && len(members) == 0 {
			t.Error("a list without apps is no error")
		}
	})
}
