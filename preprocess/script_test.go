package preprocess

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A sketch is a tree under construction. Unlike package cct, it does not merge recursion, and it
// keeps the order of siblings, because the steps must not depend on either.
type sketch struct {
	method    trace.MethodID
	origin    *sketch // The call that enqueued a hand-over.
	energy    units.Energy
	calls     int64
	recursive int64
	children  []*sketch
	index     int32
}

func (s *sketch) child(m trace.MethodID, origin *sketch) *sketch {
	for _, c := range s.children {
		if c.method == m && c.origin == origin {
			return c
		}
	}
	c := &sketch{method: m, origin: origin}
	s.children = append(s.children, c)
	return c
}

// tree numbers the sketch in preorder. order rearranges siblings. If order is nil, they are sorted.
func (s *sketch) tree(methods []name.Method, order func([]*sketch)) *cct.Tree {
	t := &cct.Tree{Methods: methods}
	var energy []units.Energy
	var calls, recursive []int64
	var handovers []*sketch
	var visit func(s *sketch, parent int32)
	visit = func(s *sketch, parent int32) {
		s.index = int32(len(t.Nodes))
		t.Nodes = append(t.Nodes, cct.Node{Method: s.method, Parent: parent})
		energy, calls, recursive = append(energy, s.energy), append(calls, s.calls), append(recursive, s.recursive)
		if s.origin != nil {
			handovers = append(handovers, s)
		}
		if order != nil {
			order(s.children)
		} else {
			slices.SortStableFunc(s.children, func(a, b *sketch) int {
				return strings.Compare(methods[a.method].Label(), methods[b.method].Label())
			})
		}
		i := s.index
		for _, c := range s.children {
			visit(c, i)
		}
		t.Nodes[i].End = int32(len(t.Nodes))
	}
	visit(s, -1)
	t.Energy = cct.NewColumn(t.Ends(), energy)
	t.Calls, t.Recursive = cct.NewColumn(t.Ends(), calls), cct.NewColumn(t.Ends(), recursive)
	for _, h := range handovers {
		t.Handovers = append(t.Handovers, cct.Handover{Node: h.index, Origin: h.origin.index})
	}
	return t
}

// folded builds a tree from folded stacks: frames separated by ';', a space, and the energy. Each
// line is a call of its last frame. Frames that are new in the tree count as one call.
func folded(t testing.TB, text string) *cct.Tree {
	t.Helper()
	root := &sketch{method: cct.NoMethod}
	var methods []name.Method
	ids := make(map[string]trace.MethodID)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			t.Fatalf("no energy in %q", line)
		}
		var energy int64
		for _, d := range line[at+1:] {
			energy = energy*10 + int64(d-'0')
		}
		node := root
		for label := range strings.SplitSeq(strings.TrimSpace(line[:at]), ";") {
			id, ok := ids[label]
			if !ok {
				id = trace.MethodID(len(methods))
				ids[label] = id
				lang := name.JVM
				if strings.Contains(label, "`") || !strings.Contains(label, ".") {
					lang = name.Unknown // mostly native code
				}
				methods = append(methods, name.Parse(label, lang))
			}
			if node = node.child(id, nil); node.calls == 0 {
				node.calls = 1
			}
		}
		node.energy += units.Energy(energy)
	}
	return root.tree(methods, nil)
}

// render prints a tree, one node per line: depth, label, exclusive energy and calls.
func render(t *Tree) string {
	var b strings.Builder
	depth := make([]int, len(t.Nodes))
	for i, n := range t.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		b.WriteString(strings.Repeat("  ", depth[i]) + t.Labels.Text(n.Label))
		b.WriteString(" " + units.Nano.Format(t.Energy.Self(int32(i)), 0) + "\n")
	}
	return b.String()
}

// alphabet has the methods that the letters of scripts represent. They have every role that the
// steps use.
var alphabet = map[rune]string{
	'a': "app.A.run()V", 'b': "app.B.run()V", 'c': "app.C.onClick(I)V", 'd': "app.D.inner()V",
	'e': "app.D.run()V", 'f': "fw.T.m()V", 'g': "fw.S.m()V", 'h': "fw.U.m()V", 'i': "fw.V.run()V",
	'j': "fw.T.<init>()V", 'k': "fw.S.<init>()V", 'l': "java.lang.Object.<init>()V", 'm': "java.lang.Object.m()V",
	'n': "native", 'o': "other", 'p': "*.run()V", 'q': "(toplevel)", 'r': "unnamed.m()V",
	's': "android.os.Handler.dispatchMessage(I)V", 't': "java.lang.Thread.run()V", 'u': "android.os.Looper.loop()V",
	'v': "android.os.Binder.execTransact(I)Z", 'w': "android.os.Binder.execTransactInternal(I)Z",
	'A': "android.os.Debug.startMethodTracing()V", 'B': "org.mozilla.gecko.GeckoJavaSampler.run()V",
	'C': "java.lang.reflect.Method.invoke()V",
	'D': "fw.T.access$000()V", 'E': "fw.S.m$default(I)V", 'F': "fw.T$$Lambda$1.run()V", 'G': "fw.T$$Lambda$2/0x3.run()V",
	'H': "app.D.lambda$run$0()V", 'I': "app.D.lambda$run$1()V",
	'J': "fw.T.m", 'K': "fw.S.m()V_[j]", 'L': "app.B.run", 'M': "app.D.lambda$run$0", 'Q': "fw.T$$Lambda_.run()V",
	'R': "java.lang.Object.wait(J)V", 'S': "epoll_wait",
	'N': "libart.so`stub", 'O': "libapp.so`render", 'P': "stub",
	'T': slowInterrupt, 'U': slowGate, 'V': "libapp.so`0x11", 'W': "libapp.so`0x12",
	'x': "java.util.concurrent.FutureTask.run()V", 'y': "fw.T.run()V", 'z': "app.Loop.run()V",
}

// A testPlatform treats fw and the real framework's packages as framework. It has its own class
// hierarchy.
type testPlatform struct {
	*platform.Platform
	supertypes func(class string) iter.Seq[string]
}

func newTestPlatform(supertypes func(class string) iter.Seq[string]) testPlatform {
	known, err := platform.New(platform.Rules{Framework: []string{"fw"}}, nil)
	if err != nil {
		panic(err)
	}
	return testPlatform{known, supertypes}
}

func (p testPlatform) Supertypes(class string) iter.Seq[string] { return p.supertypes(class) }

// testOptions returns options with the given steps, and the platform that all generated trees use.
func testOptions(steps Steps) Options { return Options{Steps: steps, Platform: onePlatform()} }

// onePlatform returns a platform whose hierarchy has a diamond, a cycle, and app classes above and
// below a framework class. It is made once, because that takes as long as some of the tests.
var onePlatform = sync.OnceValue(func() Platform {
	parents := map[string][]string{
		"fw.S": {"fw.T"}, "fw.T": {"fw.U"}, "fw.V": {"fw.T", "fw.U"},
		"app.A": {"fw.T", "java.lang.Thread"}, "app.B": {"app.A"}, "app.D": {"fw.V", "app.B"},
		"app.Loop": {"app.Ring"}, "app.Ring": {"app.Loop", "app.D"},
		"android.os.Looper": {"java.lang.Object"},
	}
	return newTestPlatform(func(class string) iter.Seq[string] { return slices.Values(parents[class]) })
})

// parsed caches the results of parseLabel.
var parsed sync.Map

// parseLabel parses a name of the JVM or of native code.
func parseLabel(label string) name.Method {
	if m, ok := parsed.Load(label); ok {
		return m.(name.Method)
	}
	lang := name.JVM
	if slowNative(label) {
		lang = name.Unknown
	}
	m := name.Parse(label, lang)
	parsed.Store(label, m)
	return m
}

// parse builds a tree from a script. A letter calls a method of the alphabet, and ')' returns. A
// digit adds that many nanojoules. '@' makes the current call an origin. '^' before a letter makes
// the call a hand-over from an earlier origin. Each '<' just before the '^' skips one origin. Other
// characters are ignored.
func parse(script string) (*sketch, []name.Method) {
	var methods []name.Method
	ids := make(map[rune]trace.MethodID)
	root := &sketch{method: cct.NoMethod}
	stack, origins := []*sketch{root}, []*sketch(nil)
	back, hand := 0, false
	for _, r := range script {
		top := stack[len(stack)-1]
		switch {
		case r == ')':
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case '0' <= r && r <= '9':
			top.energy += units.Energy(r - '0')
		case r == '@':
			origins = append(origins, top)
		case r == '<':
			back++
		case r == '^':
			hand = true
		case alphabet[r] != "" && len(stack) < 200:
			id, ok := ids[r]
			if !ok {
				id = trace.MethodID(len(methods))
				ids[r] = id
				methods = append(methods, parseLabel(alphabet[r]))
			}
			var origin *sketch
			if hand && back < len(origins) {
				origin = origins[len(origins)-1-back]
			}
			back, hand = 0, false
			c := top.child(id, origin)
			c.calls++
			if r == 'a' {
				c.recursive++
			}
			stack = append(stack, c)
		}
	}
	return root, methods
}

func treeOf(script string) *cct.Tree {
	root, methods := parse(script)
	t := root.tree(methods, nil)
	t.Elapsed = elapsed(script)
	return t
}

// elapsed reports whether the energies of a script are based on elapsed time.
func elapsed(script string) bool { return len(script)%2 == 0 }

// allSteps returns the 512 combinations of steps.
func allSteps() []Steps {
	var all []Steps
	for i := range 512 {
		all = append(all, Steps{
			Async: i&1 != 0, Entry: i&2 != 0, App: i&4 != 0, Hierarchy: i&8 != 0, Recorder: i&16 != 0, Synthetic: i&32 != 0,
			Detail: i&64 != 0, Runtime: i&128 != 0, Idle: i&256 != 0,
		})
	}
	return all
}

// someSteps returns an eighth of all combinations of steps. Eight rounds return all of them.
func someSteps(round int) []Steps {
	var some []Steps
	for i, steps := range allSteps() {
		if (i+i>>6+round)%8 == 0 {
			some = append(some, steps)
		}
	}
	return some
}
