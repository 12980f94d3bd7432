package cct_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

func TestBuild(t *testing.T) {
	for _, c := range []struct{ name, script, want, warnings string }{
		{"nothing", "", "root:0", ""},
		{"nesting", "a1b2B3A4a", "root:4(a:4×2(b:2×1))", "open-at-end"},
		{"siblings in label order", "b1Ba2A", "root:0(a:2×1 b:1×1)", ""},
		{"time outside of all calls", "aA5aA", "root:5(a:0×2)", ""},
		{"direct recursion", "a1a2A3A", "root:0(a:6×1+1)", ""},
		{"indirect recursion goes on under the ancestor", "ab1a2c3CABA", "root:0(a:2×1+1(b:1×1 c:3×1))", ""},
		{"after a recursive call ends, its caller goes on", "ab1a2A4BA", "root:0(a:2×1+1(b:5×1))", ""},
		{"threads share one tree", "a1A|a2b3BA", "root:0(a:3×2(b:3×1))", ""},
		{"open at the start", "1b2B3A4", "root:0(a:4×1(b:2×1))", "open-at-start"},
		{"two open at the start, innermost first", "cC1B2A3dD", "root:3(a:2×1(b:1×1(c:0×1)) d:0×1)", "open-at-start"},
		{"open at the start, recursive below", "ba1AB2A", "root:0(a:3×1+1(b:0×1))", "open-at-start"},
		{"a loop erased below a call open at the start", "abcBAbd1DB2B", "root:0(b:2×1+2(a:0×1 c:0×1 d:1×1))", "open-at-start lost-exits"},
		{"open at the end", "ab", "root:0(a:0×1(b:0×1))", "open-at-end"},
		{"an exit closes what is inside", "abc1A2a", "root:2(a:0×2(b:0×1(c:1×1)))", "open-at-end lost-exits"},
		{"an exit of a call that is not open", "a1B2A", "root:0(a:3×1)", "stray-exits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, warnings := build(c.script)
			if got := render(tree); c.want != "" && got != c.want {
				t.Errorf("Build(%q):\n got %s\nwant %s", c.script, got, c.want)
			}
			var codes []string
			for _, w := range warnings {
				codes = append(codes, w.Code)
			}
			if got := strings.Join(codes, " "); got != c.warnings {
				t.Errorf("Build(%q) warns of %q, want %q", c.script, got, c.warnings)
			}
		})
	}
}

// TestFigure4 has Figure 4 of the DiffProf paper: every edge of the path M→A→B→D occurs in the call
// tree, but the path does not. A recursive call of A is merged.
func TestFigure4(t *testing.T) {
	// M calls A, which calls B, which calls C. M calls B, which calls D. M calls A, which calls A,
	// which calls C.
	tree, _ := build("m a b c CBA b d DB a a c CAA M")
	if got, want := render(tree), "root:0(m:0×1(a:0×2+1(b:0×1(c:0×1) c:0×1) b:0×1(d:0×1)))"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for i := range tree.Nodes {
		if got := strings.Join(tree.Path(int32(i)), " "); got == "(toplevel) p.C.m p.C.a p.C.b p.C.d" {
			t.Error("the tree holds a path that never occurred")
		}
	}
}

func TestBuildHandovers(t *testing.T) {
	// a enqueues work, then loop runs it. The dispatched call of d is separate from the plain call
	// of d, and has the origin a.
	tree, _ := build("a<A l d>1e2EDL l d4DL")
	if got, want := render(tree), "root:0(a:0×1 l:0×2(d:4×1 d:1×1(e:2×1)))"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(tree.Handovers) != 1 {
		t.Fatalf("%d hand-overs, want 1", len(tree.Handovers))
	}
	h := tree.Handovers[0]
	if got := tree.Label(h.Node) + " " + tree.Label(h.Origin); got != "p.C.d p.C.a" {
		t.Errorf("hand-over %s, want p.C.d p.C.a", got)
	}
	// Without a plain call of d there is no empty node.
	tree, _ = build("a<A l d>1e2EDL")
	if got, want := render(tree), "root:0(a:0×1 l:0×1(d:1×1(e:2×1)))"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestBuildTail replays eprof's example of a radio. sync is open when the recording starts and
// calls send. send is also called directly. The radio stays on for five seconds after the last
// send. The energy of this tail belongs to the calls that sent, although another thread runs by
// then.
func TestBuildTail(t *testing.T) {
	const sync, send, draw = 0, 1, 2
	const second, joule = int64(time.Second), units.Joule
	run := events{
		{Time: 1 * second, Kind: trace.Enter, Ref: send},
		{Time: 1 * second, Thread: 1, Kind: trace.Enter, Ref: draw},
		{Time: 2 * second, Kind: trace.Enter, Ref: send}, // recursive
		{Time: 2 * second, Kind: trace.Mark, Ref: 0},
		{Time: 3 * second, Kind: trace.Exit, Ref: send, CPU: second, Energy: joule},
		{Time: 3 * second, Kind: trace.Exit, Ref: send},
		{Time: 4 * second, Kind: trace.Exit, Ref: sync},
		{Time: 4 * second, Kind: trace.Enter, Ref: draw},
		{Time: 8 * second, Thread: 1, Kind: trace.Charge, Ref: 0, Account: 1, Energy: 5 * joule},
		{Time: 9 * second, Thread: 1, Kind: trace.Exit, Ref: draw, CPU: second, Energy: 2 * joule},
	}
	if err := tracetest.Check(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	tree, _, err := cct.Build(t.Context(), run, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := render(tree), "root:0(a:0×1(b:6000000000×1+1) c:2000000000×2)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	use, tail := cct.Key{Quantity: cct.Energy}, cct.Key{Quantity: cct.Energy, Account: 1}
	at := slices.IndexFunc(tree.Nodes, func(n cct.Node) bool { return n.Method == send })
	if got, want := tree.Self(int32(at), use), int64(joule); got != want {
		t.Errorf("send used %d, want %d", got, want)
	}
	if got, want := tree.Self(int32(at), tail), int64(5*joule); got != want || tree.All(cct.Root, tail) != want {
		t.Errorf("the tail of send is %d, want %d", got, want)
	}
	if want := []units.Energy{6 * joule, 2 * joule}; !slices.Equal(tree.ThreadEnergy, want) {
		t.Errorf("threads have %v, want %v", tree.ThreadEnergy, want)
	}
}

// TestBuildCharges charges calls that have ended: a call of another thread, a recursive call that
// was merged, a call that was open at the start, and a hand-over.
func TestBuildCharges(t *testing.T) {
	for _, c := range []struct{ name, script, want, threads, warnings string }{
		{"a call that has ended", "ab!BA c5$C", "root:0(a:0×1(b:5×1) c:0×1)", "[5]", ""},
		{"a call of another thread", "ab!BA|c5$2C", "root:0(a:0×1(b:5×1) c:2×1)", "[5 2]", ""},
		{"a recursive call", "aba!ABA 7$", "root:0(a:7×1+1(b:0×1))", "[7]", ""},
		{"a call open at the start", "!B!A c3$4%C", "root:0(a:3×1(b:4×1) c:0×1)", "[7]", "open-at-start"},
		{"a call open at the start, by another thread", "1!2B|c4$C", "root:0(b:7×1 c:0×1)", "[7 0]", "open-at-start"},
		{"a call within one that is open at the start", "b!BA|c4$C", "root:0(a:0×1(b:4×1) c:0×1)", "[4 0]", "open-at-start"},
		{"a hand-over", "a<A l d>!DL 6$", "root:0(a:0×1 l:0×1(d:6×1))", "[6]", ""},
		{"what a call did before it was dispatched stays", "a<A l d!>DL 6$", "root:0(a:0×1 l:0×1(d:6×0 d:0×1))", "[6]", ""},
		{"a mark that was made again", "a@A b@B 5%", "root:0(a:0×1 b:5×1)", "[5]", ""},
		{"the run itself", "!a5$A", "root:5(a:0×1)", "[5]", ""},
		{"nobody", "a3&A|b4&B", "root:7(a:0×1 b:0×1)", "[3 4]", ""},
		{"no mark", "a3$4%A", "root:7(a:0×1)", "[7]", "unmarked-charges"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, warnings := build(c.script)
			var codes []string
			for _, w := range warnings {
				codes = append(codes, w.Code)
			}
			if got := render(tree); got != c.want || fmt.Sprint(tree.ThreadEnergy) != c.threads || strings.Join(codes, " ") != c.warnings {
				t.Errorf("Build(%q):\n got %s, threads %v, %q\nwant %s, threads %s, %q", c.script, got, tree.ThreadEnergy, codes, c.want, c.threads, c.warnings)
			}
		})
	}
}

func TestBuildLimits(t *testing.T) {
	many := strings.Repeat("a", 5000) // one context, and 5000 open calls
	for _, c := range []struct {
		script string
		bytes  int64
		ok     bool
	}{
		{"abcd", 5 * 320, true}, {"abcde", 5 * 320, false},
		{many, 5000 * 12, true}, {many, 4999 * 12, false},
		{strings.ToUpper(many), 4999 * 12, false},
	} {
		_, _, err := cct.Build(context.Background(), script(c.script), cct.Limits{Bytes: c.bytes})
		if c.ok && err != nil || !c.ok && !errors.Is(err, cct.ErrTooLarge) {
			t.Errorf("Build(%.10q…) within %d bytes: %v", c.script, c.bytes, err)
		}
	}
}

// one is an event that is repeated at intervals of its Time.
type one trace.Event

func (o one) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	for i := range int64(2 << 11) {
		e := trace.Event(o)
		e.Time *= i
		if err := sink.Events([]trace.Event{e}); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Methods: []name.Method{{Name: "a"}}}, nil
}

func TestBuildOverflow(t *testing.T) {
	for _, e := range []one{{CPU: 1<<52 - 1}, {Time: 1<<52 - 1}, {Time: -1}, {Energy: 1<<52 - 1}, {CPU: -1}, {Energy: 1 << 60}} {
		if _, _, err := cct.Build(context.Background(), e, cct.Limits{}); err == nil {
			t.Errorf("no error for 4096 events of %+v", e)
		}
	}
}

// FuzzBuild checks the laws of Build on any script:
//
//   - agreement: every path has the energy that the oracle computes;
//   - conservation: the root's inclusive energy is the sum over the events;
//   - order: the nodes are in preorder, siblings in the order of their labels.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		"a3b5B2A1", "a1a2A4A", "a1Ab2Ba4A", "1B2A3|C4", "abcBC|a1A", "cC1B2A3dD", "ab1a2A4BA",
		"abcBCbdDBAB", "B1abA|A3", "ababab9BABABA5",
		"ab!BA7$|c3$1%&C", "a!ba!2$3%ABA", "B!1A2$C4%|3$",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 400 {
			t.Skip("the oracle is quadratic")
		}
		s = strings.Map(func(r rune) rune {
			if strings.ContainsRune("<>", r) {
				return -1 // the oracle does not support hand-overs
			}
			return r
		}, s)
		check(t, s)
	})
}

func TestBuildAgreesWithOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range shorten.Count(3000) {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteByte("abcdeABCDE0123|!@$%&"[r.IntN(20)])
		}
		check(t, b.String())
	}
}

func check(t *testing.T, s string) {
	t.Helper()
	tree, _ := build(s)
	slow := replayAll(s)
	want := slow.energy
	var total units.Energy
	for _, e := range want {
		total += e
	}
	if got := tree.Energy.Total(); got != total {
		t.Errorf("Build(%q): energy %d, want %d", s, got, total)
	}
	for i := range max(len(slow.byThread), len(tree.ThreadEnergy)) {
		if got := at(tree.ThreadEnergy, i); got != at(slow.byThread, i) {
			t.Errorf("Build(%q): thread %d has %d, want %d", s, i, got, at(slow.byThread, i))
		}
	}
	for i, n := range tree.Nodes {
		path := pathOf(tree, int32(i))
		e, ok := want[path]
		if !ok {
			t.Errorf("Build(%q) has the path %q, which never occurred", s, path)
		}
		i := int32(i)
		if got := tree.Energy.Self(i); got != e {
			t.Errorf("Build(%q): %q has %d, want %d", s, path, got, e)
		}
		if took, cpu, wall := slow.time[path], int64(tree.CPU.Self(i)), int64(tree.Wall.Self(i)); took != cpu || took-slow.first[path] != wall {
			t.Errorf("Build(%q): %q has times %d and %d, want %d and %d less", s, path, cpu, wall, took, slow.first[path])
		}
		var inclusive units.Energy
		for j := i; j < n.End; j++ {
			inclusive += tree.Energy.Self(j)
		}
		if got := tree.Energy.All(i); got != inclusive {
			t.Errorf("Build(%q): %q has %d in all, want %d", s, path, got, inclusive)
		}
		delete(want, path)
		if i == 0 {
			continue
		}
		if got := tree.Threads(int32(i)); !slices.Equal(got, slow.threads[path]) {
			t.Errorf("Build(%q): %q ran on threads %v, want %v", s, path, got, slow.threads[path])
		}
		if n.Parent >= int32(i) || n.End > tree.Nodes[n.Parent].End || n.End <= int32(i) {
			t.Errorf("Build(%q): node %d is not in preorder: %+v", s, i, n)
		}
		if next := n.End; next < tree.Nodes[n.Parent].End && tree.Label(int32(i)) >= tree.Label(next) {
			t.Errorf("Build(%q): siblings %q and %q are out of order", s, tree.Label(int32(i)), tree.Label(next))
		}
	}
	if len(want) > 0 {
		t.Errorf("Build(%q) misses the paths %q", s, slices.Collect(maps.Keys(want)))
	}
}

// TestBuildOrderOfThreads checks that the interleaving and the order of threads do not change
// the tree.
func TestBuildOrderOfThreads(t *testing.T) {
	parts := []string{"a1b2BA", "1B2A3", "c1a2AC", "ab"}
	want, _ := build(strings.Join(parts, "|"))
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		got, _ := build(strings.Join(parts, "|"))
		if render(got) != render(want) {
			t.Errorf("threads %q:\n got %s\nwant %s", parts, render(got), render(want))
		}
	}
}

// crowd is a recording with this number of threads. A hash selects the calls that each makes.
type crowd int

func (n crowd) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, n)}
	for m := range 64 {
		tr.Methods = append(tr.Methods, name.OfClass("p.C", fmt.Sprint(m), ""))
	}
	var batch []trace.Event
	for id := range trace.ThreadID(n) {
		for m := range trace.MethodID(len(tr.Methods)) {
			if uint64(id)*0x9E3779B97F4A7C15>>m&1 == 0 {
				batch = append(batch, trace.Event{Thread: id, Ref: trace.Ref(m), Energy: 1}, trace.Event{Thread: id, Ref: trace.Ref(m), Kind: trace.Exit, Energy: 1})
			}
		}
	}
	return tr, sink.Events(batch)
}

// TestBuildManyThreads checks the threads of each call if there are few combinations of threads.
// Above the limit, calls have no threads and there is a warning. The energies must still be right.
func TestBuildManyThreads(t *testing.T) {
	for n, told := range map[crowd]bool{8: true, 5000: false} {
		tree, tr, err := cct.Build(context.Background(), n, cct.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var threads int
		for i := range tree.Nodes {
			threads += len(tree.Threads(int32(i)))
		}
		warned := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "many-threads" })
		if (threads > 0) != told || warned == told {
			t.Errorf("%d threads: the nodes name %d, warned %v", n, threads, warned)
		}
		var sum units.Energy
		for _, e := range tree.ThreadEnergy {
			sum += e
		}
		if sum == 0 || sum != tree.Energy.Total() {
			t.Errorf("%d threads: they have %d, the run %d", n, sum, tree.Energy.Total())
		}
	}
}

// deepRun is a chain of n calls. Some methods occur repeatedly. All calls except one return.
type deepRun struct{ n, repeat int }

func (d deepRun) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, 1)}
	var batch []trace.Event
	var stack []trace.MethodID
	for i := range d.n {
		m := trace.MethodID(i)
		tr.Methods = append(tr.Methods, name.Method{Name: fmt.Sprint("m", i)})
		if d.repeat > 0 && i%d.repeat == d.repeat-1 {
			m = trace.MethodID(i - d.repeat/2)
		}
		stack = append(stack, m)
		batch = append(batch, trace.Event{Ref: trace.Ref(m), Energy: 1})
	}
	for i := len(stack) - 1; i > 0; i-- {
		batch = append(batch, trace.Event{Kind: trace.Exit, Ref: trace.Ref(stack[i]), Energy: 1})
	}
	return tr, sink.Events(batch)
}

// TestBuildDeep checks that calls on a deep stack take no longer than other calls, and that
// recursion on such a stack is found.
func TestBuildDeep(t *testing.T) {
	tree, _, err := cct.Build(context.Background(), deepRun{n: 200_000}, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Nodes) != 200_001 || tree.Energy.Total() != 399_999 {
		t.Errorf("%d nodes with %d nJ, want 200001 with 399999", len(tree.Nodes), tree.Energy.Total())
	}
	const n, repeat = 5000, 7
	tree, _, err = cct.Build(context.Background(), deepRun{n, repeat}, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	recursive := tree.Recursive.Total()
	if recursive != n/repeat || len(tree.Nodes) != n-n/repeat+1 || tree.Energy.Total() != 2*n-1 {
		t.Errorf("%d recursive calls, %d nodes, %d nJ; want %d, %d and %d", recursive, len(tree.Nodes), tree.Energy.Total(), n/repeat, n-n/repeat+1, 2*n-1)
	}
}
