package finding_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/finding"
)

// TestOuter compares Outer with a search among all tasks. A removed task must enclose no other
// task.
func TestOuter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	nested := 0
	for range 100 {
		r := compare(t, randomStacks(random), other).Result
		if len(r.Tasks) > 1 && random.IntN(2) == 0 {
			r.Tasks = r.Tasks[1:]
		}
		nodes := r.Subject.Tree.Nodes
		var want []int
		for i, task := range r.Tasks {
			around := -1
			for j, other := range r.Tasks {
				inside := other.Node < task.Node && task.Node < nodes[other.Node].End
				if j != i && inside && (around < 0 || other.Node > r.Tasks[around].Node) {
					around = j
				}
			}
			if around >= 0 {
				nested++
			}
			want = append(want, around)
		}
		if got := finding.Outer(r); !slices.Equal(got, want) {
			t.Fatalf("tasks lie in %v, want %v", got, want)
		}
	}
	if nested == 0 {
		t.Error("no task lay inside of another")
	}
}
