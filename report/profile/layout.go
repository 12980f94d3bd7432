package profile

// A layout places contexts on an axis. The length of a context is its value, including its
// descendants, so callees are inside their callers. The exclusive part of a context comes before its
// callees.
type layout struct {
	// begin and all are indexed by node. Contexts without a value are not on the axis.
	begin, all []int64
	total      int64
}

// lay places the contexts by the values of a column.
func (p *Profile) lay(c *Column) *layout {
	l := &layout{begin: make([]int64, len(p.Nodes)), all: p.all(c)}
	next := make([]int64, len(p.Nodes)) // the start of the next callee
	for i := 1; i < len(p.Nodes); i++ {
		parent := p.Nodes[i].Parent
		l.begin[i] = next[parent]
		next[parent] += l.all[i]
		next[i] = l.begin[i] + c.Self[i]
	}
	l.total = l.all[0]
	return l
}

// walk calls the function each at the start and at the end of each context, in the order of the
// axis.
func (p *Profile) walk(l *layout, each func(node int32, at int64, opens bool)) {
	var open []int32
	closeUntil := func(next int32) {
		for n := len(open); n > 0 && p.Nodes[open[n-1]].End <= next; n = len(open) {
			node := open[n-1]
			open = open[:n-1]
			each(node, l.begin[node]+l.all[node], false)
		}
	}
	for i := int32(1); int(i) < len(p.Nodes); i++ {
		if l.all[i] == 0 {
			i = p.Nodes[i].End - 1
			continue
		}
		closeUntil(i)
		open = append(open, i)
		each(i, l.begin[i], true)
	}
	closeUntil(int32(len(p.Nodes)))
}
