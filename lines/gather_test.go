package lines_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestGatherAddsLines adds up the rows with equal line numbers of all methods. Own energies and
// samples are sums. The energy with callees is the largest.
func TestGatherAddsLines(t *testing.T) {
	for seed := range uint64(100) {
		got := table(t, random(rand.New(rand.NewPCG(seed, 5))), nil)
		type sum struct {
			own, all units.Energy
			samples  float64
			rows     int
		}
		want := make(map[int]sum)
		for _, r := range got.Rows {
			if r.Line == 3 {
				continue
			}
			s := want[r.Line]
			want[r.Line] = sum{s.own + r.Own, max(s.all, r.All), s.samples + r.Samples, s.rows + 1}
		}
		gathered := lines.Gather(got, func(r *lines.Row) (int, bool) { return r.Line, r.Line != 3 })
		if len(gathered) != len(want) {
			t.Fatalf("seed %d: %d places, want %d", seed, len(gathered), len(want))
		}
		for line, w := range want {
			r := gathered[line]
			if r.Own != w.own || r.All != w.all || r.Samples != w.samples || r.Line != line {
				t.Fatalf("seed %d: line %d has %+v, want %+v", seed, line, r, w)
			}
			if w.rows == 1 {
				for i := range got.Rows {
					if one := &got.Rows[i]; one.Line == line && (one.AllSamples != r.AllSamples || one.Method != r.Method) {
						t.Errorf("seed %d: a single row %+v is gathered as %+v", seed, one, r)
					}
				}
			}
			if i, ok := got.Own(r); ok && (i.Least > r.Own || i.Most < r.Own) {
				t.Errorf("seed %d: line %d of %d has the interval %+v", seed, line, r.Own, i)
			}
		}
	}
}

// TestErrorsThroughFrames gives the variances of compiled methods to their frames: each frame has the
// variance with callees once, and the innermost one its own.
func TestErrorsThroughFrames(t *testing.T) {
	m := func(of string) name.Method { return name.OfClass("p.A", of, "()V") }
	a, b, c := m("a"), m("b"), m("c")
	e := lines.Errors{a: {Own: 2, All: 5}, b: {Own: 1, All: 10}}
	frames := map[trace.MethodID][]name.Method{0: {c, a}, 1: {c, b, c}, 2: {a}}
	got := e.Through([]name.Method{a, b, a, c}, func(id trace.MethodID) []name.Method { return frames[id] })
	want := lines.Errors{c: {Own: 1, All: 15}, a: {Own: 2, All: 5}, b: {All: 10}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if none := lines.Errors(nil).Through([]name.Method{a}, nil); none != nil {
		t.Errorf("no variances are %v", none)
	}
}

// TestMeanOfErrors averages the variances of runs.
func TestMeanOfErrors(t *testing.T) {
	a, b := name.OfClass("p.A", "a", ""), name.OfClass("p.A", "b", "")
	runs := []lines.Errors{{a: {Own: 2, All: 4}}, {a: {Own: 4, All: 8}, b: {Own: 1, All: 1}}, {}, {}}
	got := lines.Mean(runs)
	for m, want := range map[name.Method]lines.Variances{a: {Own: 1.5, All: 3}, b: {Own: 0.25, All: 0.25}} {
		if math.Abs(got[m].Own-want.Own)+math.Abs(got[m].All-want.All) > 1e-12 {
			t.Errorf("%s has %+v, want %+v", m.Name, got[m], want)
		}
	}
	if len(got) != 2 || lines.Mean(append(runs, nil)) != nil {
		t.Errorf("the mean is %v", got)
	}
}
