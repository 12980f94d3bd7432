// Package calls reads recordings of apps that diffprof instrument changed.
//
// A file has blocks. A process block has the counts and times of one process. A map block has the
// map of an instrumented build, which names the methods and the call sites by their ids. Files may
// be concatenated, so the processes of a run and their map can be one file. A folder with a map and
// the files of the processes, as `adb pull` copies them, is a recording too. diffprof instrument
// writes the map next to the app, as a file with one block. Earlier builds wrote it as JSON.
//
//	block    magic, kind, length, content, checksum
//	magic    89 44 50 43 41 4c 4c 0a
//	kind     'P' for a process, 'M' for a map, compressed by gzip
//	length   of the content, 4 bytes, little-endian
//	checksum CRC-32 of kind and content, 4 bytes, little-endian
//
// The versions of a process block differ in what they have:
//
//   - Version 1: elapsed times only.
//   - Version 2: also processor times.
//   - Version 3: also hand-overs.
//   - Version 4: perhaps also paths through methods.
//   - Version 5: perhaps also the times of calls, and of the bursts of load that align meters.
//
// A process block has the SHA-256 of its map, so it is never read with the map of another build.
//
// # What is counted
//
// The app does not log single calls. For each thread and call path, it counts the activations, sums
// up their own time by the boot clock, and counts the calls of each call site. A call path becomes
// one sample with elapsed time and a number of calls.
//
// The calls of a call site become another sample. Its innermost frame is the called method. This
// sample has no time: the time of the framework below a call is part of the caller's own time.
//
// # Hand-overs
//
// An app hands over work by passing an object to a call, for example to an executor. A method of
// the object later does the work. If the app was changed with --async, it recognizes the object
// then. The call path of the method continues the path of the call that handed the object over.
//
// A process therefore has a tree of these paths (origins), and a thread's path may begin at a node
// of this tree. If the work hands its own object over again, it keeps its first origin. If no call
// handed the object over, the work has the path of its thread.
//
// # Paths
//
// An app that was changed with --paths also counts the paths through its methods (see package
// code/path). The map has the control-flow graphs of the methods, so the decoder can convert the
// number of a path to source lines. Such a map has the format "diffprof-calls-map 2". The samples
// are the same with and without paths.
//
// # Bounds
//
// If the memory for call paths was full, the app counted calls without their paths. These counts
// become a thread of their own, and a warning states their share.
package calls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

const (
	// formatName is the name of the format in errors.
	formatName = "recording of an instrumented app"
	// maxFile limits the size of a recording, and of a decompressed map.
	maxFile = 512 << 20
	// maxDepth limits the depth of a call path. It is twice the limit in the app, because a path
	// can continue another one.
	maxDepth = 1 << 11
	// If the probes take more than probeShare percent of the run's time, there is a warning.
	probeShare = 10
)

// Magic is the start of each block.
const Magic = "\x89DPCALL\n"

// Sniff reports whether a file begins with a block.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic)) }

// A File is a file of a recording.
type File struct {
	// Name is the path within the folder of the recording. It is empty if the recording is one
	// file.
	Name string
	Data []byte
}

// Options state how to read a recording.
type Options struct {
	// Process is the name or the number of the process to read. If it is empty, all are read.
	Process string
	// Partial ignores a truncated block.
	Partial bool
}

// Decode reads a recording and sends its samples to sink. Errors in the files are *syntax.Error.
func Decode(ctx context.Context, files []File, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := decoder{options: o, table: stacks.NewTable(), batch: stacks.NewBatch(sink), maps: make(map[string]*index)}
	d.trace = trace.Trace{
		Format: "calls", Clock: trace.WallClock, VM: "art", Technique: trace.Instrumented, Calls: trace.CountedCalls,
	}
	var processes []*process
	for _, f := range files {
		found, err := d.readFile(f)
		if err != nil {
			return nil, err
		}
		processes = append(processes, found...)
	}
	processes, err := d.choose(processes)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(processes, func(p *process) bool { return !p.timed }) {
		d.trace.Clock |= trace.ThreadCPU
	}
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	if slices.ContainsFunc(processes, func(p *process) bool { return p.hasPaths() }) {
		d.trace.Paths = true
		if w := trace.Paths(sink); w != nil {
			d.paths = &pathDecoder{sink: w}
		}
	}
	d.origin = math.MaxInt64
	for _, p := range processes {
		if p.boot {
			d.origin = min(d.origin, p.start)
		}
	}
	d.bursts(processes)
	for _, p := range processes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.send(p); err != nil {
			return nil, err
		}
	}
	if err := d.batch.Flush(); err != nil {
		return nil, err
	}
	if d.paths != nil {
		if err := d.paths.finish(d.probes(processes)); err != nil {
			return nil, err
		}
	}
	return d.finish(processes), nil
}

// fail returns an error at an offset of a file.
func fail(file string, offset int64, hint, format string, args ...any) error {
	return &syntax.Error{File: file, Format: formatName, Offset: offset, Err: fmt.Errorf(format, args...), Hint: hint}
}

// A decoder is the state of reading a recording.
type decoder struct {
	options Options
	trace   trace.Trace
	table   *stacks.Table
	batch   *stacks.Batch
	// origin is time 0 of the timeline: the start of the first process, by the boot clock.
	origin int64
	// maps are the maps, indexed by their checksums.
	maps map[string]*index
	// unnamed counts the ids that are missing from the map. cut is set if a truncated block was
	// ignored.
	unnamed int64
	cut     bool
	// paths sends the paths through methods to the sink. It is nil if the sink does not want them.
	paths *pathDecoder
	// path is the call path of the current sample, outermost first.
	path []trace.MethodID
}

// choose selects the processes to read.
func (d *decoder) choose(all []*process) ([]*process, error) {
	if len(all) == 0 {
		what := "no process: the app has not written a recording"
		if d.cut {
			what = "no process before the place where the file is cut short"
		}
		return nil, fail("", -1, "use the app for more than two seconds, and pull the files again", "%s", what)
	}
	if d.options.Process != "" {
		want := d.options.Process
		number, err := strconv.ParseInt(want, 10, 64)
		chosen := slices.DeleteFunc(slices.Clone(all), func(p *process) bool { return p.name != want && (err != nil || p.pid != number) })
		if len(chosen) == 0 {
			var names []string
			for _, p := range all[:min(len(all), 8)] {
				names = append(names, fmt.Sprintf("%s (%d)", p.name, p.pid))
			}
			return nil, fmt.Errorf("no process is named %q; the processes are %v", want, names)
		}
		all = chosen
	}
	for _, p := range all {
		if d.maps[p.build] == nil {
			return nil, d.noMap(p)
		}
	}
	return all, nil
}

// noMap returns the error for a process whose map is missing.
func (d *decoder) noMap(p *process) error {
	app := p.app
	if app == "" {
		app = p.name
	}
	if p.build == "" {
		return fail(p.file, p.offset, "instrument the app again", "made by %s, which has no map", app)
	}
	const hint = "diffprof instrument wrote a file .calls-map with the app: put it into the folder of the recording, and give diffprof the folder"
	if len(d.maps) > 0 {
		return fail(p.file, p.offset, hint, "made by %s, whose map begins with %.12s; the map here belongs to another build", app, p.build)
	}
	return fail(p.file, p.offset, hint, "made by %s, whose map begins with %.12s and is missing", app, p.build)
}

// send sends the samples of a process.
func (d *decoder) send(p *process) error {
	at := len(d.trace.Processes)
	d.trace.Processes = append(d.trace.Processes, trace.Process{ID: p.pid, Name: p.name})
	m := d.maps[p.build]
	for i := range p.threads {
		th := &p.threads[i]
		d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: th.id, Name: th.name, Process: at})
		if err := d.sendThread(m, p, th); err != nil {
			return err
		}
		if err := d.sendPaths(m, p, th); err != nil {
			return err
		}
	}
	if len(p.lostMethods) == 0 && len(p.lostSites) == 0 {
		return nil
	}
	d.trace.Threads = append(d.trace.Threads, trace.Thread{Name: "(without call paths)", Process: at})
	for _, l := range p.lostMethods {
		d.path = append(d.path[:0], d.method(m, l.id))
		if err := d.add(trace.Sample{Wall: l.own, CPU: d.processor(l.own, l.cpu), Calls: l.count}, 0); err != nil {
			return err
		}
	}
	for _, l := range p.lostSites {
		d.path = d.path[:0]
		if err := d.call(m, l.id, -1, l.count); err != nil {
			return err
		}
	}
	return nil
}

// sendThread sends the samples of a thread.
func (d *decoder) sendThread(m *index, p *process, th *thread) error {
	// pairs are sorted by node, so those of the next node begin at index next.
	pairs := slices.Clone(th.pairs)
	slices.SortStableFunc(pairs, func(a, b pair) int { return int(a.node) - int(b.node) })
	next := 0
	for n := 0; n <= len(th.nodes); n++ {
		d.path = d.path[:0]
		method := int32(-1)
		if n > 0 {
			d.walk(m, p, th, int32(n))
			node := &th.nodes[n-1]
			method = node.method
			if err := d.add(trace.Sample{Wall: node.own, CPU: d.processor(node.own, node.cpu), Calls: node.count}, 0); err != nil {
				return err
			}
		}
		depth := len(d.path)
		for ; next < len(pairs) && int(pairs[next].node) == n; next++ {
			d.path = d.path[:depth]
			if err := d.call(m, pairs[next].site, method, pairs[next].count); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk sets d.path to the call path of node n.
func (d *decoder) walk(m *index, p *process, th *thread, n int32) {
	from := int32(0)
	for ; n > 0; n = th.nodes[n-1].parent {
		d.path = append(d.path, d.method(m, th.nodes[n-1].method))
		from = th.nodes[n-1].from - 1
	}
	for ; from > 0; from = p.origins[from-1].parent {
		d.path = append(d.path, d.method(m, p.origins[from-1].method))
	}
	slices.Reverse(d.path)
}

// processor returns the processor time of a call path. It returns 0 unless all processes have such
// times.
func (d *decoder) processor(own, cpu int64) int64 {
	if d.trace.Clock&trace.ThreadCPU == 0 {
		return 0
	}
	return min(own, cpu)
}

// call sends a sample for the calls of a call site on the call path d.path. innermost is the id of
// the path's innermost method.
func (d *decoder) call(m *index, id, innermost int32, count int64) error {
	s, known := m.sites[id]
	if !known {
		d.path = append(d.path, d.callee(m, id, name.Method{}))
		return d.add(trace.Sample{Calls: count}, 0)
	}
	if s.method != innermost {
		// The site's method has no probes, so the path lacks it.
		d.path = append(d.path, d.method(m, s.method))
	}
	d.path = append(d.path, d.callee(m, id, s.callee))
	return d.add(trace.Sample{Calls: count}, s.line)
}

// callee returns the method that a call site calls. If the map lacks the site, the method is named
// "(unknown call site 7)" for site 7.
func (d *decoder) callee(m *index, id int32, method name.Method) trace.MethodID {
	if known, ok := m.callees[id]; ok {
		return known
	}
	if method.Name == "" {
		d.unnamed++
		method = name.Method{Name: fmt.Sprintf("(unknown call site %d)", id)}
	}
	added := d.table.Add(method)
	m.callees[id] = added
	return added
}

// method returns the method that the map lists under an id.
func (d *decoder) method(m *index, id int32) trace.MethodID {
	if known, ok := m.ids[id]; ok {
		return known
	}
	method, known := m.methods[id]
	if !known {
		d.unnamed++
		method = name.Method{Name: fmt.Sprintf("(unknown method %d)", id)}
	}
	added := d.table.Add(method)
	m.ids[id] = added
	return added
}

// add sends a sample with d.path as its stack. line is the line of the innermost call.
func (d *decoder) add(s trace.Sample, line int32) error {
	for i, m := range d.path {
		if i == len(d.path)-2 {
			d.batch.Push(m, line)
		} else {
			d.batch.Push(m, 0)
		}
	}
	s.Thread = trace.ThreadID(len(d.trace.Threads) - 1)
	d.batch.Add(s)
	th := &d.trace.Threads[s.Thread]
	if int64(th.Wall) > math.MaxInt64-s.Wall {
		return fail("", -1, "record again", "the times of thread %q are larger than a run can be", th.Name)
	}
	th.Events++
	th.Wall += time.Duration(s.Wall)
	th.CPU += time.Duration(s.CPU)
	d.trace.Events++
	if d.batch.Full() {
		return d.batch.Flush()
	}
	return nil
}

// finish completes the trace.
func (d *decoder) finish(processes []*process) *trace.Trace {
	t := &d.trace
	methods, warnings := d.table.Finish()
	t.Methods, t.Unlisted = methods, int(d.unnamed)
	t.Warnings = append(t.Warnings, warnings...)
	first := processes[0]
	t.Device = first.device
	if first.boot {
		start, end := first.start, first.start+first.length
		for _, p := range processes {
			if p.boot && p.start < start {
				start, first = p.start, p
			}
			end = max(end, p.start+p.length)
		}
		t.Timeline = []trace.Reading{{Clock: trace.Boottime, Value: start}, {Clock: trace.Realtime, Value: first.epoch}}
		t.Elapsed = time.Duration(end - start)
	} else {
		for _, p := range processes {
			t.Elapsed = max(t.Elapsed, time.Duration(p.length))
		}
	}
	d.batch.Finish(t)
	t.Warnings = append(t.Warnings, d.warnings(processes)...)
	return t
}

// warnings returns warnings about events that the app could not count.
func (d *decoder) warnings(processes []*process) []trace.Warning {
	var faults, stray, missing, jumps, lost, lostCalls, spent, dropped, otherPaths int64
	probes := d.probes(processes)
	starts := make(map[string]int64)
	for _, p := range processes {
		starts[p.name]++
		faults += p.faults
		dropped = min(dropped+p.dropped, math.MaxInt64/2)
		for _, l := range p.lostMethods {
			lost += l.count
			spent += l.own
		}
		for _, l := range p.lostSites {
			lostCalls += l.count
		}
		for _, th := range p.threads {
			stray, missing, jumps = stray+th.stray, missing+th.missing, jumps+th.jumps
			for _, n := range th.nodes {
				spent += n.own
			}
			if th.paths == nil {
				continue
			}
			for _, t := range th.paths.all {
				if t.code == codeOther {
					otherPaths += t.count
				}
			}
		}
	}
	var restarts int64
	for _, n := range starts {
		restarts += n - 1
	}
	all := trace.Counts(
		trace.Count{N: d.unnamed, Code: "unknown-ids", Text: "%d {id is|ids are} not in the map of the app"},
		trace.Count{N: lost, Code: "paths-dropped", Text: "%d {call of a method has|calls of methods have} no call path, because the memory for paths was full; their methods and times are right"},
		trace.Count{N: lostCalls, Code: "call-paths-dropped", Text: "%d {call of the framework has|calls of the framework have} no call path, because the memory for paths was full; their call sites are right"},
		trace.Count{N: dropped, Code: "handovers-dropped", Text: "%d {hand-over has|hand-overs have} no origin, because the memory for hand-overs was full; the work counts at the path of its thread"},
		trace.Count{N: missing, Code: "missing-exits", Text: "%d {call of a method was|calls of methods were} left without an exit, and {was|were} ended with the caller"},
		trace.Count{N: stray, Code: "stray-exits", Text: "%d {exit of a method has|exits of methods have} no entry, and {was|were} ignored"},
		trace.Count{N: jumps, Code: "clock-backwards", Text: "the clock ran backwards %d {time|times}; the time since the previous probe counts as 0"},
		trace.Count{N: otherPaths, Code: "path-numbers-dropped", Text: "%d {execution of a path|executions of paths} {is|are} counted for {its method|their methods} only, because the memory for paths was full"},
		trace.Count{N: faults, Code: "probe-faults", Text: "%d {probe|probes} failed, for example because the stack was full, and {is|are} not counted"},
		trace.Count{N: restarts, Code: "restarts", Text: "the app's processes were started again %d {time|times}, or the folder has files of earlier runs; all are counted"},
	)
	if spent > 0 && probes > spent/100*probeShare {
		all = append(all, trace.Warning{Code: "probe-cost", Message: fmt.Sprintf(
			"the probes themselves took about %d%% of the time, estimated from their cost at the start of the app; exclude the methods that are called most", min(probes/max(spent/100, 1), 100))})
	}
	if d.cut {
		all = append(all, trace.Warning{Code: "cut-short", Message: "a file is cut short; the part before is read"})
	}
	return all
}

var errOverflow = errors.New("a number has more than 63 bits")
