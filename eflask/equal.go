package eflask

import (
	"context"

	"github.com/diffprof/diffprof/preprocess"
)

// equalPaths returns, for each node of the subject, the node of the reference with an equal path,
// or -1 if there is none. The paths of the two roots count as equal. Nodes are numbered from the
// roots.
func equalPaths(subject, reference subtree) []int32 {
	s, r := subject.nodes(), reference.nodes()
	from, to := subject.root, reference.root
	partner := make([]int32, len(s))
	for v := range partner {
		partner[v] = -1
	}
	partner[0] = 0
	for v := range s {
		w := partner[v]
		if w < 0 {
			continue
		}
		// Siblings are sorted by label in both trees.
		for x, y := int32(v)+1, w+1; x < s[v].End-from && y < r[w].End-to; {
			switch a, b := s[x].Label, r[y].Label; {
			case a < b:
				x = s[x].End - from
			case a > b:
				y = r[y].End - to
			default:
				partner[x] = y
				x, y = s[x].End-from, r[y].End-to
			}
		}
	}
	return partner
}

func (s subtree) nodes() []preprocess.Node { return s.Nodes[s.root:s.Nodes[s.root].End] }

// matchEqual returns the matching for α = 0 if no label has γ = 0 with another one. Each node then
// has at most one candidate: the node with an equal path. ok is false if a label is related to
// another one, or if there are more pairs than Options.MaxPairs.
func matchEqual(ctx context.Context, subject, reference subtree, o Options) (m *Matching, ok bool) {
	labels := subject.Labels
	for id := range labels.Len() {
		if len(labels.Related(preprocess.LabelID(id))) > 0 {
			return nil, false
		}
	}
	partner, count := equalPaths(subject, reference), 0
	for _, w := range partner {
		if w >= 0 {
			count++
		}
	}
	if ctx.Err() != nil || o.MaxPairs > 0 && int64(count) > o.MaxPairs {
		return nil, false
	}
	m = &Matching{Size: count, Pairs: make([]Pair, 0, count)}
	for v, w := range partner {
		if w >= 0 {
			m.Pairs = append(m.Pairs, Pair{Subject: int32(v), Reference: w})
		}
	}
	// The roots are a pair even if their labels differ, as in MatchBelow.
	if subject.nodes()[0].Label != reference.nodes()[0].Label {
		m.Pairs[0].Gamma = 1
		m.Size--
	}
	if o.Progress != nil {
		all := 2 * int64(len(partner))
		o.Progress(all, all)
	}
	return m, true
}
