package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// images returns Images with objects whose functions are in the recording.
func images(files fstest.MapFS, objects ...data.Object) *Images {
	return New(&data.Features{Objects: objects}, files)
}

// A listed is the oracle of an address space: a list of mappings, the newest first.
type listed []data.Mapping

// find returns the newest mapping at an address.
func (l listed) find(ip uint64) (data.Mapping, bool) {
	for _, m := range l {
		if ip >= m.Start && ip-m.Start < m.Size {
			return m, true
		}
	}
	return data.Mapping{}, false
}

// TestSpaces makes random mappings, forks and starts of programs. Its oracle is a list in which the
// newest mapping of an address counts. Addresses are close to 0 and to the end of the address
// space.
func TestSpaces(t *testing.T) {
	paths := []string{"/lib/a.so", "/lib/b.so", "//anon", "[heap]", ""}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		im := images(nil)
		all := map[int32]listed{}
		base := []uint64{0, math.MaxUint64 - 255}[seed%2]
		for range 120 {
			process := r.Int32N(4)
			switch r.IntN(10) {
			case 0:
				child := r.Int32N(4)
				if _, exists := all[child]; !exists && len(all[process]) > 0 {
					all[child] = slices.Clone(all[process])
				}
				im.Fork(child, process)
			case 1:
				delete(all, process)
				im.Exec(process)
			default:
				m := data.Mapping{PID: process, Start: base + r.Uint64N(200), Size: 1 + r.Uint64N(50), Offset: r.Uint64N(1000), Path: paths[r.IntN(len(paths))]}
				before := im.Generation
				im.Map(m, false)
				if im.Generation == before {
					t.Fatal("a mapping does not change the generation")
				}
				all[process] = append(listed{m}, all[process]...)
			}
			for range 20 {
				process, ip := r.Int32N(4), base+r.Uint64N(256)
				got := im.Find(process, ip, false)
				m, ok := all[process].find(ip)
				file := ok && strings.HasPrefix(m.Path, "/lib")
				switch {
				case got.Anonymous != (ok && !file) || (got.Object != nil) != file:
					t.Fatalf("seed %d: %#x is %+v, want %+v", seed, ip, got, m)
				case file && (got.Object.Path != m.Path || got.Address != ip-m.Start+m.Offset):
					t.Fatalf("seed %d: %#x is %#x of %s, want %#x of %s", seed, ip, got.Address, got.Object.Path, ip-m.Start+m.Offset, m.Path)
				}
			}
		}
		entries := 0
		for _, s := range im.spaces {
			if !slices.IsSortedFunc(s.entries, func(a, b entry) int {
				if a.last < b.start {
					return -1
				}
				return 1
			}) {
				t.Fatalf("seed %d: mappings overlap: %+v", seed, s.entries)
			}
			if !s.shared {
				entries += len(s.entries)
			}
		}
		if im.Refused != 0 || im.entries < entries {
			t.Errorf("seed %d: %d refused, %d mappings counted of %d", seed, im.Refused, im.entries, entries)
		}
	}
}

// TestBadMappings checks that empty mappings, and mappings beyond the end of the address space, are
// ignored.
func TestBadMappings(t *testing.T) {
	im := images(nil)
	im.Map(data.Mapping{PID: 1, Start: 100, Path: "/a"}, false)
	im.Map(data.Mapping{PID: 1, Start: math.MaxUint64 - 5, Size: 10, Path: "/a"}, false)
	for _, ip := range []uint64{0, 100, math.MaxUint64 - 2, math.MaxUint64} {
		if got := im.Find(1, ip, false); got.Object != nil || got.Anonymous {
			t.Errorf("%#x is in %+v", ip, got)
		}
	}
	// The last byte of the address space can be mapped.
	im.Map(data.Mapping{PID: 1, Start: math.MaxUint64 - 5, Size: 6, Path: "/a"}, false)
	if got := im.Find(1, math.MaxUint64, false); got.Object == nil || got.Address != 5 {
		t.Errorf("the last byte is %+v", got)
	}
}

// TestMappingsAreBounded makes more mappings than Linux allows for a process.
func TestMappingsAreBounded(t *testing.T) {
	im := images(nil)
	for i := range uint64(maxOfSpace + 3) {
		im.Map(data.Mapping{PID: 1, Start: i * 8192, Size: 4096, Path: "/a"}, false)
	}
	if im.Refused != 3 {
		t.Errorf("%d mappings are refused, want 3", im.Refused)
	}
	// A process that shares these mappings has no room for more mappings. Another process has.
	im.Fork(2, 1)
	im.Map(data.Mapping{PID: 2, Start: 1 << 40, Size: 4096, Path: "/a"}, false)
	im.Map(data.Mapping{PID: 3, Start: 1 << 40, Size: 4096, Path: "/a"}, false)
	if im.Refused != 4 || im.Find(3, 1<<40, false).Object == nil {
		t.Errorf("%d mappings are refused, want 4", im.Refused)
	}
}

// show formats a place: FUNCTION in FILE at ADDRESS.
func show(p Place) string {
	function, file := "?", "?"
	if p.Symbol != nil {
		function = p.Symbol.Name
	}
	if p.Object != nil {
		file = p.Object.Path
	}
	return fmt.Sprintf("%s in %s at %#x", function, file, p.Address)
}

// TestAddresses converts addresses in memory to addresses in each kind of file. The functions are
// in the recording.
func TestAddresses(t *testing.T) {
	im := images(nil,
		// The code is at offset 0x1000 of the file, and is linked to address 0x401000.
		data.Object{Path: "/bin/app", Kind: data.ELF, Address: 0x401000, Offset: 0x1000, Symbols: []program.Symbol{{Address: 0x401010, Size: 8, Name: "main"}, {Address: 0x401020, Name: "open ended"}}},
		// The offset of the code in the file is unknown, so the mapping counts as its start.
		data.Object{Path: "/bin/old", Kind: data.ELF, Address: 0x8000, Offset: -1, Symbols: []program.Symbol{{Address: 0x8004, Size: 4, Name: "start"}}},
		// Addresses in a DEX file are offsets in the file.
		data.Object{Path: "/app/base.vdex", Kind: data.Dex, Offset: -1, Symbols: []program.Symbol{{Address: 0x2040, Size: 16, Name: "Feed.bind"}}},
		data.Object{Path: "wifi.ko", Kind: data.Module, Address: 0x40, Offset: 0x10, Symbols: []program.Symbol{{Address: 0x60, Size: 16, Name: "send"}}},
		data.Object{Path: kernelPath, Kind: data.Kernel, Symbols: []program.Symbol{{Address: 0xffff0000, Name: "schedule"}, {Address: 0xffff0100, Name: "idle"}}},
	)
	for _, m := range []data.Mapping{
		{PID: 7, Start: 0x70000, Size: 0x1000, Offset: 0x1000, Path: "/bin/app"},
		{PID: 7, Start: 0x80000, Size: 0x1000, Offset: 0x3000, Path: "/bin/old"},
		{PID: 7, Start: 0x90000, Size: 0x1000, Offset: 0x2000, Path: "/app/base.vdex"},
		{PID: 7, Start: 0xa0000, Size: 0x1000, Offset: 0x500, Path: "/bin/bare"},
	} {
		im.Map(m, false)
	}
	im.Map(data.Mapping{PID: -1, Start: 0xfffe0000, Size: 0x1000, Path: "wifi.ko"}, true)
	for _, c := range []struct {
		ip     uint64
		kernel bool
		want   string
	}{
		{0x70010, false, "main in /bin/app at 0x401010"},
		{0x70017, false, "main in /bin/app at 0x401017"},
		{0x70018, false, "? in /bin/app at 0x401018"}, // after its last instruction
		{0x7000f, false, "? in /bin/app at 0x40100f"},
		{0x70fff, false, "open ended in /bin/app at 0x401fff"},
		{0x80004, false, "start in /bin/old at 0x8004"},
		{0x90040, false, "Feed.bind in /app/base.vdex at 0x2040"},
		{0xa0007, false, "? in /bin/bare at 0x507"},
		{0xb0000, false, "? in ? at 0x0"},
		{0xfffe0030, true, "send in wifi.ko at 0x60"}, // 0x30 - 0x10 + 0x40
		{0xffff00ff, true, "schedule in [kernel.kallsyms] at 0xffff00ff"},
		{0xffff0100, true, "idle in [kernel.kallsyms] at 0xffff0100"},
		{0xfffd0000, true, "? in [kernel.kallsyms] at 0xfffd0000"},
		{0x70010, true, "? in [kernel.kallsyms] at 0x70010"},
	} {
		if got := show(im.Find(7, c.ip, c.kernel)); got != c.want {
			t.Errorf("%#x is %s, want %s", c.ip, got, c.want)
		}
	}
	if got := im.Find(8, 0x70010, false); got.Object != nil {
		t.Errorf("another process has %s", show(got))
	}
}

// TestKallsyms checks that the kernel's functions come from the kernel's table of symbols, unless
// the recording names them.
func TestKallsyms(t *testing.T) {
	table := []byte("ffffffff81000000 T _stext\nffffffff81000100 t do_idle\nffffffff82000000 D jiffies\n0000000000000000 T hidden\nbroken\n")
	im := images(nil)
	im.Kallsyms(table)
	if got := show(im.Find(1, 0xffffffff81000180, true)); got != "do_idle in [kernel.kallsyms] at 0xffffffff81000180" {
		t.Error(got)
	}
	before := im.Generation
	im.Kallsyms([]byte("ffffffff81000000 T other\n"))
	if got := show(im.Find(1, 0xffffffff81000000, true)); got != "_stext in [kernel.kallsyms] at 0xffffffff81000000" || im.Generation != before {
		t.Error("a second table replaces the first:", got)
	}
}

// TestCompiledFunctions finds functions that a virtual machine compiled and listed in a file. They
// are only in memory without a file.
func TestCompiledFunctions(t *testing.T) {
	im := images(fstest.MapFS{"tmp/perf-7.map": {Data: []byte("5000 20 LFeed;->bind\n0x6000 0x10 with a space\n7000 0 empty\nnot a line\n")}})
	im.Map(data.Mapping{PID: 7, Start: 0x5000, Size: 0x1000, Path: "//anon"}, false)
	im.Map(data.Mapping{PID: 7, Start: 0x7000, Size: 0x1000, Path: "/lib/a.so"}, false)
	for ip, want := range map[uint64]string{
		0x5000: "LFeed;->bind in tmp/perf-7.map at 0x5000",
		0x501f: "LFeed;->bind in tmp/perf-7.map at 0x501f",
		0x5020: "? in ? at 0x0",
		0x600f: "with a space in tmp/perf-7.map at 0x600f",
		0x7000: "? in /lib/a.so at 0x0",
	} {
		if got := show(im.Find(7, ip, false)); got != want {
			t.Errorf("%#x is %s, want %s", ip, got, want)
		}
	}
	if got := im.Find(8, 0x5000, false); got.Object != nil {
		t.Errorf("another process has %s", show(got))
	}
	// simpleperf keeps the file in the recording.
	im = images(nil, data.Object{Path: "/data/local/tmp/perf-9.map", Kind: data.Map, Symbols: []program.Symbol{{Address: 0x5000, Size: 4, Name: "kept"}}})
	if got := show(im.Find(9, 0x5001, false)); got != "kept in /data/local/tmp/perf-9.map at 0x5001" {
		t.Error(got)
	}
	for path, want := range map[string]int32{"/tmp/perf-12.map": 12, "perf-0.map": 0, "perf-x.map": -1, "perf-12.mapx": -1, "perf--2.map": -1, "perf-99999999999.map": -1} {
		if process, ok := mapOf(path); ok != (want >= 0) || ok && process != want {
			t.Errorf("%s lists the functions of %d, %v", path, process, ok)
		}
	}
}
