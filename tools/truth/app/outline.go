package app

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/android"
)

var (
	//go:embed routes.txt
	routesText string
	//go:embed views.txt
	viewsText string
	//go:embed libraries.txt
	librariesText string
)

// A line is a call in an outline. It calls a method of the framework, or a callback of the app,
// which begins with * in the text. The Class of a callback is empty.
type line struct {
	method   name.Method
	callback bool
	weight   float64
	// chance is the probability of the call.
	chance float64
	kids   []*line
}

// A Route is a call path by which Android runs an app's code.
type Route struct {
	Name string
	// Thread is the kind of thread: main, looper, pool, own or binder.
	Thread string
	// Path has the calls of the framework, the outermost first. Callback is the method of the app
	// at the end of the path. Its Class is empty.
	Path     []name.Method
	Callback name.Method
	weight   float64
}

// A library is a library in an app: layers of calls, which call some fragments of the framework.
type library struct {
	fragments []string
	layers    []name.Method
}

// A grammar has all parts of generated apps. It is immutable.
type grammar struct {
	fragments map[string]*line
	names     []string // The names of the fragments, sorted.
	routes    []Route
	libraries []library
	labels    []string // The labels of all known framework methods, sorted.
}

// calls returns callees of a framework method that are in no fragment. They are the same in all
// apps.
func (g *grammar) calls(m name.Method) []name.Method {
	h := fnv.New64a()
	h.Write([]byte(m.Label()))
	r := rand.New(rand.NewPCG(h.Sum64(), 0xca11))
	out := make([]name.Method, []int{0, 0, 1, 1, 2, 3}[r.IntN(6)])
	for i := range out {
		out[i] = name.Parse(pick(r, g.labels), name.JVM)
	}
	return out
}

// readGrammar reads the texts once.
var readGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{fragments: make(map[string]*line)}
	g.labels = slices.Sorted(maps.Values(android.Labels()))
	views := android.Sections(viewsText)
	for _, key := range android.Fragments() {
		text, _ := android.Fragment(key)
		g.fragments[key] = outline(text)
		g.names = append(g.names, key)
	}
	for _, key := range sorted(views) {
		g.fragments[key] = outline(views[key])
		g.names = append(g.names, key)
	}
	g.readRoutes()
	libraries := android.Sections(librariesText)
	for _, key := range sorted(libraries) {
		first, rest, _ := strings.Cut(libraries[key], "\n")
		l := library{fragments: strings.Fields(first)}
		for _, label := range strings.Fields(rest) {
			l.layers = append(l.layers, name.Parse(label, name.JVM))
		}
		g.libraries = append(g.libraries, l)
	}
	return g
})

func (g *grammar) readRoutes() {
	sections := android.Sections(routesText)
	for _, head := range sorted(sections) {
		words := strings.Fields(head)
		if len(words) == 1 {
			continue
		}
		weight, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			panic(fmt.Sprintf("routes.txt: %q has no weight", head))
		}
		r := Route{Name: words[0], Thread: words[1], weight: weight}
		for _, word := range strings.Fields(sections[words[1]] + sections[head]) {
			if callback, ok := strings.CutPrefix(word, "*"); ok {
				r.Callback = name.Parse(callback, name.JVM)
			} else {
				r.Path = append(r.Path, method(word))
			}
		}
		g.routes = append(g.routes, r)
	}
}

// Routes returns the call paths by which Android runs an app's code, sorted by name. The slice is
// shared and must not be changed.
func Routes() []Route { return readGrammar().routes }

// outline parses a fragment: one call per line, indented below its caller. w= is the share of the
// cost, and x the number of calls.
func outline(text string) *line {
	top := &line{}
	stack := []*line{top}
	for row := range strings.Lines(text) {
		words := strings.Fields(row)
		depth := len(row) - len(strings.TrimLeft(row, "\t"))
		if len(words) == 0 || depth >= len(stack) {
			panic(fmt.Sprintf("outline: what is %q?", row))
		}
		l := &line{weight: 1, chance: 0.9}
		if callback, ok := strings.CutPrefix(words[0], "*"); ok {
			l.callback, l.method = true, name.Parse(callback, name.JVM)
		} else {
			l.method = method(words[0])
		}
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(strings.TrimLeft(w, "wx="), 64)
			if err != nil {
				panic(fmt.Sprintf("outline: what is %q?", w))
			}
			if w[0] == 'w' {
				l.weight = x
			} else {
				l.chance = min(x, 1)
			}
		}
		parent := stack[depth]
		parent.kids = append(parent.kids, l)
		stack = append(stack[:depth+1], l)
	}
	if len(top.kids) != 1 {
		panic(fmt.Sprintf("outline: %d roots in %q", len(top.kids), text))
	}
	return top.kids[0]
}

// method parses a label such as a.B.c()V, or a short name as in tools/android.
func method(text string) name.Method {
	if !strings.Contains(text, "(") {
		label, ok := android.Labels()[text]
		if !ok {
			panic("no method is called " + text)
		}
		text = label
	}
	return name.Parse(text, name.JVM)
}
