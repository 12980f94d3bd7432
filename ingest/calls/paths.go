package calls

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/trace"
)

// The codes for how a path ended. If an exception stopped the path in block n of the method, the
// code is codeStopped + n.
const (
	codeWhole = iota
	codeClosed
	codeOther
	codeStopped
)

// hintBuild is the hint for a process that does not match its map.
const hintBuild = "record again with the app and the map from the same build"

// maxWalk limits the work for the paths of a recording, in basic blocks.
const maxWalk = 1 << 27

// paths has the paths through methods that a thread took. Such a path is a sequence of basic blocks
// from the start of a method to its end.
type paths struct {
	all     []pathCount
	times   []interval // times of single paths
	dropped int64
	busy    []interval
	joined  int64
	// invocations has the times of single calls, with their call sites.
	invocations []interval
}

// pathCount says how often a thread took one path through a method.
type pathCount struct {
	method, code int32
	// number is the number of the path. If the path was stopped, it is the value of the app's path
	// counter in the last block.
	number int32
	count  int64
	wall   int64
}

// An interval is a time span of a thread: the time of a path, of a call, or of all methods with probes.
// begin is relative to the start of the process.
type interval struct {
	path          int32 // the call site for a call
	begin, length int64
}

// hasPaths reports whether any thread of the process has paths through methods.
func (p *process) hasPaths() bool {
	return slices.ContainsFunc(p.threads, func(th thread) bool { return th.paths != nil })
}

// paths reads the paths through methods of a thread.
func (r *reader) paths() *paths {
	if r.version < 4 || r.number() == 0 {
		return nil
	}
	p := new(paths)
	n := r.count(5)
	p.all = make([]pathCount, 0, n)
	for range n {
		t := pathCount{method: r.id(), code: r.id()}
		number := r.number()
		if number > math.MaxUint32 {
			r.fail(fmt.Errorf("number %d of a path has more than 32 bits", number))
			return p
		}
		t.number, t.count, t.wall = int32(uint32(number)), r.calls(), r.time()
		p.all = append(p.all, t)
	}
	n = r.count(3)
	p.times = make([]interval, 0, n)
	for range n {
		at := interval{path: r.id(), begin: r.time(), length: r.time()}
		if int(at.path) >= len(p.all) && r.err == nil {
			r.fail(fmt.Errorf("a time belongs to path %d, but the thread has only %d", at.path, len(p.all)))
			return p
		}
		p.times = append(p.times, at)
	}
	p.dropped = r.number()
	n = r.count(2)
	p.busy = make([]interval, 0, n)
	for range n {
		p.busy = append(p.busy, interval{begin: r.time(), length: r.time()})
	}
	p.joined = r.time()
	if r.version < 5 {
		return p
	}
	n = r.count(3)
	p.invocations = make([]interval, 0, n)
	for range n {
		p.invocations = append(p.invocations, interval{path: r.id(), begin: r.time(), length: r.time()})
	}
	return p
}

// time reads a time. An implausibly long time is an error.
func (r *reader) time() int64 {
	n := r.number()
	if n > 1<<60 {
		r.fail(errors.New("a time of a path is larger than a clock's"))
		return 0
	}
	return n
}

// A graph is the control-flow graph of a method, with the source lines of its blocks. numbers is
// nil until a path needs it.
type graph struct {
	Next   [][]int32 `json:"next"`
	Starts []int32   `json:"starts"`
	Lines  [][]int32 `json:"lines"`
	// Opcodes has the opcodes of the instructions on each line of each block, in hexadecimal. Older
	// maps lack it.
	Opcodes [][]string `json:"opcodes"`
	opcodes [][][]byte
	numbers *path.Numbering
}

// check returns an error if the lines of a graph do not fit its blocks.
func (g *graph) check() error {
	if len(g.Lines) != len(g.Next) {
		return fmt.Errorf("its paths have %d blocks, but lines for %d", len(g.Next), len(g.Lines))
	}
	for _, lines := range g.Lines {
		for _, line := range lines {
			if line <= 0 {
				return fmt.Errorf("its paths have an invalid line %d", line)
			}
		}
	}
	if g.Opcodes == nil {
		return nil
	}
	if len(g.Opcodes) != len(g.Next) {
		return fmt.Errorf("its paths have %d blocks, but opcodes for %d", len(g.Next), len(g.Opcodes))
	}
	g.opcodes = make([][][]byte, len(g.Opcodes))
	for b, opcodes := range g.Opcodes {
		if len(opcodes) != len(g.Lines[b]) {
			return fmt.Errorf("its paths have %d lines in a block, but opcodes for %d", len(g.Lines[b]), len(opcodes))
		}
		g.opcodes[b] = make([][]byte, len(opcodes))
		for i, text := range opcodes {
			code, err := hex.DecodeString(text)
			if err != nil {
				return fmt.Errorf("the opcodes of its paths: %w", err)
			}
			g.opcodes[b][i] = code
		}
	}
	g.Opcodes = nil
	return nil
}

// A pathDecoder sends the paths through methods of a recording.
type pathDecoder struct {
	sink  trace.PathSink
	batch []trace.Path
	times []trace.PathTime
	calls []trace.Invocation
	// sent counts the paths, and walked counts the blocks of all paths.
	sent, walked int
	blocks       []int32
	// busy has the times at which a thread was in a method, on the trace's timeline.
	busy []interval
	cost trace.PathCost
}

// batchPaths is the number of elements in a batch.
const batchPaths = 1 << 10

// sendPaths sends the paths of th, which is the latest thread of the trace.
func (d *decoder) sendPaths(m *index, p *process, th *thread) error {
	w := d.paths
	if w == nil || th.paths == nil {
		return nil
	}
	start := int64(0)
	if p.boot {
		start = p.start - d.origin
	}
	first := w.sent
	for i := range th.paths.all {
		t := &th.paths.all[i]
		out := trace.Path{Thread: trace.ThreadID(len(d.trace.Threads) - 1), Method: d.method(m, t.method), Count: t.count, Wall: t.wall}
		if err := w.walk(m, t, &out); err != nil {
			name := m.methods[t.method].Label()
			return fail(p.file, p.offset, hintBuild, "a path of %s: %w", name, err)
		}
		if w.batch = append(w.batch, out); len(w.batch) == batchPaths {
			if err := w.flush(); err != nil {
				return err
			}
		}
		w.sent++
	}
	if err := w.flush(); err != nil {
		return err
	}
	for _, at := range th.paths.times {
		w.times = append(w.times, trace.PathTime{Path: first + int(at.path), Enter: start + at.begin, Exit: start + at.begin + at.length})
		if len(w.times) == batchPaths {
			if err := w.flushTimes(); err != nil {
				return err
			}
		}
	}
	for _, at := range th.paths.busy {
		w.busy = append(w.busy, interval{begin: start + at.begin, length: at.length})
	}
	w.cost.Dropped = min(w.cost.Dropped+th.paths.dropped, math.MaxInt64/2)
	w.cost.Joined = min(w.cost.Joined+th.paths.joined, math.MaxInt64/2)
	if err := w.flushTimes(); err != nil {
		return err
	}
	return d.sendInvocations(m, p, th, start)
}

// sendInvocations sends the calls of a thread that the app timed one by one.
func (d *decoder) sendInvocations(m *index, p *process, th *thread, start int64) error {
	w := d.paths
	for _, at := range th.paths.invocations {
		s, known := m.sites[at.path]
		if !known {
			return fail(p.file, p.offset, hintBuild, "the time of a call at site %d, which the map does not have", at.path)
		}
		w.calls = append(w.calls, trace.Invocation{
			Thread: trace.ThreadID(len(d.trace.Threads) - 1), Method: d.callee(m, at.path, s.callee), Caller: d.method(m, s.method), Line: s.line,
			Waits: s.waits, Enter: start + at.begin, Exit: start + at.begin + at.length,
		})
		if len(w.calls) == batchPaths {
			if err := w.flushCalls(); err != nil {
				return err
			}
		}
	}
	return w.flushCalls()
}

func (w *pathDecoder) flushCalls() error {
	if len(w.calls) == 0 {
		return nil
	}
	err := w.sink.Invocations(w.calls)
	w.calls = w.calls[:0]
	return err
}

func (w *pathDecoder) flush() error {
	if len(w.batch) == 0 {
		return nil
	}
	err := w.sink.Paths(w.batch)
	w.batch = w.batch[:0]
	return err
}

func (w *pathDecoder) flushTimes() error {
	if len(w.times) == 0 {
		return nil
	}
	err := w.sink.PathTimes(w.times)
	w.times = w.times[:0]
	return err
}

// walk converts a path to lines. It sets out.End and the lines.
func (w *pathDecoder) walk(m *index, t *pathCount, out *trace.Path) error {
	switch t.code {
	case codeClosed:
		out.End = trace.PathClosed
		return nil
	case codeOther:
		out.End = trace.PathOther
		return nil
	}
	g := m.graphs[t.method]
	if g == nil {
		return errors.New("the map has no paths of the method")
	}
	if g.numbers == nil {
		var err error
		if g.numbers, err = path.New(path.Graph{Next: g.Next, Starts: g.Starts}); err != nil {
			return err
		}
	}
	var p path.Path
	var err error
	if t.code == codeWhole {
		p, err = g.numbers.Path(t.number, w.blocks)
	} else {
		out.End = trace.PathStopped
		block := int(t.code - codeStopped)
		if p, err = g.numbers.Partial(t.number, block, w.blocks); block == len(g.Next) {
			out.End = trace.PathWhole // The probe after the path failed.
		}
	}
	if err != nil {
		return err
	}
	w.blocks = p.Blocks
	if w.walked += len(p.Blocks); w.walked > maxWalk {
		return fmt.Errorf("the paths have more than %d blocks", maxWalk)
	}
	for _, b := range p.Blocks {
		for i, line := range g.Lines[b] {
			n := len(out.Lines)
			again := n > 0 && out.Lines[n-1] == line
			if !again {
				out.Lines = append(out.Lines, line)
			}
			switch {
			case g.opcodes == nil:
			case again:
				// The capacity is limited so that append does not write into the graph's opcodes.
				last := &out.Opcodes[n-1]
				*last = append((*last)[:len(*last):len(*last)], g.opcodes[b][i]...)
			default:
				out.Opcodes = append(out.Opcodes, g.opcodes[b][i])
			}
		}
	}
	if n := len(out.Lines); p.Next >= 0 && n > 0 && len(g.Lines[p.Next]) > 0 {
		out.Continues = g.Lines[p.Next][0] == out.Lines[n-1]
	}
	return nil
}

// finish sends what counting the paths cost.
func (w *pathDecoder) finish(probes int64) error {
	w.cost.Probes = probes
	w.cost.Busy = union(w.busy)
	return w.sink.PathCost(w.cost)
}

// union returns the total length of the time that is in at least one interval (vLens, eq. 5).
func union(all []interval) (length int64) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b interval) int { return cmp.Compare(a.begin, b.begin) })
	end := int64(math.MinInt64)
	for _, at := range sorted {
		to := at.begin + at.length
		if at.begin > end {
			length += at.length
		} else if to > end {
			length += to - end
		}
		end = max(end, to)
	}
	return length
}

// bursts sets the times at which the processes kept all cores busy. It merges overlapping times.
func (d *decoder) bursts(processes []*process) {
	var all []trace.Burst
	for _, p := range processes {
		if !p.boot && len(processes) > 1 {
			continue // The processes have no common clock.
		}
		start := int64(0)
		if p.boot {
			start = p.start - d.origin
		}
		for _, b := range p.bursts {
			all = append(all, trace.Burst{Begin: start + b.begin, End: start + b.begin + b.length})
		}
	}
	slices.SortFunc(all, func(a, b trace.Burst) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End)) })
	for _, b := range all {
		if n := len(d.trace.Bursts); n > 0 && b.Begin <= d.trace.Bursts[n-1].End {
			d.trace.Bursts[n-1].End = max(d.trace.Bursts[n-1].End, b.End)
			continue
		}
		d.trace.Bursts = append(d.trace.Bursts, b)
	}
}

// probes returns the total time that the probes took. It multiplies their number by the cost that
// the app measured at its start.
func (d *decoder) probes(processes []*process) (sum int64) {
	add := func(n, cost int64) { sum = min(sum+times(n, cost), math.MaxInt64/2) }
	for _, p := range processes {
		graphs := d.maps[p.build].graphs
		for _, th := range p.threads {
			more := int64(0) // paths in excess of one for each pair of probes
			for _, n := range th.nodes {
				cost := p.pairCost
				if graphs[n.method] != nil {
					cost, more = p.beginCost, more-n.count
				}
				add(n.count, cost)
			}
			for _, c := range th.pairs {
				add(c.count, p.callCost)
			}
			if th.paths == nil {
				continue
			}
			for _, t := range th.paths.all {
				more += t.count
			}
			add(max(0, more), p.pathCost)
		}
	}
	return sum
}

// times returns the cost of n probes in nanoseconds.
func times(n, picoseconds int64) int64 {
	if picoseconds > 0 && n > math.MaxInt64/4096/picoseconds {
		return math.MaxInt64 / 4096
	}
	return n * picoseconds / 1000
}
