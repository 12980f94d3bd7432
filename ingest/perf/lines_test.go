package perf_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

const lined = `package main

func square(x float64) float64 {
	return x*x +
		1/(x+1)
}

//go:noinline
func heavy(list []float64) (sum float64) {
	for _, x := range list {
		sum += square(x)
	}
	return sum
}

func main() {
	println(heavy(make([]float64, 1000)))
}
`

// buildGo compiles a program for Linux, and returns its content.
func buildGo(t *testing.T, source string) []byte {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "main.go"), filepath.Join(dir, "server")
	if err := os.WriteFile(from, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-o", to, from)
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// symbols returns the functions of a program by name.
func symbols(t *testing.T, program []byte) map[string]elf.Symbol {
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	list, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]elf.Symbol)
	for _, s := range list {
		out[s.Name] = s
	}
	return out
}

// recordingOf returns a recording whose samples have the given call chains, in a program that is
// mapped at its own addresses.
func recordingOf(chains ...[]uint64) []byte {
	const parts = sampleIP | sampleTID | sampleTime | samplePeriod | sampleChain
	f := &file{attributes: []attribute{{kind: 1, period: 1000, parts: parts, flags: flagFreq, name: "cpu-clock"}}}
	f.add(mmap2(2, 1, 0x400000, 0x400000, 0, 5, "/usr/bin/server"), comm(0, 1, 1, "server"))
	for i, chain := range chains {
		body := numbers(chain[0], int32(1), int32(1), 1000+i, 1000, len(chain)+1, markUser)
		for _, at := range chain {
			body = append(body, numbers(at)...)
		}
		f.add(record(9, 2, body))
	}
	return f.bytes()
}

// framesOf returns the frames of each sample of a recording, the outermost first.
func framesOf(t *testing.T, recording []byte, files fstest.MapFS) ([]string, *trace.Trace) {
	var c tracetest.Collector
	tr, err := perf.Decode(t.Context(), bytes.NewReader(recording), int64(len(recording)), &c, perf.Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range c.Kept {
		var frames []string
		for i, m := range s.Stack {
			line := int32(0)
			if i < len(s.Lines) {
				line = s.Lines[i]
			}
			frames = append(frames, fmt.Sprintf("%s:%d", tr.Methods[m].Short(), line))
		}
		out = append(out, strings.Join(frames, " "))
	}
	return out, tr
}

// TestLines finds the lines of a Go program, with its inlined functions.
func TestLines(t *testing.T) {
	server := buildGo(t, lined)
	all := symbols(t, server)
	heavy, caller := all["main.heavy"], all["main.main"]
	var direct, returning [][]uint64
	for at := heavy.Value; at < heavy.Value+heavy.Size-1; at++ {
		direct = append(direct, []uint64{at})
		returning = append(returning, []uint64{caller.Value, at + 1})
	}
	files := fstest.MapFS{"usr/bin/server": {Data: server}}
	got, tr := framesOf(t, recordingOf(direct...), files)
	if len(tr.Warnings) > 0 {
		t.Error(tr.Warnings)
	}
	for _, want := range []string{"main.heavy:11 main.square:4", "main.heavy:11 main.square:5", "main.heavy:10"} {
		if !slices.Contains(got, want) {
			t.Errorf("no sample is at %s: %v", want, got)
		}
	}
	if at := slices.IndexFunc(tr.Methods, func(m name.Method) bool { return m.Name == "square" }); at < 0 || filepath.Base(tr.Methods[at].File) != "main.go" {
		t.Errorf("the methods have no files: %+v", tr.Methods)
	}
	// The call is on the line of the instruction before the return address.
	after, _ := framesOf(t, recordingOf(returning...), files)
	for i, frames := range after {
		if !strings.HasPrefix(frames, got[i]+" main.main:") {
			t.Errorf("the caller at %#x is %s, want %s", returning[i][1], frames, got[i])
		}
	}
	// No call can precede the first instruction of a function.
	if got, _ := framesOf(t, recordingOf([]uint64{caller.Value, heavy.Value}), files); !strings.HasPrefix(got[0], "main.heavy:0 ") {
		t.Errorf("a caller at the begin of a function is %s", got[0])
	}
}

// TestDamagedLines checks that reading programs with damaged debug information does not fail.
func TestDamagedLines(t *testing.T) {
	server := buildGo(t, lined)
	heavy := symbols(t, server)["main.heavy"]
	file, err := elf.NewFile(bytes.NewReader(server))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	recording := recordingOf([]uint64{heavy.Value + 8}, []uint64{heavy.Value + 20, heavy.Value + 9})
	for range 40 {
		damaged := slices.Clone(server)
		for _, s := range file.Sections {
			if !strings.HasPrefix(s.Name, ".debug") && !strings.HasPrefix(s.Name, ".zdebug") {
				continue
			}
			for range 1 + random.IntN(20) {
				damaged[s.Offset+random.Uint64N(s.FileSize)] = byte(random.Uint32())
			}
		}
		framesOf(t, recording, fstest.MapFS{"usr/bin/server": {Data: damaged}})
	}
}

// TestCopiesOfStacks checks that callers are unknown if perf recorded copies of stacks.
func TestCopiesOfStacks(t *testing.T) {
	f := linux()
	f.attributes[0].parts |= 1 << 13
	if got := render(t, f.bytes(), perf.Options{}); !strings.Contains(got, "warning callers: the recording has copies of stacks (--call-graph dwarf), which are not unwound") {
		t.Error(got)
	}
}

// TestOtherBuild checks the warning that names a program whose build differs from the recorded one.
func TestOtherBuild(t *testing.T) {
	wrong := program("9876543210", function{0x401010, 8, "wrong"})
	got := render(t, linux().bytes(), perf.Options{Files: fstest.MapFS{"usr/bin/server": {Data: wrong}}})
	const want = "warning symfs: no lines are known of some files in --symfs: server (usr/bin/server: the file's build id differs from the build id in the recording)\n"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nlacks %s", got, want)
	}
}
