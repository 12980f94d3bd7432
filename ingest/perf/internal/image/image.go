// Package image tracks the memory mappings of processes, and finds the functions at addresses.
package image

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/debuginfo"
	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// kernelPath is the path by which perf refers to the kernel.
const kernelPath = "[kernel.kallsyms]"

// A Place is the code at an address.
type Place struct {
	// Object is nil if nothing is mapped at the address.
	Object *Object
	// Address is the address within the object.
	Address uint64
	// Symbol is nil if the function is unknown.
	Symbol *program.Symbol
	// Anonymous is set for memory without a file.
	Anonymous bool

	// elf is the object's ELF file, which may have debug information. code is the address in it.
	elf  *program.Program
	code uint64
}

// An Object is a program, a library or another file with code.
type Object struct {
	Path string
	Kind data.ObjectKind

	address uint64
	offset  int64
	symbols []program.Symbol
	buildID string
	// elf is the ELF file, or nil. looked is set once it was searched for.
	elf    *program.Program
	looked bool
	// problem states why the file's debug information could not be read.
	problem error
}

// Images has the objects of a recording, and their mappings. They must not be used concurrently.
type Images struct {
	files    fs.FS
	buildIDs map[string]string
	objects  map[string]*Object
	kernel   *Object
	kernels  *space
	spaces   map[int32]*space
	// jits has, by process, the functions that its just-in-time compiler made.
	jits map[int32]*Object
	// entries counts the mappings of all processes. Refused counts the mappings beyond the limit.
	entries int
	Refused int64
	// Generation starts at 1. It increases with every change of a mapping.
	Generation uint32
}

// New returns the Images of a recording, without mappings. files has programs and libraries, for
// functions that the recording does not name. files may be nil.
func New(f *data.Features, files fs.FS) *Images {
	im := &Images{
		files: files, buildIDs: f.BuildIDs, Generation: 1,
		objects: make(map[string]*Object), kernels: &space{}, spaces: make(map[int32]*space), jits: make(map[int32]*Object),
	}
	im.kernel = &Object{Path: kernelPath, Kind: data.Kernel}
	for _, from := range f.Objects {
		o := im.object(from.Path, from.Kind)
		if from.Kind == data.Kernel {
			o = im.kernel
		}
		o.Kind, o.address, o.offset = from.Kind, from.Address, from.Offset
		o.symbols = program.Sorted(append(o.symbols, from.Symbols...))
		if process, ok := mapOf(from.Path); ok && from.Kind == data.Map {
			im.jits[process] = o
		}
	}
	return im
}

// program returns the ELF file of an object, or nil if there is none.
func (im *Images) program(o *Object) *program.Program {
	if !o.looked && im.files != nil && o.Kind == data.ELF {
		o.looked = true
		o.elf, o.problem = program.Open(im.files, o.Path, o.buildID)
	}
	return o.elf
}

func (im *Images) object(path string, kind data.ObjectKind) *Object {
	o := im.objects[path]
	if o == nil {
		o = &Object{Path: path, Kind: kind, offset: -1, buildID: im.buildIDs[path]}
		im.objects[path] = o
	}
	return o
}

// Kallsyms adds the functions of the kernel, unless the recording already names them.
func (im *Images) Kallsyms(text []byte) {
	if len(im.kernel.symbols) == 0 {
		im.Generation++
		im.kernel.symbols = program.Sorted(data.ParseKallsyms(text))
	}
}

// Map adds a mapping.
func (im *Images) Map(m data.Mapping, kernel bool) {
	im.Generation++
	if m.Size == 0 || m.Start+m.Size-1 < m.Start {
		return
	}
	at := im.kernels
	var o *Object
	switch {
	case kernel && strings.HasPrefix(m.Path, kernelPath):
		o = im.kernel
	case kernel:
		o = im.object(m.Path, data.Module)
	default:
		if at = im.spaces[m.PID]; at == nil {
			at = &space{}
			im.spaces[m.PID] = at
		}
		if !isAnonymous(m.Path) {
			o = im.object(m.Path, data.ELF)
		}
	}
	if o != nil && m.BuildID != "" {
		o.buildID = m.BuildID
	}
	if at.shared {
		if im.entries+len(at.entries) > maxEntries {
			im.Refused++
			return
		}
		at.entries, at.shared = slices.Clone(at.entries), false
		im.entries += len(at.entries)
	}
	if len(at.entries) >= maxOfSpace || im.entries >= maxEntries {
		im.Refused++
		return
	}
	before := len(at.entries)
	at.insert(entry{m.Start, m.Start + m.Size - 1, m.Offset, o, m.Flags&flagJIT != 0})
	im.entries += len(at.entries) - before
}

// isAnonymous reports whether path is the name of a mapping without a file.
func isAnonymous(path string) bool {
	return path == "" || path == "//anon" || path == "[anon]" || path == "[heap]" || path == "[stack]" || path == "[unknown]"
}

// Fork gives the process child a copy of the mappings of the process parent.
func (im *Images) Fork(child, parent int32) {
	from := im.spaces[parent]
	if child == parent || from == nil || im.spaces[child] != nil {
		return
	}
	im.Generation++
	from.shared = true
	im.spaces[child] = &space{entries: from.entries, shared: true}
}

// Exec removes the mappings of a process that starts another program.
func (im *Images) Exec(process int32) {
	im.Generation++
	if s := im.spaces[process]; s != nil {
		if !s.shared {
			im.entries -= len(s.entries)
		}
		delete(im.spaces, process)
	}
}

// Find returns the code at the address ip. It searches the kernel if kernel is set, and otherwise
// the process.
func (im *Images) Find(process int32, ip uint64, kernel bool) Place {
	s := im.spaces[process]
	if kernel {
		s = im.kernels
	}
	e := s.find(ip)
	if e == nil && kernel {
		return Place{Object: im.kernel, Address: ip, Symbol: program.Find(im.kernel.symbols, ip)}
	}
	if e == nil || e.object == nil {
		if o := im.jit(process); o != nil {
			if symbol := program.Find(o.symbols, ip); symbol != nil {
				return Place{Object: o, Address: ip, Symbol: symbol}
			}
		}
		return Place{Anonymous: e != nil}
	}
	o := e.object
	out := Place{Object: o, Address: o.at(ip, e)}
	if out.Symbol = program.Find(o.symbols, out.Address); out.Symbol == nil && o.Kind == data.Module {
		out.Symbol = program.Find(im.kernel.symbols, ip)
		return out
	}
	if out.elf = im.program(o); out.elf == nil || e.jit {
		return out
	}
	if out.code = out.Address; out.Symbol == nil {
		out.code = out.elf.Address(ip-e.start, e.offset)
		out.Address, out.Symbol = out.code, program.Find(out.elf.Symbols, out.code)
	}
	return out
}

// Lines returns the functions at a place, the outermost first, as debuginfo.Info.Frames does. If
// returns is set, the place is a return address, and the result is for the call before it.
func (p *Place) Lines(returns bool) []debuginfo.Frame {
	if p.elf == nil || p.code == 0 {
		return nil
	}
	at := p.code
	if returns {
		if p.Symbol != nil && p.Address == p.Symbol.Address {
			return nil // No call can precede the first instruction.
		}
		at--
	}
	return p.elf.Frames(at)
}

// Problems lists the files whose functions or lines could not be read, with the reasons. It is
// sorted by file.
func (im *Images) Problems() []string {
	var out []string
	for _, o := range im.objects {
		switch {
		case o.problem != nil:
			out = append(out, fmt.Sprintf("%s (%v)", path.Base(o.Path), o.problem))
		case o.elf != nil && o.elf.Split():
			out = append(out, path.Base(o.Path)+" (its functions are in .dwo files, which are not read)")
		}
	}
	slices.Sort(out)
	return out
}

// at converts an address in memory to an address within an object.
func (o *Object) at(ip uint64, e *entry) uint64 {
	switch {
	case e.jit, o.Kind == data.Kernel, o.Kind == data.Map:
		return ip
	case o.Kind == data.Module:
		return ip - e.start - uint64(max(o.offset, 0)) + o.address
	case o.Kind == data.Dex:
		return ip - e.start + e.offset
	case o.offset >= 0:
		return ip - e.start + e.offset - uint64(o.offset) + o.address
	case len(o.symbols) > 0:
		return ip - e.start + o.address
	}
	return ip - e.start + e.offset
}
