package eflask

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/diffprof/diffprof/preprocess"
)

// ErrTooLarge means that a matching would need more memory than Options.MaxPairs allows.
var ErrTooLarge = errors.New("the matching is too large")

// Options are the options of a matching. The zero Options suit most callers.
type Options struct {
	// Threads is the largest number of goroutines. 0 means one per processor. The result does not
	// depend on it.
	Threads int
	// Lemma makes Counterparts return only the pairs of the matching. Otherwise Counterparts starts
	// from the matching and finds more.
	Lemma bool
	// MaxPairs limits the candidate pairs in memory. Each pair takes 12 bytes. 0 means no limit.
	MaxPairs int64
	// Progress, if not nil, is called from time to time. done and total count each node of the
	// subject twice, because the matching visits it on the way down and on the way up. Calls of
	// Progress do not overlap.
	Progress func(done, total int64)
}

// matcher is the state of one call of Match.
type matcher struct {
	sub, ref *side
	gamma    *gamma
	alpha    int32
	options  Options
	// levels has the subject's nodes by depth.
	levels [][]int32
	// entries[v] are the candidates of v. Once the sizes are computed, only candidates of positive
	// size remain, in the order of their nodes.
	entries [][]entry
	// subAt and refAt list the nodes of each label class, ascending.
	subAt, refAt occurrences
	// visits limits the search for anchors. anchors is nil if there was no search, because α is 0.
	visits  int64
	anchors *anchors
	// zones is ref without the edges to anchors. kidSketch has the sketches of the reference's
	// nodes in the order of zones.kids, so that the sketches of siblings are adjacent.
	zones     *side
	kidSketch []sketch
	// fanOuts has an index of the children of each wide node of the reference.
	fanOuts map[int32]*fanOut
	pairs   atomic.Int64
	done    int64
	// stopped is set when the matching is canceled. Functions that see it return at once, with a
	// meaningless result. Otherwise two nodes with thousands of children would delay the
	// cancellation by seconds.
	stopped atomic.Bool
}

func newMatcher(subject, reference subtree, alpha int, o Options) *matcher {
	g := newGamma(subject.Labels)
	m := &matcher{gamma: g, options: o}
	var wg sync.WaitGroup
	wg.Go(func() {
		m.sub = newSide(subject.Tree, subject.root, g)
		m.subAt = m.sub.occurrences(g)
	})
	m.ref = newSide(reference.Tree, reference.root, g)
	m.refAt = m.ref.occurrences(g)
	m.setZones(m.ref)
	wg.Wait()
	if m.options.Threads <= 0 {
		m.options.Threads = runtime.GOMAXPROCS(0)
	}
	// The distance of two paths is at most the sum of their lengths.
	deepest := slices.Max(m.sub.depth) + slices.Max(m.ref.depth)
	m.alpha = int32(min(alpha, int(deepest), far-1))
	m.visits = labelVisits * int64(m.sub.len()+m.ref.len())
	m.levels = m.sub.levels()
	m.entries = make([][]entry, m.sub.len())
	return m
}

// setZones sets the zones and the fields that depend on them.
func (m *matcher) setZones(zones *side) {
	m.zones, m.fanOuts = zones, zones.fanOuts(m.gamma)
	m.kidSketch = make([]sketch, len(zones.kids))
	for i, k := range zones.kids {
		m.kidSketch[i] = zones.sketch[k]
	}
}

// occurrences lists the nodes of each class of labels.
type occurrences struct{ start, nodes []int32 }

func (s *side) occurrences(g *gamma) occurrences {
	o := occurrences{make([]int32, len(g.class)+1), make([]int32, s.len())}
	for _, c := range s.class {
		o.start[c+1]++
	}
	for i := range g.class {
		o.start[i+1] += o.start[i]
	}
	at := slices.Clone(o.start)
	for v, c := range s.class {
		o.nodes[at[c]] = int32(v)
		at[c]++
	}
	return o
}

// within reports whether a node of class c is in [from, to).
func (o *occurrences) within(c, from, to int32) bool {
	nodes := o.nodes[o.start[c]:o.start[c+1]]
	i, _ := slices.BinarySearch(nodes, from)
	return i < len(nodes) && nodes[i] < to
}

// hopeless reports whether T1(v) and T2(w) have no labels in common, so nothing in them matches.
func (m *matcher) hopeless(v, w int32) bool {
	if !m.sub.sketch[v].meets(&m.ref.sketch[w]) {
		return true
	}
	switch vLeaf, wLeaf := m.sub.leaf(v), m.ref.leaf(w); {
	case vLeaf && wLeaf:
		return m.gamma.distance(m.sub.label[v], m.ref.label[w]) != 0
	case vLeaf:
		return !m.refAt.within(m.sub.class[v], w, m.ref.end[w])
	case wLeaf:
		return !m.subAt.within(m.ref.class[w], v, m.sub.end[v])
	}
	return false
}

// pairsAtOnce is how many pairs a worker collects before it adds them to the shared sum.
const pairsAtOnce = 1 << 10

// worker is the memory of one goroutine.
type worker struct {
	m        *matcher
	searcher *searcher
	finder   *finder
	sizer    *sizer
	list     []entry
	arena    []entry
	pairs    int64 // pairs found but not yet added to matcher.pairs
}

// keep copies list into the worker's arena, because the next list overwrites list.
func (k *worker) keep(list []entry) []entry {
	if len(list) == 0 {
		return nil
	}
	if len(k.arena)+len(list) > cap(k.arena) {
		k.arena = make([]entry, 0, max(1<<14, len(list)))
	}
	at := len(k.arena)
	k.arena = append(k.arena, list...)
	return k.arena[at:len(k.arena):len(k.arena)]
}

// run computes the candidates, and then the sizes.
func (m *matcher) run(ctx context.Context) error {
	if m.alpha > 0 {
		if err := m.divide(ctx); err != nil {
			return err
		}
	}
	workers := make([]*worker, m.options.Threads)
	for i := range workers {
		workers[i] = &worker{m: m, finder: newFinder(m)}
	}
	m.entries[0] = m.atAnchor(0, 0)
	m.done = 1
	for _, level := range m.levels[1:] {
		if err := m.each(ctx, workers, level, (*worker).find); err != nil {
			return err
		}
	}
	// These lists are needed only to compute candidates. The sizes need their memory.
	m.anchors, m.zones, m.kidSketch, m.fanOuts = nil, nil, nil, nil
	m.subAt, m.refAt = occurrences{}, occurrences{}
	for _, s := range []*side{m.sub, m.ref} {
		s.sketch, s.hash, s.depth, s.kidLabel, s.class = nil, nil, nil, nil, nil
	}
	for i := range workers {
		workers[i] = &worker{m: m, sizer: newSizer(m)}
	}
	for i := len(m.levels) - 1; i >= 0; i-- {
		if err := m.each(ctx, workers, m.levels[i], (*worker).size); err != nil {
			return err
		}
	}
	return nil
}

// atAnchor returns the candidates of an anchor v with partner w: the nodes of w's zone that are at
// most α levels below w.
func (m *matcher) atAnchor(v, w int32) []entry {
	if v > 0 && m.sub.leaf(v) {
		return []entry{{w: w, size: 1, equal: m.ref.leaf(w)}}
	}
	list := []entry{{w: w}}
	for i := 0; i < len(list) && int32(list[i].distance) < m.alpha; i++ {
		for _, y := range m.zones.children(list[i].w) {
			if !m.hopeless(v, y) {
				list = append(list, entry{w: y, distance: list[i].distance + 1})
			}
		}
	}
	return m.dropEqual(v, list)
}

func (k *worker) find(v int32) error {
	m := k.m
	switch {
	case m.anchors != nil && m.anchors.sub[v]:
		k.list = append(k.list[:0], m.atAnchor(v, m.anchors.partner[v])...)
	case len(m.entries[m.sub.parent[v]]) == 0:
		return nil
	default:
		k.list = k.finder.find(k.list[:0], v)
	}
	m.entries[v] = k.keep(k.list)
	// Processors would wait for each other if each node were added to the shared sum.
	if k.pairs += int64(len(k.list)); k.pairs < pairsAtOnce {
		return nil
	}
	n := m.pairs.Add(k.pairs)
	k.pairs = 0
	if m.options.MaxPairs > 0 && n > m.options.MaxPairs {
		return fmt.Errorf("%w: α = %d has more than %d candidate pairs", ErrTooLarge, m.alpha, m.options.MaxPairs)
	}
	return nil
}

func (k *worker) size(v int32) error {
	k.m.entries[v] = k.sizer.size(v)
	return nil
}

// chunk is the number of nodes that a worker takes at a time. A level with fewer nodes has one
// goroutine.
const chunk = 64

// each calls do for every node of a level, and reports the progress. The calls must not depend on
// each other.
func (m *matcher) each(ctx context.Context, workers []*worker, level []int32, do func(*worker, int32) error) error {
	err := m.share(ctx, workers, level, chunk, do)
	m.done += int64(len(level))
	if m.options.Progress != nil {
		m.options.Progress(m.done, 2*int64(m.sub.len()))
	}
	return err
}

// share calls do for every node of a level. A worker takes chunk nodes at a time.
func (m *matcher) share(ctx context.Context, workers []*worker, level []int32, chunk int, do func(*worker, int32) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n := min(len(workers), (len(level)+chunk-1)/chunk)
	var next atomic.Int64
	loop := func(k *worker) error {
		for {
			at := int(next.Add(int64(chunk))) - chunk
			if at >= len(level) || ctx.Err() != nil {
				return ctx.Err()
			}
			for _, v := range level[at:min(at+chunk, len(level))] {
				if m.stopped.Load() {
					break
				}
				if err := do(k, v); err != nil {
					return err
				}
			}
		}
	}
	errs := make([]error, n)
	if n == 1 {
		errs[0] = loop(workers[0])
	} else {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { errs[i] = loop(workers[i]) })
		}
		wg.Wait()
	}
	for _, err := range errs {
		if err != nil {
			return err // further errors have the same cause
		}
	}
	return nil
}

// A sizer computes μα from the bottom up (Lemma 3.1). Each goroutine has its own.
type sizer struct {
	m        *matcher
	assigner *assigner
	seats    []seat // by the reference's node
	epoch    uint32
	// edges has the edges of all candidates together. Edge j belongs to candidate slots[j]. sorted
	// has the same edges sorted by candidate, and start[i] is the first edge of candidate i.
	edges  []edge
	slots  []int32
	start  []int32
	sorted []edge
}

// A seat is the position of a node in the list of candidates. It is valid in the sizer's current
// epoch. The node's parent and label are here to be in the same cache line.
type seat struct {
	epoch  uint32
	slot   int32
	parent int32
	label  preprocess.LabelID
}

func newSizer(m *matcher) *sizer {
	n := m.ref.len()
	s := &sizer{m: m, assigner: newAssigner(n, &m.stopped), seats: make([]seat, n)}
	for w := range s.seats {
		s.seats[w].parent, s.seats[w].label = max(m.ref.parent[w], 0), m.ref.label[w]
	}
	return s
}

// size sets the sizes of v's candidates, and returns the candidates of positive size in the order
// of their nodes. The sizes of v's children must be known.
func (s *sizer) size(v int32) []entry {
	m, list := s.m, s.m.entries[v]
	if len(list) == 0 || v > 0 && m.sub.leaf(v) {
		return list // findLeaf has already set the sizes of a leaf's candidates
	}
	if s.epoch++; s.epoch == 0 {
		for w := range s.seats {
			s.seats[w].epoch = 0
		}
		s.epoch = 1
	}
	for i := range list {
		at := &s.seats[list[i].w]
		at.epoch, at.slot = s.epoch, int32(i)
	}
	s.gather(v, list)
	if m.stopped.Load() {
		return nil
	}

	label := m.sub.label[v]
	// Deeper candidates come later. The loop goes backwards because a candidate is at least as
	// large as each of its children.
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		at := &s.seats[e.w]
		own := 1 - m.gamma.distance(label, at.label)
		if e.equal {
			e.size = m.sub.size(v)
		} else if edges := s.sorted[s.start[i]:s.start[i+1]]; len(edges) > 0 {
			if m.stopped.Load() {
				return nil
			}
			if bound := own + rowBound(edges); bound > e.size {
				e.size = max(e.size, own+s.assigner.best(edges))
			}
		} else {
			e.size = max(e.size, own)
		}
		if e.w > 0 {
			if above := &s.seats[at.parent]; above.epoch == s.epoch {
				up := &list[above.slot]
				up.size = max(up.size, e.size)
			}
		}
	}
	list = slices.DeleteFunc(list, func(e entry) bool { return e.size == 0 })
	slices.SortFunc(list, func(a, b entry) int { return int(a.w) - int(b.w) })
	return list
}

// gather collects the edges between the children of v and of w, for each candidate w of v. It also
// raises the size of (v, w) to the size of (v', w) for each child v' of v. It goes through the
// candidates of the children, because most pairs of children are not candidates.
func (s *sizer) gather(v int32, list []entry) {
	m := s.m
	s.edges, s.slots = s.edges[:0], s.slots[:0]
	s.start = fill(s.start, len(list)+1, 0)
	for _, child := range m.sub.children(v) {
		if m.stopped.Load() {
			return
		}
		for _, e := range m.entries[child] {
			at := &s.seats[e.w]
			if at.epoch == s.epoch {
				here := &list[at.slot]
				here.size = max(here.size, e.size)
			}
			if e.w == 0 {
				continue
			}
			if above := &s.seats[at.parent]; above.epoch == s.epoch {
				i := above.slot
				s.edges = append(s.edges, edge{row: child, col: e.w, size: e.size})
				s.slots = append(s.slots, i)
				s.start[i+1]++
			}
		}
	}
	for i := range list {
		s.start[i+1] += s.start[i]
	}
	s.sorted = slices.Grow(s.sorted[:0], len(s.edges))[:len(s.edges)]
	// The loop advances start[i] from the first edge of candidate i to its end. So shift the starts
	// by one afterwards.
	for j, i := range s.slots {
		s.sorted[s.start[i]] = s.edges[j]
		s.start[i]++
	}
	copy(s.start[1:], s.start)
	s.start[0] = 0
}

// rowBound adds up the best size of each row. No assignment is larger.
func rowBound(edges []edge) int32 {
	var sum, best int32
	for i, e := range edges {
		if i > 0 && e.row != edges[i-1].row {
			sum, best = sum+best, 0
		}
		best = max(best, e.size)
	}
	return sum + best
}
