package image

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// A program is the content of an object's ELF files. It has the functions, and the addresses of the
// code.
type program struct {
	symbols []data.Symbol
	// loads is empty if only a file of debug symbols was found, because such a file lacks the code.
	// text is the address of the page in which the code begins.
	loads []load
	text  uint64
}

// A load is a part of a file that is loaded at an address.
type load struct{ offset, size, address uint64 }

// address converts a position in a mapping to an address. The mapping begins at offset in the file.
func (p *program) address(place, offset uint64) uint64 {
	for _, l := range p.loads {
		if place+offset-l.offset < l.size {
			return place + offset - l.offset + l.address
		}
	}
	return place + p.text // The mapping is assumed to be the one with the code.
}

// program returns the ELF file of an object. It returns nil if there is none.
func (im *Images) program(o *Object) *program {
	if o.looked || im.files == nil || o.Kind != data.ELF {
		return o.elf
	}
	o.looked = true
	var all program
	for _, name := range candidates(o.Path, o.buildID) {
		p, err := readProgram(im.files, name, o.buildID)
		if err != nil {
			continue
		}
		if len(all.symbols) == 0 {
			all.symbols, all.text = p.symbols, p.text
		}
		if len(all.loads) == 0 {
			all.loads = p.loads
		}
	}
	if len(all.symbols) > 0 {
		o.elf = &all
	}
	return o.elf
}

// candidates returns the possible names of an object's file, the best first. Files of debug symbols
// with the build id come first, then the path, then the base name.
func candidates(file, buildID string) []string {
	var out []string
	clean := strings.TrimPrefix(path.Clean("/"+file), "/")
	if len(buildID) > 1 {
		id := hex.EncodeToString([]byte(buildID))
		byID := ".build-id/" + id[:2] + "/" + id[2:] + ".debug"
		out = append(out, byID, "usr/lib/debug/"+byID)
	}
	out = append(out, "usr/lib/debug/"+clean+".debug", clean, path.Base(clean))
	for i, name := range out {
		if !fs.ValidPath(name) {
			out[i] = "."
		}
	}
	return out
}

// readProgram reads an ELF file. The file must have the build id, unless buildID is empty.
func readProgram(files fs.FS, name, buildID string) (*program, error) {
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
	if buildID != "" && !hasBuildID(e, buildID) {
		return nil, fmt.Errorf("%s has a different build id", name)
	}
	p := &program{}
	for _, h := range e.Progs {
		if h.Type != elf.PT_LOAD || h.Flags&elf.PF_X == 0 {
			continue
		}
		if p.text = h.Vaddr &^ 0xfff; h.Filesz > 0 {
			p.loads = append(p.loads, load{h.Off, h.Filesz, h.Vaddr})
		}
	}
	for _, read := range []func() ([]elf.Symbol, error){e.Symbols, e.DynamicSymbols} {
		list, err := read()
		if err != nil {
			continue // A file may lack either of the tables.
		}
		for _, s := range list {
			if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Value == 0 || s.Section == elf.SHN_UNDEF {
				continue
			}
			at := s.Value
			if e.Machine == elf.EM_ARM {
				at &^= 1 // The bit marks code in the short instruction set.
			}
			p.symbols = append(p.symbols, data.Symbol{Address: at, Size: s.Size, Name: s.Name})
		}
		if len(p.symbols) > 0 {
			break
		}
	}
	p.symbols = sorted(p.symbols)
	return p, nil
}

// hasBuildID reports whether a note of a file has the wanted build id. Recordings pad short build
// ids with zeros.
func hasBuildID(e *elf.File, want string) bool {
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
			id := b[12+name : 12+name+uint64(size)]
			if kind == 3 && string(b[12:12+n]) == "GNU\x00" &&
				bytes.Equal(bytes.TrimRight(id, "\x00"), bytes.TrimRight([]byte(want), "\x00")) {
				return true
			}
			b = b[12+name+desc:]
		}
	}
	return false
}

// maxJIT bounds the size of the file in which a virtual machine lists its compiled functions.
const maxJIT = 256 << 20

// mapOf returns the process whose compiled functions a file lists. The name of such a file is
// perf-PID.map.
func mapOf(file string) (process int32, ok bool) {
	number, ok := strings.CutPrefix(path.Base(file), "perf-")
	number, ok2 := strings.CutSuffix(number, ".map")
	n, err := strconv.ParseInt(number, 10, 32)
	return int32(n), ok && ok2 && err == nil && n >= 0
}

// jit returns the functions in perf-PID.map. This file lists the functions that the virtual machine
// of a process compiled. The file is in the recording or in tmp. jit returns nil if there is no
// such file.
func (im *Images) jit(process int32) *Object {
	o, looked := im.jits[process]
	if looked || im.files == nil {
		return o
	}
	name := fmt.Sprintf("tmp/perf-%d.map", process)
	if file, err := im.files.Open(name); err == nil {
		defer file.Close()
		if text, err := io.ReadAll(io.LimitReader(file, maxJIT)); err == nil {
			o = &Object{Path: name, Kind: data.Map, symbols: sorted(parseMap(text))}
		}
	}
	im.jits[process] = o
	return o
}

// parseMap reads lines with an address, a size and a name. Address and size are hexadecimal.
func parseMap(text []byte) []data.Symbol {
	var out []data.Symbol
	for line := range bytes.Lines(text) {
		at, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		size, name, ok := bytes.Cut(rest, []byte{' '})
		a, err := strconv.ParseUint(strings.TrimPrefix(string(at), "0x"), 16, 64)
		n, err2 := strconv.ParseUint(strings.TrimPrefix(string(size), "0x"), 16, 64)
		if ok && err == nil && err2 == nil && n > 0 {
			out = append(out, data.Symbol{Address: a, Size: n, Name: string(name)})
		}
	}
	return out
}
