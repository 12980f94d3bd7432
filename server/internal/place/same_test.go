package place

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/buffer"
)

// TestSame checks that two versions of a file's findings are the same only if nothing that an editor
// shows differs.
func TestSame(t *testing.T) {
	marks := func() *Marks {
		return &Marks{
			Calls: []Call{
				{Site: Site{Path: "A.java", To: buffer.Position{Column: 4}}, Tasks: []Part{{Task: 3, Energy: 7, Places: []Site{{}, {}}}, {Task: 4}}},
				{Site: Site{Path: "A.java", From: buffer.Position{Line: 9}}},
			},
			Methods: []Method{{Site: Site{Path: "A.java"}, Cost: &finding.Cost{}}, {}},
		}
	}
	one := marks()
	again := marks()
	again.Methods[0].Cost = one.Methods[0].Cost
	if !one.Same(again) || !one.Same(one) || !(*Marks)(nil).Same(nil) || one.Same(nil) || (*Marks)(nil).Same(one) {
		t.Error("equal marks are not the same")
	}
	again.Calls[0].Tasks[0].Places[0].Path = "B.java" // Only the number of places counts.
	if !one.Same(again) {
		t.Error("marks with other places are not the same")
	}
	for what, change := range map[string]func(m *Marks){
		"site":              func(m *Marks) { m.Calls[0].Site.End.Line++ },
		"exact":             func(m *Marks) { m.Calls[1].Exact = true },
		"stale":             func(m *Marks) { m.Calls[1].Stale = "is gone" },
		"suppressed":        func(m *Marks) { m.Calls[1].Suppressed = true },
		"task":              func(m *Marks) { m.Calls[0].Tasks[0].Task++ },
		"first":             func(m *Marks) { m.Calls[0].Tasks[1].First = !m.Calls[0].Tasks[1].First },
		"energy":            func(m *Marks) { m.Calls[0].Tasks[0].Energy++ },
		"places":            func(m *Marks) { m.Calls[0].Tasks[0].Places = m.Calls[0].Tasks[0].Places[1:] },
		"fewer tasks":       func(m *Marks) { m.Calls[0].Tasks = m.Calls[0].Tasks[:1] },
		"fewer calls":       func(m *Marks) { m.Calls = m.Calls[:1] },
		"site of a method":  func(m *Marks) { m.Methods[1].Site.To.Column++ },
		"stale method":      func(m *Marks) { m.Methods[1].Stale = "is gone" },
		"suppressed method": func(m *Marks) { m.Methods[1].Suppressed = true },
		"cost":              func(m *Marks) { m.Methods[0].Cost = &finding.Cost{} },
		"fewer methods":     func(m *Marks) { m.Methods = m.Methods[:1] },
	} {
		other := marks()
		other.Methods[0].Cost = one.Methods[0].Cost
		change(other)
		if one.Same(other) || other.Same(one) {
			t.Errorf("marks with another %s are the same", what)
		}
	}
	if got := slices.Collect(one.Tasks()); !slices.Equal(got, []int{3, 4}) || len(slices.Collect((*Marks)(nil).Tasks())) != 0 {
		t.Errorf("tasks %v", got)
	}
	for range one.Tasks() {
		break
	}
}

// TestSites checks the order of sites, and which positions are in a name.
func TestSites(t *testing.T) {
	at := func(path string, line, from, to int) Site {
		return Site{Path: path, From: buffer.Position{Line: line, Column: from}, To: buffer.Position{Line: line, Column: to}}
	}
	sorted := []Site{at("A", 1, 5, 8), at("A", 1, 6, 7), at("A", 2, 0, 1), at("B", 0, 0, 1)}
	for i, a := range sorted {
		for k, b := range sorted {
			if got := a.Compare(b); got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("%v is compared with %v as %d", a, b, got)
			}
		}
	}
	for _, c := range []struct {
		line, column int
		want         bool
	}{{1, 4, false}, {1, 5, true}, {1, 8, true}, {1, 9, false}, {0, 6, false}, {2, 6, false}} {
		if got := sorted[0].Contains(buffer.Position{Line: c.line, Column: c.column}); got != c.want {
			t.Errorf("%d:%d is in the name: %v", c.line, c.column, got)
		}
	}
}
