package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A hint is a pair of tasks that follows from a matching.
type hint struct {
	i, j  int32
	found Found
}

// matched takes over the pairs of the matching between tasks.
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

// foundAs says how a pair of tasks was found that the matching pairs.
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

// maxDelegation is how many calls of the framework may lie between a method and the
// one that it delegates to.
const maxDelegation = 3

// hints lists the pairs of free tasks that the matching speaks for, by the subject's task:
// those that it pairs, and those of which it pairs one with a call inside of the other.
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
	// Two hints for one pair are of one kind or of two; the better one comes first.
	slices.SortFunc(out, func(a, b hint) int {
		return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j), cmp.Compare(a.found, b.found))
	})
	return slices.CompactFunc(out, func(a, b hint) bool { return a.i == b.i && a.j == b.j })
}

// outer returns the task that a node is the F-method of, or that calls it through few
// methods of the framework, and through how many; -1 if there is none.
func (s *taskSide) outer(v int32) (task, depth int32) {
	for ; depth <= maxDelegation && v > 0 && s.tree.Nodes[v].Kind == preprocess.Framework; depth++ {
		if s.at[v] >= 0 {
			return s.at[v], depth
		}
		v = s.tree.Nodes[v].Parent
	}
	return -1, 0
}
