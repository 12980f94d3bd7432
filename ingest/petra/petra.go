// Package petra reads the energies of methods that PETrA writes (Di Nucci et al., "PETrA: A
// Software-Based Tool for Estimating the Energy Profile of Android Applications", ICSE 2017).
//
// result.csv and allRuns.csv have one line per call: dots for its depth, the method, its
// descriptor after a space, its source file after a tab, and the call's energy, including its
// callees, in joules, and its duration in seconds:
//
//	signature, joule, seconds
//	..com.mine.Feed.load (I)V<tab>Feed.java,0.25,0.31
//
// The caller of a call is the nearest earlier line with fewer dots. Calls of the framework are
// not listed, so depths may be skipped. The seconds are not read.
//
// routineCosts.csv has the average energy of a call of each method, including its callees,
// without depths. Its values overlap, so their sum is not the energy of a run; a warning states
// this.
//
// # Contradictory energies
//
// PETrA assigns the device's energy to each call by the call's start and end, which are not
// always right: the callees of a call may state more energy than the call. The outermost calls
// are used as stated, so the run has their sum. The energy of a call is divided among its
// callees in proportion to what they state, and the rest is its own. If they state more, its
// own energy is 0 and theirs is reduced. All energies are whole nanojoules, divided by largest
// remainders. Negative energies count as 0. Warnings count both cases.
package petra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	runHead  = "signature, joule, seconds"
	costHead = "Signature,Joule"
	// nanojoules is the number of nanojoules per joule.
	nanojoules = 1_000_000_000
	// maxLine is the longest line.
	maxLine = 1 << 16
	// maxCalls bounds the calls within an outermost one, and deepest their depth.
	maxCalls = 1 << 22
	deepest  = 1 << 10
)

// Sniff reports whether a file begins as a file of PETrA.
func Sniff(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	return string(line) == runHead || string(line) == costHead
}

var (
	errLine = errors.New("not a line of PETrA: a method, joules and seconds, separated by commas")
	errSum  = errors.New("the sum of the energies up to here is too large")
)

// Decode reads energies from r to its end and sends them to sink, one sample per call.
// Errors of the text are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink) (*trace.Trace, error) {
	d := decoder{
		batch: stacks.NewBatch(sink), methods: make(map[string]trace.MethodID),
		trace: trace.Trace{
			Format: "petra", VM: "art", Technique: trace.Instrumented, Energy: trace.Given, Calls: trace.CountedCalls,
			Accounts: []trace.Account{{Provenance: trace.Given}}, Threads: []trace.Thread{{ID: 1}},
		},
	}
	trace.Start(sink, 0, trace.Given)
	err := stacks.ShortLines(ctx, r, maxLine, located, func(number int, line []byte, _ bool) error {
		c, ok, err := d.read(line)
		if err != nil {
			return located(number, err)
		}
		if !ok {
			return nil
		}
		if d.leave(c.depth); len(d.open) == 0 {
			// An outermost call begins, so the previous ones are complete.
			if err := d.hand(); err != nil {
				return err
			}
		}
		if err := d.add(c); err != nil {
			return located(number, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.hand(); err != nil {
		return nil, err
	}
	if err := d.batch.Flush(); err != nil {
		return nil, err
	}
	if d.trace.Events == 0 {
		return nil, located(0, errors.New("the file has no calls"))
	}
	return d.finish(), nil
}

// located adds the line to an error; line 0 means the whole file.
func located(line int, err error) error {
	return &syntax.Error{Format: "energies of PETrA", Line: line, Offset: -1, Err: err}
}

// A call is a line. parent is the index of its caller, -1 for none.
type call struct {
	method trace.MethodID
	depth  int32
	parent int32
	// first is the first direct callee, last the latest one so far, and next the next callee of
	// the same caller; 0 for none.
	first, last, next int32
	// stated is the energy on the line, inner the sum stated by the direct callees, all the
	// computed energy including callees, and own the computed exclusive energy; in nanojoules.
	stated, inner, all, own int64
}

// A decoder collects an outermost call with all calls within it, and sends them when the next
// one begins.
type decoder struct {
	batch   *stacks.Batch
	methods map[string]trace.MethodID
	trace   trace.Trace
	// costs is set for routineCosts.csv.
	costs bool
	calls []call
	// open are the indices of the possible callers of the next call, outermost first.
	open  []int32
	path  []trace.MethodID
	rests []rest
	// sum is the sum over the outermost calls. excess counts the calls whose callees state
	// more.
	sum, excess, negative int64
}

// read reads a line. ok is false if it is not a call.
func (d *decoder) read(line []byte) (c call, ok bool, err error) {
	switch string(line) {
	case "":
		return call{}, false, nil
	case runHead:
		return call{}, false, nil
	case costHead:
		d.costs = true
		d.trace.Calls = trace.NoCalls
		return call{}, false, nil
	}
	if !d.costs {
		line = line[:max(0, bytes.LastIndexByte(line, ','))] // without the seconds
	}
	at := bytes.LastIndexByte(line, ',')
	if at < 0 {
		return call{}, false, errLine
	}
	signature, digits := bytes.TrimLeft(line[:at], "."), bytes.TrimSpace(line[at+1:])
	depth := at - len(signature)
	if len(signature) == 0 || depth > deepest {
		return call{}, false, errLine
	}
	if d.costs {
		depth = 0
	}
	positive, below := bytes.CutPrefix(digits, []byte("-"))
	energy, err := units.Decimal(positive, nanojoules, 1)
	if err != nil {
		return call{}, false, fmt.Errorf("the energy %.40q %w", digits, err)
	}
	if below && energy > 0 {
		d.negative++
		energy = 0
	}
	return call{method: d.method(signature), depth: int32(depth), parent: -1, stated: energy}, true, nil
}

// leave closes the open calls that cannot be callers at a depth.
func (d *decoder) leave(depth int32) {
	for len(d.open) > 0 && d.calls[d.open[len(d.open)-1]].depth >= depth {
		d.open = d.open[:len(d.open)-1]
	}
}

// add adds a call within the open ones.
func (d *decoder) add(c call) error {
	if len(d.calls) >= maxCalls {
		return fmt.Errorf("more than %d calls are within one", maxCalls)
	}
	if n := len(d.open); n > 0 {
		c.parent = d.open[n-1]
		outer := &d.calls[c.parent]
		if c.stated > math.MaxInt64-outer.inner {
			return errSum
		}
		outer.inner += c.stated
		i := int32(len(d.calls))
		if outer.first == 0 {
			outer.first = i
		} else {
			d.calls[outer.last].next = i
		}
		outer.last = i
	} else {
		if c.stated > math.MaxInt64-d.sum {
			return errSum
		}
		d.sum += c.stated
	}
	d.open = append(d.open, int32(len(d.calls)))
	d.calls = append(d.calls, c)
	return nil
}

// hand sends the collected calls with their energies.
func (d *decoder) hand() error {
	d.share()
	for i, c := range d.calls {
		d.path = d.path[:0]
		for at := int32(i); at >= 0; at = d.calls[at].parent {
			d.path = append(d.path, d.calls[at].method)
		}
		for _, m := range slices.Backward(d.path) {
			d.batch.Push(m, 0)
		}
		s := trace.Sample{Energy: units.Energy(c.own)}
		if !d.costs {
			s.Calls = 1
		}
		d.batch.Add(s)
		d.trace.Events++
		if d.batch.Full() {
			if err := d.batch.Flush(); err != nil {
				return err
			}
		}
	}
	d.calls, d.open = d.calls[:0], d.open[:0]
	return nil
}

// method returns the method of a signature: a class, a dot, a name, and optionally a space with
// the descriptor and a tab with the file.
func (d *decoder) method(signature []byte) trace.MethodID {
	if id, ok := d.methods[string(signature)]; ok {
		return id
	}
	text := bytes.ToValidUTF8(signature, []byte("\uFFFD"))
	text, file, _ := bytes.Cut(text, []byte("\t"))
	path, descriptor, _ := bytes.Cut(text, []byte(" "))
	class, method := "", string(path)
	if i := bytes.LastIndexByte(path, '.'); i > 0 {
		class, method = string(path[:i]), string(path[i+1:])
	}
	id := trace.MethodID(len(d.trace.Methods))
	d.trace.Methods = append(d.trace.Methods, name.OfClass(class, method, string(descriptor)).At(string(file), 0))
	d.methods[string(signature)] = id
	return id
}

// finish completes the trace.
func (d *decoder) finish() *trace.Trace {
	t := &d.trace
	t.Threads[0].Events = t.Events
	warn := func(code, format string, args ...any) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
	}
	if d.costs {
		warn("overlapping-costs", "each value is the average energy of a call of the method, including its callees: the values overlap, and their sum is not the energy of a run; compare with diffprof top, or read a result.csv")
	}
	if d.excess > 0 {
		warn("excess-energy", "%d {call states|calls state} less energy than the calls within {it|them}, whose energies were reduced in proportion", d.excess)
	}
	if d.negative > 0 {
		warn("negative-energy", "%d {call states|calls state} a negative energy, which counts as 0", d.negative)
	}
	return t
}
