package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A hint is a pair of tasks that the matching supports. found is the kind of support.
type hint struct {
	i, j  int32
	found Found
}

// matched turns the pairs of the matching into counterparts.
func (p *pairing) matched() {
	for _, pair := range p.m.Pairs {
		i, j := p.subject.at[pair.Subject], p.reference.at[pair.Reference]
		if i < 0 || j < 0 {
			continue
		}
		e := Evidence{Likelihood: Unknown, Name: 1, Below: p.below(i, j), Around: Unknown, Way: Unknown, Rival: Unknown}
		if pair.Gamma == 1 {
			e.Name = alike(p.labels.Method(p.subject.label(i)), p.labels.Method(p.reference.label(j)))
		}
		p.pair(i, j, p.foundAs(i, j, pair), pair.Distance, e)
	}
}

// foundAs returns how the matching found a pair of tasks, such as Renamed.
func (p *pairing) foundAs(i, j int32, pair Pair) Found {
	switch {
	case pair.Gamma == 1:
		return Renamed
	case p.subject.label(i) != p.reference.label(j):
		return Hierarchy
	case pair.Distance > 0:
		return Path
	}
	return Exact
}

// maxDelegation limits how many framework calls lead from a method to its delegate.
const maxDelegation = 3

// hints lists the pairs of tasks without counterparts that the matching supports. The matching
// pairs either the two tasks, or one task with a call inside the other. The list is sorted by the
// subject's task.
func (p *pairing) hints() []hint {
	var out []hint
	for _, pair := range p.m.Pairs {
		i, down := p.subject.outer(pair.Subject)
		j, up := p.reference.outer(pair.Reference)
		switch {
		case i < 0 || j < 0 || !p.free(i, j):
		case down == 0 && up == 0:
			out = append(out, hint{i, j, p.foundAs(i, j, pair)})
		case (down == 0) != (up == 0) && pair.Gamma == 0 &&
			alike(p.labels.Method(p.subject.label(i)), p.labels.Method(p.reference.label(j))) > 0:
			out = append(out, hint{i, j, Delegate})
		}
	}
	// A pair may have several hints. The best comes first.
	slices.SortFunc(out, func(a, b hint) int {
		return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j), cmp.Compare(a.found, b.found))
	})
	return slices.CompactFunc(out, func(a, b hint) bool { return a.i == b.i && a.j == b.j })
}

// outer finds the task around node v. v is its F-method, or the F-method reaches v through at most
// maxDelegation framework methods. depth is their number. task is -1 if there is no such task.
func (s *taskSide) outer(v int32) (task, depth int32) {
	for ; depth <= maxDelegation && v > 0 && s.tree.Nodes[v].Kind == preprocess.Framework; depth++ {
		if s.at[v] >= 0 {
			return s.at[v], depth
		}
		v = s.tree.Nodes[v].Parent
	}
	return -1, 0
}
