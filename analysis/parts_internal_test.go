package analysis

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// TestJournalled finds runs in the journal of their folder, or of the parent folder. A run without a
// real time is not found.
func TestJournalled(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "subject")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	const journal = `{"runs": [
		{"started": "1970-01-01T00:00:01Z", "trace": "subject/old.trace", "side": "subject"},
		{"started": "2026-05-01T10:00:00Z", "trace": "subject/run1.trace", "side": "subject", "app": {"version": "1.2", "code": 12}},
		{"started": "2026-05-01T11:00:00Z", "trace": "subject/run2.trace", "perfetto": "subject/run2.pftrace", "side": "reference"},
		{"started": "2026-05-01T12:00:00Z", "trace": "top.trace"}]}`
	if err := os.WriteFile(filepath.Join(root, "record.json"), []byte(journal), 0o666); err != nil {
		t.Fatal(err)
	}
	at := func(hour int) int64 { return time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC).UnixNano() }
	check := func() {
		t.Helper()
		for path, want := range map[string]struct {
			at int64
			build
		}{
			"subject/run1.trace": {at(10), build{"subject", "1.2", 12}}, "subject/run2.trace": {at(11), build{"reference", "", 0}}, "subject/run2.pftrace": {at(11), build{"reference", "", 0}},
			"top.trace": {at(12), build{}}, "subject/old.trace": {}, "subject/none.trace": {}, "run1.trace": {},
		} {
			if got, made := journalled(filepath.Join(root, filepath.FromSlash(path))); got != want.at || made != want.build {
				t.Errorf("%s began at %d as %+v, want %+v", path, got, made, want)
			}
		}
	}
	check()
	// The journal of a folder that is no journal is skipped.
	if err := os.WriteFile(filepath.Join(sub, "record.json"), []byte("not JSON"), 0o666); err != nil {
		t.Fatal(err)
	}
	check()
	if err := os.Remove(filepath.Join(sub, "record.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(sub, "record.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	check()
}

// TestEqualRows changes one row of two equal runs.
func TestEqualRows(t *testing.T) {
	equal := func() *Result {
		r := &Result{Subject: Input{Energy: 50, Trace: &trace.Trace{}}, Reference: Input{Energy: 50, Trace: &trace.Trace{}}, AppCode: &appcode.Comparison{}}
		for range 3 {
			r.Tasks = append(r.Tasks, eflask.Task{Peer: 1, Energy: 5})
			r.AppCode.Rows = append(r.AppCode.Rows, appcode.Row{Side: appcode.Side{Energy: 5}, Peer: &appcode.Side{Energy: 5}})
		}
		return r
	}
	for _, c := range []struct {
		what   string
		change func(r *Result)
		want   bool
	}{
		{"equal runs", func(*Result) {}, true},
		{"five rows", func(r *Result) { r.Tasks[0].Energy = 0 }, true},
		{"four rows", func(r *Result) { r.Tasks[0].Energy, r.AppCode.Rows[0].Energy = 0, 0 }, false},
		{"a task without a counterpart", func(r *Result) { r.Tasks[2].Peer = -1 }, false},
		{"a saving of a task", func(r *Result) { r.Tasks[1].Saving = 1 }, false},
		{"a negative saving of code", func(r *Result) { r.AppCode.Rows[1].Saving = -1 }, false},
		{"code without a counterpart", func(r *Result) { r.AppCode.Rows[1].Peer = nil }, false},
		{"another total", func(r *Result) { r.Reference.Energy = 51 }, false},
		{"a task only in the reference", func(r *Result) { r.ReferenceSummary.Unmatched = 1 }, false},
		{"code only in the reference", func(r *Result) { r.AppCode.Only.Energy = 1 }, false},
	} {
		r := equal()
		c.change(r)
		if got := r.EqualRows(); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestScaledBundles scales the bundles of one component to measured energy. The other components stay.
func TestScaledBundles(t *testing.T) {
	of := func(component string) bundle.Bundle {
		return bundle.Bundle{Component: component, Energy: 100, Use: 60, Tail: 40, Drafted: 30, States: []bundle.State{{Energy: 100, Drivers: []bundle.Driver{{Energy: 10}}}}}
	}
	list := []bundle.Bundle{of("disk"), of("gps"), of("disk"), of("wifi")}
	scale(list, []energy.Component{
		{Name: "disk", States: []energy.State{{Energy: 300}, {Energy: 200}}}, {Name: "gps", States: []energy.State{{Energy: 100}}}, {Name: "none", States: []energy.State{{Energy: 7}}},
	})
	for i, factor := range []units.Energy{5, 2, 5, 2} {
		b := list[i]
		f := map[bool]units.Energy{true: 5, false: 2}[b.Component == "disk"]
		if f != factor || b.Energy != 50*f || b.Use != 30*f || b.Tail != 20*f || b.Drafted != 15*f || b.States[0].Energy != 50*f || b.States[0].Drivers[0].Energy != 5*f {
			t.Errorf("bundle %d of %s is %+v", i, b.Component, b)
		}
	}
}

// TestRootsAreAPair checks that the roots are the first pair, whatever the matching paired.
func TestRootsAreAPair(t *testing.T) {
	for _, c := range []struct{ pairs, want []eflask.Pair }{
		{nil, []eflask.Pair{{}}},
		{[]eflask.Pair{{}, {Subject: 1, Reference: 2}}, []eflask.Pair{{}, {Subject: 1, Reference: 2}}},
		{[]eflask.Pair{{Subject: 1, Reference: 2}}, []eflask.Pair{{}, {Subject: 1, Reference: 2}}},
		{[]eflask.Pair{{Subject: 0, Reference: 2}, {Subject: 3, Reference: 4}}, []eflask.Pair{{}, {Subject: 3, Reference: 4}}},
		{[]eflask.Pair{{Subject: 2, Reference: 0}, {Subject: 3, Reference: 4}}, []eflask.Pair{{}, {Subject: 3, Reference: 4}}},
	} {
		if got := withRoots(c.pairs); !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.pairs, got, c.want)
		}
	}
}

// TestRoutinesOfStacks finds the method to which the time of a stack belongs, and the methods that
// move data.
func TestRoutinesOfStacks(t *testing.T) {
	known, err := platform.New(platform.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, err := trigger.OrBuiltIn(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{platform: known, triggers: table}
	var methods []name.Method
	for _, label := range []string{"android.os.Handler.dispatchMessage()V", "com.mine.Main.run()V", "java.util.ArrayList.add()V", "java.lang.Object.wait()V", "java.net.SocketInputStream.read([BII)I"} {
		methods = append(methods, name.Parse(label, name.JVM))
	}
	routine := s.routine(methods)
	for _, c := range []struct {
		stack []trace.MethodID
		want  trace.MethodID
	}{{[]trace.MethodID{0, 1, 2}, 1}, {[]trace.MethodID{1, 0, 2}, 1}, {[]trace.MethodID{1}, 1}, {[]trace.MethodID{0, 2}, 2}, {[]trace.MethodID{2, 0}, 0}, {[]trace.MethodID{0, 1, 3}, -1}, {[]trace.MethodID{3, 1}, 1}} {
		if got := routine(c.stack); got != c.want {
			t.Errorf("the time of %v belongs to %d, want %d", c.stack, got, c.want)
		}
	}
	moves := s.moves(methods)
	for range 2 { // The second answer is remembered.
		for m, want := range []bool{false, false, false, false, true} {
			if got := moves(trace.MethodID(m)); got != want {
				t.Errorf("%s moves data: %v", methods[m].Name, got)
			}
		}
	}
}

// TestDetectableGrowth checks what a comparison can detect: more with more runs, and never less than
// the noise between builds hides.
func TestDetectableGrowth(t *testing.T) {
	c := &Chance{Basis: FromRepeats, spread: repeats.SpreadOf(100, 0.02)}
	three, ten := c.Detectable(3), c.Detectable(10)
	if !(ten > 0 && ten < three && three < 1) || c.DetectionLimit() != 0 || c.Hidden() != 0 {
		t.Errorf("3 runs detect %v, 10 detect %v, any number %v; %v is hidden", three, ten, c.DetectionLimit(), c.Hidden())
	}
	if n := c.RunsFor(three); n < 2 || n > 4 {
		t.Errorf("%d runs detect what 3 runs detect", n)
	}
	if c.RunsFor(0) != 0 || c.RunsFor(-1) != 0 || c.RunsFor(math.NaN()) != 0 {
		t.Error("runs detect no growth")
	}
	c.Builds.Total = 0.05
	if limit := c.DetectionLimit(); !(limit > 0.05 && limit < 0.5) || c.Hidden() != repeats.Hidden(0.05) {
		t.Errorf("any number of runs detects %v; %v is hidden", limit, c.Hidden())
	}
	c.Basis = FromCounts
	if c.DetectionLimit() != 0 || c.Hidden() != 0 {
		t.Errorf("for single runs, the limit is %v and %v is hidden", c.DetectionLimit(), c.Hidden())
	}
	for _, s := range []repeats.Spread{repeats.SpreadOf(0, 0.02), repeats.SpreadOf(100, math.NaN())} {
		if c := (&Chance{Basis: FromRepeats, spread: s}); c.Detectable(5) != 0 {
			t.Errorf("an unknown spread detects %v", c.Detectable(5))
		}
	}
}
