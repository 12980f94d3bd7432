// Package program finds the functions and source lines of native code in ELF files: in programs and
// libraries, and in their files of debug symbols.
package program

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/debuginfo"
)

// A Symbol is a function. Address is the address for which it was linked.
type Symbol struct {
	Address, Size uint64
	Name          string
}

// Sorted sorts functions by address, in place. A function without a size extends to the next
// function.
func Sorted(list []Symbol) []Symbol {
	slices.SortStableFunc(list, func(a, b Symbol) int { return cmp.Compare(a.Address, b.Address) })
	for i := range list {
		if list[i].Size > 0 {
			continue
		}
		end := ^uint64(0)
		if i+1 < len(list) {
			end = list[i+1].Address
		}
		list[i].Size = end - list[i].Address
	}
	return list
}

// Find returns the function at an address, or nil. list must be sorted.
func Find(list []Symbol, at uint64) *Symbol {
	i, _ := slices.BinarySearchFunc(list, at, func(s Symbol, at uint64) int {
		if s.Address <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return nil
	}
	if s := &list[i-1]; at-s.Address < s.Size {
		return s
	}
	return nil
}

// A Program has what is known of a program or a library from its ELF files. It must not be used
// concurrently.
type Program struct {
	// Symbols are the program's functions, sorted by address.
	Symbols []Symbol
	// Base is the link address of the first byte that is loaded into memory.
	Base uint64

	// loads has the parts of the file that are loaded. It is empty if only a file of debug symbols
	// was found, because such a file lacks the code. text is the address of the page where the code
	// begins.
	loads []load
	text  uint64
	// info is nil if there is no debug information.
	info *debuginfo.Info
	// problem is the reason why debug information could not be read, or nil.
	problem error
	// buildID is the build id of the file.
	buildID string
}

// A load is a part of a file that is loaded at a link address.
type load struct{ offset, size, address uint64 }

// Open reads the ELF files of a program, including its files of debug symbols:
//
//   - files is a folder such as simpleperf's binary_cache, or /.
//   - file is the path at which the program ran.
//   - buildID has the bytes of the program's build ID, or is empty if that is unknown. Files with
//     another build ID are not used.
//
// If no file has functions or lines, the program is nil. The error says why functions or lines are
// missing. Missing files are not an error.
func Open(files fs.FS, file, buildID string) (*Program, error) {
	var all Program
	id := buildID
	add := func(names []string) {
		for _, name := range names {
			p, err := read(files, name, id)
			if errors.Is(err, errOther) {
				all.problem = cmp.Or(all.problem, err)
			}
			if err == nil {
				all.add(p)
			}
		}
	}
	add(candidates(file, id))
	if all.info == nil && id == "" && all.buildID != "" {
		id = all.buildID // The recording lacks the build ID, but the file has it.
		add(debugFiles(id))
	}
	problem := all.problem
	if all.info != nil || len(all.Symbols) > 0 && errors.Is(problem, errOther) {
		problem = nil
	}
	if len(all.Symbols) == 0 && all.info == nil {
		return nil, problem
	}
	return &all, problem
}

// Address returns the link address of a position in a memory mapping. offset is the position in the
// file at which the mapping begins. place is the distance of the position from that beginning.
func (p *Program) Address(place, offset uint64) uint64 {
	for _, l := range p.loads {
		if place+offset-l.offset < l.size {
			return place + offset - l.offset + l.address
		}
	}
	return place + p.text // Assume that the mapping has the code.
}

// Frames returns the functions at an address. See [debuginfo.Info.Frames]. It returns nil if there
// is no debug information.
func (p *Program) Frames(at uint64) []debuginfo.Frame {
	if p.info == nil {
		return nil
	}
	return p.info.Frames(at)
}

// Split reports whether parts of the debug information are in .dwo files, which are not read.
func (p *Program) Split() bool { return p.info != nil && p.info.Split }

// add fills in what p lacks, from another file of the same program.
func (p *Program) add(other *Program) {
	if len(p.Symbols) == 0 {
		p.Symbols, p.text = other.Symbols, other.text
	}
	if len(p.loads) == 0 {
		p.loads, p.Base = other.loads, other.Base
	}
	if p.info == nil {
		p.info = other.info
	}
	p.problem, p.buildID = cmp.Or(p.problem, other.problem), cmp.Or(p.buildID, other.buildID)
}

// candidates returns the possible paths of a program's files, the best first: files of debug
// symbols with the build ID, then the program's path, then its base name.
func candidates(file, buildID string) []string {
	var out []string
	clean := strings.TrimPrefix(path.Clean("/"+file), "/")
	out = append(out, debugFiles(buildID)...)
	out = append(out, "usr/lib/debug/"+clean+".debug", clean, path.Base(clean))
	for i, name := range out {
		if !fs.ValidPath(name) {
			out[i] = "."
		}
	}
	return out
}

// debugFiles returns the possible paths of the file of debug symbols with a build ID.
func debugFiles(buildID string) []string {
	id := hex.EncodeToString([]byte(strings.TrimRight(buildID, "\x00")))
	if len(id) < 4 {
		return nil
	}
	byID := ".build-id/" + id[:2] + "/" + id[2:] + ".debug"
	return []string{byID, "usr/lib/debug/" + byID}
}

var errOther = errors.New("the file's build id differs from the build id in the recording")

// read reads an ELF file. If buildID is not empty, the file must have this build ID.
func read(files fs.FS, name, buildID string) (*Program, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	at, ok := file.(io.ReaderAt)
	if !ok || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	e, err := elf.NewFile(at)
	if err != nil {
		return nil, err
	}
	p := &Program{buildID: buildIDOf(e)}
	if buildID != "" && p.buildID != strings.TrimRight(buildID, "\x00") {
		return nil, fmt.Errorf("%s: %w", name, errOther)
	}
	p.info, p.problem = readLines(files, name, e)
	first := true
	for _, h := range e.Progs {
		if h.Type == elf.PT_LOAD && first {
			first, p.Base = false, h.Vaddr
		}
		if h.Type != elf.PT_LOAD || h.Flags&elf.PF_X == 0 {
			continue
		}
		if p.text = h.Vaddr &^ 0xfff; h.Filesz > 0 {
			p.loads = append(p.loads, load{h.Off, h.Filesz, h.Vaddr})
		}
	}
	for _, table := range []func() ([]elf.Symbol, error){e.Symbols, e.DynamicSymbols} {
		list, err := table()
		if err != nil {
			continue // A file may lack either table.
		}
		for _, s := range list {
			if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Value == 0 || s.Section == elf.SHN_UNDEF {
				continue
			}
			at := s.Value
			if e.Machine == elf.EM_ARM {
				at &^= 1 // The lowest bit marks Thumb code.
			}
			p.Symbols = append(p.Symbols, Symbol{Address: at, Size: s.Size, Name: s.Name})
		}
		if len(p.Symbols) > 0 {
			break
		}
	}
	p.Symbols = Sorted(p.Symbols)
	return p, nil
}

// readLines reads the debug information of a file, which may refer to another file. It returns nil
// if there is none.
func readLines(files fs.FS, name string, e *elf.File) (*debuginfo.Info, error) {
	link, id := debuginfo.Common(e)
	if link == "" {
		return debuginfo.New(e, nil)
	}
	// The link is relative to this file, or a path on the machine where it was made.
	linked := path.Join(path.Dir(name), link)
	if path.IsAbs(link) {
		linked = strings.TrimPrefix(path.Clean(link), "/")
	}
	for _, other := range append([]string{linked}, debugFiles(string(id))...) {
		if !fs.ValidPath(other) {
			continue
		}
		file, err := files.Open(other)
		if err != nil {
			continue
		}
		defer file.Close()
		at, ok := file.(io.ReaderAt)
		if !ok {
			continue
		}
		common, err := elf.NewFile(at)
		if err == nil && buildIDOf(common) == strings.TrimRight(string(id), "\x00") {
			return debuginfo.New(e, common)
		}
	}
	return debuginfo.New(e, nil)
}

// buildIDOf returns the build ID of a file, or "". It omits zeros at the end, because recordings
// pad short build IDs with zeros.
func buildIDOf(e *elf.File) string {
	for _, s := range e.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		b, err := s.Data()
		if err != nil {
			continue
		}
		for len(b) >= 12 {
			n, size, kind := e.ByteOrder.Uint32(b), e.ByteOrder.Uint32(b[4:]), e.ByteOrder.Uint32(b[8:])
			name := (uint64(n) + 3) &^ 3
			desc := (uint64(size) + 3) &^ 3
			if 12+name+desc > uint64(len(b)) {
				break
			}
			if kind == 3 && string(b[12:12+n]) == "GNU\x00" {
				return string(bytes.TrimRight(b[12+name:12+name+uint64(size)], "\x00"))
			}
			b = b[12+name+desc:]
		}
	}
	return ""
}
