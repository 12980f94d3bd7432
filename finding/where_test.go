package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// The stacks of both runs are of several threads and packages. Two threads have the same name.
const placedHere = `[main];android.view.View.draw()V;p.A.onDraw()V 40
[main];android.view.View.draw()V;p.A.onDraw()V;android.util.Log.i()I 7
[worker];android.os.Handler.handle()V;p.q.B.run()V 50
[worker];android.os.Handler.handle()V;p.q.B.run()V;kotlin.K.k()V 3
[idle];android.os.Handler.handle()V;p.A.rest()V 0
`

const placedThere = `[main];android.view.View.draw()V;p.A.onDraw()V 60
[main];android.view.View.draw()V;p.A.onDraw()V;android.util.Log.i()I 7
[late];p.C.wait()V 9
`

// TestByPackageAndByThread compares the tables of packages and threads with sums over the stacks.
// The energies of each run add up to the run's energy.
func TestByPackageAndByThread(t *testing.T) {
	r := compare(t, placedHere, placedThere).Result
	var packages, threads strings.Builder
	var sums [4]units.Energy
	for _, p := range finding.ByPackage(r) {
		fmt.Fprintf(&packages, "%s %v %d %d\n", p.Name, p.Owner, p.Subject, p.Reference)
		sums[0], sums[1] = sums[0]+p.Subject, sums[1]+p.Reference
	}
	for _, th := range finding.ByThread(r) {
		fmt.Fprintf(&threads, "%s %d %d\n", th.Name, th.Subject, th.Reference)
		sums[2], sums[3] = sums[2]+th.Subject, sums[3]+th.Reference
	}
	wantPackages := fmt.Sprintf("p %v 40 69\np.q %v 50 0\nandroid.util %v 7 7\nkotlin %v 3 0\n", platform.App, platform.App, platform.Framework, platform.App)
	if got := packages.String(); got != wantPackages {
		t.Errorf("packages\n%s\nwant\n%s", got, wantPackages)
	}
	if got, want := threads.String(), "main 47 67\nworker 53 0\nlate 0 9\n"; got != want {
		t.Errorf("threads\n%s\nwant\n%s", got, want)
	}
	if here, there := r.Subject.Energy, r.Reference.Energy; sums != [4]units.Energy{here, there, here, there} {
		t.Errorf("the sums are %d, want %d and %d", sums, here, there)
	}
}

// TestThreadNames checks that the threads of a node are named once, in the order of the recording.
func TestThreadNames(t *testing.T) {
	const text = `[b];android.os.Handler.handle()V;p.A.run()V 4
[a];android.os.Handler.handle()V;p.A.run()V;android.util.Log.i()I 5
[b];android.os.Handler.handle()V;p.B.run()V 6
`
	r := compare(t, text, text).Result
	in := &r.Subject
	got := make(map[string][]string)
	for node := range in.Tree.Nodes {
		got[in.Tree.Labels.Text(in.Tree.Nodes[node].Label)] = finding.ThreadNames(in, int32(node))
	}
	if log := got["android.util.Log.i()I"]; !slices.Equal(log, []string{"a"}) {
		t.Errorf("Log.i ran on %q", log)
	}
	handle := got["android.os.Handler.handle()V"]
	slices.Sort(handle)
	if !slices.Equal(handle, []string{"a", "b"}) {
		t.Errorf("handle ran on %q", handle)
	}
}

// TestPackages compares the packages of two inputs with sums over the stacks.
func TestPackages(t *testing.T) {
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := compare(t, placedHere, placedThere).Result
	var got strings.Builder
	for _, p := range finding.Packages([]*analysis.Input{&r.Subject, &r.Reference}, known) {
		fmt.Fprintf(&got, "%s %d %s, %d methods, %d = %d, own %v\n", p.Name, p.Owner, p.Rule, p.Methods, p.Energy, p.Inputs, p.Own != "")
	}
	const want = `p 2 default, 4 methods, 109 = [40 69], own true
p.q 2 default, 1 methods, 50 = [50 0], own true
android.util 1 table, 2 methods, 14 = [7 7], own false
kotlin 2 default, 1 methods, 3 = [3 0], own false
android.os 1 table, 1 methods, 0 = [0 0], own false
android.view 1 table, 2 methods, 0 = [0 0], own false
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
