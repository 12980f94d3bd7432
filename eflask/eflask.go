// Package eflask matches the tasks of two runs: DiffProf's algorithm (OSDI 2018,
// Section 3.4).
package eflask

import (
	"context"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/preprocess"
)

// A Pair is a pair of matched nodes.
type Pair struct {
	// Subject and Reference are indices into the two trees' Nodes.
	Subject, Reference int32
	// Distance is ρ, the edit distance of the two paths from the root.
	Distance int32
	// Gamma is 0 where the labels count as equal, else 1.
	Gamma uint8
}

// A Matching is a largest matching of two trees.
type Matching struct {
	// Alpha is the largest distance allowed between the paths of a pair.
	Alpha int
	// Size is μα of the two trees: the number of pairs with γ = 0, root included.
	Size int
	// Pairs are in preorder of the subject.
	Pairs []Pair
}

// Match returns a largest matching of the two trees, which share their Labels.
// α must not be negative. The result depends on the trees and on α alone.
//
// Of the matchings of largest size one is chosen by this rule, applied from the
// roots down: the smaller ρ, then the more similar label (Levenshtein distance),
// then the closer energy, then the earlier node. Where siblings compete, each is
// summed over them.
func Match(ctx context.Context, subject, reference *preprocess.Tree, alpha int, o Options) (*Matching, error) {
	if alpha < 0 {
		return nil, fmt.Errorf("α is %d: it must not be negative", alpha)
	}
	if subject.Labels != reference.Labels {
		return nil, errors.New("the trees do not share their labels")
	}
	m := newMatcher(subject, reference, alpha, o)
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	b := &backtracker{
		m: m, subject: subject, reference: reference, assigner: newAssigner(len(reference.Nodes)),
		names: make(map[[2]preprocess.LabelID]int64),
	}
	pairs := b.pairs()
	size, _ := b.at(0, 0)
	return &Matching{Alpha: alpha, Size: int(size), Pairs: pairs}, nil
}
