package profile

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// ofPair makes the profile of a comparison by merging its two trees.
func ofPair(set *finding.Set, version string) *Profile {
	r := set.Result
	var names [2]string
	names[0], names[1] = words.Names(r.Subject.Path, r.Reference.Path)
	p := &Profile{
		Title: names[0] + " against " + names[1], Version: version, Comparison: true, Labels: [][]Label{nil},
		Notes: []string{
			"subject: " + names[0] + ", energy " + words.Provenance(r.Subject.Trace),
			"reference: " + names[1] + ", energy " + words.Provenance(r.Reference.Trace),
		},
	}
	u := &union{Profile: p, set: set, subject: r.Subject.Tree, reference: r.Reference.Tree, frames: newFrames(p), known: make(map[string]int32)}
	unit := Nanojoules
	if r.Unit(nil) != nil { // a recording does not state its unit
		unit = Count
	}
	p.Columns = []Column{
		{Kind: "subject", Name: "subject: " + names[0], Unit: unit},
		{Kind: "reference", Name: "reference: " + names[1], Unit: unit},
	}
	u.label(r)
	u.lay()
	u.frames.name()
	p.outside()
	for i := range r.Tasks {
		t := &r.Tasks[i]
		task := Task{
			ID: set.ID(i), Name: u.method(u.subject, t.Node), Verdict: string(u.verdict(i)),
			Energy: int64(t.Energy), Peers: int64(t.PeerEnergy), Saved: int64(t.Saving),
		}
		if t.Peer >= 0 {
			task.Peer = u.method(u.reference, t.Peer)
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p
}

// A union is the state of merging two trees by their labels.
type union struct {
	*Profile
	set                *finding.Set
	subject, reference *preprocess.Tree
	frames             *frames
	known              map[string]int32
	// labelled has the labels of the nodes of both trees.
	labelled [2][]int32
}

// verdict returns the result of comparing a task.
func (u *union) verdict(task int) words.Verdict {
	return words.VerdictOf(u.set.Standing(finding.Ranked{Index: task}), u.set.Result.Tasks[task].Saving)
}

// method returns the short name of a node's method.
func (u *union) method(t *preprocess.Tree, node int32) string {
	return t.Labels.Method(t.Nodes[node].Label).Short()
}

// label labels each node with the task that contains it. A node of the reference gets the matching
// task of the subject.
func (u *union) label(r *analysis.Result) {
	bySubject, byPeer := make(map[int32]int32), make(map[int32]int32)
	for i := range r.Tasks {
		t := &r.Tasks[i]
		labels := u.Profile.label(u.known,
			Label{Key: "task", Values: []string{u.method(u.subject, t.Node)}},
			Label{Key: "verdict", Values: []string{string(u.verdict(i))}})
		bySubject[t.Node] = labels
		if t.Peer >= 0 {
			byPeer[t.Peer] = labels
		}
	}
	for side, t := range []*preprocess.Tree{u.subject, u.reference} {
		order := bySubject
		if side == 1 {
			order = byPeer
		}
		u.labelled[side] = make([]int32, len(t.Nodes))
		for i, f := range eflask.Innermost(t) {
			u.labelled[side][i] = order[f]
		}
	}
}

// nodePair is a pair of nodes with the same call path, which become one context. A node is -1 if
// its tree lacks the context.
type nodePair struct{ subject, reference, parent int32 }

// lay merges the trees. Siblings in both trees are sorted by label, so one pass finds the siblings
// with equal labels.
func (u *union) lay() {
	stack := []nodePair{{0, 0, -1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := u.add(top)
		first := len(stack)
		s, r := children{u.subject, top.subject}.first(), children{u.reference, top.reference}.first()
		for s >= 0 || r >= 0 {
			next := nodePair{-1, -1, at}
			if r < 0 || s >= 0 && u.subject.Nodes[s].Label <= u.reference.Nodes[r].Label {
				next.subject = s
			}
			if s < 0 || r >= 0 && u.reference.Nodes[r].Label <= u.subject.Nodes[s].Label {
				next.reference = r
			}
			if next.subject >= 0 {
				s = children{u.subject, top.subject}.after(s)
			}
			if next.reference >= 0 {
				r = children{u.reference, top.reference}.after(r)
			}
			stack = append(stack, next)
		}
		// Push in reverse order, so that the first child is popped first.
		for i, j := first, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
	}
	for i := len(u.Nodes) - 1; i > 0; i-- {
		parent := &u.Nodes[u.Nodes[i].Parent]
		parent.End = max(parent.End, u.Nodes[i].End)
	}
}

// add adds a context.
func (u *union) add(b nodePair) int32 {
	at := int32(len(u.Nodes))
	n := Node{Frame: -1, Parent: b.parent, End: at + 1}
	energies := [2]units.Energy{}
	for side, t := range []*preprocess.Tree{u.reference, u.subject} {
		node, column := b.reference, 1
		if side == 1 {
			node, column = b.subject, 0
		}
		if node < 0 {
			continue
		}
		energies[column] = t.Energy.Self(node)
		if node > 0 {
			label := t.Nodes[node].Label
			n.Frame = u.frames.frame(int32(label), t.Labels.Method(label))
		}
		// The subject's labels come last and take precedence.
		if labels := u.labelled[column][node]; labels != 0 {
			n.Labels = labels
		}
	}
	for i, e := range energies {
		u.Columns[i].Self = append(u.Columns[i].Self, int64(e))
	}
	u.Nodes = append(u.Nodes, n)
	return at
}

// children iterates over the children of a node. The node may be -1.
type children struct {
	tree *preprocess.Tree
	node int32
}

// first returns the first child, -1 if there is none.
func (c children) first() int32 {
	if c.node < 0 || c.tree.Nodes[c.node].End == c.node+1 {
		return -1
	}
	return c.node + 1
}

// after returns the sibling after child. It returns -1 after the last child.
func (c children) after(child int32) int32 {
	if next := c.tree.Nodes[child].End; next < c.tree.Nodes[c.node].End {
		return next
	}
	return -1
}
