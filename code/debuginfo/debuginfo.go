// Package debuginfo finds the source lines of native code in the debug information of ELF files
// (DWARF 2 to 5).
//
// [Info.Frames] returns the functions at an address: the function that contains it, and the
// functions that the compiler inlined there. The package reads compressed sections, and files whose
// common parts dwz moved to another file. It does not read .dwo files, so code that was compiled
// with -gsplit-dwarf has no lines.
package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxBytes is the maximum size of a file's debug information, which is read into memory.
const MaxBytes = 512 << 20

// ErrLarge means that the debug information of a file is larger than MaxBytes.
var ErrLarge = errors.New("the debug information is too large")

// A Frame is a function at an address, with a source line.
type Frame struct {
	// Function is the function's symbol, or its name if there is no symbol. It may be empty.
	Function string
	// File is the path of the source file, as the compiler saw it. It may be empty. Line is 0 if
	// unknown.
	File string
	Line int
}

// Info is the debug information of a file. It must not be used concurrently.
type Info struct {
	data   *dwarf.Data
	common *common
	// units is sorted by address. It has an element for each address range of a unit.
	units []unitRange
	// code has the address ranges of sections with code. Debug information also describes functions
	// that the linker dropped. Their addresses are outside of these ranges.
	code []span
	// Split is set if a unit was skipped because its functions are in a .dwo file.
	Split bool
}

// A span is the range of addresses from up to, but not including, to.
type span struct{ from, to uint64 }

func (s span) has(at uint64) bool { return s.from <= at && at < s.to }

type unitRange struct {
	span
	unit *unit
}

// New reads the debug information of a file. common is the file that [Common] names, or nil. New
// returns nil if the file has no debug information.
func New(file, common *elf.File) (*Info, error) {
	lines := file.Section(".debug_line")
	if lines == nil {
		lines = file.Section(".zdebug_line")
	}
	if lines == nil || lines.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	data, err := read(file)
	if err != nil {
		return nil, err
	}
	in := &Info{data: data}
	for _, s := range file.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Size > 0 && s.Addr+s.Size > s.Addr {
			in.code = append(in.code, span{s.Addr, s.Addr + s.Size})
		}
	}
	if common != nil {
		if in.common, err = readCommon(common); err != nil {
			return nil, fmt.Errorf("reading the common debug information: %w", err)
		}
	}
	return in, in.readUnits()
}

// read reads the sections of a file.
func read(file *elf.File) (*dwarf.Data, error) {
	size := uint64(0)
	for _, s := range file.Sections {
		if isDebug(s) {
			if s.Size > MaxBytes {
				return nil, ErrLarge
			}
			size += s.Size
		}
	}
	if size > MaxBytes {
		return nil, ErrLarge
	}
	return file.DWARF()
}

func isDebug(s *elf.Section) bool {
	return strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_")
}

// readUnits finds the address ranges of the compilation units.
func (in *Info) readUnits() error {
	r := in.data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		r.SkipChildren()
		if e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		ranges, err := in.data.Ranges(e)
		if err != nil {
			continue // The lines of this unit are unknown.
		}
		u := &unit{entry: e}
		if len(ranges) == 0 && !isSkeleton(e) {
			// Old compilers do not write the address ranges of a unit. Use its line table instead.
			in.readUnit(u)
			for _, s := range u.sequences {
				ranges = append(ranges, [2]uint64{s.from, s.to})
			}
		}
		for _, s := range ranges {
			if s := (span{s[0], s[1]}); in.isCode(s) {
				in.units = append(in.units, unitRange{s, u})
			}
		}
	}
	slices.SortStableFunc(in.units, func(a, b unitRange) int { return cmp.Compare(a.from, b.from) })
	return nil
}

// isCode reports whether a range of addresses is in a section with code.
func (in *Info) isCode(s span) bool {
	if s.from >= s.to {
		return false
	}
	return slices.ContainsFunc(in.code, func(c span) bool { return c.has(s.from) && s.to <= c.to })
}

// Frames returns the functions at an address, the outermost first. The first function contains the
// address. The others were inlined there. For example, if f calls the inlined g on line 3, the
// frames are f at line 3, and g at the line of the address. The line of the last frame may be
// unknown. Frames returns nil if nothing is known about the address.
func (in *Info) Frames(at uint64) []Frame {
	i, _ := slices.BinarySearchFunc(in.units, at, func(u unitRange, at uint64) int {
		if u.from <= at {
			return -1
		}
		return 1
	})
	// Ranges do not overlap, except in damaged files.
	if i == 0 || !in.units[i-1].has(at) {
		return nil
	}
	u := in.units[i-1].unit
	if !u.read {
		if isSkeleton(u.entry) {
			in.Split = true
			return nil
		}
		in.readUnit(u)
	}
	row, ok := u.row(at)
	if !ok {
		return nil
	}
	var out []Frame
	for list := u.functions; ; {
		f := within(list, at)
		if f == nil {
			break
		}
		if n := len(out); n > 0 {
			out[n-1].File, out[n-1].Line = u.file(f.callFile), f.callLine
		}
		out = append(out, Frame{Function: name(in.data, in.common, f.entry, 0)})
		list = f.inlined
	}
	if len(out) == 0 {
		out = append(out, Frame{}) // Assembly code may have lines but no functions.
	}
	last := &out[len(out)-1]
	last.File, last.Line = row.file, row.line
	if len(out) == 1 && row.line == 0 {
		return nil
	}
	return out
}

// within returns the function in a list that contains an address, or nil. If several functions do,
// it returns the last one, because a nested function follows the function that contains it.
func within(list []*function, at uint64) *function {
	for _, f := range slices.Backward(list) {
		if slices.ContainsFunc(f.ranges, func(s span) bool { return s.has(at) }) {
			return f
		}
	}
	return nil
}
