package eflask

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// runs returns the sketch of a run of an app. The app's run methods build strings, as other apps
// do. It also has n tasks that no other app has.
func runs(app string, n int) string {
	var b strings.Builder
	b.WriteString("android/L(")
	for i := range n {
		fmt.Fprintf(&b, "%s/%sWork%d.run(java/lang/StringBuilder.append java/util/ArrayList.add android/%s.%s%d(android/%s.draw%d)) ",
			app, app, i, strings.ToUpper(app), app, i, strings.ToUpper(app), i)
	}
	fmt.Fprintf(&b, "%s/%sView.onDraw(android/View.onDraw(android/Canvas.line)))", app, app)
	return b.String()
}

// sketches makes a pair of sketches comparable. java is also framework in them.
func sketches(t *testing.T, subject, reference string) (s, r *preprocess.Tree) {
	t.Helper()
	known, err := platform.New(platform.Rules{Framework: []string{"android.*", "java.*"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return preprocess.Pair(parseTree(subject), parseTree(reference), preprocess.Options{
		Steps: preprocess.Steps{App: true, Hierarchy: true}, Platform: known,
	})
}

// TestEqualPathsOfUnlikeApps checks that equal paths prove nothing between two apps whose run
// methods build strings. But if a callback calls the method that it overrides, the two tasks are
// the same. All tasks of one app match, even under other names.
func TestEqualPathsOfUnlikeApps(t *testing.T) {
	one := runs("one", 40)
	for _, c := range []struct{ name, reference, want string }{
		{"another app", runs("other", 40), "onDraw=onDraw exact"},
		{"the app", one, "all"},
		{"the app renamed", strings.ReplaceAll(one, "one/one", "another/another"), "all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := sketches(t, one, c.reference)
			sure := 0
			var names []string
			list := Counterparts(s, r, match(t, s, r, 0, Options{}), false)
			for _, x := range list {
				if x.Evidence.Sure() {
					sure++
					names = append(names, say(s, r, []Counterpart{x}))
				}
			}
			tasks := 0
			for v := range s.Nodes {
				if v > 0 && IsTask(s, int32(v)) {
					tasks++
				}
			}
			if got := strings.Join(names, ", "); got != c.want && (c.want != "all" || sure != tasks) {
				t.Errorf("of %d tasks match %d: %s; want %s", tasks, sure, got, c.want)
			}
		})
	}
}

// TestTraitsMirrorAndAgree checks that the traits of a pair do not change if the sides are swapped,
// and that they agree with a computation without shortcuts.
func TestTraitsMirrorAndAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	unlike := 0
	for range 20 {
		s, r := sketches(t, runs("one", 1+random.IntN(40)), runs("two", 1+random.IntN(40)))
		here, there := Candidates(s, r, match(t, s, r, 0, Options{})), make(map[[2]int32]Candidate)
		for _, c := range Candidates(r, s, match(t, r, s, 0, Options{})) {
			there[[2]int32{c.Reference, c.Subject}] = c
		}
		for _, c := range here {
			d, ok := there[[2]int32{c.Subject, c.Reference}]
			if !ok || d.Traits != c.Traits || d.Unlike != c.Unlike || d.Exact != c.Exact {
				t.Fatalf("a pair has the traits %v, mirrored %v", c.Traits, d.Traits)
			}
			if !c.Unlike {
				continue
			}
			unlike++
			if got, want := c.Traits[tMerged], (plainSpread(s, c.Subject)+plainSpread(r, c.Reference))/2; math.Abs(got-want) > 1e-9 {
				t.Errorf("callbacks stand for %v, plainly %v", got, want)
			}
			if got, want := c.Traits[tCallers], plainCallers(s, r, c); got != want {
				t.Errorf("%v of the callers are the same, plainly %v", got, want)
			}
			if l := c.Traits.Likelihood(); l < 0 || l > 1 {
				t.Errorf("a likelihood of %v", l)
			}
		}
	}
	if unlike == 0 {
		t.Error("no pair is of unlike apps")
	}
}

func plainSpread(t *preprocess.Tree, task int32) float64 {
	callback := t.Nodes[task].Parent
	methods := make(map[trace.MethodID]bool)
	for o, into := range t.Image {
		if into == callback && (o == 0 || t.Image[t.Caller(int32(o))] != callback) {
			methods[t.Source.Nodes[o].Method] = true
		}
	}
	return math.Log2(float64(len(methods))) / 6
}

func plainCallers(s, r *preprocess.Tree, c Candidate) float64 {
	names := func(t *preprocess.Tree, task int32) map[string]bool {
		out := make(map[string]bool)
		for o, into := range t.Image {
			if from := t.Caller(int32(o)); into == task && from >= 0 && t.Image[from] != task {
				if m := t.Source.Nodes[from].Method; t.MethodKind(m) == preprocess.App && len(t.Source.Methods[m].Type) > 2 {
					out[t.Source.Methods[m].Type+"."+t.Source.Methods[m].Name] = true
				}
			}
		}
		return out
	}
	here, there := names(s, c.Subject), names(r, c.Reference)
	both := 0
	for n := range here {
		if there[n] {
			both++
		}
	}
	if len(here) == 0 || len(there) == 0 {
		return 0
	}
	return float64(both) / float64(min(len(here), len(there)))
}

func TestPlainlyOmitsShifts(t *testing.T) {
	for _, class := range []string{"RecyclerView$4", "RecyclerView$4$1", "RecyclerView"} {
		s, _ := sketches(t, "android/L(v7/"+class+".addView(android/V.add))", "android/L")
		for _, m := range s.Source.Methods {
			if m.Name == "addView" && plainly(m) != "RecyclerView.addView" {
				t.Errorf("%s is plainly %s", m.Label(), plainly(m))
			}
		}
	}
}
