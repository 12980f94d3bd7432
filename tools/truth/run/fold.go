package run

// Fold returns the run with each thread folded to a calling-context tree. Equal paths are one call.
// A call to a method that is already on the path is part of that call.
func (r *Run) Fold() *Run {
	out := &Run{}
	for _, t := range r.Threads {
		top := &Call{}
		for _, c := range t.Calls {
			c.foldInto([]*Call{top})
		}
		out.Threads = append(out.Threads, &Thread{t.Name, top.Kids})
	}
	return out
}

// foldInto adds c and its subtree to the innermost of the open calls.
func (c *Call) foldInto(open []*Call) {
	at := -1
	for i, o := range open[1:] {
		if o.Method == c.Method {
			at = i + 1
		}
	}
	if at < 0 {
		open = append(open[:len(open):len(open)], open[len(open)-1].kid(c))
		at = len(open) - 1
	}
	open = open[:at+1]
	open[at].Cost += c.Cost
	open[at].Count += c.Count
	for _, kid := range c.Kids {
		kid.foldInto(open)
	}
}

// kid returns c's call of the same method as like. If there is none, it adds an empty call.
func (c *Call) kid(like *Call) *Call {
	for _, k := range c.Kids {
		if k.Method == like.Method {
			return k
		}
	}
	k := &Call{Method: like.Method, App: like.App, Context: like.Context, Task: like.Task}
	c.Kids = append(c.Kids, k)
	return k
}
