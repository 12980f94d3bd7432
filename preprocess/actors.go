package preprocess

// Actors returns for each node of Source the A-method that it belongs to: of what became
// part of an app's node, the A-method at or above it in that node, as [Tree.Callers]
// names it. Other nodes are their own.
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
		default: // a hand-over that was hung under a later call
			actors[o] = t.appCaller(from)
		}
	}
	return actors
}
