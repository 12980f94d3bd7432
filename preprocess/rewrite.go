package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/units"
)

// A plan says what becomes of each node of a tree. A nil slice changes nothing.
type plan struct {
	// merge marks nodes that become part of what their parent becomes part of.
	merge []bool
	// under names another node whose place a node's parent takes; -1 leaves the
	// parent as it is. Followed upwards, parents must end at the root.
	under []int32
	// label replaces the nodes' labels.
	label []LabelID
}

// stay is what plan.under says of a node that keeps its parent.
const stay int32 = -1

// A group is the nodes that become one node: equal labels under one new parent.
type group struct {
	label  LabelID
	parent int32 // in the new tree
	// The nodes are pool[from:to] of rewrite.
	from, to int32
}

// rewrite carries out a plan: it returns the new tree in canonical preorder and,
// for each old node, the new node it became part of. kinds gives the kind of each
// label; where that is Toplevel, a node takes its parent's kind. Nothing is lost:
// energies and recursive calls add up, and calls do except those of a merged
// node, which came from inside.
//
// It takes time linear in the nodes apart from sorting siblings, and works from
// the root down with a stack of its own, so that neither a deep nor a broad tree
// troubles it. Siblings meet by being sorted, not hashed: they must be sorted in
// the end anyway, and most come sorted.
func rewrite(old []Node, p plan, kinds []Kind) (nodes []Node, image []int32) {
	first, next := adopted(p.under)
	nodes = make([]Node, 0, len(old))
	image = make([]int32, len(old))

	// Each old node enters pool or members once at most.
	pool := append(make([]int32, 0, len(old)), 0)
	work := []group{{label: old[0].Label, parent: -1, from: 0, to: 1}}
	var members []int32
	var keys []uint64 // label and old index of the children, to be sorted
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		id := int32(len(nodes))
		n := Node{Label: g.label, Kind: kinds[g.label], Parent: g.parent}
		if g.parent < 0 {
			n.Kind = Toplevel
		} else if n.Kind == Toplevel {
			n.Kind = max(nodes[g.parent].Kind, Framework)
		}

		members, keys = append(members[:0], pool[g.from:g.to]...), keys[:0]
		for k := 0; k < len(members); k++ {
			m := members[k]
			image[m] = id
			from := &old[m]
			n.Exclusive += from.Exclusive
			n.Recursive += from.Recursive
			if k < int(g.to-g.from) {
				n.Calls += from.Calls
			}
			adopt := func(c int32) {
				if p.merge != nil && p.merge[c] {
					members = append(members, c)
					return
				}
				label := old[c].Label
				if p.label != nil {
					label = p.label[c]
				}
				keys = append(keys, uint64(label)<<32|uint64(c))
			}
			for c := m + 1; c < from.End; c = old[c].End {
				if p.under == nil || p.under[c] == stay {
					adopt(c)
				}
			}
			if first != nil {
				for c := first[m]; c >= 0; c = next[c] {
					adopt(c)
				}
			}
		}
		nodes = append(nodes, n)

		if !slices.IsSorted(keys) {
			slices.Sort(keys)
		}
		mark := len(work)
		for i := 0; i < len(keys); {
			child := group{label: LabelID(keys[i] >> 32), parent: id, from: int32(len(pool))}
			for ; i < len(keys) && LabelID(keys[i]>>32) == child.label; i++ {
				pool = append(pool, int32(uint32(keys[i])))
			}
			child.to = int32(len(pool))
			work = append(work, child)
		}
		slices.Reverse(work[mark:])
	}
	finish(nodes)
	return nodes, image
}

// adopted lists, for each node, the nodes that plan.under puts under it: the
// first is first[i], the one after c next[c], -1 ends the list.
func adopted(under []int32) (first, next []int32) {
	if under == nil {
		return nil, nil
	}
	first = slices.Repeat([]int32{-1}, len(under))
	next = make([]int32, len(under))
	for c, p := range under {
		if p != stay {
			first[p], next[c] = int32(c), first[p]
		}
	}
	return first, next
}

// finish fills in End and Inclusive from Parent and Exclusive.
func finish(nodes []Node) {
	for i := range nodes {
		nodes[i].End, nodes[i].Inclusive = int32(i)+1, units.Energy(0)
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		n.Inclusive += n.Exclusive
		if n.Parent >= 0 {
			parent := &nodes[n.Parent]
			parent.Inclusive += n.Inclusive
			parent.End = max(parent.End, n.End)
		}
	}
}
