package image

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
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/debuginfo"
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
	// info is nil if there is no debug information.
	info *debuginfo.Info
	// problem is the reason why debug information could not be read.
	problem error
	// buildID is the build id of the file.
	buildID string
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
	id := o.buildID
	add := func(names []string) {
		for _, name := range names {
			p, err := readProgram(im.files, name, id)
			if errors.Is(err, errOther) {
				all.problem = cmp.Or(all.problem, err)
			}
			if err == nil {
				all.add(p)
			}
		}
	}
	add(candidates(o.Path, id))
	if all.info == nil && id == "" && all.buildID != "" {
		id = all.buildID // The recording lacks the build id, and the file itself has it.
		add(debugFiles(id))
	}
	if o.problem = all.problem; all.info != nil || len(all.symbols) > 0 && errors.Is(o.problem, errOther) {
		o.problem = nil
	}
	if len(all.symbols) > 0 || all.info != nil {
		o.elf = &all
	}
	return o.elf
}

// add adds what is still unknown from another file of the same program.
func (p *program) add(other *program) {
	if len(p.symbols) == 0 {
		p.symbols, p.text = other.symbols, other.text
	}
	if len(p.loads) == 0 {
		p.loads = other.loads
	}
	if p.info == nil {
		p.info = other.info
	}
	p.problem, p.buildID = cmp.Or(p.problem, other.problem), cmp.Or(p.buildID, other.buildID)
}

// candidates returns the possible names of an object's file, the best first. Files of debug symbols
// with the build id come first, then the path, then the base name.
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

// debugFiles returns the possible names of the file of debug symbols with a build id.
func debugFiles(buildID string) []string {
	id := hex.EncodeToString([]byte(strings.TrimRight(buildID, "\x00")))
	if len(id) < 4 {
		return nil
	}
	byID := ".build-id/" + id[:2] + "/" + id[2:] + ".debug"
	return []string{byID, "usr/lib/debug/" + byID}
}

var errOther = errors.New("the file has another build id than the one that ran")

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
	p := &program{buildID: buildIDOf(e)}
	if buildID != "" && p.buildID != strings.TrimRight(buildID, "\x00") {
		return nil, fmt.Errorf("%s: %w", name, errOther)
	}
	p.info, p.problem = readLines(files, name, e)
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

// readLines reads the debug information of a file, which may refer to another file. It returns nil if there
// is none.
func readLines(files fs.FS, name string, e *elf.File) (*debuginfo.Info, error) {
	link, id := debuginfo.Common(e)
	if link == "" {
		return debuginfo.New(e, nil)
	}
	// The link is relative to the file of debug symbols, or it is a path on the machine that made it.
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

// buildIDOf returns the build id of a file without zeros at its end, because recordings pad short build
// ids with zeros. It is empty if the file has none.
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
