package appcode_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// sample turns a run into a recording of a sampling profiler with about this number of samples. The
// number of samples of each context has a Poisson distribution around its expectation. A context
// without samples is not recorded. one is the energy of a sample.
func sample(random *rand.Rand, app *run.Run, samples int) (one units.Energy) {
	one = max(app.Energy()/units.Energy(samples), 1)
	seen := make(map[*run.Call]bool)
	app.Each(func(c, _ *run.Call) {
		c.Cost = units.Energy(poisson(random, float64(c.Cost)/float64(one))) * one
		c.Count = 1
	})
	var visit func(c *run.Call) bool
	visit = func(c *run.Call) bool {
		seen[c] = c.Cost > 0
		for _, kid := range c.Kids {
			if visit(kid) {
				seen[c] = true
			}
		}
		return seen[c]
	}
	for _, thread := range app.Threads {
		for _, c := range thread.Calls {
			visit(c)
		}
	}
	app.Filter(func(c *run.Call) bool { return seen[c] })
	return one
}

// A sampling is a run as a recording of a sampling profiler.
type sampling struct {
	run *run.Run
	one units.Energy // energy of a sample
}

// Scan implements [trace.Recording].
func (r sampling) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	out := &trace.Trace{Format: "truth", Technique: trace.Sampled, Energy: trace.Given, Accounts: []trace.Account{{Provenance: trace.Given}}}
	ids := make(map[name.Method]trace.MethodID)
	trace.Start(sink, out.Clock, out.Energy)
	var samples []trace.Sample
	var visit func(thread trace.ThreadID, c *run.Call, above []trace.MethodID)
	visit = func(thread trace.ThreadID, c *run.Call, above []trace.MethodID) {
		if _, ok := ids[c.Method]; !ok {
			ids[c.Method] = trace.MethodID(len(out.Methods))
			out.Methods = append(out.Methods, c.Method)
		}
		stack := append(slices.Clip(above), ids[c.Method])
		if c.Cost > 0 {
			samples = append(samples, trace.Sample{Thread: thread, Stack: stack, Energy: c.Cost, Count: int64(c.Cost / r.one)})
		}
		for _, kid := range c.Kids {
			visit(thread, kid, stack)
		}
	}
	for i, t := range r.run.Threads {
		for _, c := range t.Calls {
			visit(trace.ThreadID(i), c, nil)
		}
		out.Threads = append(out.Threads, trace.Thread{ID: int64(i + 1), Name: t.Name})
	}
	out.Events = int64(len(samples))
	return out, sink.Samples(samples)
}

// poisson draws from the Poisson distribution.
func poisson(random *rand.Rand, mean float64) int {
	if mean > 50 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*random.NormFloat64())))
	}
	n, p := 0, random.Float64()
	for limit := math.Exp(-mean); p > limit; n++ {
		p *= random.Float64()
	}
	return n
}

// versions returns two sampled recordings of a run. Costs vary by a fifth between them. If slow is
// not empty, this method costs more in the first recording, by a tenth of the run.
func versions(random *rand.Rand, app *run.Run, slow name.Method, samples int) (pair [2]*run.Run, ones [2]units.Energy) {
	var cost units.Energy
	app.Each(func(c, _ *run.Call) {
		if c.Method == slow {
			cost += c.Cost
		}
	})
	for i := range pair {
		r := app.Clone()
		r.Each(func(c, _ *run.Call) {
			if i == 0 && c.Method == slow && cost > 0 {
				c.Cost = max(2*c.Cost, units.Energy(float64(c.Cost)*float64(app.Energy())/10/float64(cost)))
			}
			c.Cost = units.Energy(math.Round(float64(c.Cost) * math.Exp(0.2*random.NormFloat64())))
		})
		pair[i], ones[i] = r, sample(random, r, samples)
	}
	return pair, ones
}

// compareSampled compares two sampled runs, and checks the laws of every comparison.
func compareSampled(t *testing.T, pair [2]*run.Run, ones [2]units.Energy) *analysis.Result {
	t.Helper()
	var trees [2]*cct.Tree
	for i, r := range pair {
		var err error
		if trees[i], _, err = cct.Build(t.Context(), sampling{r, ones[i]}, cct.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := analysis.Trees(t.Context(), trees[0], trees[1], analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := analysis.Trees(t.Context(), trees[1], trees[0], analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conserves(t, r)
	mirrors(t, r, swapped)
	return r
}

// ownMethods returns the methods of a run's own code without libraries, in the order of their first
// calls.
func ownMethods(app *run.Run, known *platform.Platform) []name.Method {
	var own []name.Method
	app.Each(func(c, _ *run.Call) {
		if c.App && c.Cost > 0 && known.Library(c.Method) == "" && !slices.Contains(own, c.Method) {
			own = append(own, c.Method)
		}
	})
	return own
}

// TestSampledRenamedBuilds checks that two sampled runs of differently named builds are recognized
// as one app, although each run misses rare calls. Own code must have the same saving as with known
// names, and methods must pair with themselves.
func TestSampledRenamedBuilds(t *testing.T) {
	sources, known := bases(t, 700, 3)
	pairs, one, right := 0, 0, 0
	for _, source := range sources {
		own := ownMethods(source.run, known)
		for _, way := range []int{byName, byLetter, all, ways} {
			random := rand.New(rand.NewPCG(uint64(way), 7))
			pair, ones := versions(random, source.run, own[random.IntN(len(own))], 8000)
			named := compareSampled(t, pair, ones)
			renames := func(m name.Method) bool { return way == all || known.Library(m) == "" }
			here := obfuscate(random, pair[0], way%ways, renames)
			there := make(map[string]string)
			if way < ways { // otherwise the reference keeps its names
				there = obfuscate(random, pair[1], way, renames)
			}
			renamed := compareSampled(t, pair, ones)
			truth := make(map[string]string)
			for label, to := range here {
				truth[to] = cmp.Or(there[label], label)
			}
			var paired, well units.Energy
			for _, row := range renamed.AppCode.Rows {
				if row.Match == appcode.Alike {
					paired += row.Energy
					if cmp.Or(truth[row.Method.Label()], row.Method.Label()) == row.Peer.Method.Label() {
						well += row.Energy
					}
				}
			}
			pairs++
			if renamed.AppCode.OneApp {
				one++
			}
			got, want := gains(renamed.AppCode), gains(named.AppCode)
			if renamed.AppCode.OneApp && 10*max(got-want, want-got) <= want && 10*well >= 8*paired {
				right++
			} else {
				t.Logf("%s, renamed in way %d: one app by %q; own code saves %d, with the names %d; of %d in pairs %d is paired well",
					source.name, way, renamed.AppCode.By, got, want, paired, well)
			}
		}
	}
	t.Logf("of %d renamed builds %d are one app, and %d are compared as with their names", pairs, one, right)
	if 20*one < 19*pairs || 10*right < 9*pairs {
		t.Errorf("of %d renamed builds %d are one app, and %d are compared as with their names", pairs, one, right)
	}
}

// TestSampledStrangers checks that sampled runs of two apps are not recognized as one app, whatever
// their names are.
func TestSampledStrangers(t *testing.T) {
	sources, known := bases(t, 710, 3)
	for i, one := range sources {
		for _, other := range sources[i+1:] {
			for _, samples := range []int{300, 3000} {
				random := rand.New(rand.NewPCG(uint64(i), uint64(samples)))
				var pair [2]*run.Run
				var ones [2]units.Energy
				for k, source := range []base{one, other} {
					pair[k] = source.run.Clone()
					ones[k] = sample(random, pair[k], samples)
					obfuscate(random, pair[k], byLetter, func(m name.Method) bool { return known.Library(m) == "" })
				}
				if r := compareSampled(t, pair, ones); r.AppCode.OneApp {
					t.Errorf("%s and %s, %d samples: one app by %q", one.name, other.name, samples, r.AppCode.By)
				}
			}
		}
	}
}

// TestPartlyRenamedBuild has a build in which a shrinker renamed most of the app. The classes that
// kept their names show that it is one app, and the other classes are paired by shape. In two
// versions with different methods, the other classes are not paired.
func TestPartlyRenamedBuild(t *testing.T) {
	sources, known := bases(t, 720, 3)
	for _, source := range sources {
		kept := make(map[string]bool)
		for i, m := range ownMethods(source.run, known) {
			if i%3 == 0 {
				kept[m.Class()] = true
			}
		}
		random := rand.New(rand.NewPCG(1, 1))
		subject, reference := source.run.Clone(), source.run.Clone()
		vary(random, subject)
		vary(random, reference)
		labels := obfuscate(random, subject, byLetter, func(m name.Method) bool { return known.Library(m) == "" && !kept[m.Class()] })
		if len(labels) < 20 {
			continue
		}
		truth := make(map[string]string)
		for label, to := range labels {
			truth[to] = label
		}
		trees := [2]*cct.Tree{treeOf(t, subject), treeOf(t, reference)}
		r, err := analysis.Trees(t.Context(), trees[0], trees[1], analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		swapped, err := analysis.Trees(t.Context(), trees[1], trees[0], analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		conserves(t, r)
		mirrors(t, r, swapped)
		var renamed, well units.Energy
		for _, row := range r.AppCode.Rows {
			if label := truth[row.Method.Label()]; label != "" {
				renamed += row.Energy
				if row.Peer != nil && row.Peer.Method.Label() == label {
					well += row.Energy
				}
			}
		}
		if r.AppCode.By == appcode.Shape || 10*well < 8*renamed {
			t.Errorf("%s: one app by %q, %d of %d renamed is paired well", source.name, r.AppCode.By, well, renamed)
		}
	}
}
