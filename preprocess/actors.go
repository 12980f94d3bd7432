package preprocess

// Actors returns the actor of each node of Source. A node that became part of an app's node has as
// its actor the nearest A-method at or above it in that app's node, as in [Tree.Callers]. Other
// nodes are their own actors.
func (t *Tree) Actors() []int32 {
	actors := make([]int32, len(t.Into))
	for i := range actors {
		o := int32(i)
		actors[o] = o
		if t.Nodes[t.Into[o]].Kind != App || t.kinds[t.Source.Nodes[o].Method] == App {
			continue
		}
		switch from := t.Caller(o); {
		case t.Into[from] != t.Into[o]:
		case from < o:
			actors[o] = actors[from]
		default: // from comes later: the node is a hand-over that was moved.
			actors[o] = t.appCaller(from)
		}
	}
	return actors
}
