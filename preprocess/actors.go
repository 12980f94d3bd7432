package preprocess

// Actors maps each node of Source to its A-method. If a node became part of an app's node, its
// actor is the nearest A-method at or above it in that app's node, as in [Tree.Callers]. Other
// nodes map to themselves.
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
		default: // a hand-over that moved under a later call
			actors[o] = t.appCaller(from)
		}
	}
	return actors
}
