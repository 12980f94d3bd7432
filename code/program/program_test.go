package program

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/code/program/programtest"
)

// TestLoads checks that positions are converted only with the segments that have code. A library
// also has data segments, and notes that are not loaded.
func TestLoads(t *testing.T) {
	file := programtest.ELF([]elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Filesz: 0x1000, Vaddr: 0x10000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Filesz: 0x2000, Vaddr: 0x41000},
		{Type: uint32(elf.PT_NOTE), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x3000, Filesz: 0x1000, Vaddr: 0x90000},
	}, "decode", 0x41230, "")
	p, err := read(fstest.MapFS{"lib/libmine.so": {Data: file}}, "lib/libmine.so", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []load{{0x1000, 0x2000, 0x41000}}; !slices.Equal(p.loads, want) || p.text != 0x41000 || p.Base != 0x10000 {
		t.Errorf("loads are %x from %#x and %#x, want %x", p.loads, p.text, p.Base, want)
	}
	if want := []Symbol{{Address: 0x41230, Size: 16, Name: "decode"}}; !slices.Equal(p.Symbols, want) {
		t.Errorf("functions are %+v, want %+v", p.Symbols, want)
	}
	for _, c := range []struct{ place, offset, want uint64 }{
		{0x230, 0x1000, 0x41230},
		{0x20, 0x2fe0, 0x41020}, // Beyond the code, so the mapping is assumed to have the code.
		{0x20, 0, 0x41020},      // The part of the file with data.
	} {
		if got := p.Address(c.place, c.offset); got != c.want {
			t.Errorf("position %#x of a mapping from %#x is %#x, want %#x", c.place, c.offset, got, c.want)
		}
	}
	if _, err := read(fstest.MapFS{"lib/libmine.so": {Data: file}}, "lib/libmine.so", "aabb"); err == nil {
		t.Error("a file without the build id is read")
	}
}

// TestDebugSymbols finds the functions of a stripped library in a file of debug symbols with its
// build ID. A file with another build ID must not be used, and must be reported as a problem.
func TestDebugSymbols(t *testing.T) {
	const id = "\x0a\xbc\xde\xf0\x11"
	code := []elf.Prog64{{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Filesz: 0x2000, Vaddr: 0x41000}}
	stripped, symbols, other := programtest.ELF(code, "", 0, id), programtest.ELF(nil, "decode", 0x41230, id), programtest.ELF(code, "wrong", 0x41230, "\x0b"+id[1:])
	for _, c := range []struct {
		what, recorded string
		files          fstest.MapFS
		want           string
		other          bool
	}{
		{"by the id in the recording", id + "\x00\x00\x00", fstest.MapFS{"lib/a.so": {Data: stripped}, ".build-id/0a/bcdef011.debug": {Data: symbols}}, "decode at 0x41234", false},
		{"by the id in the library", "", fstest.MapFS{"lib/a.so": {Data: stripped}, "usr/lib/debug/.build-id/0a/bcdef011.debug": {Data: symbols}}, "decode at 0x41234", false},
		{"by its path", "", fstest.MapFS{"lib/a.so": {Data: stripped}, "usr/lib/debug/lib/a.so.debug": {Data: symbols}}, "decode at 0x41234", false},
		{"next to the recording", id, fstest.MapFS{"a.so": {Data: programtest.ELF(code, "decode", 0x41230, id)}}, "decode at 0x41234", false},
		{"another build", id, fstest.MapFS{"lib/a.so": {Data: other}}, "?", true},
		{"another build next to the right one", id, fstest.MapFS{"lib/a.so": {Data: other}, "a.so": {Data: programtest.ELF(code, "decode", 0x41230, id)}}, "decode at 0x41234", false},
		{"no library", id, fstest.MapFS{"lib/a.so": {Data: []byte("text")}}, "?", false},
	} {
		got := "?"
		p, problem := Open(c.files, "/lib/a.so", c.recorded)
		if p != nil {
			at := p.Address(0x234, 0x1000)
			if s := Find(p.Symbols, at); s != nil {
				got = fmt.Sprintf("%s at %#x", s.Name, at)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		if errors.Is(problem, errOther) != c.other || problem != nil && !c.other {
			t.Errorf("%s: problem %v", c.what, problem)
		}
	}
}

// TestCandidates lists the possible paths of a file and of its debug symbols, in the order of the
// search.
func TestCandidates(t *testing.T) {
	for _, c := range []struct{ file, id, want string }{
		{"/lib/a.so", "", "usr/lib/debug/lib/a.so.debug lib/a.so a.so"},
		{"/lib/a.so", "\x0a\xbc\xde\x00\x00", ".build-id/0a/bcde.debug usr/lib/debug/.build-id/0a/bcde.debug usr/lib/debug/lib/a.so.debug lib/a.so a.so"},
		{"/lib/a.so", "\x0a", "usr/lib/debug/lib/a.so.debug lib/a.so a.so"},
		{"../../etc/passwd", "", "usr/lib/debug/etc/passwd.debug etc/passwd passwd"},
	} {
		if got := strings.Join(candidates(c.file, c.id), " "); got != c.want {
			t.Errorf("%s with id %x is at %s, want %s", c.file, c.id, got, c.want)
		}
	}
}

// TestSorted sorts functions. A function without a size ends where the next function begins, and
// the last one ends with the address space.
func TestSorted(t *testing.T) {
	list := Sorted([]Symbol{{Address: 300, Name: "last"}, {Address: 100, Name: "first"}, {Address: 120, Size: 5, Name: "sized"}})
	for at, want := range map[uint64]string{99: "", 100: "first", 119: "first", 120: "sized", 124: "sized", 125: "", 299: "", 300: "last", 1 << 63: "last"} {
		got := ""
		if s := Find(list, at); s != nil {
			got = s.Name
		}
		if got != want {
			t.Errorf("%d is in %q, want %q", at, got, want)
		}
	}
	if list[0].Size != 20 || list[1].Size != 5 || list[2].Size != ^uint64(0)-300 {
		t.Errorf("the sizes are %+v", list)
	}
}

// TestWithoutDebugInformation asks a program without debug information for functions.
func TestWithoutDebugInformation(t *testing.T) {
	var p Program
	if p.Frames(1) != nil || p.Split() {
		t.Error("it has debug information")
	}
}
