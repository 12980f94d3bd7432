package run_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// read parses an outline: a thread "[name]", then one call per line, indented by tabs below its
// caller. Methods of the app begin with *.
func read(text string) *run.Run {
	r := &run.Run{}
	var stack []*run.Call
	for line := range strings.Lines(strings.TrimPrefix(text, "\n")) {
		word := strings.TrimSpace(line)
		if strings.HasPrefix(word, "[") {
			r.Threads = append(r.Threads, &run.Thread{Name: strings.Trim(word, "[]")})
			continue
		}
		label, own := strings.CutPrefix(word, "*")
		c := &run.Call{Method: name.Parse(label, name.JVM), App: own, Cost: 1, Count: 1}
		depth := strings.Count(line, "\t")
		if depth == 0 {
			t := r.Threads[len(r.Threads)-1]
			t.Calls = append(t.Calls, c)
		} else {
			stack[depth-1].Kids = append(stack[depth-1].Kids, c)
		}
		stack = append(stack[:depth], c)
	}
	return r
}

// tasks lists the true tasks as number and label.
func tasks(r *run.Run) string {
	var out []string
	r.Each(func(c, _ *run.Call) {
		if c.Task {
			out = append(out, fmt.Sprintf("%d %s", c.Context, c.Method.Label()))
		}
	})
	return strings.Join(out, "\n")
}

func TestAssign(t *testing.T) {
	r := read(`
[main]
android.os.Looper.loop()V
	android.os.Handler.dispatchMessage()V
		*com.a.One.run()V
			*com.a.Helper.help()V
				java.io.File.exists()Z
			java.io.File.exists()Z
				*com.a.One.callback()V
					java.io.File.delete()Z
		*com.a.Two.run()V
			java.io.File.exists()Z
			java.lang.Object.run()V
[worker]
java.lang.Thread.run()V
	*com.a.Three.run()V
		java.io.File.exists()Z
`)
	var n run.Numbers
	n.Assign(r)
	// The calls by the helper and by the other class are the same task as the first call. The call
	// of Object's own run is part of the overriding method. Below Thread.run alone, the path
	// differs.
	want := `3 java.io.File.exists()Z
3 java.io.File.exists()Z
5 java.io.File.delete()Z
3 java.io.File.exists()Z
8 java.io.File.exists()Z`
	if got := tasks(r); got != want {
		t.Errorf("the tasks are\n%s\nwant\n%s", got, want)
	}
	again := r.Clone()
	n.Assign(again)
	if !reflect.DeepEqual(r, again) {
		t.Error("numbers change when they are given again")
	}
}

func TestTasksUseEnergy(t *testing.T) {
	r := read(`
[main]
*com.a.One.run()V
	java.io.File.exists()Z
		java.io.File.length()J
		*com.a.One.callback()V
			java.io.File.delete()Z
`)
	var n run.Numbers
	n.Assign(r)
	var got []string
	drains := r.Tasks()
	for _, number := range slices.Sorted(maps.Keys(drains)) {
		got = append(got, fmt.Sprint(int64(drains[number].Inclusive), int64(drains[number].Own)))
	}
	if want := []string{"4 3", "1 1"}; !slices.Equal(got, want) {
		t.Errorf("the tasks drain %q, want %q", got, want)
	}
}

func TestFoldMergesRecursion(t *testing.T) {
	r := read(`
[main]
*com.a.A.a()V
	*com.a.B.b()V
		*com.a.A.a()V
			*com.a.C.c()V
	*com.a.B.b()V
`).Fold()
	want := read(`
[main]
*com.a.A.a()V
	*com.a.B.b()V
	*com.a.C.c()V
`)
	a, b := want.Threads[0].Calls[0], want.Threads[0].Calls[0].Kids[0]
	a.Cost, a.Count, b.Cost, b.Count = 2, 2, 2, 2
	if !reflect.DeepEqual(r, want) {
		t.Error("folding gives another tree than a calling-context tree")
	}
}

// TestRecording checks that the recording of a run satisfies the laws of recordings and has the
// run's energy, that its tree has a node for each call, and that reading the recording gives the
// run.
func TestRecording(t *testing.T) {
	ctx := context.Background()
	r := app.Generate(1, 2000)
	if err := tracetest.Check(ctx, r.Recording()); err != nil {
		t.Fatal(err)
	}
	tree, _, err := cct.Build(ctx, r.Recording(), cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tree.Energy.Total() != r.Energy() {
		t.Errorf("the tree has %v, the run %v", tree.Energy.Total(), r.Energy())
	}
	nodes := r.Locate(tree)
	r.Each(func(c, caller *run.Call) {
		n := nodes[c]
		if tree.Label(n) != c.Method.Label() || caller != nil && tree.Nodes[n].Parent != nodes[caller] {
			t.Fatalf("%s is found at %q", c.Method.Label(), tree.Path(n))
		}
	})

	known := device(t)
	back, err := run.Read(ctx, r.Recording(), known)
	if err != nil {
		t.Fatal(err)
	}
	r.Each(func(c, _ *run.Call) { c.Cost = 0 }) // the recording has no clock
	if !reflect.DeepEqual(back, r) {
		t.Error("a run that is read back differs")
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
