package perf

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
	"github.com/diffprof/diffprof/ingest/perf/internal/image"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// A call chain contains marks. A mark states whether the addresses after it are of the kernel or of
// user code. All marks are at least minMark.
const (
	minMark    = ^uint64(4095) + 1
	markKernel = ^uint64(128) + 1
	markUser   = ^uint64(512) + 1
)

// frames converts the addresses in samples to methods.
type frames struct {
	images     *image.Images
	names      *stacks.Table
	simpleperf bool
	// named has the code of functions. places has the code of addresses without a known function.
	named  map[*program.Symbol]stacks.Code
	places map[place]stacks.Code
	// lines has the functions at addresses with debug information, the innermost first.
	lines map[origin][]stacks.Code
	// sources has the source files of methods with lines.
	sources map[trace.MethodID]string
	cache   [1 << 12]cached
	codes   []stacks.Code
	// lengths has the lengths of methods' DEX code, in 16-bit units. Overloads of a method share
	// its id. If their lengths differ, the length is 0.
	lengths map[trace.MethodID]int32
	// java is set after the first Java method.
	java bool
	// unwound is set if simpleperf unwound the stacks. The address of a caller is then within the
	// call instruction, and not after it.
	unwound bool
	// all counts the frames. unnamed counts the frames without a function name, by file.
	all     int64
	unnamed map[*image.Object]int64
}

type place struct {
	object  *image.Object
	address uint64
}

// An origin is an address in a file with code. returns is set if it is a return address.
type origin struct {
	object  *image.Object
	address uint64
	returns bool
}

// cached is the result of find for an address.
type cached struct {
	ip              uint64
	process         int32
	kernel, returns bool
	generation      uint32
	found
}

// found describes a frame. beyond is set if nothing is mapped at its address. last is set if its
// callers are not read.
type found struct {
	code stacks.Code
	// inlined are the functions that were inlined into the code, the innermost first.
	inlined      []stacks.Code
	object       *image.Object // object is set for code without a function name.
	beyond, last bool
}

func newFrames(f *data.File, files fs.FS) *frames {
	return &frames{
		images: image.New(&f.Features, files), names: stacks.NewTable(), simpleperf: f.Simpleperf,
		unwound: f.Simpleperf && slices.ContainsFunc(f.Attributes, func(a data.Attribute) bool { return a.Unwound() }),
		named:   make(map[*program.Symbol]stacks.Code), places: make(map[place]stacks.Code), lines: make(map[origin][]stacks.Code), sources: make(map[trace.MethodID]string), unnamed: make(map[*image.Object]int64), lengths: make(map[trace.MethodID]int32),
	}
}

// stack returns the frames of a sample, the outermost first. They are valid until the next call.
func (f *frames) stack(s *data.Sample, kernel bool) []stacks.Code {
	f.codes = f.codes[:0]
	more := true
	first := true
	// returns is set if the next address is a return address. The first address of a context is the
	// current instruction instead.
	returns := false
	if f.simpleperf || !hasAddress(s.Chain) {
		more = f.push(s.PID, s.IP, kernel, false)
		returns = !f.unwound || kernel
	}
	for _, ip := range s.Chain {
		switch {
		case ip == markKernel:
			kernel, returns = true, false
			continue
		case ip == markUser:
			kernel, returns = false, false
			continue
		case ip >= minMark || !more:
			continue
		}
		if first && f.simpleperf && ip == s.IP {
			first = false
			returns = !f.unwound || kernel
			continue
		}
		first = false
		more = f.push(s.PID, ip, kernel, returns)
		returns = !f.unwound || kernel
	}
	slices.Reverse(f.codes)
	return stacks.Tidy(f.codes)
}

// hasAddress reports whether a chain has any address, apart from marks.
func hasAddress(chain []uint64) bool {
	return slices.ContainsFunc(chain, func(ip uint64) bool { return ip < minMark })
}

// push adds the caller of the frames so far. returns is set if ip is a return address. push returns
// false if the stack ends here.
func (f *frames) push(process int32, ip uint64, kernel, returns bool) bool {
	if kernel {
		process = 0 // All processes have the same kernel.
	}
	at := &f.cache[(ip^ip>>12^uint64(process))%uint64(len(f.cache))]
	if at.ip != ip || at.process != process || at.kernel != kernel || at.returns != returns || at.generation != f.images.Generation {
		*at = cached{
			ip: ip, process: process, kernel: kernel, returns: returns, generation: f.images.Generation,
			found: f.find(process, ip, kernel, returns),
		}
	}
	c := &at.found
	n := len(f.codes)
	if c.beyond && f.simpleperf && n > 0 {
		return false // simpleperf's own reports end the stack here, too.
	}
	f.all++
	if c.object != nil {
		f.unnamed[c.object]++
	}
	f.codes = append(append(f.codes, c.inlined...), c.code)
	return !c.last
}

// find resolves an address.
func (f *frames) find(process int32, ip uint64, kernel, returns bool) found {
	p := f.images.Find(process, ip, kernel)
	switch {
	case p.Object == nil:
		return found{code: f.names.Nowhere(), beyond: !p.Anonymous}
	case p.Symbol == nil:
		key := place{p.Object, p.Address}
		c, ok := f.places[key]
		if !ok {
			c = f.names.Place(p.Object.Path, p.Address)
			f.places[key] = c
		}
		return found{code: c, object: p.Object}
	}
	c, ok := f.named[p.Symbol]
	if !ok {
		c = f.names.Function(p.Object.Path, p.Symbol.Name)
		f.named[p.Symbol] = c
		f.java = f.java || c.Kind == stacks.Interpreted || c.Kind == stacks.Compiled
		if c.Kind == stacks.Interpreted {
			f.measure(c.Method, p)
		}
	}
	out := found{code: c}
	if c.Kind == stacks.Interpreted {
		out.code.Line = position(p)
	} else {
		f.addLines(&out, &p, returns)
	}
	// The callers of a thread's first function differ between phones, so the stack ends here.
	out.last = f.simpleperf && path.Base(p.Object.Path) == "libc.so" && (p.Symbol.Name == "__libc_init" || p.Symbol.Name == "__start_thread")
	return out
}

// addLines adds debug information to a frame: its line, and the functions that were inlined there.
// A frame without a function name has no lines.
func (f *frames) addLines(to *found, p *image.Place, returns bool) {
	key := origin{p.Object, p.Address, returns}
	list, ok := f.lines[key]
	if !ok {
		for i, l := range p.Lines(returns) {
			c := to.code
			if i > 0 {
				c = f.names.Function(p.Object.Path, cmp.Or(l.Function, stacks.Unknown))
			}
			c.Line = int32(min(l.Line, math.MaxInt32))
			list = append(list, c)
			if _, ok := f.sources[c.Method]; !ok && l.File != "" {
				f.sources[c.Method] = strings.ToValidUTF8(l.File, "\uFFFD")
			}
		}
		slices.Reverse(list)
		f.lines[key] = list
	}
	if n := len(list); n > 0 {
		to.code, to.inlined = list[n-1], list[:n-1]
	}
}

// maxUnits is the largest length of a method's DEX code, in 16-bit units.
const maxUnits = 1 << 24

// measure records the length of a method's DEX code.
func (f *frames) measure(m trace.MethodID, p image.Place) {
	units := int32(0)
	if p.Symbol.Size%2 == 0 && p.Symbol.Size/2 < maxUnits {
		units = int32(p.Symbol.Size / 2)
	}
	if other, ok := f.lengths[m]; ok && other != units {
		units = 0
	}
	f.lengths[m] = units
}

// units returns the lengths of DEX code, indexed by method.
func (f *frames) units() []int32 {
	var list []int32
	for m, units := range f.lengths {
		for int(m) >= len(list) {
			list = append(list, 0)
		}
		list[m] = units
	}
	return list
}

// position returns the value of trace.Sample.Lines for an interpreted frame: ^n for the instruction
// at 16-bit unit n of the method's DEX code. It returns 0 for an odd address, which cannot be an
// instruction.
func position(p image.Place) int32 {
	at := p.Address - p.Symbol.Address
	if at%2 != 0 || at/2 >= maxUnits {
		return 0
	}
	return ^int32(at / 2)
}

// warnings returns warnings about frames without a function name.
func (f *frames) warnings() []trace.Warning {
	files := make(map[string]int64)
	var kernel int64
	for o, n := range f.unnamed {
		if o.Kind == data.Kernel {
			kernel += n
			continue
		}
		files[o.Path] += n
	}
	var out []trace.Warning
	if problems := f.images.Problems(); len(problems) > 0 {
		out = append(out, trace.Warning{Code: "symfs", Message: "no lines are known of some files in --symfs: " + stacks.ListProblems(problems)})
	}
	if kernel > 0 {
		advice := "perf script adds the names on the machine that recorded it"
		if f.simpleperf {
			advice = "simpleperf writes the names if /proc/sys/kernel/kptr_restrict is 0"
		}
		out = append(out, trace.Warning{
			Code:    "kernel-symbols",
			Message: trace.Counted("%d of %d frames {is|are} in the kernel, for which the recording has no names; %s", kernel, f.all, advice),
		})
	}
	if sum, names := stacks.WithoutName(files); sum > 0 {
		out = append(out, trace.Warning{
			Code: "no-symbols",
			Message: trace.Counted("%d of %d frames {has|have} no function name, in %s; "+
				"use --symfs with the folder of these files", sum, f.all, names),
		})
	}
	return out
}
