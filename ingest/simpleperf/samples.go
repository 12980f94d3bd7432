package simpleperf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A sample is a sample of the report, whose frames are innermost first.
type sample struct {
	thread uint32
	event  uint32
	count  int64
	frames []frame
}

// A frame is a place in a file, with the number of a symbol or -1.
type frame struct {
	address uint64
	file    uint32
	symbol  int32
}

func (s *sample) read(data []byte) error {
	*s = sample{frames: s.frames[:0]}
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 2:
			s.thread = uint32(value)
		case 3:
			var f frame
			err := wire.Each(data, func(number int, value uint64, _ []byte) error {
				switch number {
				case 1:
					f.address = value
				case 2:
					f.file = uint32(value)
				case 3:
					f.symbol = int32(value)
				}
				return nil
			})
			s.frames = append(s.frames, f)
			return err
		case 4:
			s.count = int64(min(value, math.MaxInt64))
		case 5:
			s.event = uint32(value)
		}
		return nil
	})
}

// A decoder holds the tables, and what the samples add up to.
type decoder struct {
	*tables
	event uint32
	timed bool
	batch *stacks.Batch
	names *stacks.Table
	known map[frame]code
	ids   map[uint32]trace.ThreadID
	procs map[uint32]int
	trace trace.Trace
	sum   int64
	// least is the smallest count of a sample, 0 before the first: of a clock, its period.
	least   int64
	current sample
	codes   []code
}

// A code is what a frame stands for.
type code struct {
	method trace.MethodID
	kind   kind
}

// kind says whose frames those of a file are.
type kind uint8

const (
	native kind = iota
	java
	art // the interpreter and the stubs of the virtual machine
)

func newDecoder(t *tables, event uint32, sink trace.Sink) *decoder {
	d := &decoder{
		tables: t, event: event, timed: isClock(t.name(event)),
		batch: stacks.NewBatch(sink), names: stacks.NewTable(),
		known: make(map[frame]code), ids: make(map[uint32]trace.ThreadID), procs: make(map[uint32]int),
		trace: trace.Trace{Format: "simpleperf", VM: "art", Technique: trace.Sampled},
	}
	if d.timed {
		d.trace.Clock = trace.ThreadCPU
	} else {
		d.trace.Energy, d.trace.Unstated = trace.Given, true
		d.trace.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
	return d
}

// sample reads a sample.
func (d *decoder) sample(data []byte) error {
	s := &d.current
	if err := s.read(data); err != nil {
		return err
	}
	if s.event != d.event {
		return nil
	}
	if s.count > math.MaxInt64-d.sum {
		return errors.New("the sum of the counts up to here is too large")
	}
	d.sum += s.count
	if s.count > 0 && (d.least == 0 || s.count < d.least) {
		d.least = s.count
	}
	out := trace.Sample{Thread: d.thread(s.thread), Count: 1}
	th := &d.trace.Threads[out.Thread]
	th.Events++
	if d.timed {
		out.CPU = s.count
		th.CPU += time.Duration(s.count)
	} else {
		out.Energy = units.Energy(s.count)
	}
	d.codes = d.codes[:0]
	for _, f := range slices.Backward(s.frames) {
		d.codes = append(d.codes, d.code(f))
	}
	for i, c := range d.codes {
		if c.kind != art || !d.nextToJava(i) {
			d.batch.Push(c.method, 0)
		}
	}
	d.batch.Add(out)
	d.trace.Events++
	return nil
}

// nextToJava says whether a frame of the virtual machine is in a row of such frames that
// ends at a method of Java.
func (d *decoder) nextToJava(i int) bool {
	for _, step := range []int{-1, 1} {
		k := i
		for k >= 0 && k < len(d.codes) && d.codes[k].kind == art {
			k += step
		}
		if k >= 0 && k < len(d.codes) && d.codes[k].kind == java {
			return true
		}
	}
	return false
}

// code returns what a frame stands for.
func (d *decoder) code(f frame) code {
	if f.symbol >= 0 && d.files[f.file] != nil {
		f.address = 0 // all places of a symbol are one
	}
	c, ok := d.known[f]
	if !ok {
		c = d.newCode(f)
		d.known[f] = c
	}
	return c
}

func (d *decoder) newCode(f frame) code {
	file := d.files[f.file]
	if file == nil {
		return code{method: d.names.ID(fmt.Appendf(nil, "%#x", f.address))}
	}
	base := path.Base(file.path)
	if f.symbol < 0 || int(f.symbol) >= len(file.symbols) {
		return code{method: d.names.ID(fmt.Appendf(nil, "%s`%#x", base, f.address))}
	}
	symbol := strings.TrimPrefix(strings.TrimPrefix(file.symbols[f.symbol], "[DEDUPED] "), "[linker]")
	if isJava(file.path, base) {
		return code{d.names.ID([]byte(symbol)), java}
	}
	c := code{method: d.names.ID([]byte(base + "`" + symbol))}
	if base == "libart.so" || base == "libartd.so" {
		c.kind = art
	}
	return c
}

// isJava says whether a file has code that ART compiled or interprets.
func isJava(file, base string) bool {
	switch path.Ext(base) {
	case ".oat", ".odex", ".vdex", ".dex", ".jar", ".apk", ".art":
		return true
	}
	return strings.Contains(file, "jit_app_cache") || strings.Contains(file, "jit-cache") || strings.Contains(file, "JIT app cache")
}

// thread returns a thread's id.
func (d *decoder) thread(id uint32) trace.ThreadID {
	if t, ok := d.ids[id]; ok {
		return t
	}
	known := d.threads[id]
	process, ok := d.procs[known.process]
	if !ok {
		process = len(d.trace.Processes)
		d.procs[known.process] = process
		d.trace.Processes = append(d.trace.Processes, trace.Process{ID: int64(known.process)})
	}
	t := trace.ThreadID(len(d.trace.Threads))
	d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: int64(id), Name: known.name, Process: process})
	d.ids[id] = t
	return t
}

// finish completes the trace.
func (d *decoder) finish(cut bool) (*trace.Trace, error) {
	t := &d.trace
	t.Methods, t.Warnings = d.names.Finish()
	if len(t.Processes) == 1 {
		t.Processes[0].Name = d.app
	}
	if d.timed {
		t.Interval = time.Duration(d.least)
	}
	warn := func(code, format string, args ...any) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if cut {
		warn("truncated", "the report ends in the middle of a record; symbols come last, so that names may be missing")
	}
	if !d.timed {
		warn("other-unit", "the values count %s, which is neither energy nor time", d.name(d.event))
	}
	if d.lost > 0 {
		warn("lost-samples", "the recorder lost %d samples", d.lost)
	}
	for id, n := range d.counts {
		if id != d.event {
			warn("other-events", "%d samples of %s are not counted; --sample-type chooses the event", n, d.name(id))
		}
	}
	slices.SortFunc(t.Warnings, func(a, b trace.Warning) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return t, nil
}
