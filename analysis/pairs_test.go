package analysis_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
)

// TestRealPairsKeepTheLaws matches each real trace with each other one, at each α and in both
// directions:
//
//   - swapped runs have the same pairs and counterparts, swapped;
//   - at every α, a task is matched if the other side has one of the same name under an equal path;
//   - if a larger α has no larger matching, it has at least as many pairs of equal paths;
//   - two F-methods of unlike names both call at least two methods, a constructor is never paired
//     with another class's constructor, and unrelated methods are never sure counterparts.
func TestRealPairsKeepTheLaws(t *testing.T) {
	var trees []*cct.Tree
	files := shorten.Some(realTraces(t))
	for _, f := range files {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: f}})
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, in.Tree.Source)
	}
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range trees {
		for j := range i {
			s, r := preprocess.Pair(trees[i], trees[j], preprocess.Options{Steps: preprocess.AllSteps(), Platform: known})
			checkPair(t, filepath.Base(files[i])+" and "+filepath.Base(files[j]), s, r)
		}
	}
}

// unrelated are methods of these traces that have nothing in common, but that the matching pairs at
// some α in one direction.
var unrelated = map[[2]string]bool{
	{"ThreadPoolExecutor$Worker.run", "KeyStore.getKey"}:                    true,
	{"HashSet.add", "JSONObject.put"}:                                       true,
	{"LinearGradient.<init>", "View.<init>"}:                                true,
	{"Canvas.drawText", "StringBuilder.append"}:                             true,
	{"Thread.sleep", "HandlerThread.run"}:                                   true,
	{"HandlerThread.run", "String.getBytes"}:                                true,
	{"FileInputStream.<init>", "LayoutInflater.inflate"}:                    true,
	{"MarginLayoutParams.<init>", "Arrays.asList"}:                          true,
	{"Object.<init>", "Thread.<init>"}:                                      true,
	{"Object.<init>", "WeakHashMap.<init>"}:                                 true,
	{"Object.<init>", "JSONObject.<init>"}:                                  true,
	{"Object.<init>", "StringBuilder.<init>"}:                               true,
	{"Object.<init>", "ArrayList.<init>"}:                                   true,
	{"Object.<init>", "HashMap.<init>"}:                                     true,
	{"Context.getSharedPreferences", "Constructor.newInstance"}:             true,
	{"TelephonyManager.getDeviceId", "Environment.getExternalStorageState"}: true,
	{"PackageManager.getPackageInfo", "ThreadPoolExecutor$Worker.run"}:      true,
}

func checkPair(t *testing.T, name string, s, r *preprocess.Tree) {
	t.Helper()
	var before *eflask.Matching
	exact := make(map[int32]int32)
	for alpha := range analysis.MaxAutoAlpha + 1 {
		at := fmt.Sprintf("%s at α = %d", name, alpha)
		m, back := matched(t, s, r, alpha), matched(t, r, s, alpha)
		mirrored := make(map[[2]int32]bool)
		for _, p := range back.Pairs {
			mirrored[[2]int32{p.Reference, p.Subject}] = true
		}
		for _, p := range m.Pairs {
			if !mirrored[[2]int32{p.Subject, p.Reference}] {
				t.Errorf("%s: mirrored, %v and %v are no pair", at, s.Path(p.Subject), r.Path(p.Reference))
			}
		}
		if before != nil && m.Size == before.Size && equalPaths(m) < equalPaths(before) {
			t.Errorf("%s: %d pairs of equal paths, one less has %d", at, equalPaths(m), equalPaths(before))
		}
		before = m

		list, others := eflask.Counterparts(s, r, m, false), make(map[int32]eflask.Counterpart)
		for _, c := range eflask.Counterparts(r, s, back, false) {
			others[c.Reference] = c
		}
		if len(list) != len(others) {
			t.Errorf("%s: %d counterparts, mirrored %d", at, len(list), len(others))
		}
		found := make(map[int32]int32)
		for _, c := range list {
			if o := others[c.Subject]; o.Subject != c.Reference || o.Evidence != c.Evidence {
				t.Errorf("%s: mirrored, %v and %v have %+v, not %+v", at, s.Path(c.Subject), r.Path(c.Reference), o.Evidence, c.Evidence)
			}
			found[c.Subject] = c.Reference
			if c.Found == eflask.Exact {
				exact[c.Subject] = c.Reference
			}
			a, b := s.Labels.Method(s.Nodes[c.Subject].Label), r.Labels.Method(r.Nodes[c.Reference].Label)
			if c.Evidence.Name == 0 && common(s, r, c.Subject, c.Reference) < 2 ||
				a.Name == "<init>" && b.Name == "<init>" && a.Class() != b.Class() && s.Labels.Gamma(s.Nodes[c.Subject].Label, r.Nodes[c.Reference].Label) > 0 {
				t.Errorf("%s: %s is the counterpart of %s: %+v", at, b.Label(), a.Label(), c)
			}
			if x, y := a.Short(), b.Short(); c.Evidence.Sure() && (unrelated[[2]string{x, y}] || unrelated[[2]string{y, x}]) {
				t.Errorf("%s: %s is the counterpart of %s: %+v", at, y, x, c)
			}
		}
		for v, w := range exact {
			if found[v] != w {
				t.Errorf("%s: %v is given up", at, s.Path(v))
			}
		}
	}
}

func matched(t *testing.T, s, r *preprocess.Tree, alpha int) *eflask.Matching {
	t.Helper()
	m, err := eflask.Match(t.Context(), s, r, alpha, eflask.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func equalPaths(m *eflask.Matching) int {
	n := 0
	for _, p := range m.Pairs {
		if p.Distance == 0 {
			n++
		}
	}
	return n
}

// common counts the labels that occur below both nodes. Labels with γ = 0 count as equal.
func common(s, r *preprocess.Tree, v, w int32) int {
	below := make(map[preprocess.LabelID]bool)
	for i := v + 1; i < s.Nodes[v].End; i++ {
		below[s.Nodes[i].Label] = true
	}
	seen := make(map[preprocess.LabelID]bool)
	for j := w + 1; j < r.Nodes[w].End; j++ {
		for l := range below {
			if s.Labels.Gamma(l, r.Nodes[j].Label) == 0 {
				seen[r.Nodes[j].Label] = true
			}
		}
	}
	return len(seen)
}
