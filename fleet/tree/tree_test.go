package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/sums"
)

// cell returns a cell of n rates around a mean, in thousandths of a per cent per second.
func cell(mean float64, n int, values ...string) Cell {
	var d paper.Dist
	for i := range n {
		d.Add(int64(mean*1e6) + int64(i%3-1)*50_000)
	}
	c := Cell{Sums: sums.Row{d.N, d.Sum, d.Squares}}
	for _, v := range values {
		c.Values = append(c.Values, []string{v})
	}
	return c
}

func drain(r sums.Row) Drain {
	d := paper.Dist{N: r[0], Sum: r[1], Squares: r[2]}
	return Drain{Mean: d.Mean(), Half: d.Error(paper.Normal)}
}

func paths(nodes []*Node) []string {
	var all []string
	for _, n := range nodes {
		s := ""
		for _, c := range n.Path {
			if s != "" {
				s += " and "
			}
			s += c.String()
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// TestFigure4 is the example of §2.6: app A on model M and system V. Users can change the system
// and close the app, but cannot change the model. The drain is lower under ¬A, and under ¬V and ¬M.
// The MCAD is exactly {¬A, A∧¬V}.
func TestFigure4(t *testing.T) {
	cells := []Cell{
		cell(20, 400, "A", "M", "V"), cell(17, 200, "A", "N", "V"),
		cell(10, 300, "A", "M", "W"), cell(9, 200, "A", "N", "W"),
		cell(5, 500, "B", "M", "V"), cell(4, 300, "B", "N", "V"),
		cell(4, 500, "B", "M", "W"), cell(3, 300, "B", "N", "W"),
	}
	// The subject is c1 = A. Its own subtree and the subtree of ¬A are grown.
	g := Grower{Features: []string{"app", "model", "os"}, Drain: drain}
	subject := g.Grow(cells[:4])
	if subject.With == nil || subject.With.Path[0] != (Condition{Feature: "os", Value: "V"}) {
		t.Fatalf("A is split by %v, not by the system", subject.With)
	}
	whole := &Node{Drain: subject.Drain, With: subject, Without: g.Grow(cells[4:])}
	whole.Without.Path = []Condition{{Feature: "app", Value: "A", Not: true}}
	can := func(c Condition) bool {
		return c.Feature == "app" || c.Feature == "os" && c.Not == (c.Value == "V")
	}
	if got, want := paths(Diagnose(whole, can)), []string{"app not A", "os not V"}; !slices.Equal(got, want) {
		t.Errorf("the diagnosis is %q, want %q", got, want)
	}
	if got := Diagnose(whole, func(Condition) bool { return false }); len(got) > 0 {
		t.Errorf("nothing can be done, and the diagnosis is %q", paths(got))
	}
}

// TestSplitsByTheLargestGap checks that the feature with the larger gap is the first of two that
// matter, and that the order of cells does not matter.
func TestSplitsByTheLargestGap(t *testing.T) {
	cells := []Cell{cell(9, 50, "a", "x"), cell(7, 50, "a", "y"), cell(4, 50, "b", "x"), cell(2, 50, "b", "y")}
	g := Grower{Features: []string{"one", "two"}, Drain: drain}
	first := g.Grow(cells)
	slices.Reverse(cells)
	second := g.Grow(cells)
	for _, root := range []*Node{first, second} {
		if root.With == nil || root.With.Path[0] != (Condition{Feature: "one", Value: "a"}) {
			t.Fatal("the root is not split by the feature that matters most")
		}
		if root.With.With == nil || root.With.With.Path[1].Feature != "two" {
			t.Error("what is left is not split by the other feature")
		}
	}
	if first.Gap != second.Gap || math.IsNaN(first.Gap) {
		t.Errorf("gaps %v and %v", first.Gap, second.Gap)
	}
	same := []Cell{cell(5, 50, "a"), cell(5, 50, "b")}
	if (&Grower{Features: []string{"f"}, Drain: drain}).Grow(same).With != nil {
		t.Error("equal drains are split")
	}
}

// TestGrow compares trees of random cells with trees that a plain search grows. A cell may have
// several values of a feature, or none.
func TestGrow(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	g := &Grower{Features: []string{"network", "system", "model"}, Drain: drain}
	splits := 0
	for range 50 {
		var cells []Cell
		for range 30 {
			c := cell(0, 0)
			mean := 5.0
			for f := range g.Features {
				var values []string
				for v := range 3 {
					if random.IntN(3) == 0 {
						values = append(values, string(rune('a'+v)))
						mean += float64(f * v)
					}
				}
				c.Values = append(c.Values, values)
			}
			c.Sums = cell(mean, 2+random.IntN(9)).Sums
			cells = append(cells, c)
		}
		root := g.Grow(cells)
		root.Walk(func(n *Node) {
			var in []Cell
			for _, c := range cells {
				if !slices.ContainsFunc(n.Path, func(p Condition) bool {
					return slices.Contains(c.Values[slices.Index(g.Features, p.Feature)], p.Value) == p.Not
				}) {
					in = append(in, c)
				}
			}
			if got := g.Under(cells, n.Path); got != n.Drain {
				t.Errorf("under %v the drain is %v, and %v in the tree", n.Path, got, n.Drain)
			}
			best, gap := Condition{}, 0.0
			for f, feature := range g.Features {
				var values []string
				for _, c := range in {
					values = append(values, c.Values[f]...)
				}
				slices.Sort(values)
				values = slices.Compact(values)
				if got := n.Values(feature); !slices.Equal(got, values) {
					t.Errorf("under %v the values are %q, want %q", n.Path, got, values)
				}
				for _, v := range values {
					with, without := []Condition{{Feature: feature, Value: v}}, []Condition{{Feature: feature, Value: v, Not: true}}
					if slices.Contains(n.Path, with[0]) || slices.Contains(n.Path, without[0]) || len(n.Path) == maxDepth {
						continue
					}
					if d := g.Under(in, with).gap(g.Under(in, without)); d > gap {
						best, gap = with[0], d
					}
				}
			}
			switch {
			case gap != n.Gap || (gap > 0) != (n.With != nil):
				t.Errorf("under %v the gap is %v, want %v", n.Path, n.Gap, gap)
			case gap > 0:
				splits++
				if got := n.With.Path[len(n.With.Path)-1]; got != best {
					t.Errorf("under %v the split is %v, want %v", n.Path, got, best)
				}
			}
		})
	}
	if splits < 50 {
		t.Errorf("%d splits", splits)
	}
}

// TestHelpful asks which conditions lower the drain. Equal drains do not help.
func TestHelpful(t *testing.T) {
	wifi, day := Condition{Feature: "network", Value: "wifi"}, Condition{Feature: "time", Value: "day"}
	not := func(c Condition) Condition { c.Not = true; return c }
	under := &Node{Path: []Condition{wifi}, Drain: Drain{Mean: 3}}
	under.With, under.Without = &Node{Path: []Condition{wifi, day}, Drain: Drain{Mean: 4}}, &Node{Path: []Condition{wifi, not(day)}, Drain: Drain{Mean: 4}}
	root := &Node{With: under, Without: &Node{Path: []Condition{not(wifi)}, Drain: Drain{Mean: 5}}}
	helpful := Helpful(root)
	for _, c := range []struct {
		node *Node
		want []bool
	}{{root, nil}, {root.With, []bool{true}}, {root.Without, []bool{false}}, {under.With, []bool{true, false}}, {under.Without, []bool{true, false}}} {
		if got := helpful(c.node); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.node.Path, got, c.want)
		}
	}
}

// TestGap measures the distance between two intervals, in both orders.
func TestGap(t *testing.T) {
	unknown := Drain{Mean: math.NaN(), Half: 1}
	for _, c := range []struct {
		a, b Drain
		want float64
	}{
		{Drain{5, 1}, Drain{10, 2}, 2}, {Drain{5, 3}, Drain{10, 2}, 0}, {Drain{5, 4}, Drain{10, 2}, -1}, {Drain{5, 0}, Drain{5, 0}, 0},
	} {
		if got, back := c.a.gap(c.b), c.b.gap(c.a); got != c.want || back != c.want {
			t.Errorf("%v and %v: %v and %v, want %v", c.a, c.b, got, back, c.want)
		}
		if lower(c.a, c.b) != (c.want > 0) || lower(c.b, c.a) {
			t.Errorf("%v is lower than %v: %v, %v", c.a, c.b, lower(c.a, c.b), lower(c.b, c.a))
		}
	}
	if !math.IsNaN(unknown.gap(Drain{5, 1})) || !math.IsNaN((Drain{5, 1}).gap(Drain{5, math.Inf(1)})) || lower(unknown, Drain{5, 1}) {
		t.Error("an unknown drain has a distance")
	}
}
