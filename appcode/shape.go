package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
)

// A fragment is the call tree within one callback: its A-methods (of the app), and the F-methods
// (of the framework) that they call. The calls are in preorder.
type fragment []call

// A call is an A-method in one context within a callback.
type call struct {
	side   *side
	parent int32 // index in the fragment, -1 for methods that the framework calls
	kids   []int32
	// tasks has the labels of the F-methods that the A-method calls here, in ascending order.
	tasks []preprocess.LabelID
	// samples is the number of samples of the call, and shown[i] of its F-method tasks[i]. They are
	// 0 if the run is not sampled.
	samples int64
	shown   []int64
	// calls is the number of calls, if the run counts calls.
	calls int64
	// shape is a hash of the method's descriptor without class names, and of everything that it
	// calls.
	shape uint64
	// sketch estimates the similarity of two calls, as a MinHash. It has the smallest hashes of the
	// call and its callees, in ascending order. Similar calls have many hashes in common.
	sketch []uint64
}

// sketchSize is the largest number of hashes in a sketch.
const sketchSize = 32

// A shaper makes fragments of a run's callbacks.
type shaper struct {
	run *run
	// sides[m] is the side of method m of the source tree.
	sides  []*side
	actors []int32
	// known has the labels of methods that are known to be in both runs.
	known map[string]bool
	// hashes caches the results of hash.
	hashes map[*side]uint64
	// sketch is reused for the hashes of each call.
	sketch []uint64
	// at[v] is the index in the current fragment of the call at node v of the source tree, or -1.
	at []int32
}

func newShaper(r *run, known map[string]bool) *shaper {
	s := &shaper{run: r, sides: make([]*side, len(r.tree.Source.Methods)), actors: r.tree.Actors(), known: known, hashes: make(map[*side]uint64)}
	for _, side := range r.sides {
		for _, p := range side.Parts {
			s.sides[p.Method] = side
		}
	}
	s.at = slices.Repeat([]int32{-1}, len(r.tree.Image))
	return s
}

// fragment returns the fragment of a callback's node, without shapes.
func (s *shaper) fragment(v int32) fragment {
	t := s.run.tree
	var f fragment
	type step struct {
		parent int32
		side   *side
	}
	index := make(map[step]int32)
	for _, o := range t.Originals(v) {
		if s.actors[o] != o || s.sides[t.Source.Nodes[o].Method] == nil {
			continue
		}
		parent := int32(-1)
		if from := t.Caller(o); from >= 0 && t.Image[from] == v {
			parent = s.at[s.actors[from]]
		}
		key := step{parent, s.sides[t.Source.Nodes[o].Method]}
		i, ok := index[key]
		if !ok {
			i = int32(len(f))
			index[key] = i
			f = append(f, call{side: key.side, parent: parent})
			if parent >= 0 {
				f[parent].kids = append(f[parent].kids, i)
			}
		}
		f[i].calls += t.Source.Calls.Self(o) + t.Source.Recursive.Self(o)
		f[i].samples += samplesOf(t, o)
		s.at[o] = i
	}
	type place struct {
		call int32
		task preprocess.LabelID
	}
	shown := make(map[place]int64)
	for child := v + 1; child < t.Nodes[v].End; child = t.Nodes[child].End {
		if t.Nodes[child].Kind == preprocess.App {
			continue
		}
		for _, o := range t.Originals(child) {
			from := t.Caller(o)
			if from < 0 || t.Image[from] != v {
				continue
			}
			if i := s.at[s.actors[from]]; i >= 0 {
				f[i].tasks = append(f[i].tasks, t.Nodes[child].Label)
				shown[place{i, t.Nodes[child].Label}] += samplesOf(t, o)
			}
		}
	}
	for i := range f {
		slices.Sort(f[i].tasks)
		f[i].tasks = slices.Compact(f[i].tasks)
		for _, label := range f[i].tasks {
			f[i].shown = append(f[i].shown, shown[place{int32(i), label}])
		}
	}
	return f
}

// described returns the fragment of a callback's node, with shapes.
func (s *shaper) described(v int32) fragment {
	f := s.fragment(v)
	for i := len(f) - 1; i >= 0; i-- { // callees before callers
		s.describe(f, &f[i])
	}
	return f
}

// describe sets the shape and the sketch of a call. Its callees must already have theirs.
func (s *shaper) describe(f fragment, c *call) {
	own := s.hash(c.side)
	sketch := append(s.sketch[:0], own)
	for _, l := range c.tasks {
		sketch = append(sketch, mix(1, uint64(l)))
	}
	shapes := make([]uint64, 0, len(c.kids)+len(c.tasks))
	for _, l := range c.tasks {
		shapes = append(shapes, mix(1, uint64(l)))
	}
	for _, k := range c.kids {
		sketch = append(sketch, f[k].sketch...)
		shapes = append(shapes, mix(2, f[k].shape))
	}
	slices.Sort(shapes)
	c.shape = own
	for _, h := range shapes {
		c.shape = mix(c.shape, h)
	}
	slices.Sort(sketch)
	s.sketch = sketch
	sketch = slices.Compact(sketch)
	c.sketch = slices.Clone(sketch[:min(len(sketch), sketchSize)])
}

// hash returns a hash of a side's method. It hashes the label if both runs have the method, and
// otherwise the descriptor without class names.
func (s *shaper) hash(m *side) uint64 {
	h, ok := s.hashes[m]
	if !ok {
		h = hashText(m.label)
		if !s.known[m.label] {
			h = hashText(erased(m.compared.Signature))
			if n := m.compared.Name; n == "<init>" || n == "<clinit>" {
				h = mix(h, hashText(n))
			}
		}
		s.hashes[m] = h
	}
	return h
}

// roots returns the calls that the framework makes, which have no parent in the fragment.
func (f fragment) roots() []int32 {
	var roots []int32
	for i := range f {
		if f[i].parent < 0 {
			roots = append(roots, int32(i))
		}
	}
	return roots
}

// common estimates how similar two calls are from their sketches. It returns thousandths.
func common(a, b []uint64) int {
	union, both := 0, 0
	for len(a)+len(b) > 0 && union < sketchSize {
		union++
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	return 1000 * both / max(union, 1)
}

// The likeness of two calls is the result of common, plus these bonuses for equal shapes and equal
// names. Two calls may become a pair if their likeness is at least the constant enough.
const (
	shapeBonus  = 200
	nameBonus   = 600
	classBonus  = 300
	minLikeness = 300
)

// likeness returns the similarity of two calls.
func likeness(a, b *call) int {
	alike := common(a.sketch, b.sketch)
	if a.shape == b.shape {
		alike += shapeBonus
	}
	s, r := a.side.compared, b.side.compared
	if len(s.Name) > 2 && s.Name == r.Name {
		alike += nameBonus
	}
	if len(s.Type) > 2 && s.Type == r.Type {
		alike += classBonus
	}
	return alike
}

// maxPairs limits the work of pairing callees. If there are more pairs to compare, only callees
// of equal shape are paired.
const maxPairs = 1 << 14

// pairCalls pairs calls of two fragments one to one.
func (s *shaper) pairCalls(f, g fragment, here, there []int32) [][2]int32 {
	if len(here) == 0 || len(there) == 0 {
		return nil
	}
	var pairs [][2]int32
	// A method that is known to be in both runs is paired only with itself.
	labels := make(map[string]int32)
	var left, right []int32
	for _, b := range there {
		if label := g[b].side.label; s.known[label] {
			labels[label] = b
		} else {
			right = append(right, b)
		}
	}
	for _, a := range here {
		label := f[a].side.label
		if b, ok := labels[label]; ok {
			pairs = append(pairs, [2]int32{a, b})
		} else if !s.known[label] {
			left = append(left, a)
		}
	}
	left, right = f.ranked(left), g.ranked(right)
	type candidate struct {
		likeness      int
		calls, energy float64
		a, b          int
	}
	var candidates []candidate
	full := len(left)*len(right) <= maxPairs
	byShape := make(map[uint64][]int)
	if !full {
		for b := range right {
			byShape[g[right[b]].shape] = append(byShape[g[right[b]].shape], b)
		}
	}
	for a := range left {
		x := &f[left[a]]
		if !full {
			if same := byShape[x.shape]; len(same) > 0 {
				candidates = append(candidates, candidate{a: a, b: same[0]})
				byShape[x.shape] = same[1:]
			}
			continue
		}
		for b := range right {
			y := &g[right[b]]
			if like := likeness(x, y); like >= minLikeness {
				calls, energy := sizeRatio(x.calls, y.calls), sizeRatio(int64(x.side.Energy), int64(y.side.Energy))
				candidates = append(candidates, candidate{like, calls, energy, a, b})
			}
		}
	}
	slices.SortFunc(candidates, func(x, y candidate) int {
		// If two pairs are equally alike, the one that changed less comes first, because a new
		// build seldom changes all calls.
		return cmp.Or(cmp.Compare(y.likeness, x.likeness), cmp.Compare(x.calls, y.calls), cmp.Compare(x.energy, y.energy), cmp.Compare(abs(x.a-x.b), abs(y.a-y.b)), cmp.Compare(x.a+x.b, y.a+y.b), cmp.Compare(x.a, y.a))
	})
	doneA, doneB := make([]bool, len(left)), make([]bool, len(right))
	for _, c := range candidates {
		if !doneA[c.a] && !doneB[c.b] {
			doneA[c.a], doneB[c.b] = true, true
			pairs = append(pairs, [2]int32{left[c.a], right[c.b]})
		}
	}
	return pairs
}

// sizeRatio returns how many times larger the larger of two amounts is. It adds 1 to both, so
// neither is 0.
func sizeRatio(x, y int64) float64 { return float64(max(x, y)+1) / float64(min(x, y)+1) }

// ranked sorts calls by number of calls, then by energy. Names decide only ties, because a shrinker
// may change them.
func (f fragment) ranked(calls []int32) []int32 {
	slices.SortStableFunc(calls, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f[b].calls, f[a].calls), cmp.Compare(f[b].side.Energy, f[a].side.Energy),
			cmp.Compare(f[a].side.label, f[b].side.label))
	})
	return calls
}

// aligned pairs the callbacks that have the same path in both trees, in preorder.
func aligned(t, u *preprocess.Tree) [][2]int32 {
	var pairs [][2]int32
	work := [][2]int32{{0, 0}}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if t.Nodes[p[0]].Kind == preprocess.App && u.Nodes[p[1]].Kind == preprocess.App {
			pairs = append(pairs, p)
		}
		a, b := p[0]+1, p[1]+1
		for a < t.Nodes[p[0]].End && b < u.Nodes[p[1]].End {
			switch x, y := t.Nodes[a].Label, u.Nodes[b].Label; {
			case x < y:
				a = t.Nodes[a].End
			case y < x:
				b = u.Nodes[b].End
			default:
				work = append(work, [2]int32{a, b})
				a, b = t.Nodes[a].End, u.Nodes[b].End
			}
		}
	}
	return pairs
}

// inBothCalls returns the number of F-methods that both calls make. For each, it calls visit with
// the F-method's index in a.tasks and in b.tasks.
func inBothCalls(a, b *call, visit func(i, j int)) int {
	n := 0
	for i, j := 0, 0; i < len(a.tasks) && j < len(b.tasks); {
		switch x, y := a.tasks[i], b.tasks[j]; {
		case x < y:
			i++
		case y < x:
			j++
		default:
			visit(i, j)
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}

// erased returns a JVM descriptor without class names.
func erased(descriptor string) string {
	params, result, ok := name.ParseDescriptor(descriptor)
	if !ok {
		return ""
	}
	shape := make([]byte, 0, len(params)+2)
	for _, p := range append(params, result) {
		shape = append(shape, kindOf(p))
	}
	return string(shape)
}

// kindOf returns a letter for the kind of a type. Each primitive type has its own letter.
func kindOf(typ string) byte {
	switch typ {
	case "boolean":
		return 'Z'
	case "byte":
		return 'B'
	case "char":
		return 'C'
	case "short":
		return 'S'
	case "int":
		return 'I'
	case "long":
		return 'J'
	case "float":
		return 'F'
	case "double":
		return 'D'
	case "void":
		return 'V'
	}
	return 'L'
}

// hashText returns the FNV-1a hash of a text, mixed to distribute its bits.
func hashText(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h, 0)
}

func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func abs(x int) int { return max(x, -x) }
