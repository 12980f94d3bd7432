package analysis

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// WholeRun represents the whole run where an index into Result.Tasks is expected. The flask's
// F-method is then the root, and its body is everything below the root.
const WholeRun = -1

// A Flask is the call tree of one task, aligned between the subject and the reference (DiffProf,
// OSDI 2018, Figures 3 and 8). It has three parts: the call path (the neck), the framework method
// that the app calls (the F-method), and the F-method's subtree (the body).
//
// A row represents a node of the subject, a node of the reference, or a matched pair. Rows are in
// preorder of the tree that Row.Parent spans:
//
//   - A node of the subject is below its parent in the subject, even if it is matched.
//   - A node that only the reference has is below its parent's row.
//   - If only the reference has the parent of a matched node, the parent has its own row, and
//     Row.ReferenceParent refers to it.
//
// So each side's tree is complete. These laws hold:
//
//   - a row's parent, and the parent of its node in the reference, come before it;
//   - the rows that have a subject node and the same Parent are the children of the parent's node
//     in the subject; the rows that have a reference node and the same ReferenceParent are the
//     children of that row's node in the reference;
//   - conservation, on each side: a node's inclusive energy is its exclusive energy, its children's
//     inclusive energy, and the energy pruned below it;
//   - the matched rows are the two roots and the pairs of the matching with both nodes in the
//     flasks. The roots form a row even if the matching pairs them with other nodes. A pair inside
//     tasks that are not counterparts is not a row. If the matching does not pair the two
//     F-methods, the two bodies are matched separately;
//   - no node has two rows.
//
// An unmatched task has no body in the reference. Only the upper part of its neck may be aligned:
// the reference's nodes are the partner of the neck's lowest matched node, and the partner's
// ancestors.
//
// Siblings are sorted by the larger of their two energies, the largest first. A reference node
// between two matched nodes comes directly before the next subject node.
//
// A Flask is immutable and safe for concurrent reading.
type Flask struct {
	// Task is the index into Result.Tasks, or WholeRun.
	Task int
	// F is the row of the F-method. It is 0 for the whole run.
	F    int32
	Rows []Row
}

// A Row is a node of one side's flask, or a matched pair of nodes.
type Row struct {
	// Parent is the parent row, -1 for the root.
	Parent int32
	// ReferenceParent is the row of Reference's parent. It is -1 for the root, and if Reference is
	// -1.
	ReferenceParent int32
	// Subject and Reference are nodes of the two trees, or -1.
	Subject, Reference int32
	// Gamma is γ of a matched pair: 1 if the two methods differ.
	Gamma uint8
	Part  Part
	// Pruned counts the omitted rows whose lowest kept ancestor is this row. In the neck, these are
	// the parts of the run outside the task. They include nodes of both sides. A pair counts once.
	Pruned int32
	// PrunedSubject and PrunedReference are the energy omitted from each side directly below the
	// row's node.
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

// Prune selects the rows that a flask's body omits. The neck and the F-method are never omitted,
// nor are the ancestors of a kept row on either side. The zero Prune omits nothing.
type Prune struct {
	// MinShare is the smallest share of the F-method's energy at which a node is kept. Each side is
	// compared with its own F-method, and a pair is kept if either node has this share. Nodes of a
	// side without energy have no shares.
	MinShare float64
	// MaxRows is the largest number of rows, including the neck. The rows with the largest shares
	// are kept. 0 means no limit.
	MaxRows int
}

// Flask aligns the flasks of Tasks[task], or of the whole run if task is WholeRun. It takes time
// linear in the nodes of the two flasks, and n·log n in the largest number of siblings.
func (r *Result) Flask(task int, p Prune) *Flask {
	a := r.align(task)
	return a.prune(p)
}

// prune omits the rows that p selects. Each is counted at its lowest ancestor that is kept.
func (a *aligner) prune(p Prune) *Flask {
	weights := a.weights()
	least, limit, ties := a.limits(weights, p)
	flask := &Flask{Task: a.task, F: a.fRow}
	kept := make([]bool, len(a.rows))
	// place is the new index of each row, or of its lowest kept ancestor if the row is omitted.
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

// weights returns the weight of each row: its share of the F-method's energy, on the side where the
// share is larger. A row weighs at least as much as its descendants. The neck and the F-method have
// infinite weight.
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

// limits returns the smallest weights that are kept: least by p.MinShare, and limit by p.MaxRows. If
// several rows have exactly the weight limit, only the first ties of them are kept. Their ancestors
// are kept too, because they weigh at least as much and come earlier.
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
