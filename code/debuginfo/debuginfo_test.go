package debuginfo_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/debuginfo"
)

// A build is a way of compiling a program in testdata.
type build struct {
	name    string
	command string
	// lines is the minimum percentage of addresses with a known line.
	lines int
}

var builds = []build{
	{"gcc", "g++ -O2 -g $SRC/shapes.cc -o $OUT", 90},
	{"gcc-unoptimized", "g++ -O0 -g $SRC/shapes.cc -o $OUT", 90},
	{"gcc-dwarf4", "g++ -O2 -gdwarf-4 $SRC/shapes.cc -o $OUT", 90},
	{"gcc-dwarf3", "g++ -O3 -gdwarf-3 $SRC/shapes.cc -o $OUT", 90},
	{"gcc-minimal", "g++ -O2 -g1 $SRC/shapes.cc -o $OUT", 90},
	{"gcc-compressed", "g++ -O2 -g -gz $SRC/shapes.cc -o $OUT", 90},
	{"gcc-separate", "g++ -O2 -g $SRC/shapes.cc -o $OUT.full && objcopy --only-keep-debug $OUT.full $OUT", 90},
	{"gcc-sections", "g++ -O2 -g -ffunction-sections -Wl,--gc-sections $SRC/shapes.cc -o $OUT", 90},
	{"gcc-no-pie", "g++ -O2 -g -no-pie -static $SRC/shapes.cc -o $OUT", 0},
	{"rust", "rustc -O -g $SRC/shapes.rs -o $OUT", 30},
	{"go", "go build -o $OUT $SRC/shapes.go", 90},
}

// TestFrames compares the functions and lines at the addresses of programs with the output of
// llvm-symbolizer. addr2line cannot be the oracle: it finds no lines in Go programs, and for some
// inlined functions it returns the file of the caller.
func TestFrames(t *testing.T) {
	oracle := oracleOf(t)
	source, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			if _, err := exec.LookPath(strings.Fields(b.command)[0]); err != nil {
				t.Skip(err)
			}
			out := filepath.Join(t.TempDir(), "program")
			c := exec.Command("sh", "-c", b.command)
			c.Env = append(os.Environ(), "SRC="+source, "OUT="+out)
			if text, err := c.CombinedOutput(); err != nil {
				t.Skipf("%v: %.300s", err, text)
			}
			compare(t, oracle, out, b.lines)
		})
	}
}

// TestSplit checks that code whose functions are in .dwo files has no lines. Otherwise the lines of
// inlined functions would be attributed to the functions that contain them.
func TestSplit(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(err)
	}
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		out := filepath.Join(t.TempDir(), "program")
		if text, err := exec.Command("g++", "-O2", version, "-gsplit-dwarf", "testdata/shapes.cc", "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		file, err := elf.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		info, err := debuginfo.New(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := file.Section(".text")
		for at := text.Addr; at < text.Addr+text.Size; at++ {
			if frames := info.Frames(at); frames != nil {
				t.Fatalf("%s: %#x has %v", version, at, frames)
			}
		}
		if !info.Split {
			t.Errorf("%s: Split is not set", version)
		}
	}
}

// noLine matches an answer with a file but without a line.
var noLine = regexp.MustCompile(`^ [^<]*:0$`)

// compare compares the frames at many addresses of a program. least is the minimum percentage of
// addresses with a line.
func compare(t *testing.T, oracle []string, path string, least int) {
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := debuginfo.New(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := file.Section(".text")
	var addresses []uint64
	step := max(text.Size/5000, 1)
	for at := text.Addr; at < text.Addr+text.Size; at += step {
		addresses = append(addresses, at)
	}
	want := ask(t, oracle, path, addresses)
	known, wrong := 0, 0
	for i, at := range addresses {
		frames := info.Frames(at)
		if len(frames) > 0 {
			known++
		}
		if got := show(frames); got != want[i] && !(got == "" && noLine.MatchString(want[i])) {
			if wrong++; wrong < 4 {
				t.Errorf("%#x: %s\n%s has %s", at, got, oracle[0], want[i])
			}
		}
	}
	t.Logf("%d addresses, %d with a line, %d differ", len(addresses), known, wrong)
	if known*100 < least*len(addresses) {
		t.Errorf("%d of %d addresses have a line", known, len(addresses))
	}
}

// show formats frames, the innermost first. It omits the name of the outermost function, because
// symbol tables name parts of functions differently.
func show(frames []debuginfo.Frame) string {
	var parts []string
	for i, f := range frames {
		if i == 0 {
			f.Function = ""
		}
		parts = append(parts, fmt.Sprintf("%s %s:%d", f.Function, filepath.Base(f.File), f.Line))
	}
	slices.Reverse(parts)
	return strings.Join(parts, " < ")
}

// oracleOf returns the command line of the oracle.
func oracleOf(t *testing.T) []string {
	if _, err := exec.LookPath("llvm-symbolizer"); err != nil {
		t.Skip("llvm-symbolizer is not installed (apt-get install llvm)")
	}
	return []string{"llvm-symbolizer", "--output-style=GNU", "--no-demangle", "--functions=linkage", "-a", "-i", "-e"}
}

// ask returns the oracle's answers, in the format of show.
func ask(t *testing.T, oracle []string, path string, addresses []uint64) []string {
	var in strings.Builder
	for _, at := range addresses {
		fmt.Fprintf(&in, "%#x\n", at)
	}
	c := exec.Command(oracle[0], append(oracle[1:], path)...)
	c.Stdin = strings.NewReader(in.String())
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	var frames []debuginfo.Frame
	end := func() {
		slices.Reverse(frames)
		all = append(all, show(frames))
		frames = nil
	}
	function, began := "", false
	for line := range bytes.Lines(out) {
		text := strings.TrimSpace(string(line))
		switch {
		case text == "":
		case strings.HasPrefix(text, "0x"):
			if began {
				end()
			}
			began, function = true, ""
		case function == "":
			function = text
		default:
			at, _, _ := strings.Cut(text, " (discriminator")
			i := strings.LastIndexByte(at, ':')
			number, _ := strconv.Atoi(at[i+1:])
			if at[:i] != "??" {
				frames = append(frames, debuginfo.Frame{Function: function, File: at[:i], Line: number})
			}
			function = ""
		}
	}
	end()
	return all
}
