package cct_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// given is a recording of samples.
type given struct {
	samples []trace.Sample
	roots   []trace.MethodID
}

func (r given) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := script("").Scan(ctx, sink)
	if err != nil {
		return nil, err
	}
	for range 4 {
		tr.Threads = append(tr.Threads, trace.Thread{})
	}
	tr.Roots = r.roots
	return tr, sink.Samples(r.samples)
}

// sums are the amounts of a node, or of a recursion.
type sums struct {
	energy                          units.Energy
	cpu, wall, calls, weight, count int64
}

// TestSamplesAgreeWithOracle builds trees of random stacks, also of deep ones that begin alike, and
// compares them with sums over the folded stacks. A recursive call goes on at its ancestor.
func TestSamplesAgreeWithOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for round := range shorten.Count(120) {
		deep := round%3 == 0
		var r given
		var last []trace.MethodID
		for range 1 + random.IntN(30) {
			n := random.IntN(6)
			if deep {
				n = 980 + random.IntN(60)
			}
			stack := make([]trace.MethodID, n)
			for i := range stack {
				stack[i] = trace.MethodID(random.IntN(4 + 20*(round%2)))
			}
			if deep && random.IntN(3) > 0 {
				stack = slices.Concat(last[:random.IntN(len(last)+1)], stack[:random.IntN(40)])
			}
			last = stack
			r.samples = append(r.samples, trace.Sample{
				Thread: trace.ThreadID(random.IntN(3)), Stack: stack, Energy: units.Energy(random.IntN(9)), CPU: random.Int64N(9), Wall: random.Int64N(9), Calls: random.Int64N(3), Weight: random.Int64N(9), Count: random.Int64N(3),
			})
		}
		want, recursions := make(map[string]sums), make(map[string]int64)
		for _, s := range r.samples {
			var path []trace.MethodID
			where := func() string {
				var parts []string
				for _, m := range path {
					parts = append(parts, string(rune('a'+m)))
				}
				return strings.Join(parts, "")
			}
			caller, folded := "", false
			for _, m := range s.Stack {
				caller, folded = where(), false
				if i := slices.Index(path, m); i >= 0 {
					path, folded = path[:i+1], true
				} else {
					path = append(path, m)
				}
			}
			at := want[where()]
			at.energy, at.cpu, at.wall = at.energy+s.Energy, at.cpu+s.CPU, at.wall+s.Wall
			at.calls, at.weight, at.count = at.calls+s.Calls, at.weight+s.Weight, at.count+s.Count
			want[where()] = at
			if folded && s.Calls > 0 {
				recursions[where()+" from "+caller] += s.Calls
			}
		}
		tree, _, err := cct.Build(t.Context(), r, cct.Limits{Recursions: true})
		if err != nil {
			t.Fatal(err)
		}
		path := func(i int32) string { return strings.NewReplacer("p.C.", "", " ", "").Replace(pathOf(tree, i)) }
		for i := range int32(len(tree.Nodes)) {
			got := sums{tree.Energy.Self(i), int64(tree.CPU.Self(i)), int64(tree.Wall.Self(i)), tree.Calls.Self(i), tree.Weight.Self(i), tree.Seen.Self(i)}
			if w := want[path(i)]; got != w {
				t.Fatalf("%s has %+v, want %+v", path(i), got, w)
			}
			delete(want, path(i))
		}
		for p, w := range want {
			if w != (sums{}) {
				t.Fatalf("%s with %+v is missing", p, w)
			}
		}
		got := make(map[string]int64)
		for _, x := range tree.Recursions {
			if x.Recursive != 0 {
				t.Errorf("a sample has a recursive call: %+v", x)
			}
			got[path(x.Node)+" from "+path(x.Caller)] += x.Calls
		}
		for key, n := range recursions {
			node, _, _ := strings.Cut(key, " from ")
			sum := int64(0)
			for other, m := range got {
				if strings.HasPrefix(other, node+" from ") {
					sum += m
				}
			}
			if sum < n {
				t.Fatalf("%s was called %d times, the recursions are %v", key, n, got)
			}
		}
		if !slices.IsSortedFunc(tree.Recursions, func(a, b cct.Recursion) int { return int(a.Node-b.Node)*1000 + int(a.Caller-b.Caller) }) {
			t.Errorf("the recursions are not sorted: %+v", tree.Recursions)
		}
	}
}

// TestBadSamples checks that samples with impossible values are errors, and that sums may reach the
// limits.
func TestBadSamples(t *testing.T) {
	stack := []trace.MethodID{0}
	most := int64(math.MaxInt64)
	for name, c := range map[string]struct {
		samples []trace.Sample
		err     string
	}{
		"energy":           {[]trace.Sample{{Stack: stack, Energy: -1}}, "negative value"},
		"CPU":              {[]trace.Sample{{Stack: stack, CPU: -1}}, "negative value"},
		"wall":             {[]trace.Sample{{Stack: stack, Wall: -1}}, "negative value"},
		"calls":            {[]trace.Sample{{Stack: stack, Calls: -1}}, "negative value"},
		"weight":           {[]trace.Sample{{Stack: stack, Weight: -1}}, "negative value"},
		"count":            {[]trace.Sample{{Stack: stack, Count: -1}}, "negative value"},
		"the id":           {[]trace.Sample{{Stack: stack, ID: -1}}, "negative number"},
		"the most energy":  {[]trace.Sample{{Stack: stack, Energy: units.Energy(most)}}, ""},
		"too much energy":  {[]trace.Sample{{Stack: stack, Energy: units.Energy(most)}, {Stack: stack, Energy: 1}}, "leaves 63 bits"},
		"the most time":    {[]trace.Sample{{Stack: stack, CPU: most, Wall: most}}, ""},
		"too much CPU":     {[]trace.Sample{{Stack: stack, CPU: most}, {Stack: stack, CPU: 1}}, "leaves 63 bits"},
		"too much wall":    {[]trace.Sample{{Stack: stack, Wall: most}, {Stack: stack, Wall: 1}}, "leaves 63 bits"},
		"too much weight":  {[]trace.Sample{{Stack: stack, Weight: most}, {Stack: stack, Weight: 1}}, "leaves 63 bits"},
		"too many samples": {[]trace.Sample{{Stack: stack, Count: most}, {Stack: stack, Count: 1}}, "leaves 63 bits"},
		"the most calls":   {[]trace.Sample{{Stack: stack, Calls: math.MaxUint32}}, ""},
		"too many calls":   {[]trace.Sample{{Stack: stack, Calls: math.MaxUint32}, {Stack: stack, Calls: 1}}, "2³² calls"},
		"calls at once":    {[]trace.Sample{{Stack: stack, Calls: math.MaxUint32 + 1}}, "2³² calls"},
		"an unknown frame": {[]trace.Sample{{Stack: []trace.MethodID{99}}}, "method"},
	} {
		_, _, err := cct.Build(t.Context(), given{samples: c.samples}, cct.Limits{})
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

// TestRootsAreNotCalled checks that methods that represent a process have no calls.
func TestRootsAreNotCalled(t *testing.T) {
	samples := []trace.Sample{{Stack: []trace.MethodID{0}, Calls: 3, Energy: 1}, {Stack: []trace.MethodID{0, 1}, Calls: 5, Energy: 2}, {Stack: []trace.MethodID{2}, Calls: 7, Energy: 4}}
	for _, c := range []struct {
		roots []trace.MethodID
		want  string
	}{{nil, "a 3, b 5, c 7"}, {[]trace.MethodID{0}, "a 0, b 5, c 7"}, {[]trace.MethodID{0, 2}, "a 0, b 5, c 0"}, {[]trace.MethodID{9}, "a 3, b 5, c 7"}} {
		tree := must(t, given{samples, c.roots})
		var got []string
		for i := 1; i < len(tree.Nodes); i++ {
			got = append(got, fmt.Sprintf("%s %d", tree.Methods[tree.Nodes[i].Method].Name, tree.Calls.Self(int32(i))))
		}
		if text := strings.Join(got, ", "); text != c.want || tree.Energy.Total() != 7 {
			t.Errorf("roots %v: %s, want %s", c.roots, text, c.want)
		}
	}
}
