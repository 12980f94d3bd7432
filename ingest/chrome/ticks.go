package chrome

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/ingest/document"
)

// V8 states the lines of samples in two ways. A part of a timeline has a list "lines" with the line
// of each sample. A profile instead has counts for each node: the number of its samples, and the
// number of samples at each line (positionTicks). Which sample was at which line is then unknown.
// This package assigns the samples of a node to its lines in turn, in proportion to the counts.
//
// The line in a callFrame is the first line of its function, not the line of a sample. The lines at
// which callers call are unknown.
//
// If V8 inlined a call, the node is the caller, but the line may be a line of the callee. A line
// therefore counts as unknown in two cases: it is before the first line of the node's function, or
// another function of the script begins between that first line and the line.

const (
	// maxLine is the largest valid line number.
	maxLine = 1 << 30
	// maxTicks limits the count of a line, so that its product with a number of samples does not
	// overflow.
	maxTicks = 1 << 30
)

// origins has the first lines of functions in scripts.
type origins struct {
	nodes   index[origin]
	scripts map[string]int32
	// begins has the sorted first lines of the functions of each script.
	begins [][]int32
}

// An origin is the script and the first line of a function.
type origin struct{ script, first int32 }

// add adds the function of a node. It does nothing if the script or the first line is unknown.
func (o *origins) add(n *node) {
	if n.path == "" || n.line < 0 || n.line >= maxLine {
		return
	}
	if o.scripts == nil {
		o.scripts = make(map[string]int32)
	}
	script, ok := o.scripts[n.path]
	if !ok {
		script = int32(len(o.begins))
		o.scripts[n.path] = script
		o.begins = append(o.begins, nil)
	}
	at := origin{script, int32(n.line) + 1} // Lines in the file count from 0.
	o.nodes.put(n.id, at)
	o.begins[script] = append(o.begins[script], at.first)
}

// sort sorts the first lines.
func (o *origins) sort() {
	for i, list := range o.begins {
		slices.Sort(list)
		o.begins[i] = slices.Compact(list)
	}
}

// line returns the given line if it certainly belongs to the node's function, and 0 otherwise.
func (o *origins) line(id int64, line int32) int32 {
	at, ok := o.nodes.get(id)
	if !ok || line < at.first {
		return 0
	}
	begins := o.begins[at.script]
	if i, _ := slices.BinarySearch(begins, at.first+1); i < len(begins) && begins[i] <= line {
		return 0
	}
	return line
}

// ticks says how many samples of a node are at which line. hits is the total number of the node's
// samples. In a damaged file, the counts may add up to more than hits.
type ticks struct {
	hits   int64
	lines  []int32
	counts []int64
}

// read reads the counts of a node.
func (t *ticks) read(in *document.Reader) error {
	if !in.Is('[') {
		return in.Skip()
	}
	return in.Elements(func() error {
		var line, n int64
		if err := in.Members(func(name []byte) (err error) {
			switch string(name) {
			case "line":
				line, err = in.Int()
			case "ticks":
				n, err = in.Int()
			default:
				err = in.Skip()
			}
			return err
		}); err != nil {
			return err
		}
		if line > 0 && line <= maxLine && n > 0 && len(t.lines) < maxNodes {
			t.lines, t.counts = append(t.lines, int32(line)), append(t.counts, min(n, maxTicks))
		}
		return nil
	})
}

// readLines reads the lines of the samples in a part of a profile.
func (p *profile) readLines(in *document.Reader) error {
	if !in.Is('[') {
		return in.Skip()
	}
	p.lines = p.lines[:min(len(p.lines), p.chunk)]
	for len(p.lines) < p.chunk {
		p.lines = append(p.lines, 0)
	}
	return in.Elements(func() error {
		line, err := in.Int()
		if len(p.lines) >= maxSamples {
			return errSamples
		}
		if line < 0 || line > maxLine {
			line = 0
		}
		p.lines = append(p.lines, int32(line))
		return err
	})
}

// spread assigns samples to lines in proportion to the nodes' ticks. It also counts how far the
// ticks and the list of samples differ.
func (p *profile) spread(list []stretch) {
	if p.ticks.len == 0 {
		return
	}
	type node struct {
		samples, time int64
		queue         turns
	}
	nodes := make(map[int64]*node)
	for i := range list {
		s := &list[i]
		if _, ok := p.ticks.get(s.id); !ok {
			continue
		}
		n := nodes[s.id]
		if n == nil {
			n = new(node)
			nodes[s.id] = n
		}
		n.samples++
		n.time += s.length
	}
	for id, n := range nodes {
		t, _ := p.ticks.get(id)
		p.ticked += n.samples
		p.disputed += max(t.hits-n.samples, n.samples-t.hits)
	}
	for i := range list {
		s := &list[i]
		n := nodes[s.id]
		if n == nil {
			continue
		}
		shift := max(bits.Len64(uint64(n.time))-31, 0)
		if n.queue == nil {
			t, _ := p.ticks.get(s.id)
			n.queue = t.turns(n.samples, n.time>>shift)
			for i := range n.queue {
				n.queue[i].line = p.origins.line(s.id, n.queue[i].line)
			}
		}
		s.line = n.queue.next(s.length >> shift)
	}
}

// A turn is one line of a node, to which spread assigns samples. quota is their number, left is the
// number still to come, and given is the total time of those assigned so far.
type turn struct {
	line           int32
	quota, left    int64
	given, ordinal int64
}

// turns is a heap of lines. At the top is the line that is furthest behind: its time is smallest in
// proportion to its quota.
type turns []turn

// turns sets how many of n samples each line gets. time is the total time of the samples. Line 0 is
// for samples whose line is unknown.
func (t *ticks) turns(n, time int64) turns {
	all, sum := make(turns, 0, len(t.lines)+1), int64(0)
	for i, line := range t.lines {
		all = append(all, turn{line: line, quota: t.counts[i]})
		sum += t.counts[i]
	}
	if t.hits > sum {
		all = append(all, turn{quota: min(t.hits-sum, maxTicks)})
		sum += all[len(all)-1].quota
	}
	// Each line gets its proportional number of samples, rounded down. The lines with the largest
	// remainders get one more.
	type remainder struct {
		rest int64
		at   int
	}
	rests, left := make([]remainder, len(all)), n
	for i := range all {
		high, low := bits.Mul64(uint64(all[i].quota), uint64(n))
		share, rest := bits.Div64(high, low, uint64(sum))
		all[i].quota, rests[i] = int64(share), remainder{int64(rest), i}
		left -= int64(share)
	}
	slices.SortStableFunc(rests, func(a, b remainder) int { return cmp.Compare(b.rest, a.rest) })
	for _, r := range rests[:left] {
		all[r.at].quota++
	}
	all = slices.DeleteFunc(all, func(t turn) bool { return t.quota == 0 })
	for i := range all {
		// Each line starts with the time of half a sample. Otherwise a line with few samples would
		// always come first.
		all[i].left, all[i].given, all[i].ordinal = all[i].quota, time/n/2, int64(i)
	}
	heap.Init(&all)
	return all
}

// next picks the line for the node's next sample. length is the sample's duration.
func (t *turns) next(length int64) int32 {
	first := &(*t)[0]
	line := first.line
	first.given += length
	if first.left--; first.left == 0 {
		heap.Pop(t)
	} else {
		heap.Fix(t, 0)
	}
	return line
}

func (t turns) Len() int { return len(t) }
func (t turns) Less(i, j int) bool {
	a, b := &t[i], &t[j]
	// given is below 2^32 and quota is at most maxSamples, so products do not overflow.
	x, y := a.given*b.quota, b.given*a.quota
	return x < y || x == y && a.ordinal < b.ordinal
}
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)   { *t = append(*t, x.(turn)) }
func (t *turns) Pop() any {
	old := *t
	last := old[len(old)-1]
	*t = old[:len(old)-1]
	return last
}
