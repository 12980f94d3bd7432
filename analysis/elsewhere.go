package analysis

import (
	"sync"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A site is an app method under a callback, such as load under onClick. method is the number of the
// method's label.
type site struct {
	method   int32
	callback preprocess.LabelID
}

// siteEnergy has the inclusive energy of the app's methods in a run, by site, and the energy of
// moved calls.
type siteEnergy struct {
	*preprocess.Tree
	// methods has the number of each method's label. It is -1 for methods outside the app.
	methods []int32
	// in maps each site to its energy. all maps each method to its energy in the whole run.
	in  map[site]units.Energy
	all map[int32]units.Energy
	// moved has the energy of moved calls at or below each node of the source tree.
	moved []units.Energy
}

// minMoved is the share of a method's energy under one callback that its other callbacks must
// lack. Otherwise the method does not count as moved.
const minMoved = 0.5

// elsewhere finds, for each task, energy of app methods that run under other callbacks in the other
// run. Such work is sometimes inside a task in only one run, for example because it is a recursive
// call in the other run.
//
// A method counts as moved to a callback under two conditions:
//
//   - It does not run under this callback in the other run.
//   - Its energy under other callbacks is smaller than in the other run, by at least half of its
//     energy under this callback.
func (t *table) elsewhere(r *Result) {
	if !r.AppCode.OneApp || r.AppCode.By == appcode.Shape {
		return
	}
	numbers := make(map[string]int32)
	sides := [2]*siteEnergy{newSiteEnergy(r.Subject.Tree, numbers), newSiteEnergy(r.Reference.Tree, numbers)}
	bothRuns(func(run int) { sides[run].sum() })
	bothRuns(func(run int) { sides[run].findMoved(sides[1-run]) })
	move := func(row int, here, there int32) {
		at := &t.rows[row]
		switch {
		case at.subject.energy > at.reference.energy && here >= 0:
			at.elsewhere = min(at.elsewhere, -sides[0].movedEnergy(here))
		case at.subject.energy < at.reference.energy && there >= 0:
			at.elsewhere = max(at.elsewhere, sides[1].movedEnergy(there))
		}
	}
	for i := range r.Tasks {
		if row, ok := t.tasks[r.Tasks[i].Node]; ok {
			move(row, r.Tasks[i].Node, counterpart(&r.Tasks[i]))
		}
	}
	for node, row := range t.there {
		if t.rows[row].subject.absent {
			move(row, -1, node)
		}
	}
}

// bothRuns calls a function for the subject (0) and the reference (1), concurrently.
func bothRuns(do func(run int)) {
	var wg sync.WaitGroup
	wg.Go(func() { do(1) })
	do(0)
	wg.Wait()
}

// newSiteEnergy numbers the app's methods. numbers has a number for each label.
func newSiteEnergy(t *preprocess.Tree, numbers map[string]int32) *siteEnergy {
	s := &siteEnergy{Tree: t, methods: make([]int32, len(t.Source.Methods)), in: make(map[site]units.Energy), all: make(map[int32]units.Energy)}
	for m := range s.methods {
		s.methods[m] = -1
		if t.MethodKind(trace.MethodID(m)) == preprocess.App {
			known := t.Compared(trace.MethodID(m))
			s.methods[m] = numberOf(numbers, known.Label())
		}
	}
	return s
}

// numberOf returns the number of a label. A label that is not in numbers gets the next one.
func numberOf(numbers map[string]int32, label string) int32 {
	n, ok := numbers[label]
	if !ok {
		n = int32(len(numbers))
		numbers[label] = n
	}
	return n
}

// sum adds up the energy of the app's methods.
func (s *siteEnergy) sum() {
	for x := range int32(len(s.Source.Nodes)) {
		if at, ok := s.site(x); ok {
			e := s.Source.Energy.All(x)
			s.in[at] += e
			s.all[at.method] += e
		}
	}
}

// site returns the site of a node of the source tree. ok is false for code outside the app.
func (s *siteEnergy) site(x int32) (at site, ok bool) {
	m := s.Source.Nodes[x].Method
	if m == cct.NoMethod || s.methods[m] < 0 || s.Image[x] < 0 || s.Nodes[s.Image[x]].Kind != preprocess.App {
		return site{}, false
	}
	return site{s.methods[m], s.Nodes[s.Image[x]].Label}, true
}

// findMoved fills moved by comparing the methods' sites with the other run.
func (s *siteEnergy) findMoved(other *siteEnergy) {
	share := make(map[site]float64)
	for at, e := range s.in {
		if e == 0 || other.in[at] > 0 {
			continue
		}
		if less := other.all[at.method] - (s.all[at.method] - e); float64(less) >= minMoved*float64(e) {
			share[at] = min(float64(less)/float64(e), 1)
		}
	}
	nodes := s.Source.Nodes
	s.moved = make([]units.Energy, len(nodes))
	if len(share) == 0 {
		return
	}
	above := make([]float64, len(nodes)) // the share of the outermost moved call above each node
	for x := range int32(len(nodes)) {
		if p := nodes[x].Parent; p >= 0 {
			above[x] = above[p]
		}
		if at, ok := s.site(x); ok && above[x] == 0 {
			above[x] = share[at]
		}
		s.moved[x] = units.Energy(above[x] * float64(s.Source.Energy.Self(x)))
	}
	for x := len(nodes) - 1; x > 0; x-- {
		s.moved[nodes[x].Parent] += s.moved[x]
	}
}

// movedEnergy returns the energy of moved calls in a task, by its node in the tree.
func (s *siteEnergy) movedEnergy(task int32) units.Energy {
	sum := units.Energy(0)
	for _, x := range s.Originals(task) {
		sum += s.moved[x]
	}
	return sum
}
