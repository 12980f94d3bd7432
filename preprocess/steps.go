package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
)

// placesOf returns the places of a source tree. Its siblings may be equal or out of order.
func placesOf(t *cct.Tree, v *vocabulary, labels []LabelID) []place {
	nodes := make([]place, len(t.Nodes))
	for i := range t.Nodes {
		from := &t.Nodes[i]
		n := place{label: v.root, parent: from.Parent, end: from.End}
		if from.Parent >= 0 {
			n.label = labels[from.Method]
			if n.kind = v.kinds[n.label]; n.kind == Toplevel {
				n.kind = max(nodes[from.Parent].kind, Framework)
			}
		}
		nodes[i] = n
	}
	return nodes
}

// canonical reports whether siblings are sorted and distinct.
func canonical(nodes []place) bool {
	last := slices.Repeat([]LabelID{-1}, len(nodes)) // the last child so far of each parent
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		if last[n.parent] >= n.label {
			return false
		}
		last[n.parent] = n.label
	}
	return true
}

// async plans to move hand-overs of the framework under the app call that enqueued them. It moves a
// hand-over if there is no A-method on its path or in its subtree (DiffProf, Section 3.5, F-method
// only paths). If the enqueuing call is itself part of another hand-over, without an A-method on
// its path, async follows that hand-over, and so on. moved maps each moved node to its new caller.
// Both are nodes of the source tree.
//
// A new caller is an A-method, and a moved subtree has none, so the plan has no cycles.
func async(nodes []place, handovers []cct.Handover) (p plan, moved map[int32]int32) {
	if len(handovers) == 0 {
		return plan{}, nil
	}
	origin := make(map[int32]int32, len(handovers))
	for _, h := range handovers {
		origin[h.Node] = h.Origin
	}
	// For each node, the innermost A-method and the innermost hand-over at or above it, or -1.
	app, handover := make([]int32, len(nodes)), make([]int32, len(nodes))
	apps := make([]int32, len(nodes)+1) // number of A-methods before each node
	for i := range nodes {
		app[i], handover[i] = -1, -1
		if up := nodes[i].parent; up >= 0 {
			app[i], handover[i] = app[up], handover[up]
		}
		if _, ok := origin[int32(i)]; ok {
			handover[i] = int32(i)
		}
		apps[i+1] = apps[i]
		if nodes[i].kind == App {
			app[i] = int32(i)
			apps[i+1]++
		}
	}
	// target caches the result for each hand-over. During a search, the entry is none, which is
	// also the correct result if hand-overs form a cycle.
	const none = -1
	target := make(map[int32]int32, len(handovers))
	moved = make(map[int32]int32)
	var trail []int32
	for _, h := range handovers {
		trail = trail[:0]
		found := int32(none)
		for at := h.Node; ; {
			if known, ok := target[at]; ok {
				found = known
				break
			}
			target[at] = none
			trail = append(trail, at)
			from := origin[at]
			if app[from] >= 0 {
				found = app[from]
				break
			}
			if at = handover[from]; at < 0 {
				break
			}
		}
		for _, at := range trail {
			target[at] = found
		}
		pure := app[h.Node] < 0 && apps[nodes[h.Node].end] == apps[h.Node]
		if found >= 0 && pure {
			if p.under == nil {
				p.under = slices.Repeat([]int32{unmoved}, len(nodes))
			}
			p.under[h.Node], moved[h.Node] = found, found
		}
	}
	return p, moved
}

// recorder plans to move the recorder's own work out of the tasks. Each of its calls moves directly
// below the root and absorbs its subtree. changed is false if all these calls are there already.
func recorder(nodes []place, v *vocabulary) (p plan, changed bool) {
	if !slices.Contains(v.kinds, Recorder) {
		return plan{}, false
	}
	p = plan{merge: make([]bool, len(nodes)), under: slices.Repeat([]int32{unmoved}, len(nodes))}
	for i := int32(1); int(i) < len(nodes); i++ {
		if nodes[i].kind != Recorder {
			continue
		}
		if nodes[i].parent != 0 {
			p.under[i], changed = 0, true
		}
		for end := nodes[i].end; i+1 < end; {
			i++
			p.merge[i], changed = true, true
		}
	}
	return p, changed
}

// idle plans to move waiting out of the tasks. All waiting calls, with their subtrees, become a
// single node below the root. changed is false if no call waits.
func idle(nodes []place, v *vocabulary) (p plan, changed bool) {
	p = plan{merge: make([]bool, len(nodes)), under: slices.Repeat([]int32{unmoved}, len(nodes)), label: make([]LabelID, len(nodes))}
	for i := int32(0); int(i) < len(nodes); i++ {
		if p.label[i] = nodes[i].label; !v.waits[nodes[i].label] || nodes[i].kind == Recorder {
			continue
		}
		p.label[i], changed = v.waiting, true
		if nodes[i].parent != 0 {
			p.under[i] = 0
		}
		for end := nodes[i].end; i+1 < end; {
			i++
			p.merge[i], p.label[i] = true, nodes[i].label
		}
	}
	return p, changed
}

// synthetic plans to remove compiler-generated calls between two methods of the framework, or
// between the framework and the app. Stubs merge into their callers. Methods of lambda classes do
// too, unless the app calls them, because such calls are tasks. In all other names, the numbers of
// lambdas are removed. changed is false if the plan changes nothing.
func synthetic(nodes []place, v *vocabulary) (p plan, changed bool) {
	p = plan{merge: make([]bool, len(nodes)), label: make([]LabelID, len(nodes))}
	kind := make([]Kind, len(nodes)) // the kind that each node will have
	for i := range nodes {
		n := &nodes[i]
		kind[i], p.label[i] = n.kind, v.plain[n.label]
		changed = changed || p.label[i] != n.label
		if n.kind != Framework || i == 0 {
			continue
		}
		role := v.roles[n.label]
		if role == platform.Stub || role == platform.Lambda && kind[n.parent] != App {
			kind[i] = kind[n.parent]
			p.merge[i], changed = true, true
		}
	}
	return p, changed
}

// entry plans to begin each framework-only path at its starter, the method that passes control to
// the work. It handles methods by their roles:
//
//   - Launchers at the top of a path merge into the root.
//   - The first starter of a path moves under the root.
//   - An inner method merges into the starter that calls it.
//
// A method of the app may be between two launchers. For example, the run method of the app's thread
// calls the inherited run, or a Runnable of the app wraps the worker of a pool. If such a method is
// called run and has only launchers above it, the launchers below it also merge into the root, even
// if other A-methods are in between. Its other callees stay in place.
//
// changed is false if the plan changes nothing.
func entry(nodes []place, v *vocabulary) (p plan, changed bool) {
	p = plan{merge: make([]bool, len(nodes)), under: slices.Repeat([]int32{unmoved}, len(nodes))}
	// Kinds of paths from the root to a node:
	//   - launching has only launchers;
	//   - wrapping has launchers, then run of the app, and perhaps more A-methods;
	//   - framework has F-methods without a starter;
	//   - started leads to the first starter, or to inner methods that merge into it;
	//   - other is any other path, which stays.
	const (
		other uint8 = iota
		launching
		wrapping
		framework
		started
	)
	path := make([]uint8, len(nodes))
	path[0] = launching
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		up := path[n.parent]
		role := v.roles[n.label]
		switch {
		case n.kind == App:
			if up == wrapping || up == launching && v.methods[n.label].Name == "run" {
				path[i] = wrapping
			}
		case n.kind != Framework:
		case role == platform.Inner && up == started:
			p.merge[i], changed = true, true
			path[i] = started
		case role == platform.Launcher && up == wrapping:
			p.merge[i], p.under[i], changed = true, 0, true
			path[i] = launching
		case up == other || up == started || up == wrapping:
		case role == platform.Starter:
			path[i] = started
			if n.parent != 0 {
				p.under[i], changed = 0, true
			}
		case (role == platform.Launcher || role == platform.Boot) && up == launching:
			p.merge[i], changed = true, true
			path[i] = launching
		default:
			path[i] = framework
		}
	}
	return p, changed
}

// override plans to merge a superclass's method into the method of a subclass that overrides it and
// calls it (DiffProf, Section 3.5, Figure 7). In a chain of super calls, all methods merge into the
// first: the label compared is the label of the node into which the caller merged.
func override(nodes []place, v *vocabulary) (p plan, changed bool) {
	p.merge = make([]bool, len(nodes))
	into := make([]int32, len(nodes)) // the node that each node merges into, or itself
	for i := 1; i < len(nodes); i++ {
		caller := into[nodes[i].parent]
		into[i] = int32(i)
		if _, ok := slices.BinarySearch(v.overridden[nodes[caller].label], nodes[i].label); ok {
			into[i] = caller
			p.merge[i], changed = true, true
		}
	}
	return p, changed
}

// app plans to merge chains of A-methods: all merge into the topmost, which is the callback. The
// callback's label loses the class (DiffProf, Section 3.5, Figure 6). Slices do not merge, because
// Android and libraries name most of them, so two apps have many slices in common.
func app(nodes []place, v *vocabulary) (p plan, changed bool) {
	p = plan{merge: make([]bool, len(nodes)), label: make([]LabelID, len(nodes))}
	for i := range nodes {
		n := &nodes[i]
		p.label[i] = n.label
		if n.kind != App {
			continue
		}
		if nodes[n.parent].kind == App && !v.methods[n.label].IsSlice() {
			p.merge[i], changed = true, true
		} else if label := v.callbacks[n.label]; label != n.label {
			p.label[i], changed = label, true
		}
	}
	return p, changed
}
