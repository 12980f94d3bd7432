package change

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// device returns the platform as the program uses it.
func device(t *testing.T) *platform.Platform {
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	known, err := platform.New(platform.Rules{}, table)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// world returns two numbered apps and their numbers.
func world(seed uint64) (base, other *run.Run, numbers *run.Numbers) {
	base, other, numbers = app.Generate(seed, 1500), app.Generate(seed+1000, 1500), &run.Numbers{}
	numbers.Assign(base)
	numbers.Assign(other)
	return base, other, numbers
}

func TestPairDependsOnTheSeedAlone(t *testing.T) {
	base, other, numbers := world(1)
	before, beforeOther := base.Clone(), other.Clone()
	for _, k := range Kinds {
		for strength := 1; strength <= Strengths; strength++ {
			pair := func(seed uint64) []*run.Run {
				s, r := Case{k, strength, seed}.Pair(base, other, numbers)
				return []*run.Run{s, r}
			}
			one := pair(8)
			if !reflect.DeepEqual(one, pair(8)) {
				t.Errorf("%s %d: the same seed gives another pair", k.Name, strength)
			}
			if reflect.DeepEqual(one, pair(9)) {
				t.Errorf("%s %d: another seed gives the same pair", k.Name, strength)
			}
		}
	}
	if !reflect.DeepEqual(base, before) || !reflect.DeepEqual(other, beforeOther) {
		t.Error("a run was changed that pairs were made of")
	}
}

// rewrite applies a single kind without noise.
func rewrite(k Kind, strength int, base, other *run.Run, numbers *run.Numbers) *run.Run {
	out := base.Clone()
	k.apply(&edit{Rand: rand.New(rand.NewPCG(5, 5)), run: out, other: other, numbers: numbers, strength: strength})
	return out
}

// TestRewritingsKeepTheTruth checks that kinds that change names, paths and calls neither lose nor
// add a task, and change neither the energy of the run nor the inclusive energy of a task.
func TestRewritingsKeepTheTruth(t *testing.T) {
	base, other, numbers := world(2)
	keep := []string{"rename", "appwrap", "fwframe", "synth", "move", "moved-task", "hierarchy", "apiswap"}
	for _, k := range Kinds {
		if !slices.Contains(keep, k.Name) {
			continue
		}
		for strength := 1; strength <= Strengths; strength++ {
			r := rewrite(k, strength, base, other, numbers)
			if r.Energy() != base.Energy() {
				t.Errorf("%s %d: the run drains %v, before %v", k.Name, strength, r.Energy(), base.Energy())
			}
			before, after := base.Tasks(), r.Tasks()
			if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
				t.Errorf("%s %d: %d tasks were %d other ones before", k.Name, strength, len(after), len(before))
			}
			for n := range before {
				if before[n].Inclusive != after[n].Inclusive {
					t.Errorf("%s %d: task %d drains %v, before %v", k.Name, strength, n, after[n].Inclusive, before[n].Inclusive)
				}
			}
		}
	}
}

// TestStrengths checks that each kind has an effect at each strength, and a larger effect at the
// last strength than at the first.
func TestStrengths(t *testing.T) {
	base, other, numbers := world(3)
	for _, k := range Kinds {
		costs := k.Name == "scale"
		before := calls(base, costs)
		var differ []int
		for strength := 1; strength <= Strengths; strength++ {
			n := 0
			after := calls(rewrite(k, strength, base, other, numbers), costs)
			for c, count := range before {
				n += max(count-after[c], 0)
			}
			differ = append(differ, n)
		}
		all := k.Name == "rename" || k.Name == "strangers" || k.Name == "plumbing" // These kinds change all names.
		if differ[0] == 0 || !all && differ[2] <= differ[0] {
			t.Errorf("%s: the strengths change %d of %d calls", k.Name, differ, base.Size())
		}
	}
}

// calls counts the calls of a run by their paths, and also by their costs if costs is true.
func calls(r *run.Run, costs bool) map[string]int {
	out := make(map[string]int)
	paths := make(map[*run.Call]string)
	r.Each(func(c, caller *run.Call) {
		paths[c] = paths[caller] + "\n" + c.Method.Label()
		key := paths[c]
		if costs {
			key += fmt.Sprint(" ", int64(c.Cost))
		}
		out[key]++
	})
	return out
}

// TestEditsMakeTheirStatedChange checks that the class table agrees with the rewritings on which
// methods belong to the framework and which to the app.
func TestEditsMakeTheirStatedChange(t *testing.T) {
	known := device(t)
	base, other, numbers := world(4)
	for _, k := range Kinds {
		r := rewrite(k, Strengths, base, other, numbers)
		r.Each(func(c, _ *run.Call) { c.Count = 1 })
		back, err := run.Read(t.Context(), r.Fold().Recording(), known)
		if err != nil {
			t.Fatal(err)
		}
		owners := make(map[name.Method]bool)
		r.Each(func(c, _ *run.Call) { owners[c.Method] = c.App })
		back.Each(func(c, _ *run.Call) {
			if owners[c.Method] != c.App {
				t.Errorf("%s: %s: app %v, by the table %v", k.Name, c.Method.Label(), owners[c.Method], c.App)
			}
		})
	}
}

// TestAddedTasksHaveTheNumberOfTheirContext checks that a task that is added where the app already
// has the same task counts as the same task.
func TestAddedTasksHaveTheNumberOfTheirContext(t *testing.T) {
	base, other, numbers := world(5)
	r := rewrite(Kinds[slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == "strangers" })], 1, base, other, numbers)
	want := r.Clone()
	numbers.Assign(want)
	if !reflect.DeepEqual(r.Clone(), want) {
		t.Error("a task has another number than its context")
	}
}

func TestSwapsAreOfTheFramework(t *testing.T) {
	known := device(t)
	if len(swaps()) < 60 {
		t.Errorf("swaps.txt has equals of %d methods", len(swaps()))
	}
	for m, equals := range swaps() {
		if known.Owner(m) != platform.Framework {
			t.Errorf("%s is not the framework's", m.Label())
		}
		for _, e := range equals {
			if e.method == m || e.method.Signature == "" {
				t.Errorf("%s stands for %s", e.method.Label(), m.Label())
			}
		}
	}
}

func TestRedescribe(t *testing.T) {
	classes := map[string]string{"a.B": "x.Y", "I": "J"}
	for before, want := range map[string]string{
		"":                             "",
		"(I)V":                         "(I)V",
		"(La/B;[La/B;I)La/C;":          "(Lx/Y;[Lx/Y;I)La/C;",
		"(Ljava/lang/String;La/B$1;)J": "(Ljava/lang/String;La/B$1;)J",
	} {
		if got := redescribe(before, classes); got != want {
			t.Errorf("%s becomes %s, want %s", before, got, want)
		}
	}
}
