package eflask

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a pair of tasks that may do the same.
type candidate struct {
	i, j     int32
	features Features
	evidence Evidence
	// apart is how far the energies lie apart.
	apart int64
}

// leastLikely is the likelihood from which two tasks are counterparts, if only perhaps.
const leastLikely = 0.5

// rounds bounds how often the tasks that are left are weighed anew: each pair changes
// how alike two callbacks are.
const rounds = 3

// likely pairs what is left by likelihood, the likeliest first.
func (p *pairing) likely() {
	for range rounds {
		candidates := p.candidates(leastLikely)
		slices.SortFunc(candidates, compare)
		paired := false
		for _, c := range candidates {
			if c.evidence.Likelihood >= leastLikely && p.free(c.i, c.j) {
				p.pair(c.i, c.j, Likeness, p.distance(p.subject.nodes[c.i], p.reference.nodes[c.j]), c.evidence)
				paired = true
			}
		}
		if !paired {
			break
		}
	}
}

// compare orders candidates: the likelier first, then the closer in energy, then the
// earlier. It treats both sides alike.
func compare(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(b.evidence.Likelihood, a.evidence.Likelihood),
		cmp.Compare(a.apart, b.apart),
		cmp.Compare(a.i+a.j, b.i+b.j), cmp.Compare(a.i, b.i),
	)
}

// apart is how far the energies of two tasks lie apart.
func (p *pairing) apart(i, j int32) int64 {
	x := int64(p.subject.tree.Energy.All(p.subject.nodes[i]))
	y := int64(p.reference.tree.Energy.All(p.reference.nodes[j]))
	return max(x-y, y-x)
}

// A relation is what two callbacks have in common.
type relation struct {
	// here is the weight of the tasks that are each other's counterparts. common adds
	// that of the tasks of one label on both sides that have none.
	here, common float64
	// met is set once the two were noted as partners of each other.
	met bool
}

// settle has callbacks described and related anew, after counterparts were found.
func (p *pairing) settle() {
	p.subject.describe()
	p.reference.describe()
	p.relations = make(map[[2]int32]*relation)
	for i, j := range p.subject.peer {
		if j >= 0 {
			weight := (p.subject.weight(int32(i)) + p.reference.weight(j)) / 2
			p.relation(p.subject.callback(int32(i)), p.reference.callback(j)).here += weight
		}
	}
	for _, r := range p.relations {
		r.common += r.here
	}
}

// relation returns what two callbacks have in common.
func (p *pairing) relation(c, d int32) *relation {
	r := p.relations[[2]int32{c, d}]
	if r == nil {
		r = &relation{common: p.rarity.common(&p.subject.callbacks[c].open, &p.reference.callbacks[d].open)}
		p.relations[[2]int32{c, d}] = r
	}
	return r
}

// weigh measures what speaks for a pair of tasks without counterparts, but for what
// other pairs say of it.
func (p *pairing) weigh(i, j int32) candidate {
	c, d := p.subject.callback(i), p.reference.callback(j)
	of, with, both := p.subject.callbacks[c], p.reference.callbacks[d], p.relation(c, d)
	x, y := p.subject.class(i), p.reference.class(j)

	// What the callbacks do beside the pair.
	common, left, right := both.common, of.weight-p.subject.weight(i), with.weight-p.reference.weight(j)
	if with.open.has(x) {
		common -= p.rarity.weight[x]
	}
	if x != y && of.open.has(y) {
		common -= p.rarity.weight[y]
	}
	e := Evidence{Name: p.name(i, j), Below: p.below(i, j), Around: max(dice(common, left, right), 0)}
	if e.Below > 0 && e.Name == 0 && p.shared(i, j) < leastShared {
		e.Below = 0
	}

	f := Features{fBias: 1, fName: e.Name, fAround: e.Around}
	if e.Name == 1 {
		f[fSame] = 1
	}
	if e.Below < 0 {
		f[fLeaf], f[fLeafAround] = 1, e.Around
	} else {
		f[fBelow] = e.Below
	}
	if p.subject.tree.Nodes[c].Label == p.reference.tree.Nodes[d].Label {
		f[fCallback] = 1
	}
	f[fRarity] = (p.seldom(x) + p.seldom(y)) / 2
	if of.tasks+with.tasks == 2 {
		f[fAlone] = 1
	} else if others := left + right; others > 0 {
		f[fHere] = 2 * both.here / others
		f[fElsewhere] = (of.paired + with.paired - 2*both.here) / others
	}
	f[fUnique] = 1 / float64(max(p.subject.lone[x], p.reference.lone[y], 1))
	e.Likelihood = f.Likelihood(&weights)
	return candidate{i, j, f, e, p.apart(i, j)}
}

// leastShared is how many methods two F-methods of unlike names must both call for that
// to say anything: a single common leaf is plumbing, whatever it is.
const leastShared = 2

// shared counts the methods below both of two F-methods.
func (p *pairing) shared(i, j int32) int {
	n := 0
	for _, class := range p.subject.belowOf(i).classes {
		if p.reference.belowOf(j).has(class) {
			n++
		}
	}
	return n
}

// seldom is how rare the tasks of a class are, as the logarithm of one in how many.
func (p *pairing) seldom(class int32) float64 {
	all := len(p.subject.nodes) + len(p.reference.nodes)
	return math.Log(float64(all)/float64(max(p.subject.all[class]+p.reference.all[class], 1))) / 10
}

// name is how alike the names of two F-methods are.
func (p *pairing) name(i, j int32) float64 {
	a, b := p.subject.label(i), p.reference.label(j)
	if p.labels.Gamma(a, b) == 0 {
		return 1
	}
	known := alike(p.labels.Method(a), p.labels.Method(b))
	if known < delegation && (p.subject.calls(i, p.rarity.class[b]) || p.reference.calls(j, p.rarity.class[a])) {
		return delegation
	}
	return known
}

// conflicts adds to candidates what other pairs say of them: how much more their
// callbacks have in common with others, and how likely their rivals are.
func (p *pairing) conflicts(candidates []candidate, callbacks [2]map[int32]*best) {
	tasks := [2]map[int32]*best{make(map[int32]*best), make(map[int32]*best)}
	for k := range candidates {
		c := &candidates[k]
		a, b := p.subject.callback(c.i), p.reference.callback(c.j)
		c.features[fConflict] = max(callbacks[0][a].but(b), callbacks[1][b].but(a))
		c.evidence.Likelihood = c.features.Likelihood(&weights)
		note(tasks[0], c.i, c.j, c.evidence.Likelihood)
		note(tasks[1], c.j, c.i, c.evidence.Likelihood)
	}
	for k := range candidates {
		c := &candidates[k]
		c.evidence.Rival = max(tasks[0][c.i].but(c.j), tasks[1][c.j].but(c.i))
	}
}

// best keeps the best partner, and how good the best other one is.
type best struct {
	who         int32
	good, other float64
}

// note tells the best of someone of a partner, whom it was not told of before.
func note(all map[int32]*best, of, who int32, good float64) {
	b := all[of]
	switch {
	case b == nil:
		all[of] = &best{who, good, 0}
	case good > b.good:
		*b = best{who, good, b.good}
	default:
		b.other = max(b.other, good)
	}
}

// but is how good the best partner is that is not who.
func (b *best) but(who int32) float64 {
	if b.who == who {
		return b.other
	}
	return b.good
}

// candidates lists the pairs of tasks without counterparts that are worth a look, with
// all that speaks for them. Those below a likelihood are left out before it is known
// what speaks against them.
func (p *pairing) candidates(least float64) []candidate {
	p.settle()
	shelves := make(map[shelf][]int32)
	for j := range p.reference.nodes {
		if p.reference.peer[j] < 0 {
			for _, s := range p.library.shelves(p.reference, int32(j)) {
				if len(shelves[s]) < maxShelf {
					shelves[s] = append(shelves[s], int32(j))
				}
			}
		}
	}
	var out []candidate
	callbacks := [2]map[int32]*best{make(map[int32]*best), make(map[int32]*best)}
	seen := make([]int32, len(p.reference.nodes)) // the last subject's task that met it, plus one
	for i := range p.subject.nodes {
		if p.subject.peer[i] >= 0 {
			continue
		}
		for _, s := range p.library.shelves(p.subject, int32(i)) {
			for _, j := range shelves[s] {
				if seen[j] == int32(i)+1 {
					continue
				}
				seen[j] = int32(i) + 1
				p.meet(callbacks, int32(i), j)
				if c := p.weigh(int32(i), j); c.evidence.Likelihood >= least {
					out = append(out, c)
				}
			}
		}
	}
	p.conflicts(out, callbacks)
	return out
}

// meet notes how much the callbacks of two tasks have in common.
func (p *pairing) meet(callbacks [2]map[int32]*best, i, j int32) {
	a, b := p.subject.callback(i), p.reference.callback(j)
	r := p.relation(a, b)
	if r.met {
		return
	}
	r.met = true
	in := dice(r.common, p.subject.callbacks[a].weight, p.reference.callbacks[b].weight)
	note(callbacks[0], a, b, in)
	note(callbacks[1], b, a, in)
}
