package preprocess

// Actors returns, for each node of Source, the app method that acts in it, as in [Tree.Callers].
// For a framework method that merged into an app's node, this is the nearest A-method above it in
// that node. All other nodes are their own actors.
func (t *Tree) Actors() []int32 {
	actors := make([]int32, len(t.Image))
	for i := range actors {
		o := int32(i)
		actors[o] = o
		if t.Nodes[t.Image[o]].Kind != App || t.kinds[t.Source.Nodes[o].Method] == App {
			continue
		}
		switch from := t.Caller(o); {
		case t.Image[from] != t.Image[o]:
		case from < o:
			actors[o] = actors[from]
		default: // The hand-over was moved, so its caller comes later.
			actors[o] = t.appCaller(from)
		}
	}
	return actors
}
