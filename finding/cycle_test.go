package finding_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestCycles checks that two methods are in one cycle if and only if each can be reached from the
// other by calls, which the test follows one by one.
func TestCycles(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	cycles := 0
	for range 100 {
		text := randomStacks(random)
		in := &compare(t, text, text).Result.Subject
		table := finding.ByMethod(in)
		got := table.Cycles()
		reaches := make([][]bool, len(table.Methods))
		for i := range reaches {
			reaches[i] = make([]bool, len(table.Methods))
		}
		for line := range strings.Lines(text) {
			text, _, _ := strings.Cut(line, " ")
			calls := strings.Split(text, ";")
			for n := range calls {
				stack, _ := oracleStack(strings.Join(calls[:n+1], ";"))
				if path := strings.Split(stack, ";"); len(path) > 1 {
					caller, _ := table.Row(path[len(path)-2])
					callee, _ := table.Row(path[len(path)-1])
					reaches[caller][callee] = true
				}
			}
		}
		for k := range reaches {
			for i := range reaches {
				for j := range reaches {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		for i := range reaches {
			for j := range reaches {
				if i != j && (reaches[i][j] && reaches[j][i]) != (got[i] > 0 && got[i] == got[j]) {
					t.Fatalf("%s\ncycles %v: %s and %s", text, got, table.Methods[i].Method.Label(), table.Methods[j].Method.Label())
				}
			}
		}
		uses := table.CycleUses(in, got)
		if len(uses) != slices.Max(got) {
			t.Fatalf("%d uses of %v", len(uses), got)
		}
		cycles += len(uses)
		for c, use := range uses {
			self, all := oracleCycle(table, got, c+1, text)
			if use.Self != self || use.All != all {
				t.Fatalf("%s\ncycle %d drained %d, and %d in all; want %d and %d", text, c+1, use.Self, use.All, self, all)
			}
		}
	}
	if cycles < 20 {
		t.Errorf("only %d cycles", cycles)
	}
}

// oracleCycle sums the exclusive and the inclusive energy of a cycle's methods over the stacks in a
// text.
func oracleCycle(table *finding.MethodTable, cycles []int, c int, text string) (self, all units.Energy) {
	for label, e := range stacksOf(text) {
		in := func(method string) bool {
			row, ok := table.Row(method)
			return ok && cycles[row] == c
		}
		methods := strings.Split(label, ";")
		if in(methods[len(methods)-1]) {
			self += e
		}
		if slices.ContainsFunc(methods, in) {
			all += e
		}
	}
	return self, all
}

// stacksOf returns the energy of each stack in folded stacks, with recursive calls folded into the
// outer call.
func stacksOf(text string) map[string]units.Energy {
	stacks := make(map[string]units.Energy)
	for line := range strings.Lines(text) {
		label, e := oracleStack(line)
		stacks[label] += e
	}
	return stacks
}
