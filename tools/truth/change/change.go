// Package change rewrites a run to simulate differences between apps. Each [Kind] rewrites it in
// one way, at three strengths, and with a seed. Tasks keep their true numbers when a run is
// rewritten. A task from another app has the number of its context (package run).
//
// The parameters are chosen so that strength 1 is similar to two versions of one app, and strength
// 3 to two apps of different makers. They were not measured.
package change

import (
	"math"
	"math/rand/v2"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// Strengths is the number of strengths of each kind, from 1.
const Strengths = 3

// A Kind is a way in which two runs differ.
type Kind struct {
	// Name is one word. About describes the difference on one line.
	Name, About string
	apply       func(*edit)
}

// Kinds are the kinds, the simplest first. The table must not be changed.
var Kinds = []Kind{
	{"rerun", "nothing but more noise: other leaves", rerun},
	{"rename", "the app's names: packages; classes and methods; all of it by a shrinker", rename},
	{"appwrap", "helpers of the app put in and taken out", appwrap},
	{"fwframe", "another version of the framework: inner calls put in and taken out", fwframe},
	{"synth", "what compilers make: accessors, lambdas, default arguments, coroutines", synth},
	{"move", "a callback runs on another handler or thread, or is another callback", move},
	{"moved-task", "a method of the app runs with its tasks in another callback", movedTask},
	{"hierarchy", "a superclass's method, a call of super, the app's own subclass", hierarchy},
	{"scale", "the same tasks cost 0.05 to 20 times as much and are called as often", scale},
	{"adddel", "tasks taken away, and another app's tasks added", adddel},
	{"apiswap", "another call of the framework for the same task", apiswap},
	{"record", "another start and end of the recording, threads not recorded", record},
	{"mixed", "all of these at once: two apps", mixed},
	{"strangers", "few tasks in common: other names, most taken away, a whole other app added", strangers},
	{"plumbing", "hardly a task in common but what every app does: build strings, fill lists", plumbing},
}

// A Case is a kind, a strength from 1 to Strengths, and a seed.
type Case struct {
	Kind     Kind
	Strength int
	Seed     uint64
}

// Pair returns a pair of runs made from base. numbers must already have numbered the tasks of base
// and other. Each run has noise of its own. The reference is rewritten, or the subject if the seed
// is odd. base and other are not changed. The same arguments give the same pair.
func (c Case) Pair(base, other *run.Run, numbers *run.Numbers) (subject, reference *run.Run) {
	random := func(stream uint64) *rand.Rand {
		return rand.New(rand.NewPCG(c.Seed<<8|uint64(c.Strength), stream))
	}
	subject, reference = base.Clone(), base.Clone()
	noise(random(1), subject, 0.05)
	noise(random(2), reference, 0.05)
	e := &edit{Rand: random(3), run: reference, other: other, numbers: numbers, strength: c.Strength, against: subject}
	if c.Seed%2 == 1 {
		e.run, e.against = subject, reference
	}
	c.Kind.apply(e)
	return subject, reference
}

// An edit is a run that is being rewritten.
type edit struct {
	*rand.Rand
	run   *run.Run
	other *run.Run
	// against is the other run of the pair.
	against  *run.Run
	numbers  *run.Numbers
	strength int
}

// by returns one of the values, depending on the strength of the edit.
func (e *edit) by(values ...float64) float64 { return values[e.strength-1] }

// chance returns a function that returns true with the given probability. For equal keys, it
// returns the same result, because a developer or a version is consistent.
func chance[K comparable](e *edit, probability float64) func(K) bool {
	known := make(map[K]bool)
	return func(key K) bool {
		chosen, ok := known[key]
		if !ok {
			chosen = e.Float64() < probability
			known[key] = chosen
		}
		return chosen
	}
}

// noise simulates the difference between two runs of one app: costs differ, and a run misses some
// short calls.
func noise(r *rand.Rand, app *run.Run, missing float64) {
	app.Filter(func(c *run.Call) bool { return len(c.Kids) > 0 || r.Float64() >= missing })
	app.Each(func(c, _ *run.Call) { c.Cost = times(c.Cost, math.Exp(0.25*r.NormFloat64())) })
}

func rerun(e *edit) { noise(e.Rand, e.run, e.by(0.05, 0.1, 0.2)) }

func mixed(e *edit) {
	for _, apply := range []func(*edit){adddel, scale, apiswap, hierarchy, move, fwframe, appwrap, synth, rename, record} {
		apply(e)
	}
}

func times(cost units.Energy, factor float64) units.Energy {
	return units.Energy(math.Round(float64(cost) * factor))
}

// under inserts a new call of m between c and its callees.
func under(c *run.Call, m name.Method, app bool) {
	c.Kids = []*run.Call{{Method: m, App: app, Count: c.Count, Kids: c.Kids}}
}

// over inserts a new call of m between c and its caller, and returns the new call.
func over(c *run.Call, m name.Method, app bool) *run.Call {
	return &run.Call{Method: m, App: app, Count: c.Count, Kids: []*run.Call{c}}
}

// replaceKids replaces each kid by the calls that a function returns for it.
func replaceKids(c *run.Call, with func(kid *run.Call) []*run.Call) {
	var kids []*run.Call
	for _, kid := range c.Kids {
		kids = append(kids, with(kid)...)
	}
	c.Kids = kids
}
