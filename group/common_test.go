package group

import (
	"context"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestUsersAreCounterparts compares any two users of every common task again. Their tasks must be
// counterparts, must have the stated energy, and must be sorted by energy per call.
func TestUsersAreCounterparts(t *testing.T) {
	members := music(t)
	g := run(t, members, options(""))
	peers := make(map[[2]int]map[string]string)
	energies := make(map[int]map[string]units.Energy)
	for i := range members {
		energies[i] = make(map[string]units.Energy)
		for j := range members {
			if i == j {
				continue
			}
			o := options("").Compare
			o.Subject.Path, o.Reference.Path = members[i].Path(), members[j].Path()
			if overlap, _ := g.Overlap(i, j); true {
				o.Alpha = overlap.Alpha
			}
			r, err := analysis.Compare(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			ids, there := finding.IDs(r), make(map[int32]string)
			var nodes []int32
			for k := range r.Tasks {
				if p := r.Tasks[k].Peer; p >= 0 {
					nodes = append(nodes, p)
				}
				energies[i][ids[k]] = r.Tasks[k].Energy
			}
			for k, id := range finding.TaskIDs(r.Reference.Tree, nodes) {
				there[nodes[k]] = id
			}
			peers[[2]int{i, j}] = make(map[string]string)
			for k := range r.Tasks {
				if p := r.Tasks[k].Peer; p >= 0 {
					peers[[2]int{i, j}][ids[k]] = there[p]
				}
			}
		}
	}
	common := g.CommonTasks()
	if len(common) < 20 {
		t.Fatalf("only %d common tasks", len(common))
	}
	for _, d := range common {
		room := units.Energy(0)
		for a, u := range d.Users {
			if u.Energy != energies[u.Member][u.Task] {
				t.Errorf("%s: member %d drains %d in %s, the comparison says %d", d.Label, u.Member, u.Energy, u.Task, energies[u.Member][u.Task])
			}
			if a > 0 {
				first, before := d.Users[0], d.Users[a-1]
				if float64(u.Energy)/float64(u.Calls) < float64(before.Energy)/float64(before.Calls)*(1-1e-12) || !d.PerCall {
					t.Errorf("%s: %+v stands behind %+v", d.Label, u, before)
				}
				room += max(0, u.Energy-units.Energy(units.MulDiv(int64(first.Energy), u.Calls, first.Calls)))
			}
			for b, other := range d.Users {
				if a != b && peers[[2]int{u.Member, other.Member}][u.Task] != other.Task {
					t.Errorf("%s: %s of member %d is no counterpart of %s of member %d", d.Label, u.Task, u.Member, other.Task, other.Member)
				}
			}
		}
		if room != d.Saving {
			t.Errorf("%s has room for %d, want %d", d.Label, d.Saving, room)
		}
	}
}

// made returns a group of three members with one task each. Any two of the tasks are counterparts.
func made(change func(p *pair, i, j int)) *Group {
	g := &Group{Members: []Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}, pairs: make([]*pair, 3)}
	for i := range 3 {
		for j := i + 1; j < 3; j++ {
			sideOf := func(m, peer int) side {
				return side{Sampled: true, Tasks: []task{{ID: string(rune('0' + m)), Label: "f", Energy: units.Energy(100 * (m + 1)), Calls: 1000, Peer: peer}}}
			}
			p := &pair{Sides: [2]side{sideOf(i, 0), sideOf(j, 0)}}
			if change != nil {
				change(p, i, j)
			}
			g.pairs[g.index(i, j)] = p
		}
	}
	return g
}

// TestRankedApps checks that recordings which cannot be compared are not ranked, and that two apps
// share a task only if their own comparison matches the tasks.
func TestRankedApps(t *testing.T) {
	unlike := func(code string, counted bool) func(*pair, int, int) {
		return func(p *pair, i, j int) {
			for s := range p.Sides {
				p.Sides[s].Counted, p.Sides[s].Sampled = counted, !counted
			}
			if j == 2 {
				p.Unlike = []string{code}
			}
		}
	}
	apart := func(p *pair, i, j int) {
		if i == 0 && j == 2 {
			p.Sides[0].Tasks[0].Peer, p.Sides[1].Tasks[0].Peer = -1, -1
		}
	}
	for name, c := range map[string]struct {
		g     *Group
		users int
		room  units.Energy
	}{
		"all three":                     {made(nil), 3, 300},
		"longer, not counted":           {made(unlike("length", false)), 2, 100},
		"longer, counted":               {made(unlike("length", true)), 3, 300},
		"sampled and instrumented":      {made(unlike("sampled-vs-instrumented", true)), 2, 100},
		"other formats":                 {made(unlike("format", false)), 3, 300},
		"no counterparts of each other": {made(apart), 2, 100},
		"other F-methods": {made(func(p *pair, i, j int) {
			if j == 2 {
				p.Sides[1].Tasks[0].Label = "g"
			}
		}), 2, 100},
		"no evidence by repeats": {made(func(p *pair, i, j int) {
			p.Sides[0].Tasks[0].Verdict, p.Sides[1].Tasks[0].Verdict = "cheaper", "costlier"
			if j == 2 {
				p.Sides[0].Tasks[0].Verdict, p.Sides[1].Tasks[0].Verdict = "no evidence", "no evidence"
			}
		}), 3, 100},
		"seen too rarely":             {made(func(p *pair, i, j int) { p.Sides[0].Tasks[0].Calls, p.Sides[1].Tasks[0].Calls = 2, 2 }), 3, 0},
		"seen often enough by a hair": {made(func(p *pair, i, j int) { p.Sides[0].Tasks[0].Calls, p.Sides[1].Tasks[0].Calls = 34, 34 }), 3, 300},
	} {
		common := c.g.CommonTasks()
		if len(common) != 1 || len(common[0].Users) != c.users || common[0].Saving != c.room {
			t.Errorf("%s: %+v, want %d users and room for %d", name, common, c.users, c.room)
		}
	}
}

// TestKeptPairsMakeSense checks that a stored pair with inconsistent counterparts is rejected.
func TestKeptPairsMakeSense(t *testing.T) {
	p := made(nil).pairs[0]
	if !p.whole() {
		t.Fatal("a pair as it was made is not whole")
	}
	for _, peer := range []int{1, 7, 1 << 40} {
		p.Sides[0].Tasks[0].Peer = peer
		if p.whole() {
			t.Errorf("a counterpart at place %d of one is taken", peer)
		}
	}
}

// TestProvenances checks that each source of energy is listed once and in order, and that pairs
// without a result are skipped.
func TestProvenances(t *testing.T) {
	g := made(func(p *pair, i, j int) {
		p.Sides[0].Provenance, p.Sides[1].Provenance = trace.Given, trace.Given
		if j == 2 {
			p.Sides[1].Provenance = trace.APICost
		}
	})
	g.pairs[g.index(0, 1)] = nil
	want := []trace.Provenance{trace.Given, trace.APICost}
	slices.Sort(want)
	if got := g.Provenances(); !slices.Equal(got, want) {
		t.Errorf("Provenances() = %v, want %v", got, want)
	}
	g.pairs = []*pair{nil, nil, nil}
	if got := g.Provenances(); len(got) != 0 {
		t.Errorf("Provenances() of failed comparisons = %v", got)
	}
}
