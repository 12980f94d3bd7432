package preprocess

import "slices"

// A place is the part of a node that the steps need: its label, its owner and its position in the
// tree. Energies are summed only once, after the last step.
type place struct {
	label LabelID
	kind  Kind
	// parent is -1 for the root.
	parent int32
	// end is one past the node's last descendant.
	end int32
}

// A plan describes how a step changes a tree. Its slices are indexed by node. A nil slice changes
// nothing.
type plan struct {
	// merge marks the nodes that become part of their parent.
	merge []bool
	// under is the new parent of each node, or unmoved. Following the new parents must always lead
	// to the root.
	under []int32
	// label has the new label of each node.
	label []LabelID
}

// unmoved in plan.under means that a node keeps its parent.
const unmoved int32 = -1

// A group is a set of old nodes that become one new node, because they have equal labels and the
// same new parent.
type group struct {
	label  LabelID
	parent int32 // In the new tree.
	// The old nodes are pool[from:to]. pool is a local variable of rewrite.
	from, to int32
}

// rewrite applies a plan. It returns the new tree in canonical preorder, and image, which maps each
// old node to the new node that contains it. kinds has the kind of each label. If this is Toplevel,
// the node takes the kind of its parent.
//
// It takes linear time except for sorting siblings. It works from the root down with an explicit
// stack, so the depth of a tree is not limited. Equal siblings are found by sorting, not by
// hashing, because siblings must be sorted in any case, and most of them already are.
func rewrite(old []place, p plan, kinds []Kind) (nodes []place, image []int32) {
	first, next := movedChildren(p.under)
	nodes = make([]place, 0, len(old))
	image = make([]int32, len(old))

	// Each old node is added to pool or members at most once.
	pool := append(make([]int32, 0, len(old)), 0)
	work := []group{{label: old[0].label, parent: -1, from: 0, to: 1}}
	var members []int32
	var keys []uint64 // Label and old index of each child, for sorting.
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

// movedChildren lists, for each node i, the nodes that plan.under moves under it. The lists are
// linked: first[i] is the first node, next[c] is the node after c, and -1 is the end.
func movedChildren(under []int32) (first, next []int32) {
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
