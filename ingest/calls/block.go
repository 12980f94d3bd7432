package calls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

const (
	kindProcess, kindMap = 'P', 'M'
	// headLen is the number of bytes before a block's content. sumLen is the number of bytes after
	// it.
	headLen, sumLen = len(Magic) + 1 + 4, 4

	// latest is the latest version of the content of a process block.
	latest = 5

	hintPull = "pull the file again"
	hintMap  = "use the file that diffprof instrument wrote"
)

// A process is the content of one process block.
type process struct {
	file   string
	offset int64
	// build is the checksum of the map. app is the app's name and version.
	build, app         string
	name, device       string
	pid                int64
	boot               bool
	start, length      int64
	epoch              int64
	pairCost, callCost int64 // picoseconds
	faults             int64
	// timed is set if the threads' processor times are known.
	timed bool
	// beginCost is the time that the two probes of a call take in a method whose paths are counted.
	// pathCost is the time to count one path.
	beginCost, pathCost int64 // picoseconds
	// bursts are the times at which the process kept all cores busy, relative to its start.
	bursts      []interval
	lostMethods []lost
	lostSites   []lost
	// dropped counts hand-overs that were not recorded because memory was full. origins has the
	// call paths that handed over work. They are numbered from 1.
	dropped int64
	origins []origin
	threads []thread
}

// An origin is a call path that handed over work, for example to an executor. Origins are nodes of
// a tree. Their parent 0 is the root.
type origin struct{ parent, method, depth int32 }

// lost counts calls whose call path the app could not store for lack of memory. It has the calls of
// one method or of one call site.
type lost struct {
	id              int32
	count, own, cpu int64
}

// A thread has a tree of call paths. Nodes are numbered from 1, and 0 is the root.
type thread struct {
	id                    int64
	name                  string
	stray, missing, jumps int64
	nodes                 []node
	pairs                 []pair
	paths                 *paths
}

// A node is a call path. If from is greater than 1, the node does work that was handed over. Its
// path then continues the path of the origin from-1.
type node struct {
	parent, method, depth, from int32
	count, own, cpu             int64
}

// A pair counts the calls of one call site on one call path.
type pair struct {
	node, site int32
	count      int64
}

// readFile reads the blocks of a file, or a map in JSON.
func (d *decoder) readFile(f File) ([]*process, error) {
	if !Sniff(f.Data) && strings.HasSuffix(f.Name, mapSuffix) {
		return nil, d.addMap(f.Name, -1, f.Data)
	}
	var found []*process
	rest := f.Data
	for at := int64(0); len(rest) > 0; {
		if len(rest) >= len(Magic) && !Sniff(rest) {
			return nil, fail(f.Name, at, hintPull, "not a block")
		}
		size := 0
		if len(rest) >= headLen {
			size = int(binary.LittleEndian.Uint32(rest[headLen-4:]))
		}
		if len(rest) < headLen+sumLen || size > len(rest)-headLen-sumLen {
			cut := fmt.Errorf("the block of %d bytes is cut short after %d", size+headLen+sumLen, len(rest))
			switch {
			case strings.HasSuffix(f.Name, mapExtension) || len(rest) > len(Magic) && rest[len(Magic)] == kindMap:
				// Without the map, no part of a recording can be read.
				return nil, fail(f.Name, at, hintMap, "the map: %w", cut)
			case d.options.Partial:
				d.cut = true
				return found, nil
			}
			return nil, fail(f.Name, at, hintPull+", or add --partial to read the part before", "%w", cut)
		}
		kind, content := rest[len(Magic)], rest[headLen:][:size]
		sum := crc32.Update(crc32.ChecksumIEEE(rest[len(Magic):][:1]), crc32.IEEETable, content)
		if stated := binary.LittleEndian.Uint32(rest[headLen+size:]); stated != sum {
			return nil, fail(f.Name, at, hintPull, "the checksum of the block is %08x, and should be %08x", sum, stated)
		}
		switch kind {
		case kindMap:
			plain, err := gunzip(content)
			if err != nil {
				return nil, fail(f.Name, at, hintMap, "the map: %w", err)
			}
			if err := d.addMap(f.Name, at, plain); err != nil {
				return nil, err
			}
		case kindProcess:
			p, err := readProcess(content)
			if err != nil {
				return nil, fail(f.Name, at+int64(headLen), "record again with the same version of diffprof", "the figures of a process: %w", err)
			}
			p.file, p.offset = f.Name, at
			found = append(found, p)
		default:
			return nil, fail(f.Name, at, "update diffprof", "a block of unknown kind %q", kind)
		}
		at += int64(headLen + size + sumLen)
		rest = rest[headLen+size+sumLen:]
	}
	return found, nil
}

// errEnd reports that a block's content ends early.
var errEnd = errors.New("the content ends early")

// A reader reads numbers and texts from a block's content. After an error, it returns zeros.
type reader struct {
	rest    []byte
	version int64
	err     error
}

func (r *reader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<63-1 {
		if r.err == nil {
			r.err = errEnd
			if size != 0 {
				r.err = errOverflow
			}
		}
		r.rest = nil
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

// id reads a number of 31 bits.
func (r *reader) id() int32 {
	n := r.number()
	if n > 1<<31-1 {
		r.fail(fmt.Errorf("number %d is not an id", n))
		return 0
	}
	return int32(n)
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *reader) text() string {
	n := r.number()
	if n > int64(len(r.rest)) {
		r.fail(errEnd)
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return strings.Map(printable, string(bytes.ToValidUTF8(s, []byte("\uFFFD"))))
}

// printable is a mapping for strings.Map that replaces control characters.
func printable(c rune) rune {
	if c < ' ' || c == 0x7f {
		return '\uFFFD'
	}
	return c
}

// count reads the length of a list. Each element of the list has at least size bytes.
func (r *reader) count(size int) int {
	n := r.number()
	if n > int64(len(r.rest)/size) {
		r.fail(errEnd)
		return 0
	}
	return int(n)
}

// readProcess reads the content of a process block.
func readProcess(content []byte) (*process, error) {
	r := &reader{rest: content}
	if r.version = r.number(); r.err == nil && (r.version < 1 || r.version > latest) {
		return nil, fmt.Errorf("version %d, but this diffprof reads the versions 1 to %d", r.version, latest)
	}
	p := &process{build: r.text(), app: r.text(), name: r.text(), device: strings.TrimSpace(r.text())}
	r.number() // the API level
	p.pid = r.number()
	p.boot = r.number() == 1
	p.start, p.length, p.epoch = r.number(), r.number(), r.number()
	if p.start > 1<<61 || p.length > 1<<61 || p.epoch > 1<<41 {
		r.fail(errors.New("the times are larger than a clock's"))
	}
	p.epoch *= 1e6
	r.number() // whether the process ended
	p.pairCost, p.callCost, p.faults = r.number(), r.number(), r.number()
	p.timed = r.version > 1 && r.number() == 1
	if r.version > 3 {
		p.beginCost, p.pathCost = r.number(), r.number()
	}
	if r.version > 4 {
		for range r.count(2) {
			p.bursts = append(p.bursts, interval{begin: r.time(), length: r.time()})
		}
	}
	for range r.count(3) {
		p.lostMethods = append(p.lostMethods, lost{id: r.id(), count: r.calls(), own: r.number(), cpu: r.processor()})
	}
	for range r.count(2) {
		p.lostSites = append(p.lostSites, lost{id: r.id(), count: r.calls()})
	}
	if r.version > 2 {
		p.dropped = r.number()
		p.origins = r.origins()
	}
	for range r.count(10) {
		p.threads = append(p.threads, r.thread(p.origins))
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail(fmt.Errorf("%d bytes follow the last thread", len(r.rest)))
	}
	return p, r.err
}

// processor reads a processor time. Version 1 has none.
func (r *reader) processor() int64 {
	if r.version == 1 {
		return 0
	}
	return r.number()
}

// calls reads a number of calls. A number above 32 bits is an error, because a call tree cannot
// store it.
func (r *reader) calls() int64 {
	n := r.number()
	if n >= 1<<32 {
		r.fail(fmt.Errorf("%d calls are more than can be counted", n))
	}
	return n
}

// origins reads the call paths that handed work over.
func (r *reader) origins() []origin {
	n := r.count(2)
	all := make([]origin, 0, n)
	for i := range n {
		up := r.number()
		at := origin{method: r.id()}
		if up < 1 || up > int64(i)+1 {
			r.fail(fmt.Errorf("origin %d has a caller %d entries before it, where there is none", i+1, up))
			return all
		}
		if at.parent = int32(int64(i) + 1 - up); at.parent > 0 {
			at.depth = all[at.parent-1].depth
		}
		if at.depth++; at.depth > maxDepth/2 {
			r.fail(fmt.Errorf("origin %d is deeper than %d calls", i+1, maxDepth/2))
			return all
		}
		all = append(all, at)
	}
	return all
}

// thread reads a thread.
func (r *reader) thread(origins []origin) thread {
	th := thread{id: r.number(), name: r.text()}
	r.number() // the times of the first and the last probe
	r.number()
	r.number() // the number of open activations
	th.stray, th.missing, th.jumps = r.number(), r.number(), r.number()
	n := r.count(4)
	th.nodes = make([]node, 0, n)
	for i := range n {
		up := r.number()
		at := node{method: r.id(), count: r.calls(), own: r.number(), cpu: r.processor()}
		if up < 1 || up > int64(i)+1 {
			r.fail(fmt.Errorf("path %d has a caller %d entries before it, where there is none", i+1, up))
			return th
		}
		if at.parent = int32(int64(i) + 1 - up); at.parent > 0 {
			at.depth = th.nodes[at.parent-1].depth
		}
		if r.version > 2 {
			at.from = r.id()
		}
		if int(at.from) > len(origins)+1 {
			r.fail(fmt.Errorf("path %d begins at origin %d, but the process has only %d", i+1, at.from-1, len(origins)))
			return th
		}
		if at.from > 0 && at.parent > 0 {
			r.fail(fmt.Errorf("path %d has both a caller and an origin", i+1))
			return th
		}
		if at.from > 1 {
			at.depth = origins[at.from-2].depth
		}
		if at.depth++; at.depth > maxDepth {
			r.fail(fmt.Errorf("path %d is deeper than %d calls", i+1, maxDepth))
			return th
		}
		th.nodes = append(th.nodes, at)
	}
	n = r.count(3)
	th.pairs = make([]pair, 0, n)
	for range n {
		c := pair{node: r.id(), site: r.id(), count: r.calls()}
		if int(c.node) > len(th.nodes) {
			r.fail(fmt.Errorf("a call of unknown path %d", c.node))
			return th
		}
		th.pairs = append(th.pairs, c)
	}
	th.paths = r.paths()
	return th
}
