// Package eflask matches the tasks of two runs. It implements the algorithm of DiffProf (OSDI 2018,
// Section 3.4) exactly.
//
// A task is a framework method that a method of the app calls, with its call path and its subtree
// in the calling-context tree. The paper compares it with an Erlenmeyer flask: the path is the
// neck, and the subtree is the body. The framework method is called the F-method. Methods of the
// app are A-methods.
//
// [Match] finds tasks that both runs have. It pairs nodes v of the subject's tree T1 with nodes w
// of the reference's tree T2, under these conditions:
//
//   - The paths of a pair from the root differ by an edit distance ρ of at most α. A substitution of
//     labels costs γ, which is 0 or 1. The set of all w that v may have is Cα(v) (condition 4).
//   - Ancestors stay ancestors, and nearest common ancestors agree (conditions 2 and 3).
//   - The number of pairs with γ = 0 is the number that the recurrence μα of Lemma 3.1 reaches.
//
// # How it is computed
//
//  1. The candidate sets Cα are computed from the top down: a node's set follows from its parent's.
//  2. The sizes μα are computed from the bottom up: a pair's size follows from its children's sizes.
//  3. The pairs are found from the roots down.
//
// These facts make it fast:
//
//   - All data is in flat arrays.
//   - Two subtrees without a common label match nothing, and neither do subtrees inside them. Such a
//     pair is removed from the candidate sets.
//   - Few edges remain between the children of a pair. Most assignments need no search, and none
//     needs a matrix.
//   - Some pairs with equal paths are in each best matching. They divide the search into small zones.
//   - Nodes of the same depth do not depend on each other, so goroutines share them.
//
// ARCHITECTURE.md lists the invariants, and docs/performance.md has measurements.
//
// # Laws
//
// Swapping the trees swaps the sides of the pairs. A tree matches itself completely at every α:
// each node is paired with itself. Results depend only on the trees and on α. In rare cases, the
// lemma's matching is smaller than the largest matching that the four conditions allow. The tests
// have such a case.
//
// Nothing recurses on depth, and [Options] bounds the memory, so every pair of trees is valid
// input.
package eflask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A Pair is a pair of matched nodes.
type Pair struct {
	// Subject and Reference are indices into the two trees' Nodes.
	Subject, Reference int32
	// Distance is ρ, the edit distance of the two paths from the root.
	Distance int32
	// Gamma is 0 if the labels count as equal, and 1 otherwise.
	Gamma uint8
}

// A Matching is a matching of largest size between two trees.
type Matching struct {
	// Alpha is the largest distance allowed between the paths of a pair.
	Alpha int
	// Size is μα of the two trees. It is the number of pairs with γ = 0, including the roots.
	Size int
	// Pairs are sorted by the subject's nodes in preorder.
	Pairs []Pair
}

// Match returns a largest matching of the two trees, which share their Labels. α must not be
// negative. The result depends only on the trees and on α.
//
// If several matchings have the largest size, Match chooses one, from the roots down. It prefers,
// in this order:
//
//  1. the smaller ρ;
//  2. the more similar label (Levenshtein distance);
//  3. the closer energy;
//  4. the earlier node of the smaller tree.
//
// If siblings compete for partners, these values are summed over the siblings. Swapping the trees
// swaps the sides of the matching.
func Match(ctx context.Context, subject, reference *preprocess.Tree, alpha int, o Options) (*Matching, error) {
	return matchSubtrees(ctx, subtree{subject, 0}, subtree{reference, 0}, alpha, o)
}

// MatchBelow matches the subtrees at nodes v and w as Match does. It treats the paths of v and w as
// equal. Pairs have the node numbers of the whole trees.
func MatchBelow(ctx context.Context, subject, reference *preprocess.Tree, v, w int32, alpha int, o Options) (*Matching, error) {
	m, err := matchSubtrees(ctx, subtree{subject, v}, subtree{reference, w}, alpha, o)
	if err != nil {
		return nil, err
	}
	for i := range m.Pairs {
		m.Pairs[i].Subject += v
		m.Pairs[i].Reference += w
	}
	return m, nil
}

// A subtree is a node with all nodes below it.
type subtree struct {
	*preprocess.Tree
	root int32
}

func matchSubtrees(ctx context.Context, subject, reference subtree, alpha int, o Options) (*Matching, error) {
	if alpha < 0 {
		return nil, fmt.Errorf("α is %d: it must not be negative", alpha)
	}
	if subject.Labels != reference.Labels {
		return nil, errors.New("the trees do not share their labels")
	}
	if alpha == 0 {
		if m, ok := matchEqual(ctx, subject, reference, o); ok {
			return m, nil
		}
	}
	// The last rule for ties compares node numbers of one tree. Always take the smaller tree first,
	// so that swapping the trees does not change the choice.
	if subject.compare(reference) > 0 {
		m, err := matchOrdered(ctx, reference, subject, alpha, o)
		if err != nil {
			return nil, err
		}
		m.swap()
		return m, nil
	}
	return matchOrdered(ctx, subject, reference, alpha, o)
}

// compare orders subtrees by size, then by labels, shapes and energies. Subtrees that compare as
// equal are interchangeable, so their order does not matter.
func (s subtree) compare(o subtree) int {
	nodes, others := s.Nodes[s.root:s.Nodes[s.root].End], o.Nodes[o.root:o.Nodes[o.root].End]
	if c := cmp.Compare(len(nodes), len(others)); c != 0 {
		return c
	}
	for i := range nodes {
		v, w := s.root+int32(i), o.root+int32(i)
		if c := cmp.Or(
			cmp.Compare(nodes[i].Label, others[i].Label), cmp.Compare(nodes[i].End-v, others[i].End-w),
			cmp.Compare(s.Energy.All(v), o.Energy.All(w)),
		); c != 0 {
			return c
		}
	}
	return 0
}

// swap turns m into the matching of the swapped trees.
func (m *Matching) swap() {
	for i := range m.Pairs {
		p := &m.Pairs[i]
		p.Subject, p.Reference = p.Reference, p.Subject
	}
	slices.SortFunc(m.Pairs, func(a, b Pair) int { return cmp.Compare(a.Subject, b.Subject) })
}

func matchOrdered(ctx context.Context, subject, reference subtree, alpha int, o Options) (*Matching, error) {
	return newMatcher(subject, reference, alpha, o).match(ctx, subject, reference, alpha)
}

func (m *matcher) match(ctx context.Context, subject, reference subtree, alpha int) (*Matching, error) {
	defer context.AfterFunc(ctx, func() { m.stopped.Store(true) })()
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	b := &backtracker{
		m: m, subject: subject, reference: reference, assigner: newAssigner(m.ref.len(), &m.stopped),
		names: make(map[[2]preprocess.LabelID]int64),
	}
	pairs := b.pairs()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	size, _ := b.at(0, 0)
	return &Matching{Alpha: alpha, Size: int(size), Pairs: pairs}, nil
}
