// Package petra reads the energies of methods that PETrA writes (Di Nucci et al., "PETrA: A
// Software-Based Tool for Estimating the Energy Profile of Android Applications", ICSE 2017).
//
// result.csv and allRuns.csv have a line for each call: dots for its depth, the method, its
// descriptor behind a space and its source file behind a tab, and what the call drained, with
// what it called, in joules and seconds:
//
//	signature, joule, seconds
//	..com.mine.Feed.load (I)V<tab>Feed.java,0.25,0.31
//
// A call lies in the nearest line before it that has fewer dots. Calls of the framework are
// not listed, so that depths may be left out. The seconds are not read.
//
// routineCosts.csv has what a call of each method drains on average, with what it calls, and
// no depths. Its lines overlap, which a warning says: their sum is no run's.
//
// # Energies that contradict each other
//
// PETrA cuts each call out of the device's drain by its begin and its end, and does not always
// get these right: the calls within a call may state more than that call does. The
// outermost calls are believed, so that the run has what they say. What a call states is
// shared out among the calls within it in proportion to what these state, and what these
// leave is its own; if they state more, it has nothing of its own, and they have less than
// they state. All is in whole nanojoules, by largest remainders. Calls with energies
// below zero have none. Warnings count both.
package petra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	runHead  = "signature, joule, seconds"
	costHead = "Signature,Joule"
	// nanojoules are in a joule.
	nanojoules = 1_000_000_000
	// maxLine is the longest line.
	maxLine = 1 << 16
	// maxCalls bounds the calls within one, and deepest how deep they lie.
	maxCalls = 1 << 22
	deepest  = 1 << 10
)

// Sniff says whether a file begins as PETrA's do.
func Sniff(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	return string(line) == runHead || string(line) == costHead
}

var (
	errLine = errors.New("no line of PETrA's: a method, joules and seconds, with commas between them")
	errSum  = errors.New("the sum of the energies up to here is too large")
)

// Decode reads energies from r to its end and hands them to sink, a sample a call. Errors of
// the text are *syntax.Error.
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
			// An outermost call begins: those before it are whole.
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
		return nil, located(0, errors.New("there is no call in it"))
	}
	return d.finish(), nil
}

// located says where the text is wrong; line 0 is the whole of it.
func located(line int, err error) error {
	return &syntax.Error{Format: "energies by PETrA", Line: line, Offset: -1, Err: err}
}

// A call is a line. Its parent is the index of the call that it lies in, -1 for none.
type call struct {
	method trace.MethodID
	depth  int32
	parent int32
	// first is the first call right within it, last the latest one so far, and next the one
	// behind it in the same call; 0 for none.
	first, last, next int32
	// stated is what the line says, inner what the calls within say, all what the call has
	// with these, and own what it has by itself; in nanojoules.
	stated, inner, all, own int64
}

// A decoder collects an outermost call with all calls within it, and hands them on when the
// next one begins.
type decoder struct {
	batch   *stacks.Batch
	methods map[string]trace.MethodID
	trace   trace.Trace
	// costs is set for routineCosts.csv.
	costs bool
	calls []call
	// open are the calls that the next may lie in, by their indices, the outermost first.
	open  []int32
	path  []trace.MethodID
	rests []rest
	// sum is over the outermost calls; excess counts the calls within which more is stated.
	sum, excess, negative int64
}

// read reads a line; ok is false for one that is no call.
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

// leave ends the open calls that a call of a depth does not lie in.
func (d *decoder) leave(depth int32) {
	for len(d.open) > 0 && d.calls[d.open[len(d.open)-1]].depth >= depth {
		d.open = d.open[:len(d.open)-1]
	}
}

// add takes a call that lies in the open ones.
func (d *decoder) add(c call) error {
	if len(d.calls) >= maxCalls {
		return fmt.Errorf("more than %d calls lie in one", maxCalls)
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

// hand hands the collected calls on, each with its share.
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

// method returns the method of a signature: a class, a dot, a name, and, if they are there, a
// space with the descriptor and a tab with the file.
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
		warn("overlapping-costs", "each value is what a call of the method drains on average, with what it calls: the values overlap, and their sum is of no run; compare with diffprof top, or read a result.csv")
	}
	if d.excess > 0 {
		warn("excess-energy", "%d {call states|calls state} less than the calls within {it|them} do, which have less for it, in proportion", d.excess)
	}
	if d.negative > 0 {
		warn("negative-energy", "%d {call states|calls state} an energy below zero, and {has|have} none", d.negative)
	}
	return t
}
