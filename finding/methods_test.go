package finding_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/units"
)

// randomStacks writes folded stacks of few methods, many of which call themselves again further
// down.
func randomStacks(random *rand.Rand) string {
	methods := []string{"android.os.Looper.loop()V", "p.A.run()V", "p.B.run()V", "android.util.Log.i()I", "p.A.more()V", "native"}
	var b strings.Builder
	for range 1 + random.IntN(12) {
		var stack []string
		for range 1 + random.IntN(7) {
			stack = append(stack, methods[random.IntN(len(methods))])
		}
		fmt.Fprintf(&b, "%s %d\n", strings.Join(stack, ";"), random.IntN(100))
	}
	return b.String()
}

// oracleTable computes the table of a text of folded stacks, stack by stack.
func oracleTable(folded string) (self, all map[string]units.Energy, links map[[2]string]units.Energy) {
	self, all, links = map[string]units.Energy{}, map[string]units.Energy{}, map[[2]string]units.Energy{}
	for line := range strings.Lines(folded) {
		stack, e := oracleStack(line)
		path := strings.Split(stack, ";")
		self[path[len(path)-1]] += e
		for i, method := range path {
			all[method] += e
			if i > 0 {
				links[[2]string{path[i-1], method}] += e
			}
		}
	}
	return self, all, links
}

// oracleStack returns the stack of a line from the root, with recursive calls folded into the outer
// call, and its energy.
func oracleStack(line string) (stack string, e units.Energy) {
	text, value, _ := strings.Cut(strings.TrimSpace(line), " ")
	fmt.Sscan(value, &e)
	var path []string
	for _, method := range append([]string{cct.RootLabel}, strings.Split(text, ";")...) {
		if at := slices.Index(path, method); at >= 0 {
			path = path[:at]
		}
		path = append(path, method)
	}
	return strings.Join(path, ";"), e
}

func TestByMethod(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range shorten.Count(200) {
		texts := [2]string{randomStacks(random), randomStacks(random)}
		r := compare(t, texts[0], texts[1]).Result
		table := finding.ByMethod(&r.Subject, &r.Reference)
		for run, text := range texts {
			self, all, links := oracleTable(text)
			for _, m := range table.Methods {
				label, use := m.Method.Label(), m.Runs[run]
				if use.Self != self[label] || use.All != all[label] {
					t.Fatalf("%s\n%s drained %d, and %d with its callees; want %d and %d", text, label, use.Self, use.All, self[label], all[label])
				}
				delete(self, label)
			}
			if len(self) > 0 {
				t.Fatalf("%s\n%v are missing", text, self)
			}
			for _, l := range table.Links {
				ends := [2]string{table.Methods[l.Caller].Method.Label(), table.Methods[l.Callee].Method.Label()}
				if l.Runs[run].All != links[ends] {
					t.Fatalf("%s\n%v drained %d, want %d", text, ends, l.Runs[run].All, links[ends])
				}
			}
		}
		holdTable(t, table, r)
		mirrored := finding.ByMethod(&r.Reference, &r.Subject)
		for i := range mirrored.Methods {
			slices.Reverse(mirrored.Methods[i].Runs[:])
		}
		for i := range mirrored.Links {
			slices.Reverse(mirrored.Links[i].Runs[:])
		}
		if !reflect.DeepEqual(table, mirrored) {
			t.Fatalf("the table of swapped inputs is not the mirrored one:\n%+v\n%+v", table, mirrored)
		}
	}
}

// holdTable checks a table of two runs against the laws of MethodTable.
func holdTable(t *testing.T, table *finding.MethodTable, r *analysis.Result) {
	t.Helper()
	for run, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		var sum units.Energy
		callers, callees := make([]units.Energy, len(table.Methods)), make([]units.Energy, len(table.Methods))
		calls := make([]int64, len(table.Methods))
		for _, l := range table.Links {
			callers[l.Callee] += l.Runs[run].All
			callees[l.Caller] += l.Runs[run].All
			calls[l.Callee] += l.Runs[run].Calls
		}
		for i, m := range table.Methods {
			use := m.Runs[run]
			sum += use.Self
			if use.All < use.Self || use.All > in.Energy {
				t.Errorf("%s: %+v of %d", m.Method.Label(), use, in.Energy)
			}
			if m.Method.Label() != cct.RootLabel && callers[i] != use.All || callees[i]+use.Self != use.All {
				t.Errorf("%s: callers have %d, callees %d of %+v", m.Method.Label(), callers[i], callees[i], use)
			}
			if calls[i]+use.Recursive != use.Calls {
				t.Errorf("%s: callers make %d calls of %+v", m.Method.Label(), calls[i], use)
			}
		}
		if sum != in.Energy {
			t.Errorf("methods drained %d themselves, the run %d", sum, in.Energy)
		}
	}
}

func TestFindMethod(t *testing.T) {
	r := compare(t, "p.A.run()V;p.A.run(I)V 1\nq.A.run()V 1\n", other).Result
	table := finding.ByMethod(&r.Subject)
	for text, want := range map[string]string{
		"p.A.run(I)V": "p.A.run(I)V", "p.A.run": "p.A.run()V p.A.run(I)V", "A.run": "p.A.run()V p.A.run(I)V q.A.run()V",
		"run": "", "(toplevel)": "(toplevel)",
	} {
		var got []string
		for _, i := range table.Find(text) {
			got = append(got, table.Methods[i].Method.Label())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

// TestTogether checks that a table with overloads in one row keeps the laws, and that this row has
// the energy of both overloads, each event once.
func TestTogether(t *testing.T) {
	const stacks = "p.A.run()V;p.A.run(I)V;p.B.b()V 5\np.A.run(I)V;p.A.run()V 7\np.B.b()V;p.A.run(I)V 11\nq.A.run()V 1\n"
	r := compare(t, stacks, "p.A.run(I)V 3\n").Result
	inputs := []*analysis.Input{&r.Subject, &r.Reference}
	table := finding.ByMethod(inputs...)
	together, row, ok := table.Merged(table.Find("p.A.run"), inputs...)
	if !ok {
		t.Fatal("overloads are not one method")
	}
	holdTable(t, together, r)
	got := together.Methods[row]
	if got.Method.Label() != "p.A.run" || got.Runs[0].Self != 18 || got.Runs[0].All != 23 || got.Runs[1].All != 3 {
		t.Errorf("%+v", got)
	}
	if _, _, ok := table.Merged(table.Find("A.run"), inputs...); ok {
		t.Error("methods of two classes are one")
	}
}
