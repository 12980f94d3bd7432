package finding_test

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestSavingOfNestedTasks compares the saving of each method and class with a recursive sum: of a
// task and the tasks inside it, the larger saving counts.
func TestSavingOfNestedTasks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	nested, limited := 0, 0
	for range 200 {
		set := clear(t, randomStacks(random), randomStacks(random))
		outer := finding.Outer(set.Result)
		hidden := make([]bool, len(outer))
		for i := range hidden {
			hidden[i] = random.IntN(5) == 0
		}
		for _, c := range set.Methods() {
			own := make(map[int]units.Energy)
			for _, p := range c.Tasks {
				if p.Saving > 0 && !hidden[p.Task] {
					own[p.Task] = p.Saving
				}
			}
			// sum returns the saving of the tasks directly inside a task, or of the outermost tasks.
			var sum func(around int) units.Energy
			sum = func(around int) (all units.Energy) {
				for i, at := range outer {
					if at != around {
						continue
					}
					inside := sum(i)
					if own[i] > 0 && inside > 0 {
						nested++
					}
					all += max(own[i], inside)
				}
				return all
			}
			want := sum(-1)
			if want > c.Energy {
				want = c.Energy
				limited++
			}
			if got := set.Saving(&c, func(task int) bool { return hidden[task] }); got != want {
				t.Fatalf("%s saves %d, want %d", c.Method.Label(), got, want)
			}
		}
	}
	if nested == 0 {
		t.Error("no method calls a task and another task inside it")
	}
	t.Logf("%d nested tasks, %d limits", nested, limited)
}

// TestIgnoredSeesTheWholePath checks that a rule gets the callers of a task and then all labels of
// its path, the nearest first. A rule may stop early.
func TestIgnoredSeesTheWholePath(t *testing.T) {
	set := clear(t, "android.os.Handler.handle()V;p.A.run()V;p.A.help()V;android.util.Log.i()I 30\n", other)
	var got, id string
	found := finding.Ignored(set.Result, func(of, method string, above iter.Seq[string]) bool {
		got, id = method+" < "+strings.Join(slices.Collect(above), " < "), of
		return false
	})
	const want = "android.util.Log.i()I < p.A.help()V < *.run()V < android.os.Handler.handle()V < (toplevel)"
	if got != want || len(found) != 0 || id != set.ID(0) {
		t.Errorf("the rule got %q of %s, want %q; %v", got, id, want, found)
	}
	for stop := 1; stop <= 4; stop++ {
		var seen []string
		finding.Ignored(set.Result, func(_, _ string, above iter.Seq[string]) bool {
			for label := range above {
				if seen = append(seen, label); len(seen) == stop {
					return true
				}
			}
			return false
		})
		if len(seen) != stop || !strings.HasPrefix(want, "android.util.Log.i()I < "+strings.Join(seen, " < ")) {
			t.Errorf("stopped after %d: %q", stop, seen)
		}
	}
}

// TestCauseOfATaskWithoutCounterpart checks that the whole energy of a component is the cause if
// the reference has no such task, and that a task whose processor costs most has no cause.
func TestCauseOfATaskWithoutCounterpart(t *testing.T) {
	const read, work = "java.net.SocketInputStream.read([BII)I", "android.util.Xml.parse()V"
	cause := func(subject, reference []call) (found []finding.Cause, tasks []units.Energy) {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject: analysis.Side{Path: recorded(t, 60_000, subject...)}, Reference: analysis.Side{Path: recorded(t, 60_000, reference...)}, PowerModel: "lte", Alpha: analysis.AutoAlpha,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Tasks {
			if c, ok := finding.CauseOf(r, i); ok {
				found, tasks = append(found, c), append(tasks, r.Tasks[i].Saving)
			}
		}
		return found, tasks
	}
	one, three := []call{{1, 1000, 100, read, true}}, []call{{1, 1000, 100, read, true}, {1, 21_000, 100, read, true}, {1, 41_000, 100, read, true}}
	parse := []call{{1, 1000, 20_000, work, false}}
	for _, c := range []struct {
		name               string
		subject, reference []call
		calls, peers       int64
	}{
		{"only in the subject", append(three, parse...), parse, 3, 0},
		{"in both", append(three, parse...), append(one, parse...), 3, 1},
	} {
		found, savings := cause(c.subject, c.reference)
		if len(found) != 1 {
			t.Errorf("%s: %+v", c.name, found)
			continue
		}
		got := found[0]
		if got.Calls != c.calls || got.PeerCalls != c.peers || got.Share != units.Share(got.Energy, savings[0]) || got.Share < 0.5 || got.Share > 1 {
			t.Errorf("%s: %+v of %d", c.name, got, savings[0])
		}
	}
	for name, sides := range map[string][2][]call{
		"work alone":         {parse, {{1, 1000, 5000, work, false}}},
		"more in the other":  {append(one, parse...), append(three, parse...)},
		"the same":           {one, one},
		"without components": {parse, parse},
	} {
		if found, _ := cause(sides[0], sides[1]); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
