// Package petra reads the energies of methods that PETrA writes (Di Nucci et al., "PETrA: A
// Software-Based Tool for Estimating the Energy Profile of Android Applications", ICSE 2017).
//
// result.csv and allRuns.csv have one line per call. The line has dots for the depth of the call,
// the method, a space with the descriptor, and a tab with the source file. After these, it has the
// energy of the call including its callees in joules, and the duration in seconds:
//
//	signature, joule, seconds
//	..com.mine.Feed.load (I)V<tab>Feed.java,0.25,0.31
//
// The caller of a call is the nearest earlier line with fewer dots. Calls of the framework are not
// listed, so the depth may increase by more than one. The durations are not read.
//
// routineCosts.csv has the average energy of a call of each method, including its callees. It has
// no depths. The energies overlap, so their sum is not the energy of a run. A warning states this.
//
// # Contradictory energies
//
// PETrA computes the energy of a call from its start and end. These times are not always right, so
// the callees of a call may have more energy than the call. The package corrects this from the
// outermost calls inwards:
//
//  1. The energies of outermost calls are used unchanged. Their sum is the energy of the run.
//  2. The energy of a call is divided among its callees in proportion to their stated energies. The
//     rest is the call's own energy.
//  3. If the callees state more energy than the call, their energies are reduced, and the call's own
//     energy is 0.
//
// All energies are whole nanojoules, distributed by largest remainders. Negative energies count as
// 0. Warnings count both contradictions.
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
	// maxLine is the largest length of a line.
	maxLine = 1 << 16
	// maxCalls limits the number of calls within an outermost call. deepest limits their depth.
	maxCalls = 1 << 22
	deepest  = 1 << 10
)

// Sniff reports whether head is the start of a file of PETrA.
func Sniff(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	return string(line) == runHead || string(line) == costHead
}

var (
	errLine = errors.New("not a line of PETrA: a method, joules and seconds, separated by commas")
	errSum  = errors.New("the sum of the energies up to here is too large")
)

// Decode reads energies from r to its end, and sends one sample per call to sink. Errors in the
// text are *syntax.Error.
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
			// An outermost call begins here, so the calls before it are complete.
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

// located adds the line to an error. Line 0 means the whole file.
func located(line int, err error) error {
	return &syntax.Error{Format: "energies of PETrA", Line: line, Offset: -1, Err: err}
}

// A call is a parsed line. parent is the index of the caller, or -1 if there is none.
type call struct {
	method trace.MethodID
	depth  int32
	parent int32
	// first is the call's first direct callee, and last is the latest so far. next is the next
	// callee of the same caller. Each is 0 if there is none.
	first, last, next int32
	// stated is the energy on the line. inner is the sum of the energies that the direct callees
	// state. all and own are the computed energies with and without callees. All are in nanojoules.
	stated, inner, all, own int64
}

// A decoder collects an outermost call and all calls inside it. It sends them when the next
// outermost call begins.
type decoder struct {
	batch   *stacks.Batch
	methods map[string]trace.MethodID
	trace   trace.Trace
	// costs is set for routineCosts.csv.
	costs bool
	calls []call
	// open has the indices of the calls that may be callers of the next call, the outermost first.
	open  []int32
	path  []trace.MethodID
	rests []rest
	// sum is the total energy of the outermost calls. excess counts the calls whose callees state
	// more energy than the call. negative counts the negative energies.
	sum, excess, negative int64
}

// read parses a line. ok is false if the line is not a call.
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
		line = line[:max(0, bytes.LastIndexByte(line, ','))] // This removes the duration.
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

// leave closes the open calls that cannot be callers of a call at the given depth.
func (d *decoder) leave(depth int32) {
	for len(d.open) > 0 && d.calls[d.open[len(d.open)-1]].depth >= depth {
		d.open = d.open[:len(d.open)-1]
	}
}

// add adds a call inside the open calls.
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

// hand sends the collected calls as samples, each with its own energy.
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

// method returns the method of a signature: a class, a dot and a name. A space with the descriptor,
// and a tab with the file, may follow.
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
		warn("excess-energy", "%d {call states|calls state} less energy than the calls within {it|them}; the energies of these calls were reduced in proportion", d.excess)
	}
	if d.negative > 0 {
		warn("negative-energy", "%d {call states|calls state} a negative energy, which counts as 0", d.negative)
	}
	return t
}
