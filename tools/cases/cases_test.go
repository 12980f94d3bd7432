package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/android"
)

const testdata = "../../testdata"

// TestGenerated compares the files in testdata with the output of the program. It compares the
// content of compressed files, because compressors change between versions of Go.
func TestGenerated(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	made := make(map[string]bool)
	for _, f := range files {
		made[f.name] = true
		got, err := os.ReadFile(filepath.Join(testdata, filepath.FromSlash(f.name)))
		if err != nil {
			t.Errorf("%v: run make generate", err)
			continue
		}
		want := f.data
		if !strings.HasPrefix(f.name, "corrupt/") && strings.HasSuffix(f.name, ".gz") {
			got, want = expanded(t, got), expanded(t, want)
		}
		if strings.Contains(f.name, "gzip-cut") {
			continue // where the file is cut depends on the compressor
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program makes: run make generate", f.name)
		}
	}
	var total int64
	for _, folder := range []string{"cases", "corrupt", "eprof"} {
		err := filepath.WalkDir(filepath.Join(testdata, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(testdata, path)
			if err != nil {
				return err
			}
			if !made[filepath.ToSlash(name)] {
				t.Errorf("%s is left over: nothing makes it", name)
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			total += info.Size()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if total > 3<<20 {
		t.Errorf("the samples take %d bytes, which is too much for a repository", total)
	}
}

func expanded(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestExpand checks laws of the expanded outlines for all apps:
//
//   - energy: the threads' processor times add up to the app's total;
//   - nesting: an exit belongs to the innermost open call, except for calls whose entry or exit the
//     outline leaves out;
//   - calls: each context is called as often as its outline says;
//   - time: the events of the run are in order and fit in its length.
func TestExpand(t *testing.T) {
	for _, p := range pairs() {
		for _, a := range []app{p.subject, p.reference} {
			events, err := a.events()
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			var cpu, last int64
			stacks := make(map[int][]*node)
			calls := make(map[*node]int)
			for _, e := range events {
				cpu += e.m.cpu
				if e.wall < last || e.wall > int64(a.seconds)*1_000_000 {
					t.Fatalf("%s: %s happens at %d µs, after %d", p.name, e.m.n.label, e.wall, last)
				}
				last = e.wall
				stack := stacks[e.thread]
				switch {
				case !e.m.exit:
					calls[e.m.n]++
					stack = append(stack, e.m.n)
				case e.m.n.unseen:
					if len(stack) > 0 {
						t.Fatalf("%s: %s ends with %s open", p.name, e.m.n.label, stack[len(stack)-1].label)
					}
				case len(stack) == 0 || stack[len(stack)-1] != e.m.n:
					t.Fatalf("%s: %s ends, but is not innermost", p.name, e.m.n.label)
				default:
					stack = stack[:len(stack)-1]
				}
				stacks[e.thread] = stack
			}
			if want := micros(a.total); cpu != want {
				t.Errorf("%s, %s: %d µs of processor time, want %d", p.name, a.pkg, cpu, want)
			}
			for n, made := range calls {
				if made != n.calls {
					t.Errorf("%s: %d calls of %s, want %d", p.name, made, n.label, n.calls)
				}
			}
			for _, stack := range stacks {
				for _, n := range stack {
					if !n.open {
						t.Errorf("%s: %s is open at the end", p.name, n.label)
					}
				}
			}
		}
	}
}

func TestPart(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100} {
		for _, total := range []int64{0, 1, 7, 1_000_000} {
			last := int64(0)
			for k := range n + 1 {
				got := part(total, k, n, 42)
				if got < last {
					t.Errorf("part(%d, %d, %d) = %d falls below %d", total, k, n, got, last)
				}
				last = got
			}
			if last != total {
				t.Errorf("the %d parts of %d are %d in all", n, total, last)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	top := outline("a.B.c(I[Ljava/lang/String;[[JZ)Ljava/util/List;", nil)[0]
	top.bind("x.y")
	if got, want := signature(top.method), "java.util.List c(int,java.lang.String[],long[][],boolean)"; got != want {
		t.Errorf("signature is %q, want %q", got, want)
	}
}

// TestCorrupt checks that each damaged file gives a one-line error that names the file, or a
// warning if the file is usable.
func TestCorrupt(t *testing.T) {
	tests := []struct{ name, err, warning string }{
		{"sound.trace", "", ""},
		{"text-filter.trace", "record size 0", ""},
		{"no-end.trace", "*end", ""},
		{"header-only.trace", "offset 559", ""},
		{"header-cut.trace", "*end", ""},
		{"record-cut.trace", "in the middle of a record", ""},
		{"stream-cut.trace", "in the middle of a record", ""},
		{"wrong-magic.trace", "magic", ""},
		{"empty.trace", "empty", ""},
		{"overflow.trace", "", "overflow"},
		{"record-size-0.trace", "record size 0", ""},
		{"record-size-65535.trace", "record size 65535", ""},
		{"data-offset-65000.trace", "in the middle of", ""},
		{"gzip-cut.trace.gz", "", ""}, // This is any error, because its position depends on the compressor.
	}
	files, err := corrupt()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(tests) {
		t.Errorf("%d files, %d tests", len(files), len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(testdata, "corrupt", tt.name)
			in, err := analysis.Read(context.Background(), analysis.Options{Subject: analysis.Side{Path: path}})
			if tt.err == "" && !strings.HasPrefix(tt.name, "gzip") {
				if err != nil {
					t.Fatal(err)
				}
				if tt.warning != "" && (len(in.Trace.Warnings) != 1 || in.Trace.Warnings[0].Code != tt.warning) {
					t.Errorf("warnings are %v, want %s", in.Trace.Warnings, tt.warning)
				}
				return
			}
			if err == nil {
				t.Fatal("read without an error")
			}
			if errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if got := err.Error(); !strings.Contains(got, tt.err) || !strings.HasPrefix(got, path) || strings.Contains(got, "\n") {
				t.Errorf("error is %q, want one line that begins with the file and has %q", got, tt.err)
			}
		})
	}
}

// TestTextFilter checks that the simulated damage by a text filter has the same signs as real
// damage.
func TestTextFilter(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testdata, "corrupt", "text-filter.trace"))
	if err != nil {
		t.Fatal(err)
	}
	_, binary, _ := bytes.Cut(data, []byte("*end\n"))
	if n := bytes.Count(binary, []byte("\xef\xbf\xbd")); n < 10 {
		t.Errorf("%d replaced bytes, want many", n)
	}
	if binary[16] != 0 || binary[17] != 0 {
		t.Errorf("the record size reads % x, want 0", binary[16:18])
	}
}

// TestFramework checks that the methods that outlines use as Android's methods belong to the
// framework.
func TestFramework(t *testing.T) {
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	known, err := platform.New(platform.Rules{}, table)
	if err != nil {
		t.Fatal(err)
	}
	for short, label := range android.Labels() {
		if m := name.Parse(label, name.JVM); known.Owner(m) != platform.Framework {
			t.Errorf("%s: %s is no package of the framework", short, m.Scope)
		}
	}
}
