package fleet

import (
	"testing"

	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// TestLastCondition checks the words for the last condition of a path. If a negated condition
// leaves one value, that value is the condition.
func TestLastCondition(t *testing.T) {
	cell := func(mean int64, network, model string) tree.Cell {
		var d paper.Dist
		for i := range int64(400) {
			d.Add(mean*1_000_000 + (i%3-1)*50_000)
		}
		return tree.Cell{Sums: sums.Row{d.N, d.Sum, d.Squares}, Values: [][]string{{network}, {model}}}
	}
	g := tree.Grower{Features: []string{"network", "model"}, Drain: func(r sums.Row) tree.Drain {
		d := paper.Dist{N: r[0], Sum: r[1], Squares: r[2]}
		return tree.Drain{Mean: d.Mean(), Half: d.Error(paper.Normal)}
	}}
	for _, test := range []struct {
		name          string
		cells         []tree.Cell
		with, without string
	}{
		{"two networks", []tree.Cell{cell(20, "lte", "A"), cell(10, "wifi", "A")}, "network lte", "network wifi"},
		{"three networks", []tree.Cell{cell(20, "lte", "A"), cell(10, "wifi", "A"), cell(10, "edge", "A")}, "network lte", "network not lte"},
		{"a hidden network", []tree.Cell{cell(20, "lte", "A"), cell(10, otherValue, "A")}, "network " + otherValue, "network lte"},
	} {
		root := g.Grow(test.cells)
		if root.With == nil || root.Without == nil {
			t.Fatalf("%s: the tree has no branches", test.name)
		}
		with, without := LastCondition(root.With).String(), LastCondition(root.Without).String()
		if with != test.with || without != test.without {
			t.Errorf("%s: %q and %q, want %q and %q", test.name, with, without, test.with, test.without)
		}
	}
	// The last of two conditions counts.
	root := g.Grow([]tree.Cell{cell(40, "lte", "A"), cell(30, "lte", "B"), cell(5, "wifi", "A"), cell(5, "wifi", "B")})
	if at := root.With; at.With == nil || len(at.With.Path) != 2 || LastCondition(at.With).String() != "model A" {
		t.Errorf("the branches of %v are %+v", at.Path, at.With)
	}
}
