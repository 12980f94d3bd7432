package preprocess

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// randomScript returns a random script of n marks, with more calls than returns.
func randomScript(rng *rand.Rand, n int) string {
	var b strings.Builder
	// With fewer methods, more nodes merge. With fewer app methods, more hand-overs are moved.
	letters := []string{"abcdefghijklmnopqrstuvwxyz", "adfgnstuyz", "fghijklmnosvafghs", "abtuxsCfgA", "abABfgs", "abDEFGHIfgsn",
		"afgJKLMNOP", "fgJKfh", "aJNOPbn", "afFGQHs", "afRSsnA", "afTUNPnS", "aTUfO", "afVWO"}[rng.IntN(14)]
	marks := 20
	if rng.IntN(3) == 0 {
		marks = 28 // This gives many hand-overs.
	}
	for range n {
		switch k := rng.IntN(marks); {
		case k < 9:
			b.WriteByte(letters[rng.IntN(len(letters))])
		case k < 15:
			b.WriteByte(')')
		case k < 17:
			b.WriteByte('0' + byte(rng.IntN(10)))
		case k < 18, k > 25:
			b.WriteByte('@')
		case k < 19:
			b.WriteByte('<')
		default:
			b.WriteByte('^')
		}
	}
	return b.String()
}

// checkLaws checks the package's laws for the results of a pair of trees.
func checkLaws(t *testing.T, name string, subject, reference *cct.Tree, o Options) {
	t.Helper()
	for _, tree := range []*cct.Tree{subject, reference} {
		cpu, wall := make([]time.Duration, len(tree.Nodes)), make([]time.Duration, len(tree.Nodes))
		for i := range tree.Nodes {
			cpu[i], wall[i] = time.Duration(3*i+1), time.Duration(5*i+2)
		}
		tree.CPU, tree.Wall = cct.NewColumn(tree.Ends(), cpu), cct.NewColumn(tree.Ends(), wall)
	}
	s, r := Pair(subject, reference, o)
	if s.Labels != r.Labels {
		t.Errorf("%s: the trees do not share their labels", name)
	}
	checkTree(t, name, s, subject)
	checkTree(t, name, r, reference)
	checkLabels(t, name, s.Labels, o)

	r2, s2 := Pair(reference, subject, o)
	if !reflect.DeepEqual(s.Nodes, s2.Nodes) || !reflect.DeepEqual(r.Nodes, r2.Nodes) ||
		!slices.Equal(s.Image, s2.Image) || !slices.Equal(r.Image, r2.Image) || !reflect.DeepEqual(s.Labels, s2.Labels) {
		t.Errorf("%s: swapping the trees gives other results", name)
	}
}

// checkTree checks the laws that need only the result and its source.
func checkTree(t *testing.T, name string, got *Tree, source *cct.Tree) {
	t.Helper()
	if got.Energy.Total() != source.Energy.Total() {
		t.Errorf("%s: energy %d of %d", name, got.Energy.Total(), source.Energy.Total())
	}
	if len(got.Image) != len(source.Nodes) {
		t.Fatalf("%s: Into has %d of %d nodes", name, len(got.Image), len(source.Nodes))
	}
	type figures struct {
		energy    units.Energy
		cpu, wall time.Duration
		recursive int64
	}
	want := make([]figures, len(got.Nodes))
	for o, i := range got.Image {
		o := int32(o)
		want[i].energy += source.Energy.Self(o)
		want[i].cpu += source.CPU.Self(o)
		want[i].wall += source.Wall.Self(o)
		want[i].recursive += source.Recursive.Self(o)
	}
	last := make(map[int32]LabelID)
	originals := 0
	for i := range got.Nodes {
		n := &got.Nodes[i]
		i32, end := int32(i), int32(i)+1
		self := figures{got.Energy.Self(i32), got.CPU.Self(i32), got.Wall.Self(i32), got.Recursive.Self(i32)}
		if self != want[i] {
			t.Fatalf("%s: node %d has %+v, want %+v", name, i, self, want[i])
		}
		all := self
		for c := int32(i) + 1; c < n.End; c = got.Nodes[c].End {
			all.energy += got.Energy.All(c)
			all.cpu += got.CPU.All(c)
			all.wall += got.Wall.All(c)
			all.recursive += got.Recursive.All(c)
			end = got.Nodes[c].End
			if got.Nodes[c].Parent != int32(i) {
				t.Fatalf("%s: node %d is in the subtree of %d but not its child", name, c, i)
			}
		}
		if with := (figures{got.Energy.All(i32), got.CPU.All(i32), got.Wall.All(i32), got.Recursive.All(i32)}); with != all || n.End != end {
			t.Fatalf("%s: node %d ends at %d and has %+v in all, want %d and %+v", name, i, n.End, with, end, all)
		}
		if i > 0 {
			if before, ok := last[n.Parent]; ok && before >= n.Label {
				t.Fatalf("%s: siblings %q and %q", name, got.Labels.Text(before), got.Labels.Text(n.Label))
			}
			last[n.Parent] = n.Label
		}
		if (n.Kind == Toplevel) != (i == 0) || (got.Labels.Method(n.Label).Class() == "*" && n.Kind != App) {
			t.Fatalf("%s: node %d %q has kind %d", name, i, got.Labels.Text(n.Label), n.Kind)
		}
		own := got.Originals(int32(i))
		originals += len(own)
		if len(own) == 0 || !slices.IsSorted(own) || slices.ContainsFunc(own, func(o int32) bool { return got.Image[o] != int32(i) }) {
			t.Fatalf("%s: originals of %d are %v", name, i, own)
		}
		var calls int64
		before := int32(-1)
		for _, c := range got.Callers(int32(i)) {
			calls += c.Calls
			// If the entry step moved a node to the root, its callers were not moved.
			if c.Source <= before || (got.Image[c.Source] != n.Parent && n.Parent != 0) {
				t.Fatalf("%s: node %d has caller %d, which became %d", name, i, c.Source, got.Image[c.Source])
			}
			before = c.Source
		}
		if has := got.Calls.Self(i32); i > 0 && calls != has {
			t.Fatalf("%s: node %d has %d calls and %d from its callers", name, i, has, calls)
		}
	}
	if originals != len(source.Nodes) {
		t.Errorf("%s: %d originals of %d nodes", name, originals, len(source.Nodes))
	}
}

// checkLabels compares γ with the oracle.
func checkLabels(t *testing.T, name string, l *Labels, o Options) {
	t.Helper()
	for a := range LabelID(l.Len()) {
		if a > 0 && l.Text(a-1) >= l.Text(a) {
			t.Fatalf("%s: labels %q and %q", name, l.Text(a-1), l.Text(a))
		}
		var related []LabelID
		for b := range LabelID(l.Len()) {
			want := 1
			switch {
			case a == b:
				want = 0
			case o.Steps.Hierarchy && (slowRelated(l.Text(a), l.Text(b), o) || slowRelated(l.Text(b), l.Text(a), o)):
				want = 0
				related = append(related, b)
			}
			if got := l.Gamma(a, b); got != want {
				t.Fatalf("%s: Gamma(%q, %q) = %d", name, l.Text(a), l.Text(b), got)
			}
		}
		if !slices.Equal(l.Related(a), related) {
			t.Fatalf("%s: Related(%q) = %v, want %v", name, l.Text(a), l.Related(a), related)
		}
	}
}

// checkOracle compares a result with the path that the oracle computes for each node.
func checkOracle(t *testing.T, name string, source *cct.Tree, o Options) {
	t.Helper()
	got := One(source, o)
	calls := make(map[string]int64)
	paths, before := slowPaths(source, o)
	for i, want := range paths {
		if path := strings.Join(got.Path(got.Image[i]), ";"); path != want {
			t.Fatalf("%s: %v became %q, want %q", name, source.Path(int32(i)), path, want)
		}
	}
	for i := range source.Nodes {
		from := source.Nodes[i].Parent
		if to := slowTarget(source, int32(i), o); o.Steps.Async && to >= 0 {
			from = to
		}
		if from >= 0 && o.Steps.Detail && len(before[i]) <= len(before[from]) && slices.Equal(before[i], before[from][:len(before[i])]) {
			continue // The detail step made the call recursive.
		}
		// The root has no calls, even if other nodes merge into it.
		if paths[i] != cct.RootLabel && paths[from] != paths[i] {
			calls[paths[i]] += source.Calls.Self(int32(i))
		}
	}
	for i := range got.Nodes {
		path := strings.Join(got.Path(int32(i)), ";")
		if has := got.Calls.Self(int32(i)); has != calls[path] {
			t.Fatalf("%s: %q has %d calls, want %d", name, path, has, calls[path])
		}
	}
}

func TestPairKeepsTheLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range shorten.Count(80) {
		a, b := randomScript(rng, 5+rng.IntN(120)), randomScript(rng, 5+rng.IntN(120))
		for _, steps := range someSteps(round) {
			checkLaws(t, fmt.Sprintf("round %d, %+v, %q and %q", round, steps, a, b), treeOf(a), treeOf(b), testOptions(steps))
			checkOracle(t, fmt.Sprintf("round %d, %+v, %q", round, steps, a), treeOf(a), testOptions(steps))
		}
	}
}

func TestPairIgnoresTheOrderOfSiblings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range shorten.Count(60) {
		script := randomScript(rng, 100)
		for _, steps := range someSteps(round) {
			want := One(treeOf(script), testOptions(steps))
			root, methods := parse(script)
			shuffled := root.tree(methods, func(c []*sketch) { rng.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] }) })
			shuffled.Elapsed = elapsed(script)
			got := One(shuffled, testOptions(steps))
			if !reflect.DeepEqual(got.Nodes, want.Nodes) || !reflect.DeepEqual(got.Labels, want.Labels) {
				t.Fatalf("round %d, %+v, %q: shuffled, it gives\n%s\nbut sorted\n%s", round, steps, script, render(got), render(want))
			}
		}
	}
}

func TestStepsAreIdempotent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range shorten.Count(200) {
		script := randomScript(rng, 120)
		source := treeOf(script)
		o := testOptions(Steps{Synthetic: true, Entry: true, App: true, Hierarchy: true, Recorder: true, Detail: true, Runtime: true, Idle: true})
		v := newVocabulary(o, []*cct.Tree{source})
		start, _ := rewrite(placesOf(source, v, v.methodLabels[0]), plan{}, v.kinds)
		for name, step := range map[string]func([]place, *vocabulary) (plan, bool){"recorder": recorder, "idle": idle, "detail": detail, "runtime": runtime, "entry": entry, "hierarchy": override, "app": app} {
			p, _ := step(start, v)
			once, _ := rewrite(start, p, v.kinds)
			if _, changed := step(once, v); changed {
				t.Fatalf("round %d: %s finds more to do in its own result of %q", round, name, script)
			}
		}
	}
}

// TestRewriteWithoutStepsChangesNothing checks that preprocessing without steps does not change a
// tree without hand-overs.
func TestRewriteWithoutStepsChangesNothing(t *testing.T) {
	source := treeOf("a1s2f3)g4))n5))t6u7s8)9")
	got := One(source, testOptions(Steps{}))
	for i, n := range got.Nodes {
		if want := source.Nodes[i]; got.Image[i] != int32(i) || got.Labels.Text(n.Label) != source.Label(int32(i)) ||
			n.Parent != want.Parent || got.Calls.Self(int32(i)) != source.Calls.Self(int32(i)) || got.Energy.Self(int32(i)) != source.Energy.Self(int32(i)) {
			t.Errorf("node %d is %+v, want %+v", i, n, want)
		}
	}
}

func TestPairLeavesItsArgumentsAlone(t *testing.T) {
	script := "s@1a2f3)))s^h4g5)))t6u7s8)9"
	source, untouched := treeOf(script), treeOf(script)
	Pair(source, source, testOptions(AllSteps()))
	if !reflect.DeepEqual(source, untouched) {
		t.Error("Pair changed its argument")
	}
}

// TestPairDistinguishesLabelsByText checks that two methods with the same text have the same label,
// and that the label's method does not depend on the order of the trees.
func TestPairDistinguishesLabelsByText(t *testing.T) {
	tree := func(m name.Method) *cct.Tree {
		root := &sketch{method: cct.NoMethod}
		root.child(0, nil).calls = 1
		return root.tree([]name.Method{m}, nil)
	}
	a, b := tree(name.OfClass("fw.A", "b.c", "")), tree(name.OfClass("fw.A.b", "c", "").At("A.java", 3))
	s, r := Pair(a, b, testOptions(AllSteps()))
	if s.Nodes[1].Label != r.Nodes[1].Label {
		t.Errorf("labels %d and %d", s.Nodes[1].Label, r.Nodes[1].Label)
	}
	want := name.OfClass("fw.A", "b.c", "")
	if got := s.Labels.Method(s.Nodes[1].Label); got != want {
		t.Errorf("the label names %+v, want %+v", got, want)
	}
	checkLaws(t, "ambiguous", a, b, testOptions(AllSteps()))
}

// FuzzPair checks the laws, and compares with the oracle, for pairs generated from scripts (see
// parse).
func FuzzPair(f *testing.F) {
	f.Add("t1u2s3a4f5", "s6a7d8f9", uint16(15))         // a run without its start
	f.Add("c@1f2))s^f3)g4", "c1f2s3f4", uint16(1))      // a hand-over
	f.Add("s@f1)^s2@)<^h3))", "@^s1@^g2", uint16(15))   // a cycle of hand-overs
	f.Add("g1f2h3m4", "k1j2l3", uint16(8))              // chains of supers
	f.Add("a1e2i3y4)n5f6", "n1a2n3f4n5", uint16(12))    // methods without a class
	f.Add("v1w2w3f4)s5", "f1s2v3w4", uint16(2))         // starters inside of others
	f.Add("t1a2d3u4s5f6)))C7", "a1b2x3f4", uint16(31))  // launchers below the app's run
	f.Add("s1a2f3A4f5))B6s7", "B1A2a3", uint16(31))     // the recorder's own work
	f.Add("q1q2a3q4)))*p5a6", "p1p2f3a4p5", uint16(15)) // labels that are not names of methods
	f.Add("f1J2g3K4)))a5J6L7", "f1g2", uint16(64))      // names of less detail
	f.Add("N1O2a3N4O5b6))P7", "a1O2P3", uint16(192))    // native code
	f.Add("a1f2R3g4))S5", "a1f2", uint16(256))          // waiting
	f.Add("a1f2T3g4))U5f6T7", "a1T2a3", uint16(160))    // interrupts
	f.Add("V1W2a3V4W5f6))V7", "a1V2", uint16(192))      // addresses
	f.Fuzz(func(t *testing.T, subject, reference string, steps uint16) {
		if len(subject)+len(reference) > 400 {
			t.Skip("long scripts find nothing that short ones do not")
		}
		o := testOptions(allSteps()[steps%512])
		checkLaws(t, "laws", treeOf(subject), treeOf(reference), o)
		checkOracle(t, "oracle", treeOf(subject), o)
	})
}
