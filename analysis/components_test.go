package analysis

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// chargeable returns generated recordings, and real ones if they exist.
func chargeable(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{
		"../testdata/cases/*/subject.trace.gz", "../../shared/data/art/*.trace*", "../../shared/data/perfetto/*.perfetto-trace",
		"../../shared/data/systrace/*atrace*", "../../shared/data/simpleperf/*trace_offcpu.data",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatal("there is no recording")
	}
	return all
}

// TestComponentsConserve charges all recordings by a built-in model, and some of them by all models
// with all policies. The energy of the whole tree must be the energy of the processor plus the
// components' energy, by owner and by state. A second scan must give the same result.
func TestComponentsConserve(t *testing.T) {
	triggers, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	operations := int64(0)
	for i, path := range shorten.Some(chargeable(t)) {
		for _, ready := range shorten.Some(model.ReadyNames()) {
			if ready != "lte" && i%5 != 0 {
				continue // each model charges some recordings of every kind
			}
			device, err := model.Ready(ready)
			if err != nil {
				t.Fatal(err)
			}
			for _, policy := range []machine.Policy{machine.LastTrigger, machine.FirstTrigger, machine.SplitTime, machine.Utilisation} {
				if policy != machine.LastTrigger && ready != "lte" {
					continue // the policies use the same state machines
				}
				f, err := ingest.Open(t.Context(), path, ingest.Options{MaxExpanded: 1 << 30})
				if err != nil {
					continue // a recording that must be refused
				}
				rec := energy.Meter(f, energy.Options{CPU: 444_000, Device: device, Triggers: triggers, Policy: policy})
				tree, tr, err := cct.Build(t.Context(), rec, cct.Limits{})
				if err != nil {
					f.Close()
					continue
				}
				where := filepath.Base(path) + ", " + ready + ", " + policy.String()
				components := rec.Components()
				conserved(t, where, tree, tr, components)
				again, _, err := cct.Build(t.Context(), rec, cct.Limits{})
				if err != nil || again.Energy.Total() != tree.Energy.Total() || len(again.Nodes) != len(tree.Nodes) {
					t.Errorf("%s: a second reading gives another tree: %v", where, err)
				}
				for i, c := range rec.Components() {
					operations += c.Operations
					if c.Energy() != components[i].Energy() || c.Use != components[i].Use || c.Operations != components[i].Operations {
						t.Errorf("%s: a second reading gives %+v, the first one %+v", where, c, components[i])
					}
				}
				f.Close()
			}
		}
	}
	if operations < int64(shorten.Count(1000)) {
		t.Errorf("the recordings have %d operations, which shows nothing", operations)
	}
}

// conserved checks the sums of a tree against each other.
func conserved(t *testing.T, where string, tree *cct.Tree, tr *trace.Trace, components []energy.Component) {
	t.Helper()
	all := func(account trace.AccountID) units.Energy {
		return units.Energy(tree.All(cct.Root, cct.Key{Quantity: cct.Energy, Account: account}))
	}
	sum := units.Energy(0)
	for i := range tr.Accounts {
		sum += all(trace.AccountID(i))
	}
	if len(tr.Accounts) > 0 && sum != tree.Energy.Total() {
		t.Errorf("%s: the accounts have %d nJ and the tree %d", where, sum, tree.Energy.Total())
	}
	for _, c := range components {
		states := units.Energy(0)
		for _, s := range c.States {
			states += s.Energy
		}
		drawn := units.Energy(0)
		for _, s := range c.Lane.Spans {
			drawn += s.Energy
		}
		if drawn != states && c.Lane.Spans != nil {
			t.Errorf("%s: the spans of %s have %d nJ and its states %d", where, c.Name, drawn, states)
		}
		if got := [3]units.Energy{all(c.Account), all(c.Account + 1), all(c.Account + 2)}; got != [3]units.Energy{c.Use, c.Tail, c.Rest} {
			t.Errorf("%s: %s has %d, %d and %d nJ, and the tree %d", where, c.Name, c.Use, c.Tail, c.Rest, got)
		}
		if states+c.Unknown != c.Energy() {
			t.Errorf("%s: %s drained %d nJ in its states and %d in all", where, c.Name, states, c.Energy())
		}
	}
}

// TestRealTriggers counts the calls in real method traces that use components, for the table in
// trigger/README.md.
func TestRealTriggers(t *testing.T) {
	files, _ := filepath.Glob("../../shared/data/art/*.trace*")
	if len(files) == 0 {
		t.Skip("the real traces are not there")
	}
	triggers, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		f, err := ingest.Open(t.Context(), path, ingest.Options{})
		if err != nil {
			continue
		}
		tree, _, err := cct.Build(t.Context(), f, cct.Limits{})
		f.Close()
		if err != nil {
			continue
		}
		for _, n := range tree.Nodes[1:] {
			if g := triggers.Find(tree.Methods[n.Method]); g != nil {
				seen[g.Method] = true
			}
		}
	}
	doc, err := os.ReadFile("../trigger/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var bold []string
	for i, part := range strings.Split(string(doc), "**`") {
		if i > 0 {
			method, _, _ := strings.Cut(part, "`**")
			bold = append(bold, method)
		}
	}
	slices.Sort(bold)
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, slices.Compact(bold)) {
		t.Errorf("the real traces call %q, and trigger/README.md says %q", got, bold)
	}
}

// TestComponentsFollowTheTree compares scaled runs and repeated runs. It checks that the energies
// of components agree with the trees and add up.
func TestComponentsFollowTheTree(t *testing.T) {
	const cases = "../testdata/cases/"
	for what, o := range map[string]Options{
		"scaled": {
			Subject: Side{Path: cases + "spotify-pandora83/subject.trace.gz"}, Reference: Side{Path: cases + "spotify-pandora83/reference.trace.gz"},
			Normalize: Normalization{By: ByWork, Subject: 3, Reference: 7},
		},
		"repeated": {
			Subject:   Side{Path: cases + "spotify-pandora83/subject.trace.gz", Repeats: []string{cases + "spotify-pandora83/reference.trace.gz", cases + "solid-fx/subject.trace.gz"}},
			Reference: Side{Path: cases + "spotify-pandora83/reference.trace.gz", Repeats: []string{cases + "spotify-pandora83/subject.trace.gz", cases + "solid-fx/subject.trace.gz"}},
		},
	} {
		o.PowerModel = "lte"
		r, err := Compare(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, in := range []*Input{&r.Subject, &r.Reference} {
			conserved(t, what+", "+in.Path, in.Tree.Source, in.Trace, in.Components)
			drained := units.Energy(0)
			for _, c := range in.Components {
				drained += c.Energy()
			}
			if drained < units.Joule {
				t.Errorf("%s, %s: the components drain %d nJ, which shows nothing", what, in.Path, drained)
			}
		}
	}
}

// TestTailsAreNotSplit checks that calls of a task whose energy is all tail have no cost per call,
// but calls of other tasks have one.
func TestTailsAreNotSplit(t *testing.T) {
	const pair = "../testdata/cases/spotify-pandora83/"
	r, err := Compare(t.Context(), Options{Subject: Side{Path: pair + "subject.trace.gz"}, Reference: Side{Path: pair + "reference.trace.gz"}, PowerModel: "lte"})
	if err != nil {
		t.Fatal(err)
	}
	split, tails := 0, 0
	for i := range r.Tasks {
		task := &r.Tasks[i]
		tail := tailEnergy(&r.Subject)(task.Node)
		if task.Split != nil {
			split++
		}
		if task.Peer >= 0 && 2*tail >= task.Energy && task.Energy > 0 {
			tails++
		}
		if task.Split != nil && tail > task.Energy/10 {
			t.Errorf("a task of %d nJ, of that %d tail, is split by calls", task.Energy, tail)
		}
	}
	if split == 0 || tails == 0 {
		t.Errorf("%d tasks are split, and %d are most of them tail: the pair shows nothing", split, tails)
	}
}
