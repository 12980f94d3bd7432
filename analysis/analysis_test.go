package analysis_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

func Example() {
	dir, _ := os.MkdirTemp("", "diffprof")
	defer os.RemoveAll(dir)
	write := func(name, stacks string) string {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(stacks), 0o600)
		return path
	}
	r, err := analysis.Compare(context.Background(), analysis.Options{
		Subject:   analysis.Side{Path: write("new.folded", "android.os.Handler.dispatchMessage;app.Main.run;android.widget.TextView.setText 900@3\n")},
		Reference: analysis.Side{Path: write("old.folded", "android.os.Handler.dispatchMessage;app.Main.run;android.widget.TextView.setText 100@1\n")},
		Alpha:     analysis.AutoAlpha,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range r.Tasks {
		fmt.Println(r.Subject.Tree.Path(t.Node), t.Found, t.Saving, *t.Split)
	}
	// Output:
	// [(toplevel) android.os.Handler.dispatchMessage *.run android.widget.TextView.setText] exact 800 {200 600}
}

// realTraces returns the recordings from real phones that have events.
func realTraces(t *testing.T) []string {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "art", "*"))
	if len(files) == 0 {
		t.Skip("needs the real traces, which a clone does not have")
	}
	var out []string
	for _, f := range files {
		if filepath.Base(f) != "perflib-header.trace" {
			out = append(out, f)
		}
	}
	return out
}

// shippedPairs returns the generated pairs in testdata.
func shippedPairs(t *testing.T) [][2]string {
	dirs, _ := filepath.Glob(filepath.Join("..", "testdata", "cases", "*", "subject.trace*"))
	var out [][2]string
	for _, subject := range dirs {
		if strings.HasSuffix(subject, ".flows") {
			continue
		}
		refs, _ := filepath.Glob(filepath.Join(filepath.Dir(subject), "reference.trace*"))
		for _, r := range refs {
			if !strings.HasSuffix(r, ".flows") {
				out = append(out, [2]string{subject, r})
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("found %d shipped pairs, want ten", len(out))
	}
	return out
}

func compare(t *testing.T, o analysis.Options) *analysis.Result {
	t.Helper()
	r, err := analysis.Compare(context.Background(), o)
	if err != nil {
		t.Fatalf("comparing %s with %s: %v", o.Subject.Path, o.Reference.Path, err)
	}
	return r
}

// check checks a result against the laws that hold for every input.
func check(t *testing.T, r *analysis.Result) {
	t.Helper()
	for _, in := range []analysis.Input{r.Subject, r.Reference} {
		var sum units.Energy
		var cpu time.Duration
		for i := range in.Tree.Source.Nodes {
			sum += in.Tree.Source.Energy.Self(int32(i))
			cpu += in.Tree.Source.CPU.Self(int32(i))
		}
		if sum != in.Energy || in.Tree.Energy.All(0) != in.Energy || in.Tree.Source.Energy.Total() != in.Energy {
			t.Errorf("%s: energy %d, root %d, sum over contexts %d", in.Path, in.Energy, in.Tree.Energy.All(0), sum)
		}
		if cpu != in.CPU {
			t.Errorf("%s: CPU time %d, sum over contexts %d", in.Path, in.CPU, cpu)
		}
	}
	s := r.Summary
	if s.MatchedEnergy+s.UnmatchedEnergy+s.OutsideEnergy != r.Subject.Energy || s.OutsideEnergy < 0 {
		t.Errorf("matched %d, unmatched %d and outside %d are not %d", s.MatchedEnergy, s.UnmatchedEnergy, s.OutsideEnergy, r.Subject.Energy)
	}
	if s.Tasks != len(r.Tasks) || s.Matched+s.Unmatched != s.Tasks {
		t.Errorf("%d tasks, %d listed, %d matched and %d unmatched", s.Tasks, len(r.Tasks), s.Matched, s.Unmatched)
	}
	for _, task := range r.Tasks {
		if task.Split != nil && task.Split.Calls+task.Split.PerCall != task.Saving {
			t.Errorf("the split %+v is not the saving %d", *task.Split, task.Saving)
		}
		var calls int64
		for _, c := range eflask.Callers(r.Subject.Tree, task.Node) {
			calls += c.Calls
		}
		if calls != task.Calls {
			t.Errorf("%v: callers make %d of %d calls", r.Subject.Tree.Path(task.Node), calls, task.Calls)
		}
	}
}

// TestCompareSelf checks that a run compared with itself matches completely and has no savings.
func TestCompareSelf(t *testing.T) {
	for _, file := range shorten.Some(realTraces(t)) {
		for _, alpha := range []int{analysis.AutoAlpha, 5} {
			r := compare(t, analysis.Options{Subject: analysis.Side{Path: file}, Reference: analysis.Side{Path: file}, Alpha: alpha})
			check(t, r)
			if n := len(r.Subject.Tree.Nodes); r.Matching.Size != n || len(r.Matching.Pairs) != n {
				t.Errorf("%s, α = %d: %d of %d contexts match", file, alpha, r.Matching.Size, n)
			}
			for _, task := range r.Tasks {
				if task.Found != eflask.Exact || task.Saving != 0 || task.Split != nil && *task.Split != (eflask.Split{}) {
					t.Errorf("%s, α = %d: %v is %v, saving %d", file, alpha, r.Subject.Tree.Path(task.Node), task.Found, task.Saving)
				}
			}
			if len(r.Comparability) > 0 {
				t.Errorf("%s is unlike itself: %v", file, r.Comparability)
			}
		}
	}
}

// TestCompareRealPairs compares every real trace with every other one. For successive traces it
// also checks that the matched tasks are the same in both directions.
func TestCompareRealPairs(t *testing.T) {
	files := shorten.Some(realTraces(t))
	for i, a := range files {
		for j, b := range files[i+1:] {
			there := compare(t, analysis.Options{Subject: analysis.Side{Path: a}, Reference: analysis.Side{Path: b}, Alpha: 3})
			check(t, there)
			if j > 0 {
				continue
			}
			back := compare(t, analysis.Options{Subject: analysis.Side{Path: b}, Reference: analysis.Side{Path: a}, Alpha: 3})
			check(t, back)
			if there.Matching.Size != back.Matching.Size {
				t.Errorf("%s and %s match %d contexts, but %d the other way round", a, b, there.Matching.Size, back.Matching.Size)
			}
		}
	}
}

func TestCompareShippedPairs(t *testing.T) {
	for _, p := range shippedPairs(t) {
		check(t, compare(t, analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}, Alpha: analysis.AutoAlpha}))
	}
}

// TestCompareThreads checks that no result depends on the number of threads.
func TestCompareThreads(t *testing.T) {
	for _, p := range shippedPairs(t)[:3] {
		var want []byte
		for _, n := range []int{1, 2, 8} {
			r := compare(t, analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}, Alpha: 4, Matching: eflask.Options{Threads: n}})
			got, err := json.Marshal([]any{r.Matching, r.Tasks, r.Summary})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if string(got) != string(want) {
				t.Errorf("%s: %d threads give another result than one", p[0], n)
			}
		}
	}
}

// TestCompareSteps checks that every set of merging steps conserves energy.
func TestCompareSteps(t *testing.T) {
	p := shippedPairs(t)[0]
	for i := range 32 {
		if testing.Short() && i%5 != 0 {
			continue
		}
		steps := preprocess.Steps{Async: i&1 > 0, Entry: i&2 > 0, App: i&4 > 0, Hierarchy: i&8 > 0, Recorder: i&16 > 0, Detail: i%3 == 0, Runtime: i%3 == 1, Idle: i%3 == 2}
		check(t, compare(t, analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}, Alpha: 1, Merge: &steps}))
	}
}

func TestCompareMemory(t *testing.T) {
	p := shippedPairs(t)[0]
	o := analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}, Alpha: 5}
	failed, mattered := 0, false
	for _, limit := range []int64{1 << 10, 30_000, 120_000, 200_000, 250_000, 300_000, 400_000, 1 << 30} {
		o.MaxMemory = limit
		_, err := analysis.Compare(context.Background(), o)
		if err == nil {
			mattered = failed > 0
			continue
		}
		failed++
		if !strings.Contains(err.Error(), "--max-memory") || strings.Contains(err.Error(), "\n") {
			t.Errorf("within %d bytes: %q does not say what to do on one line", limit, err)
		}
		t.Log(limit, err)
	}
	if !mattered {
		t.Error("no limit was passed, or none kept")
	}
}

// TestCompareCoverageMemory checks that an α that is not needed and does not fit into memory is
// left out without an error.
func TestCompareCoverageMemory(t *testing.T) {
	const folder = "../testdata/cases/wish-letgo/"
	cut, before := false, 0
	for limit := int64(185_000); limit <= 305_000; limit += 10_000 {
		r, err := analysis.Compare(context.Background(), analysis.Options{
			Subject: analysis.Side{Path: folder + "subject.trace.gz"}, Reference: analysis.Side{Path: folder + "reference.trace.gz"}, Coverage: true, MaxMemory: limit,
		})
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.Coverage)
		if n < before || r.Coverage[n-1].Alpha != n-1 {
			t.Errorf("within %d bytes: coverage is %+v; %d fitted into less", limit, r.Coverage, before)
		}
		cut = cut || n <= analysis.MaxAutoAlpha
		before = n
	}
	if !cut || before != analysis.MaxAutoAlpha+1 {
		t.Errorf("coverage ends at %d of %d, or was never cut", before, analysis.MaxAutoAlpha+1)
	}
}

func TestCompareErrors(t *testing.T) {
	good := shippedPairs(t)[0][0]
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := file("bad.folded", "a;b 1\na;b\n")
	late := file("late.folded", strings.Repeat("a;b 1\n", 200_000)+"a;b\n")
	for _, c := range []struct {
		name string
		o    analysis.Options
		want string
	}{
		{"no such file", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: filepath.Join(dir, "none")}}, "none"},
		{"a bad subject", analysis.Options{Subject: analysis.Side{Path: bad}, Reference: analysis.Side{Path: good}}, "bad.folded: line 2: "},
		{"a bad reference", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: bad}}, "bad.folded: line 2: "},
		{"two bad runs, the second found first", analysis.Options{Subject: analysis.Side{Path: late}, Reference: analysis.Side{Path: bad}}, "late.folded: line 200001: "},
		{"a negative α", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: good}, Alpha: -3}, "α is -3"},
		{"no power profile", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: good}, PowerProfile: bad}, "bad.folded: "},
		{"no mapping", analysis.Options{Subject: analysis.Side{Path: good, Mapping: bad}, Reference: analysis.Side{Path: good}}, "bad.folded: "},
		{"no class path", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: good}, Classpath: []string{bad}}, "bad.folded"},
		{"a bad rule", analysis.Options{Subject: analysis.Side{Path: good}, Reference: analysis.Side{Path: good}, AppPackages: []string{"a..b"}}, "a..b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := analysis.Compare(context.Background(), c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %q", err, c.want)
			}
		})
	}
}

func TestCompareCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := shippedPairs(t)[0]
	if _, err := analysis.Compare(ctx, analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestCompareProgress checks that progress reaches its end in each stage.
func TestCompareProgress(t *testing.T) {
	p := shippedPairs(t)[0]
	last := map[string][2]int64{}
	compare(t, analysis.Options{Subject: analysis.Side{Path: p[0]}, Reference: analysis.Side{Path: p[1]}, Progress: func(stage string, done, total int64) {
		if done < last[stage][0] || done > total {
			t.Errorf("%s: %d of %d after %d", stage, done, total, last[stage][0])
		}
		last[stage] = [2]int64{done, total}
	}})
	for _, stage := range []string{"reading", "matching"} {
		if at := last[stage]; at[0] != at[1] || at[1] == 0 {
			t.Errorf("%s ends at %d of %d", stage, at[0], at[1])
		}
	}
}

// TestTracesKeepTheirLaws checks the laws of package trace on all available recordings.
func TestTracesKeepTheirLaws(t *testing.T) {
	var files []string
	for _, p := range shippedPairs(t) {
		files = append(files, p[0], p[1])
	}
	if real, _ := filepath.Glob(filepath.Join("..", "..", "shared", "data", "art", "*")); len(real) > 0 {
		files = append(files, realTraces(t)...)
	}
	for _, file := range shorten.Some(files) {
		f, err := ingest.Open(t.Context(), file, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tracetest.Check(context.Background(), f); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		f.Close()
	}
}

// TestCompareTruncated checks that a trace that is cut anywhere gives an error of one line. If that
// was requested, it is read as far as it goes instead.
func TestCompareTruncated(t *testing.T) {
	whole := shippedPairs(t)[0]
	f, err := os.Open(whole[1])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	path := filepath.Join(t.TempDir(), "cut.trace")
	for range shorten.Count(60) {
		if err := os.WriteFile(path, content[:r.IntN(len(content))], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, partial := range []bool{false, true} {
			got, err := analysis.Compare(context.Background(), analysis.Options{Subject: analysis.Side{Path: path}, Reference: analysis.Side{Path: whole[1]}, Alpha: 1, Ingest: ingest.Options{Partial: partial}})
			switch {
			case err != nil && strings.Contains(err.Error(), "\n"):
				t.Errorf("more than one line: %q", err)
			case err == nil:
				check(t, got)
			}
		}
	}
}

func TestPlatform(t *testing.T) {
	p, err := analysis.Platform(analysis.Options{AppPackages: []string{"android.view"}, FrameworkPackages: []string{"com.vendor.*"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	want := map[string]bool{"android.view": false, "android.widget": true, "com.vendor.x": true, "androidx.core": false, "java.util": true}
	for pkg := range want {
		got[pkg] = p.Owner(name.OfClass(pkg+".C", "m", "")) == platform.Framework
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("framework: %v, want %v", got, want)
	}
}

// TestCompareCoverage checks that the coverage at each α agrees with a comparison at this α and
// does not depend on the requested α.
func TestCompareCoverage(t *testing.T) {
	for _, pair := range shorten.Some(shippedPairs(t)[:4]) {
		var want []eflask.Coverage
		for alpha := range analysis.MaxAutoAlpha + 1 {
			r := compare(t, analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: alpha})
			c := eflask.Coverage{Alpha: alpha, Tasks: r.Summary.Tasks, Matched: r.Summary.Matched, Energy: r.Summary.MatchedEnergy}
			if !reflect.DeepEqual(r.Coverage, []eflask.Coverage{c}) {
				t.Errorf("%s, α = %d: coverage %+v, the summary says %+v", pair[0], alpha, r.Coverage, c)
			}
			want = append(want, c)
		}
		auto := compare(t, analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: analysis.AutoAlpha})
		// The rule tries one α more if that may gain anything.
		if got := auto.Coverage; len(got) <= auto.Matching.Alpha || len(got) > auto.Matching.Alpha+2 || !reflect.DeepEqual(got, want[:len(got)]) {
			t.Errorf("%s: up to α = %d, which was chosen, coverage is %+v, want %+v", pair[0], auto.Matching.Alpha, got, want)
		}
		for _, alpha := range []int{analysis.AutoAlpha, 2, 7} {
			r := compare(t, analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: alpha, Coverage: true})
			if got := r.Coverage; len(got) < len(want) || !reflect.DeepEqual(got[:len(want)], want) {
				t.Errorf("%s, α = %d: coverage is %+v, want %+v first", pair[0], alpha, got, want)
			}
			if last := r.Coverage[len(r.Coverage)-1].Alpha; last != max(alpha, analysis.MaxAutoAlpha) {
				t.Errorf("%s, α = %d: coverage ends with α = %d", pair[0], alpha, last)
			}
		}
	}
}

// TestTrees checks that Trees returns what Compare returns for the same trees.
func TestTrees(t *testing.T) {
	for _, pair := range shippedPairs(t) {
		o := analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: analysis.AutoAlpha}
		want := compare(t, o)
		got, err := analysis.Trees(context.Background(), want.Subject.Tree.Source, want.Reference.Tree.Source, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Tasks, want.Tasks) || got.Summary != want.Summary || got.Matching.Alpha != want.Matching.Alpha {
			t.Errorf("%s: %+v at α = %d, by files %+v at α = %d", pair[0], got.Summary, got.Matching.Alpha, want.Summary, want.Matching.Alpha)
		}
	}
}

// TestNoPlumbing checks that in real traces neither calls that start a thread's work nor the
// recorder's calls are tasks.
func TestNoPlumbing(t *testing.T) {
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := realTraces(t)
	for i, file := range files {
		r := compare(t, analysis.Options{Subject: analysis.Side{Path: file}, Reference: analysis.Side{Path: files[(i+1)%len(files)]}, Alpha: 0})
		for _, task := range r.Tasks {
			m := r.Subject.Tree.Labels.Method(r.Subject.Tree.Nodes[task.Node].Label)
			if role := known.Role(m); role == platform.Launcher || role == platform.Recorder {
				t.Errorf("%s: %s is a task", file, m.Label())
			}
		}
	}
}
