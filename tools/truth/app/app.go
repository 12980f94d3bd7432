// Package app generates runs of Android apps whose trees have the shape of real ones. They have
// event loops, thread pools and lifecycles that call an app back, and helpers and libraries inside
// the app. Below these are real call trees of the framework, which may call the app again. The
// costs of calls have a heavy-tailed distribution.
//
// A mistake in the texts of the package panics, because these texts are part of the program.
package app

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// Generate returns a run of the app with the given seed and about the given number of contexts.
// Each seed is a different app. The same arguments give the same run.
func Generate(seed uint64, contexts int) *run.Run {
	g := newGenerator(seed)
	for g.made < contexts {
		g.event()
	}
	return g.run().Fold()
}

// maxDepth is the largest depth of an app's calls, including callbacks inside the framework.
const maxDepth = 7

// mainThread is the kind and the name of the main thread.
const mainThread = "main"

type generator struct {
	*grammar
	r    *rand.Rand
	pkg  string
	made int
	// taste has the cumulative weights of the fragments in this app.
	taste   []float64
	routes  []float64 // the same for routes
	threads map[string]*run.Thread
}

func newGenerator(seed uint64) *generator {
	r := rand.New(rand.NewPCG(seed, 0xa99))
	g := &generator{grammar: readGrammar(), r: r, threads: make(map[string]*run.Thread)}
	g.pkg = "com." + pick(r, vendors) + "." + pick(r, products)
	sum := 0.0
	for i := range g.names {
		// Some calls are common in all apps. In addition, each app has its own frequent calls.
		sum += math.Exp(1.2*r.NormFloat64()) / math.Sqrt(float64(1+i*61%len(g.names)))
		g.taste = append(g.taste, sum)
	}
	sum = 0
	for _, route := range g.grammar.routes {
		sum += route.weight * math.Exp(0.7*r.NormFloat64())
		g.routes = append(g.routes, sum)
	}
	return g
}

// event runs a callback on one of the threads.
func (g *generator) event() {
	route := g.grammar.routes[g.weighted(g.routes)]
	thread := route.Thread
	if thread != mainThread {
		thread = fmt.Sprintf("%s-%d", thread, 1+g.r.IntN(4))
	}
	t := g.threads[thread]
	if t == nil {
		t = &run.Thread{Name: thread}
		g.threads[thread] = t
	}
	calls := &t.Calls
	for _, m := range route.Path {
		c := g.call(m, false, 0.3)
		if !run.Launches(m) {
			g.inner(c, 0)
		}
		*calls = append(*calls, c)
		calls = &c.Kids
	}
	*calls = append(*calls, g.callback(route.Callback, 1))
}

// run returns the finished run, the main thread first.
func (g *generator) run() *run.Run {
	r := &run.Run{}
	for _, key := range slices.Sorted(maps.Keys(g.threads)) {
		if key == mainThread {
			r.Threads = slices.Insert(r.Threads, 0, g.threads[key])
		} else {
			r.Threads = append(r.Threads, g.threads[key])
		}
	}
	return r
}

// call returns a call without kids. Costs have a log-normal distribution, and one in fifty is far
// higher.
func (g *generator) call(m name.Method, app bool, weight float64) *run.Call {
	g.made++
	cost := weight * 1e4 * math.Exp(1.1*g.r.NormFloat64())
	if g.r.IntN(50) == 0 {
		cost *= 40
	}
	return &run.Call{Method: m, App: app, Cost: units.Energy(cost), Count: 1 + int64(min(math.Exp(1.3*g.r.NormFloat64())/2, 60))}
}

// callback returns a call of a method of the app that the framework calls.
func (g *generator) callback(m name.Method, depth int) *run.Call {
	class := g.class()
	if g.r.IntN(3) == 0 {
		class += fmt.Sprintf("$%d", 1+g.r.IntN(9))
	}
	c := g.call(name.OfClass(class, m.Name, m.Signature), true, 0.3)
	g.body(c, depth)
	return c
}

// body adds the callees of c, a call of the app: helpers and libraries of the app, and the
// framework.
func (g *generator) body(c *run.Call, depth int) {
	for range 1 + int(min(2.5*g.r.ExpFloat64(), 12)) {
		switch x := g.r.Float64(); {
		case x < 0.22 && depth < maxDepth:
			m := name.OfClass(g.class(), pick(g.r, verbs)+pick(g.r, nouns), pick(g.r, descriptors))
			helper := g.call(m, true, 0.2)
			c.Kids = append(c.Kids, helper)
			g.body(helper, depth+1)
		case x < 0.30 && depth < maxDepth:
			l := g.libraries[g.r.IntN(len(g.libraries))]
			inner := c
			for _, m := range l.layers[:1+g.r.IntN(len(l.layers))] {
				layer := g.call(m, true, 0.2)
				inner.Kids = append(inner.Kids, layer)
				inner = layer
			}
			for range 1 + g.r.IntN(3) {
				g.fragment(inner, g.fragments[pick(g.r, l.fragments)], depth+1)
			}
			if g.r.IntN(2) == 0 {
				g.body(inner, depth+1)
			}
		default:
			g.fragment(c, g.fragments[g.names[g.weighted(g.taste)]], depth)
		}
	}
}

// fragment adds the calls of l below c. It leaves out some at random, as if parameters and states
// differed.
func (g *generator) fragment(c *run.Call, l *line, depth int) {
	if l.callback {
		if depth < maxDepth {
			c.Kids = append(c.Kids, g.callback(l.method, depth+2))
		}
		return
	}
	kid := g.call(l.method, false, l.weight)
	c.Kids = append(c.Kids, kid)
	for _, below := range l.kids {
		if g.r.Float64() < below.chance {
			g.fragment(kid, below, depth)
		}
	}
	g.inner(kid, 0)
}

// inner adds the fixed callees of a framework method. It leaves out some at random, as if the state
// of the run excluded them.
func (g *generator) inner(c *run.Call, depth int) {
	if depth > 2 {
		return
	}
	for _, m := range g.calls(c.Method) {
		if g.r.IntN(6) > 0 {
			kid := g.call(m, false, 0.5)
			c.Kids = append(c.Kids, kid)
			g.inner(kid, depth+1)
		}
	}
}

// weighted returns a random index. sums are cumulative weights.
func (g *generator) weighted(sums []float64) int {
	i, _ := slices.BinarySearch(sums, g.r.Float64()*sums[len(sums)-1])
	return min(i, len(sums)-1)
}

func (g *generator) class() string {
	return g.pkg + "." + pick(g.r, packages) + "." + pick(g.r, nouns) + pick(g.r, roles)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// Words that the names in apps are made of.
var (
	vendors     = []string{"acorn", "bluebird", "cobalt", "dune", "ember", "fjord", "grove", "harbor"}
	products    = []string{"mail", "music", "shop", "files", "weather", "chat", "fitness", "reader"}
	packages    = []string{"ui", "data", "net", "util", "model", "player", "sync", "cache"}
	nouns       = []string{"Item", "Track", "User", "Image", "Order", "Message", "Session", "Page", "Cart", "Feed", "Device", "Draft"}
	roles       = []string{"Activity", "Fragment", "Adapter", "Repository", "Manager", "Loader", "View", "Service", "Worker", "Presenter"}
	verbs       = []string{"load", "show", "update", "bind", "parse", "save", "fetch", "apply", "refresh", "notify"}
	descriptors = []string{"()V", "(I)V", "(Ljava/lang/String;)V", "()Z", "(Ljava/lang/Object;)Ljava/lang/Object;", "(Landroid/content/Context;)V"}
)
