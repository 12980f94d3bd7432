package finding_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An invocation is a call. spans has the processor time of its exclusive spans: before, between and
// after its callees. There is one more span than kids.
type invocation struct {
	method trace.MethodID
	spans  []int64
	kids   []*invocation
	caller *invocation
}

// A forest has the outermost calls of each thread of a recording of calls.
type forest struct {
	tops    map[trace.ThreadID]*invocation // time outside of methods
	open    map[trace.ThreadID]*invocation
	methods []name.Method
	threads []trace.Thread
}

func (f *forest) Samples([]trace.Sample) error { return fmt.Errorf("samples") }

func (f *forest) Events(batch []trace.Event) error {
	for _, e := range batch {
		at := f.open[e.Thread]
		if at == nil {
			at = &invocation{spans: []int64{0}}
			f.tops[e.Thread] = at
		}
		at.spans[len(at.spans)-1] += e.CPU
		switch e.Kind {
		case trace.Enter:
			kid := &invocation{method: trace.MethodID(e.Ref), spans: []int64{0}, caller: at}
			at.kids, at.spans = append(at.kids, kid), append(at.spans, 0)
			at = kid
		case trace.Exit:
			if at.caller != nil && at.method == trace.MethodID(e.Ref) {
				at = at.caller
			}
		}
		f.open[e.Thread] = at
	}
	return nil
}

func readForest(t *testing.T, path string) *forest {
	t.Helper()
	file, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := &forest{tops: make(map[trace.ThreadID]*invocation), open: make(map[trace.ThreadID]*invocation)}
	tr, err := file.Scan(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	f.methods, f.threads = tr.Methods, tr.Threads
	return f
}

// clone returns a copy whose calls may be changed.
func (f *forest) clone() *forest {
	out := &forest{tops: make(map[trace.ThreadID]*invocation, len(f.tops)), methods: slices.Clone(f.methods), threads: f.threads}
	for thread, top := range f.tops {
		copied := &invocation{top.method, slices.Clone(top.spans), slices.Clone(top.kids), nil}
		out.tops[thread] = copied
		for waiting := []*invocation{copied}; len(waiting) > 0; {
			at := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			for i, kid := range at.kids {
				at.kids[i] = &invocation{kid.method, slices.Clone(kid.spans), slices.Clone(kid.kids), at}
				waiting = append(waiting, at.kids[i])
			}
		}
	}
	return out
}

// each calls visit for each call, callers first.
func (f *forest) each(visit func(thread trace.ThreadID, c *invocation)) {
	for thread := range f.threads {
		if top := f.tops[trace.ThreadID(thread)]; top != nil {
			waiting := slices.Clone(top.kids)
			for len(waiting) > 0 {
				c := waiting[len(waiting)-1]
				waiting = append(waiting[:len(waiting)-1], c.kids...)
				visit(trace.ThreadID(thread), c)
			}
		}
	}
}

// write writes the forest as a trace. Each span is multiplied by a random factor of its own, with a
// standard deviation of about a fifth.
func (f *forest) write(t *testing.T, path string, r *rand.Rand) {
	t.Helper()
	out := &artwrite.Trace{Methods: f.methods}
	var events []artwrite.Event
	var longest time.Duration
	for thread, about := range f.threads {
		out.Threads = append(out.Threads, artwrite.Thread{ID: uint32(thread + 1), Name: about.Name})
		top := f.tops[trace.ThreadID(thread)]
		if top == nil {
			continue
		}
		now := time.Duration(0)
		spend := func(c *invocation, i int) {
			now += time.Duration(float64(c.spans[i]) * math.Exp(0.2*r.NormFloat64()))
		}
		type step struct {
			c  *invocation
			at int
		}
		stack := []step{{top, 0}}
		for len(stack) > 0 {
			s := &stack[len(stack)-1]
			spend(s.c, s.at)
			if s.at < len(s.c.kids) {
				kid := s.c.kids[s.at]
				s.at++
				events = append(events, artwrite.Event{Thread: thread, Method: int(kid.method), Action: artwrite.Enter, CPU: now, Wall: now})
				stack = append(stack, step{kid, 0})
				continue
			}
			if s.c.caller != nil {
				events = append(events, artwrite.Event{Thread: thread, Method: int(s.c.method), Action: artwrite.Exit, CPU: now, Wall: now})
			}
			stack = stack[:len(stack)-1]
		}
		longest = max(longest, now)
	}
	slices.SortStableFunc(events, func(a, b artwrite.Event) int { return cmp.Compare(a.Wall, b.Wall) })
	out.Events, out.Elapsed = slices.Values(events), longest
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := artwrite.Write(file, out, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
}

// spent returns the processor time of a call with its callees.
func (c *invocation) spent() int64 {
	sum, waiting := int64(0), []*invocation{c}
	for len(waiting) > 0 {
		c := waiting[len(waiting)-1]
		waiting = append(waiting[:len(waiting)-1], c.kids...)
		for _, span := range c.spans {
			sum += span
		}
	}
	return sum
}

// A mover moves work of a forest between callbacks.
type mover struct {
	*forest
	known *platform.Platform
	r     *rand.Rand
}

func (m *mover) app(c *invocation) bool {
	return c.caller != nil && m.known.Owner(m.methods[c.method]) == platform.App
}

// own reports whether the app's own code makes a call, and whether its name identifies it.
func (m *mover) own(c *invocation) bool {
	return m.app(c) && m.known.Library(m.methods[c.method]) == "" && len(m.methods[c.method].Type) > 2
}

// callback returns the callback of a call of the app.
func (m *mover) callback(c *invocation) *invocation {
	for m.app(c.caller) {
		c = c.caller
	}
	return c
}

// below reports whether c is outer or inside it.
func below(c, outer *invocation) bool {
	for ; c != nil; c = c.caller {
		if c == outer {
			return true
		}
	}
	return false
}

// A callGroup identifies all calls of an own method in callbacks with one method, on one thread.
type callGroup struct {
	thread           trace.ThreadID
	method, callback trace.MethodID
}

// groups returns the calls of own methods that call the framework, by group. It leaves out
// callbacks, recursive calls, and groups with very little or very much energy.
func (m *mover) groups() map[callGroup][]*invocation {
	groups, sums, total := make(map[callGroup][]*invocation), make(map[callGroup]int64), int64(0)
	for _, top := range m.tops {
		total += top.spent()
	}
	m.each(func(thread trace.ThreadID, c *invocation) {
		if !m.own(c) || !m.app(c.caller) || !slices.ContainsFunc(c.kids, func(kid *invocation) bool { return !m.app(kid) }) {
			return
		}
		top := m.callback(c)
		for at := c.caller; at != top.caller; at = at.caller {
			if at.method == c.method {
				return
			}
		}
		g := callGroup{thread, c.method, top.method}
		groups[g] = append(groups[g], c)
		sums[g] += c.spent()
	})
	for g, sum := range sums {
		if sum*250 < total || sum*3 > total {
			delete(groups, g)
		}
	}
	return groups
}

// detach removes a call from its caller.
func (c *invocation) detach() {
	up := c.caller
	i := slices.Index(up.kids, c)
	up.kids = slices.Delete(up.kids, i, i+1)
	up.spans[i] += up.spans[i+1]
	up.spans = slices.Delete(up.spans, i+1, i+2)
	c.caller = nil
}

// move moves the calls of a group to a callback with another name on the same thread. It returns
// false if there is no such callback. If nested is true, the callback must be inside another task.
func (m *mover) move(g callGroup, calls []*invocation, nested bool) bool {
	var hosts []*invocation
	m.each(func(thread trace.ThreadID, c *invocation) {
		if thread != g.thread || !m.app(c) || m.app(c.caller) || m.methods[c.method].Name == m.methods[g.callback].Name {
			return
		}
		inside := false
		for at := c; at.caller != nil; at = at.caller {
			if inside = inside || at != c && m.app(at); m.known.Role(m.methods[at.method]) == platform.Recorder {
				return
			}
		}
		if nested && !inside || slices.ContainsFunc(calls, func(moved *invocation) bool { return below(c, moved) || below(moved, c) }) {
			return
		}
		if !slices.ContainsFunc(c.kids, func(kid *invocation) bool { return kid.method == g.method }) {
			hosts = append(hosts, c)
		}
	})
	if len(hosts) == 0 {
		return false
	}
	host := hosts[m.r.IntN(len(hosts))]
	for _, c := range calls {
		c.detach()
		host.kids, host.spans, c.caller = append(host.kids, c), append(host.spans, 0), host
	}
	return true
}

// change makes one change that moves work without adding any. It returns the moved methods, or nil
// if the change is not possible in the forest.
func (m *mover) change(kind string) []trace.MethodID {
	var moved []trace.MethodID
	groups := m.groups()
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b callGroup) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.method, b.method), cmp.Compare(a.callback, b.callback))
	})
	m.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, g := range keys {
		calls := groups[g]
		if kind == "renamed" {
			callback := m.methods[g.callback]
			if callback.Name[0] == '<' || !m.own(m.callback(calls[0])) {
				continue
			}
			for i := range m.methods {
				if m.methods[i].Name == callback.Name && m.methods[i].Class() == callback.Class() {
					m.methods[i].Name = "moved" + callback.Name
				}
			}
			return []trace.MethodID{g.method}
		}
		if kind == "one call" {
			calls = calls[m.r.IntN(len(calls)):][:1]
		}
		if slices.ContainsFunc(calls, func(c *invocation) bool { return !below(c, m.tops[g.thread]) }) || !m.move(g, calls, kind == "nested") {
			continue
		}
		if moved = append(moved, g.method); kind != "three methods" || len(moved) == 3 {
			break
		}
	}
	return moved
}

// movedKinds are the changes that the test makes.
var movedKinds = []string{"a method", "one call", "three methods", "nested", "renamed"}

// generatedForest makes a run of an app. Callbacks of an event loop call own methods, which call
// the framework. The framework calls back, and inflates layouts inside layouts.
func generatedForest(r *rand.Rand) *forest {
	f := &forest{tops: make(map[trace.ThreadID]*invocation), threads: []trace.Thread{{Name: "main"}}}
	ids := make(map[string]trace.MethodID)
	method := func(class, called string) trace.MethodID {
		if id, ok := ids[class+called]; ok {
			return id
		}
		m := name.OfClass(class, called, "()V")
		f.methods = append(f.methods, m)
		ids[class+called] = trace.MethodID(len(f.methods) - 1)
		return ids[class+called]
	}
	call := func(up *invocation, id trace.MethodID, cost int64) *invocation {
		c := &invocation{method: id, spans: []int64{cost}, caller: up}
		up.kids, up.spans = append(up.kids, c), append(up.spans, 50)
		return c
	}
	cost := func() int64 { return int64(1000 * math.Exp(r.NormFloat64())) }
	apis := []string{"android.graphics.Canvas", "android.content.res.Resources", "android.database.Cursor", "java.io.FileInputStream", "android.widget.TextView"}
	var own func(up *invocation, class, depth int)
	own = func(up *invocation, class, depth int) {
		c := call(up, method(fmt.Sprintf("com.example.shop.Part%d", class), fmt.Sprintf("step%d", r.IntN(6))), cost())
		for range 1 + r.IntN(3) {
			task := call(c, method(apis[r.IntN(len(apis))], fmt.Sprintf("call%d", r.IntN(8))), 3*cost())
			call(task, method("libcore.io.Posix", fmt.Sprintf("read%d", r.IntN(4))), cost())
		}
		if depth == 0 {
			return
		}
		if r.IntN(2) == 0 {
			own(c, r.IntN(12), depth-1)
		}
		if r.IntN(3) == 0 {
			inflate := call(c, method("android.view.LayoutInflater", "inflate"), cost())
			own(call(call(inflate, method("android.view.LayoutInflater", "createView"), cost()), method(fmt.Sprintf("com.example.shop.View%d", r.IntN(5)), "onFinishInflate"), cost()), r.IntN(12), depth-1)
		}
	}
	top := &invocation{spans: []int64{0}}
	f.tops[0] = top
	for range 40 {
		loop := call(top, method("android.os.Handler", "dispatchMessage"), cost())
		screen := r.IntN(6)
		own(call(loop, method(fmt.Sprintf("com.example.shop.Screen%d", screen), fmt.Sprintf("on%c", 'A'+r.IntN(4))), cost()), r.IntN(12), 3)
	}
	return f
}

// says reports whether a row states that calls inside one of the methods moved.
func says(r *analysis.Result, methods []name.Method) bool {
	t := r.Subject.Tree
	for i := range r.Tasks {
		task := &r.Tasks[i]
		if !task.Moved() && len(task.In) == 0 {
			continue
		}
		for _, c := range t.Callers(task.Node) {
			for o := c.Source; o > 0; o = t.Caller(o) {
				if id := t.Source.Nodes[o].Method; id >= 0 && slices.ContainsFunc(methods, func(m name.Method) bool { return m.Label() == t.Source.Methods[id].Label() }) {
					return true
				}
			}
		}
	}
	return false
}

// TestMovedWorkSavesNothing moves work between callbacks of generated runs and of real traces whose
// times vary by a fifth. There must be no saving, and a row must state that it moved. Pairs of
// generated runs are also compared swapped. For a real trace, each kind of change is compared
// swapped for every other seed.
func TestMovedWorkSavesNothing(t *testing.T) {
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type source struct {
		name string
		make func(seed uint64) *forest
	}
	sources := []source{{"generated", func(seed uint64) *forest { return generatedForest(rand.New(rand.NewPCG(seed, 16))) }}}
	folder := filepath.Join("..", "..", "shared", "data", "art")
	for _, file := range []string{
		"androidperformance-App.trace", "firefox-art-regular.trace.gz", "firefox-art-streaming.trace.gz", "likaci-cpu_trace.trace", "profilertester-cpu-art-new.trace",
	} {
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			t.Logf("%s is not present: only generated runs", file)
			break
		}
		read := sync.OnceValue(func() *forest { return readForest(t, filepath.Join(folder, file)) })
		sources = append(sources, source{file, func(uint64) *forest { return read().clone() }})
	}
	if testing.Short() {
		sources = sources[:min(2, len(sources))]
	}
	for _, from := range sources {
		seeds := shorten.Count(movedSeeds)
		if from.name == "generated" && !testing.Short() {
			seeds *= 4
		}
		for seed := range uint64(seeds) {
			for k, kind := range movedKinds {
				random := rand.New(rand.NewPCG(seed, uint64(15+k)))
				dir := t.TempDir()
				subject, reference := filepath.Join(dir, "subject.trace"), filepath.Join(dir, "reference.trace")
				from.make(seed).write(t, reference, random)
				changed := &mover{from.make(seed), known, random}
				ids := changed.change(kind)
				if ids == nil {
					continue
				}
				changed.write(t, subject, random)
				var moved []name.Method
				for _, id := range ids {
					moved = append(moved, changed.methods[id])
				}
				where := fmt.Sprintf("%s, seed %d, %s, %s", from.name, seed, kind, moved[0].Short())
				straight := (seed+uint64(k))%2 == 0
				if from.name == "generated" || straight {
					checkMoved(t, where, kind, subject, reference, moved)
				}
				if from.name == "generated" || !straight {
					checkMoved(t, where+", swapped", kind, reference, subject, moved)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// movedSeeds is the number of seeds for each real trace.
const movedSeeds = 2

func checkMoved(t *testing.T, where, kind, subject, reference string, moved []name.Method) {
	t.Helper()
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha})
	if err != nil {
		t.Fatal(err)
	}
	head := finding.New(r).Headline()
	if 100*head.Savable.Most > r.Subject.Energy {
		t.Errorf("%s: %.2f%% of the run could be saved", where, 100*units.Share(head.Savable.Most, r.Subject.Energy))
	}
	for _, p := range head.Portions {
		// The times of individual calls vary.
		if d := p.Difference(); p.Code == finding.MovedTasks && max(d, -d) > max(r.Subject.Energy/50, p.Reference/4) {
			t.Errorf("%s: %.2f%% of the run is the difference of tasks that moved", where, 100*units.Share(d, r.Subject.Energy))
		}
	}
	// If every callback calls a helper, a single call does not show which of the calls moved.
	if kind != "one call" && !says(r, moved) {
		t.Errorf("%s: no row says that it moved", where)
	}
}
