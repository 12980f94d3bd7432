package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A profile has the samples of one thread.
type profile struct {
	thread *thread
	// nodes maps node ids in the file to nodes of paths. callers maps the id of a node to the id of
	// its caller.
	nodes   *index[int32]
	callers index[int64]
	paths   stacks.Paths
	// methods has the method of each function seen so far.
	methods map[script]trace.MethodID
	// idle has the ids of the nodes in which the thread waits.
	idle map[int64]bool
	// waits has the ids of the nodes in which the thread perhaps waits in native code.
	waits map[int64]bool
	// samples are ids of nodes. deltas are the times from the previous sample to each sample.
	samples []int64
	deltas  []int64 // deltas are in nanoseconds.
	// weights are the counts of perf's samples. They are nil for other samples.
	weights []int64
	// lines are the lines of samples. If the slice is shorter than samples, the remaining lines are
	// unknown. chunk is the number of samples before the current part of the profile.
	lines []int32
	chunk int
	// ticks has, for some nodes, how many of their samples are at which line.
	ticks index[ticks]
	// ticked counts the samples of nodes with ticks. disputed is how far their numbers in the ticks
	// differ from those in the list of samples.
	ticked, disputed int64
	origins          origins
	// start and end are the start and end times of the profile, or 0 if not stated.
	start, end int64
	// moments is set if deltas has absolute times instead of differences.
	moments bool
	// period is the time that each sample represents. It is 0 if a sample lasts until the next one.
	period int64
	// rootless counts nodes whose caller is not in the profile.
	rootless int
}

// read reads a profile that is a whole file.
func (p *profile) read(ctx context.Context, in *document.Reader, names *stacks.Table) error {
	if err := in.Members(func(name []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return p.member(name, in, names)
	}); err != nil {
		return err
	}
	if len(p.samples) == 0 {
		return errors.New("the profile has no samples")
	}
	return nil
}

// arguments reads a part of a profile from the arguments of an event.
func (p *profile) arguments(in *document.Reader, names *stacks.Table) error {
	member := func(name []byte) error { return p.member(name, in, names) }
	p.chunk = len(p.samples)
	return in.Members(func(name []byte) error {
		if string(name) != "data" {
			return in.Skip()
		}
		return in.Members(func(name []byte) error {
			if string(name) == "cpuProfile" {
				return in.Members(member)
			}
			return member(name)
		})
	})
}

// member reads one of a profile's members.
func (p *profile) member(name []byte, in *document.Reader, names *stacks.Table) (err error) {
	switch string(name) {
	case "nodes":
		return in.Elements(func() error {
			_, err := p.node(in, names)
			return err
		})
	case "head":
		_, err = p.node(in, names)
	case "startTime":
		p.start, err = moment(in)
	case "endTime":
		p.end, err = moment(in)
	case "samples":
		return in.Elements(func() error {
			id, err := in.Int()
			if len(p.samples) >= maxSamples {
				return errors.New("the profile has too many samples")
			}
			p.samples = append(p.samples, id)
			return err
		})
	case "timeDeltas", "timestamps":
		p.moments = p.moments || string(name) == "timestamps"
		return in.Elements(func() error {
			delta, err := moment(in)
			p.deltas = append(p.deltas, delta)
			return err
		})
	case "lines":
		return p.readLines(in)
	default:
		err = in.Skip()
	}
	return err
}

// A script is a function in a source file.
type script struct {
	function, path string
	line           int
}

// A node is a function in a calling context, as V8 writes it.
type node struct {
	id, parent     int64
	function, path string
	line           int64
	children       []int64
	ticks          ticks
}

// node reads a node and returns its id. In old profiles, a node contains its children.
func (p *profile) node(in *document.Reader, names *stacks.Table) (int64, error) {
	var n node
	err := in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "id":
			n.id, err = in.Int()
		case "parent":
			n.parent, err = in.Int()
		case "hitCount":
			n.ticks.hits, err = in.Int()
		case "positionTicks":
			return n.ticks.read(in)
		case "callFrame":
			return in.Members(func(name []byte) error { return n.frame(name, in) })
		case "children":
			return in.Elements(func() error {
				read := in.Int
				if in.Is('{') {
					read = func() (int64, error) { return p.node(in, names) }
				}
				child, err := read()
				n.children = append(n.children, child)
				return err
			})
		default:
			return n.frame(name, in)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return n.id, p.add(&n, names)
}

// frame reads a member of the node's callFrame.
func (n *node) frame(name []byte, in *document.Reader) (err error) {
	switch string(name) {
	case "functionName":
		n.function, err = in.Name()
	case "url":
		n.path, err = in.Name()
	case "lineNumber":
		n.line, err = in.Int()
	default:
		err = in.Skip()
	}
	return err
}

// add adds a node to the paths.
func (p *profile) add(n *node, names *stacks.Table) error {
	if p.nodes == nil {
		p.nodes, p.methods, p.idle, p.waits = new(index[int32]), make(map[script]trace.MethodID), make(map[int64]bool), make(map[int64]bool)
	}
	if p.nodes.len >= maxNodes {
		return fmt.Errorf("the profile has more than %d nodes", maxNodes)
	}
	method := trace.MethodID(stacks.NoFrame)
	if mayWait(n.function, n.path) {
		p.waits[n.id] = true
	}
	switch {
	case n.function == "(root)" && n.path == "":
	case n.function == "(idle)" && n.path == "":
		p.idle[n.id] = true
		fallthrough
	default:
		// Lines in the file count from 0.
		at := script{n.function, n.path, int(min(max(n.line+1, 0), math.MaxInt32))}
		known, ok := p.methods[at]
		if !ok {
			known = names.Add(name.OfScript(at.function, at.path, at.line))
			p.methods[at] = known
		}
		method = known
	}
	if n.parent != 0 {
		p.callers.put(n.id, n.parent)
	}
	for _, child := range n.children {
		p.callers.put(child, n.id)
	}
	p.nodes.put(n.id, int32(p.paths.Len()))
	p.origins.add(n)
	if len(n.ticks.lines) > 0 {
		p.ticks.put(n.id, n.ticks)
	}
	p.paths.Add(stacks.NoFrame, method, 0)
	return nil
}

// mayWait reports whether a function of V8 perhaps waits in native code. This concerns two kinds of
// functions:
//
//   - Frames without a script. They are native functions, such as read, and V8's own work. Only the
//     garbage collector and regular expressions never wait.
//   - Node's modules fs and child_process. They call some functions that wait, such as spawnSync,
//     without a frame for them.
func mayWait(function, path string) bool {
	if path == "" {
		return function != "(garbage collector)" && !strings.HasPrefix(function, "RegExp: ")
	}
	module, internal := strings.CutPrefix(path, "node:")
	if !internal {
		return false
	}
	module, _, _ = strings.Cut(strings.TrimPrefix(module, "internal/"), "/")
	return module == "fs" || module == "child_process"
}

// A stretch is a sample with its duration (length), in nanoseconds.
type stretch struct {
	*profile
	at, length int64
	id         int64
	weight     int64
	// line is the line of the innermost frame. It is 0 if unknown.
	line int32
}

// stretches returns the samples in time order, with their durations. A sample lasts until the next
// one, and the last sample until the end of the profile. backward counts the samples that are out
// of order in the file.
func (p *profile) stretches() (list []stretch, backward int, err error) {
	for id, at := range p.nodes.all() {
		if caller, ok := p.callers.get(id); ok {
			if outer, ok := p.nodes.get(caller); ok {
				p.paths.SetCaller(at, outer)
			} else {
				p.rootless++
			}
		}
	}
	p.rootless += p.paths.Repair()
	p.origins.sort()
	now := p.start
	// Samples without a time are dropped.
	for i, id := range p.samples[:min(len(p.samples), len(p.deltas))] {
		if now += p.deltas[i]; p.moments {
			now = p.deltas[i]
		}
		if now > maxMoment || now < -maxMoment {
			return nil, 0, errors.New("the times of a profile are out of range")
		}
		if n := len(list); n > 0 && now < list[n-1].at {
			backward++
		}
		s := stretch{profile: p, at: now, id: id}
		if p.weights != nil {
			s.weight = p.weights[i]
		}
		if i < len(p.lines) {
			s.line = p.origins.line(id, p.lines[i])
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b stretch) int { return cmp.Compare(a.at, b.at) })
	if p.weights != nil {
		return list, backward, nil
	}
	if p.period > 0 {
		for i := range list {
			list[i].length = p.period
		}
		return list, backward, nil
	}
	for i := range list[:max(len(list)-1, 0)] {
		list[i].length = list[i+1].at - list[i].at
	}
	if n := len(list); n > 0 && p.end > list[n-1].at && !p.moments {
		list[n-1].length = p.end - list[n-1].at
	}
	if len(p.lines) == 0 {
		p.spread(list)
	}
	return list, backward, nil
}
