package finding_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// bookedText writes a random booked recording.
func bookedText(random *rand.Rand) string {
	var b strings.Builder
	for line := range strings.Lines(randomStacks(random)) {
		fmt.Fprintf(&b, "%s %d %d\n", strings.TrimSpace(line), random.IntN(len(tracetest.BookedAccounts)), random.IntN(3))
	}
	return b.String()
}

// read makes the input of a booked recording.
func read(t *testing.T, b tracetest.Booked) *analysis.Input {
	t.Helper()
	tree, tr, err := cct.Build(context.Background(), b, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Trees(context.Background(), tree, tree, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace = tr
	return &r.Subject
}

// TestTablesByComponent compares a row's energy of one part of a component with the row's total
// energy in a run that has only this account, for all grains. It also compares links, threads and
// nodes.
func TestTablesByComponent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		text := bookedText(random)
		whole := read(t, tracetest.Booked{Text: text, Only: -1, Method: jvm})
		ledger := finding.NewLedger(whole)
		for a, account := range tracetest.BookedAccounts {
			alone := read(t, tracetest.Booked{Text: text, Only: a, Method: jvm})
			for _, grain := range finding.Grains() {
				if grain == string(finding.EachCall) {
					continue // which methods use a component differs if another component has the energy
				}
				all, one := finding.ByGrain(finding.Grain(grain), whole), finding.ByGrain(finding.Grain(grain), alone)
				for _, row := range one.Methods {
					use, want := useOf(all, row.Method), row.Runs[0]
					self, below := partOf(all, use.Self, use.SelfBy, account), partOf(all, use.All, use.AllBy, account)
					if self != want.Self || below != want.All {
						t.Fatalf("%s\n%s %s has %d and %d of %v, want %d and %d", text, grain, row.Method.Name, self, below, account, want.Self, want.All)
					}
				}
				for i, l := range one.Links {
					use, want := all.Links[i].Runs[0], l.Runs[0]
					self, below := partOf(all, use.Self, use.SelfBy, account), partOf(all, use.All, use.AllBy, account)
					if self != want.Self || below != want.All {
						t.Fatalf("%s\nlink %d has %d and %d of %v, want %d and %d", text, i, self, below, account, want.Self, want.All)
					}
				}
			}
			if got, want := partIn(ledger.Run(), account), alone.Tree.Source.Energy.Total(); got != want {
				t.Fatalf("%s\nthe run has %d of %v, want %d", text, got, account, want)
			}
			for id := range whole.Tree.Source.ThreadEnergy {
				if got, want := partIn(ledger.Thread(id), account), alone.Tree.Source.ThreadEnergy[id]; got != want {
					t.Fatalf("%s\nthread %d has %d of %v, want %d", text, id, got, account, want)
				}
			}
		}
		var lists []finding.Component
		for id := range whole.Tree.Source.ThreadEnergy {
			lists = append(lists, ledger.Thread(id)...)
		}
		if got, want := byName(lists), byName(ledger.Run()); !maps.Equal(got, want) {
			t.Fatalf("%s\nthe threads have %v between them, the run %v", text, got, want)
		}
	}
}

// byName returns the components by name, without those that have no energy.
func byName(list []finding.Component) map[string]finding.Drain {
	named := make(map[string]finding.Drain)
	for _, c := range list {
		sum := named[c.Name]
		named[c.Name] = finding.Drain{Use: sum.Use + c.Use, Tail: sum.Tail + c.Tail, Rest: sum.Rest + c.Rest}
	}
	maps.DeleteFunc(named, func(_ string, d finding.Drain) bool { return d == finding.Drain{} })
	return named
}

func useOf(t *finding.MethodTable, m name.Method) finding.Use {
	for _, row := range t.Methods {
		if row.Method == m {
			return row.Runs[0]
		}
	}
	return finding.Use{}
}

func partOf(t *finding.MethodTable, total units.Energy, by []finding.Drain, a trace.Account) units.Energy {
	return partIn(t.ByComponent(total, by), a)
}

// partIn returns the energy of a list of components on an account.
func partIn(list []finding.Component, a trace.Account) units.Energy {
	for _, c := range list {
		if c.Name == a.Component {
			return map[trace.Part]units.Energy{trace.Use: c.Use, trace.Tail: c.Tail, trace.Rest: c.Rest}[a.Part]
		}
	}
	return 0
}

// TestByCall checks that energy is in the row of the outermost call on the path that uses a
// component, or in the row for no call.
func TestByCall(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for range 40 {
		text := bookedText(random)
		asks, want := make(map[string]bool), make(map[string]units.Energy)
		each := func(f func(path []string, e units.Energy, account int)) {
			for line := range strings.Lines(text) {
				var stack string
				var e units.Energy
				var account, thread int
				fmt.Sscan(line, &stack, &e, &account, &thread)
				folded, _ := oracleStack(fmt.Sprintln(stack, int64(e)))
				f(strings.Split(folded, ";"), e, account)
			}
		}
		each(func(path []string, e units.Energy, account int) {
			if e > 0 && tracetest.BookedAccounts[account].Component != "cpu" {
				asks[path[len(path)-1]] = true
			}
		})
		each(func(path []string, e units.Energy, _ int) {
			at := slices.IndexFunc(path, func(method string) bool { return asks[method] })
			if at < 0 {
				want["(no system call)"] += e
			} else {
				want[path[at]] += e
			}
		})
		for _, row := range finding.ByGrain(finding.EachCall, read(t, tracetest.Booked{Text: text, Only: -1, Method: jvm})).Methods {
			if label := row.Method.Label(); row.Runs[0].Self != want[label] {
				t.Fatalf("%s\n%s has %d, want %d", text, label, row.Runs[0].Self, want[label])
			} else {
				delete(want, label)
			}
		}
		for label, e := range want {
			if e != 0 {
				t.Fatalf("%s\n%s is missing, with %d", text, label, e)
			}
		}
	}
}

// TestNoComponents checks that a run with all energy on one account has no components.
func TestNoComponents(t *testing.T) {
	r := compare(t, "android.os.Looper.loop()V;p.A.run()V 7\n", "p.B.run()V 3\n").Result
	if list := finding.NewLedger(&r.Subject).Run(); list != nil {
		t.Errorf("the run has %v", list)
	}
	table := finding.ByMethod(&r.Subject, &r.Reference)
	if use := table.Methods[0].Runs[0]; table.Components != nil || use.SelfBy != nil || table.ByComponent(use.Self, use.SelfBy) != nil {
		t.Errorf("the table has components %v", table.Components)
	}
}

// jvm reads the label of a method of the JVM.
func jvm(label string) name.Method { return name.Parse(label, name.JVM) }
