package analysis

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// WholeRun stands for the whole run where an index into Result.Tasks is asked for:
// its F-method is the root, and its body all the rest.
const WholeRun = -1

// A Flask is a task's EFLASK in the subject and in the reference, aligned by the
// matching (DiffProf, OSDI 2018, Figures 3 and 8): the call path (the neck), the
// F-method, and the F-method's subtree (the body).
//
// A row stands for a node of the subject, for one of the reference, or for a
// matched pair. Rows are in preorder of the tree that Row.Parent spans: a node of
// the subject hangs where it does in the subject, whatever it is matched with; a
// node that only the reference has hangs below its parent's row. Where a matched
// node's parent in the reference has a row of its own, because only the reference
// has it, Row.ReferenceParent names that row. So each side's tree is there whole:
//
//   - a row's parent, and the parent of its node in the reference, come before it;
//   - the rows that have a subject's node and the same Parent are that node's
//     children in the subject; those that have a reference's node and the same
//     ReferenceParent are its children in the reference;
//   - conservation, on each side: a node's inclusive energy is its exclusive
//     energy, its children's inclusive energy and what was pruned below it;
//   - the matched rows are the pairs of the matching in both of the two flasks, and the
//     two roots, whatever the matching pairs those with. Pairs inside of tasks that are
//     no counterparts are left out. If the matching does not pair the two F-methods, the
//     pairs of the bodies are those of a matching of the two bodies by themselves;
//   - no node has two rows.
//
// An unmatched task has no body in the reference. Its neck is aligned as far as
// the reference follows it: the reference's nodes are those above and at the
// partner of the lowest matched node of the neck.
//
// Siblings are in the order of their energy on whichever side it is larger, the
// largest first, but what only the reference has between two matched nodes comes
// directly before what only the subject has there.
//
// A Flask is not changed once made and may be read concurrently.
type Flask struct {
	// Task is the index into Result.Tasks, or WholeRun.
	Task int
	// F is the row of the F-method, 0 in a whole run.
	F    int32
	Rows []Row
}

// A Row is a node of either flask, or a matched pair.
type Row struct {
	// Parent is the row that this one hangs below, -1 for the root.
	Parent int32
	// ReferenceParent is the row of the parent of Reference, -1 for the root and
	// where there is no Reference.
	ReferenceParent int32
	// Subject and Reference are nodes of the two trees, -1 where the row has none.
	Subject, Reference int32
	// Gamma is γ of a matched pair: 1 where the two methods differ.
	Gamma uint8
	Part  Part
	// Pruned counts the rows that were left out and whose lowest ancestor shown
	// is this one. Below the neck that is what the run does beside the task: nodes
	// of both sides, pairs counted once.
	Pruned int32
	// PrunedSubject and PrunedReference are the energy left out of each side
	// directly below the row's node.
	PrunedSubject, PrunedReference units.Energy
}

// Part is a part of a flask.
type Part uint8

// The parts.
const (
	Neck Part = iota
	FMethod
	Body
)

// Prune says what to leave out of a flask's body. The neck and the F-method stay,
// and with a node all that is above it on either side. The zero Prune leaves out
// nothing.
type Prune struct {
	// MinShare is the least part of its own side's F-method for a node's energy to
	// be shown; a pair is shown if either node is. A side without energy has no
	// shares.
	MinShare float64
	// MaxRows bounds the rows, neck included: those with the largest shares stay.
	// 0 is any number.
	MaxRows int
}

// Flask aligns the flasks of Tasks[task], or of the whole run. The cost is linear
// in the nodes of the two flasks, and n·log n in the largest number of siblings.
func (r *Result) Flask(task int, p Prune) *Flask {
	a := r.align(task)
	return a.prune(p)
}

// prune leaves out what p says, and counts it where it is missing.
func (a *aligner) prune(p Prune) *Flask {
	weights := a.weights()
	least, limit, ties := a.limits(weights, p)
	flask := &Flask{Task: a.task, F: a.fRow}
	kept := make([]bool, len(a.rows))
	// place is the new index of a row, or of its lowest ancestor that has one.
	place := make([]int32, len(a.rows))
	for i, row := range a.rows {
		keep := weights[i] >= least && weights[i] >= limit
		if keep && weights[i] == limit {
			keep = ties > 0
			ties--
		}
		kept[i] = keep || row.Part != Body
		parent, above := row.Parent, row.ReferenceParent
		if kept[i] {
			place[i] = int32(len(flask.Rows))
			if parent >= 0 {
				row.Parent = place[parent]
			}
			if above >= 0 {
				row.ReferenceParent = place[above]
			}
			flask.Rows = append(flask.Rows, row)
			continue
		}
		place[i] = place[parent]
		flask.Rows[place[i]].Pruned++
		if row.Subject >= 0 && kept[parent] {
			flask.Rows[place[parent]].PrunedSubject += a.subject.Energy.All(row.Subject)
		}
		if row.Reference >= 0 && kept[above] {
			flask.Rows[place[above]].PrunedReference += a.reference.Energy.All(row.Reference)
		}
	}
	return flask
}

// weights returns what a row weighs: the largest share of its own side's F-method
// that it or a row below it on either side has, so that a row never weighs more
// than those above it. The neck and the F-method weigh more than all.
func (a *aligner) weights() []float64 {
	var subject, reference units.Energy
	subject = a.subject.Energy.All(a.f)
	if a.matched {
		reference = a.reference.Energy.All(a.g)
	}
	weights := make([]float64, len(a.rows))
	for i := len(a.rows) - 1; i >= 0; i-- {
		row := &a.rows[i]
		if row.Part != Body {
			weights[i] = math.Inf(1)
			continue
		}
		if row.Subject >= 0 {
			weights[i] = max(weights[i], units.Share(a.subject.Energy.All(row.Subject), subject))
		}
		if row.Reference >= 0 {
			weights[i] = max(weights[i], units.Share(a.reference.Energy.All(row.Reference), reference))
			weights[row.ReferenceParent] = max(weights[row.ReferenceParent], weights[i])
		}
		weights[row.Parent] = max(weights[row.Parent], weights[i])
	}
	return weights
}

// limits returns the least weight by share, the least one by number, and how many
// rows of exactly the latter stay. Those are the first: with a row all that is
// above it weighs as much at least, and comes earlier.
func (a *aligner) limits(weights []float64, p Prune) (least, limit float64, ties int) {
	least, limit = p.MinShare, math.Inf(-1)
	if a.subject.Energy.All(a.f) <= 0 && (!a.matched || a.reference.Energy.All(a.g) <= 0) {
		least = 0
	}
	if p.MaxRows <= 0 || p.MaxRows >= len(weights) {
		return least, limit, 0
	}
	sorted := slices.Clone(weights)
	slices.Sort(sorted)
	limit = sorted[len(sorted)-p.MaxRows]
	ties = p.MaxRows
	for i := len(sorted) - 1; sorted[i] > limit; i-- {
		ties--
	}
	return least, limit, ties
}
