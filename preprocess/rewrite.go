package preprocess

import "slices"

// A place is the part of a node that the steps need: its position in the tree and its owner.
// Energies are summed once, after the last step.
type place struct {
	label LabelID
	kind  Kind
	// parent is -1 for the root.
	parent int32
	// end is one past the last descendant.
	end int32
}

// A plan describes how a step changes each node of a tree. A nil slice changes nothing.
type plan struct {
	// merge marks nodes that merge into the new node of their parent.
	merge []bool
	// under gives a node another parent. unmoved keeps the parent. Parents must lead to the root.
	under []int32
	// label replaces the nodes' labels.
	label []LabelID
}

// unmoved in plan.under keeps the parent of a node.
const unmoved int32 = -1

// A group is a set of nodes that become one node: they have equal labels and the same new
// parent.
type group struct {
	label  LabelID
	parent int32 // in the new tree
	// The nodes are pool[from:to] of rewrite.
	from, to int32
}

// rewrite applies a plan. It returns the new tree in canonical preorder, and for each old node the
// new node that contains it. kinds gives the kind of each label. If the kind is Toplevel, a node has
// its parent's kind.
//
// It takes linear time except for sorting siblings. It works from the root down with an explicit
// stack, so the depth of a tree is not limited. Equal siblings are found by sorting and not by
// hashing: siblings must be sorted in any case, and most are sorted already.
func rewrite(old []place, p plan, kinds []Kind) (nodes []place, image []int32) {
	first, next := adopted(p.under)
	nodes = make([]place, 0, len(old))
	image = make([]int32, len(old))

	// Each old node enters pool or members at most once.
	pool := append(make([]int32, 0, len(old)), 0)
	work := []group{{label: old[0].label, parent: -1, from: 0, to: 1}}
	var members []int32
	var keys []uint64 // label and old index of the children, to be sorted
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		id := int32(len(nodes))
		n := place{label: g.label, kind: kinds[g.label], parent: g.parent, end: id + 1}
		if g.parent < 0 {
			n.kind = Toplevel
		} else if n.kind == Toplevel {
			n.kind = max(nodes[g.parent].kind, Framework)
		}
		nodes = append(nodes, n)

		members, keys = append(members[:0], pool[g.from:g.to]...), keys[:0]
		for k := 0; k < len(members); k++ {
			m := members[k]
			image[m] = id
			adopt := func(c int32) {
				if p.merge != nil && p.merge[c] {
					members = append(members, c)
					return
				}
				label := old[c].label
				if p.label != nil {
					label = p.label[c]
				}
				keys = append(keys, uint64(label)<<32|uint64(c))
			}
			for c := m + 1; c < old[m].end; c = old[c].end {
				if p.under == nil || p.under[c] == unmoved {
					adopt(c)
				}
			}
			if first != nil {
				for c := first[m]; c >= 0; c = next[c] {
					adopt(c)
				}
			}
		}

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
	for i := len(nodes) - 1; i > 0; i-- {
		parent := &nodes[nodes[i].parent]
		parent.end = max(parent.end, nodes[i].end)
	}
	return nodes, image
}

// adopted lists, for each node i, the nodes that plan.under puts under it. The list begins with
// first[i], next[c] follows c, and -1 ends the list.
func adopted(under []int32) (first, next []int32) {
	if under == nil {
		return nil, nil
	}
	first = slices.Repeat([]int32{-1}, len(under))
	next = make([]int32, len(under))
	for c, p := range under {
		if p != unmoved {
			first[p], next[c] = int32(c), first[p]
		}
	}
	return first, next
}
