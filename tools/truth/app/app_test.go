package app

import (
	"reflect"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
)

func TestGenerateDependsOnTheSeedAlone(t *testing.T) {
	one := Generate(3, 1500)
	if !reflect.DeepEqual(one, Generate(3, 1500)) {
		t.Error("the same seed gives another run")
	}
	if reflect.DeepEqual(one, Generate(4, 1500)) {
		t.Error("another seed gives the same run")
	}
}

// TestGenerateShape checks that the runs have the shape of real ones: about the requested size,
// several threads, deep paths, one task per five to forty contexts, and a few tasks with most of
// the energy.
func TestGenerateShape(t *testing.T) {
	for seed := range uint64(8) {
		const size = 5000
		r := Generate(seed, size)
		var n run.Numbers
		n.Assign(r)
		tasks := r.Tasks()
		if got := r.Size(); got < size/2 || got > size*3/2 {
			t.Errorf("seed %d has %d contexts, want about %d", seed, got, size)
		}
		if len(r.Threads) < 4 {
			t.Errorf("seed %d has %d threads", seed, len(r.Threads))
		}
		if share := float64(len(tasks)) / float64(r.Size()); share < 1.0/40 || share > 1.0/5 {
			t.Errorf("seed %d has %d tasks in %d contexts", seed, len(tasks), r.Size())
		}
		if d := depth(r); d < 20 {
			t.Errorf("seed %d is %d calls deep", seed, d)
		}
	}
}

func depth(r *run.Run) int {
	deepest := 0
	depths := make(map[*run.Call]int)
	r.Each(func(c, caller *run.Call) {
		depths[c] = 1
		if caller != nil {
			depths[c] += depths[caller]
		}
		deepest = max(deepest, depths[c])
	})
	return deepest
}

// TestMethodsHaveStatedOwners checks that the generator and the class table agree on the owner of
// each method. Otherwise the truth would differ from what the program can see.
func TestMethodsHaveStatedOwners(t *testing.T) {
	known := device(t)
	for seed := range uint64(4) {
		back, err := run.Read(t.Context(), Generate(seed, 5000).Recording(), known)
		if err != nil {
			t.Fatal(err)
		}
		want := Generate(seed, 5000)
		var owners []bool
		want.Each(func(c, _ *run.Call) { owners = append(owners, c.App) })
		i := 0
		back.Each(func(c, _ *run.Call) {
			if c.App != owners[i] {
				t.Errorf("%s: app %v, by the table %v", c.Method.Label(), owners[i], c.App)
			}
			i++
		})
	}
}

// TestFrameworkHasSupertypes checks that the table knows the classes, without which the kind
// hierarchy would have no effect.
func TestFrameworkHasSupertypes(t *testing.T) {
	known := device(t)
	listed, all := 0, 0
	for _, label := range readGrammar().labels {
		all++
		for range known.Supertypes(name.Parse(label, name.JVM).Class()) {
			listed++
			break
		}
	}
	if listed < all/3 {
		t.Errorf("the table knows supertypes of the classes of %d in %d methods", listed, all)
	}
}

func TestRoutesEndInACallback(t *testing.T) {
	threads := make(map[string]bool)
	for _, r := range Routes() {
		threads[r.Thread] = true
		if len(r.Path) == 0 || r.Callback.Name == "" || r.Callback.Class() != "" {
			t.Errorf("route %s: %d calls lead to %q", r.Name, len(r.Path), r.Callback.Label())
		}
	}
	if len(threads) < 5 {
		t.Errorf("the routes use the threads %v", threads)
	}
}

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
