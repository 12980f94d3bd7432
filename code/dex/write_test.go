package dex

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// TestRoundTrip copies files. dexdump must print the same for the original and for the copy. The
// copies are made in three ways: without changes, with new references that change all indices, and
// with such references and a new layout of all code.
func TestRoundTrip(t *testing.T) {
	if _, err := exec.LookPath("dexdump"); err != nil || testing.Short() {
		t.Skip("needs dexdump (apt-get install dexdump) and some seconds")
	}
	type copied struct {
		cached.Dex
		ways []string
	}
	files := []copied{{cached.Dex{Name: "sample", Data: sample(t)}, []string{"copy", "indexes", "layout"}}}
	for app, way := range map[string]string{"ApiDemos-debug.apk": "layout", "settings_apk-debug.apk": "indexes"} {
		for _, file := range cached.DexFiles(t, cached.Apps(t))[app] {
			files = append(files, copied{file, []string{way}})
		}
	}
	for _, file := range files {
		for _, way := range file.ways {
			found, err := Parse(file.Data)
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if way != "copy" {
				for _, class := range []string{"LA/A;", "LKiosk;", "Lzzz/Z;"} {
					if _, err := w.Method(class, "Afirst", "V", "I", "[J", class); err != nil {
						t.Fatal(err)
					}
				}
			}
			if way == "layout" {
				replaceAll(t, w)
			}
			data, err := w.Bytes()
			if err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			if n, err := readAll(data); err != nil || n == 0 {
				t.Errorf("%s: reading the copy: %d parts, %v", file.Name, n, err)
			}
			compareDumps(t, file.Name+" "+way, file.Data, data)
		}
	}
}

// replaceAll replaces the code of each method by equal code.
func replaceAll(t *testing.T, w *Writer) {
	for _, m := range w.members {
		for _, methods := range [][]Method{m.Direct, m.Virtual} {
			for _, method := range methods {
				if method.Code == 0 {
					continue
				}
				c, err := w.Code(method.Code)
				if err != nil {
					t.Fatal(err)
				}
				b, err := w.Body(c)
				if err != nil {
					t.Fatal(err)
				}
				w.Replace(method.Index, func() (*Body, error) { return b, nil })
			}
		}
	}
}

// compareDumps compares the output of dexdump for two files.
func compareDumps(t *testing.T, name string, original, copied []byte) {
	t.Helper()
	want, got := dump(t, original), dump(t, copied)
	lines, wrong := 0, 0
	for line := range want {
		lines++
		if other := <-got; other != line && wrong < 5 {
			wrong++
			t.Errorf("%s: line %d is %q, in the original %q", name, lines, other, line)
		}
	}
	for line := range got {
		if wrong++; wrong < 5 {
			t.Errorf("%s: the copy has also %q", name, line)
		}
	}
	if lines == 0 {
		t.Errorf("%s: nothing to compare", name)
	}
}

// plain removes the numbers that depend on offsets and indices from a line of dexdump's output.
func plain(line string) string {
	if at := strings.IndexByte(line, '|'); at > 6 && line[6] == ':' {
		line = line[at:]
		if strings.HasPrefix(line, "|[") {
			return line[strings.IndexByte(line, ']')+1:]
		}
		if at := strings.LastIndex(line, " // "); at > 0 && strings.Contains(line[at:], "@") {
			line = line[:at]
		}
		if at := strings.LastIndex(line, ", call_site@"); at > 0 {
			line = line[:at]
		}
		return line
	}
	for _, mark := range []string{"source_file_idx   : ", " method #", " field #", " // offset ", "string@", "type@", "(offset="} {
		if at := strings.Index(line, mark); at >= 0 {
			rest := strings.TrimLeft(line[at+len(mark):], "0123456789abcdefx")
			line = line[:at+len(mark)] + rest
		}
	}
	return line
}

// dump returns the lines of dexdump's output, without offsets and indices.
func dump(t *testing.T, data []byte) <-chan string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "classes.dex")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "dexdump", "-a", "-d", path)
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1024)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(pipe)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			line := scanner.Text()
			if !strings.HasPrefix(line, "Processing") && !strings.HasPrefix(line, "Opened") {
				lines <- plain(line)
			}
		}
		if err := command.Wait(); err != nil {
			lines <- err.Error()
		}
	}()
	return lines
}

// TestJumbo inserts strings before the others until the index of a used string exceeds 16 bits.
func TestJumbo(t *testing.T) {
	files, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1 << 16 {
		w.strings = append(w.strings, fmt.Sprintf("\x01%05d", i))
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	compareInstructions(t, files[0], data, map[string]string{"const-string": "const-string/jumbo"})
}

// compareInstructions compares the instructions of all methods, and verifies the copy. renamed maps
// the opcodes that may change.
func compareInstructions(t *testing.T, f *File, copied []byte, renamed map[string]string) {
	t.Helper()
	files, err := Parse(copied)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(f *File) (lines []string) {
		members, err := f.Members()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			for _, method := range slices.Concat(m.Direct, m.Virtual) {
				if err := f.Verify(method, true); err != nil {
					t.Error(err)
				}
				c, err := f.Code(method.Code)
				if err != nil {
					t.Fatal(err)
				}
				b, err := f.Body(c)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range b.Code {
					text := in.Op.String()
					if other, ok := renamed[text]; ok {
						text = other
					}
					switch in.Op.Index() {
					case IndexString:
						text += " " + f.Strings[in.Index]
					case IndexType:
						text += " " + f.Descriptor(in.Index)
					case IndexMethod:
						text += " " + f.Strings[f.Methods[in.Index].Name]
					}
					line, _ := LineAt(mustLines(t, f, c), in.Address)
					lines = append(lines, fmt.Sprint(text, in.A, in.B, in.C, in.Arguments, in.Literal, in.Target, in.Targets, in.Handler, line))
				}
			}
		}
		return lines
	}
	want, got := texts(f), texts(files[0])
	if len(want) != len(got) {
		t.Fatalf("%d instructions, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("instruction %d is %s, want %s", i, got[i], want[i])
		}
	}
}

func mustLines(t *testing.T, f *File, c *Code) []Position {
	t.Helper()
	lines, err := f.Lines(c)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestBranches encodes branches over n instructions in both directions, and decodes them again.
func TestBranches(t *testing.T) {
	for _, n := range []int{0, 1, 100, 124, 125, 126, 127, 128, 129, 32_760, 32_761, 32_762, 32_763, 32_764, 32_765, 32_766, 32_767, 32_768, 32_769, 70_000} {
		for _, op := range []Op{OpGoto, opIfEq, opIfEqz, opIfLez} {
			for _, forward := range []bool{true, false} {
				b := &Body{Registers: 2, Ins: 1}
				add := func(in Instruction) int {
					b.Code = append(b.Code, BodyInstruction{Instruction: in, Handler: -1, self: len(b.Code)})
					b.Order = append(b.Order, len(b.Code)-1)
					return len(b.Code) - 1
				}
				first := add(Instruction{Op: OpNop})
				branch := add(Instruction{Op: op, A: 1, B: 1})
				for range n {
					add(Instruction{Op: OpNop})
				}
				last := add(Instruction{Op: OpReturnVoid})
				if !forward { // The branch is from the end to the first nop.
					b.Order = slices.Delete(b.Order, 1, 2)
					b.Order = slices.Insert(b.Order, len(b.Order)-1, branch)
					b.Code[branch].Target = first
				} else {
					b.Code[branch].Target = last
				}
				c, _, err := b.layout(func(_ IndexKind, i uint32) uint32 { return i })
				if err != nil {
					t.Fatal(err)
				}
				again, err := (&File{}).Body(c)
				if err != nil {
					t.Fatalf("%s over %d: %v", op, n, err)
				}
				// The target is reached by the branch, or by a goto after a branch with the
				// opposite condition.
				at := slices.IndexFunc(again.Code, func(in BodyInstruction) bool { return ops[in.Op].flow&branches != 0 })
				in := again.Code[at]
				if in.Op != b.Code[branch].Op {
					if in.Op != invertIf(op) || in.Target != at+2 || again.Code[at+1].Op != OpGoto32 {
						t.Fatalf("%s over %d: %v", op, n, in.Op)
					}
					in = again.Code[at+1]
				}
				want := 0
				if forward {
					want = len(again.Code) - 1
				}
				if in.Target != want {
					t.Errorf("%s over %d leads to %d, want %d of %d", op, n, in.Target, want, len(again.Code))
				}
			}
		}
	}
}

// FuzzWrite checks that any data gives an error, or a copy that can be read and copied again.
// Verifying must also terminate.
func FuzzWrite(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, data []byte) { rewrite(t, data) })
}

// rewrite copies data twice, if possible, with a new layout of its code.
func rewrite(t *testing.T, data []byte) {
	for pass := range 2 {
		files, err := Parse(data)
		if err != nil {
			if pass > 0 {
				t.Fatal(err)
			}
			return
		}
		w, err := NewWriter(files[0])
		if err != nil {
			return
		}
		for _, m := range w.members {
			for _, method := range slices.Concat(m.Direct, m.Virtual) {
				w.Verify(method, true)
				if method.Code == 0 {
					continue
				}
				if c, err := w.Code(method.Code); err == nil {
					if b, err := w.Body(c); err == nil {
						w.Replace(method.Index, func() (*Body, error) { return b, nil })
					}
				}
			}
		}
		if data, err = w.Bytes(); err != nil {
			return
		}
	}
}

// TestRewriteDamaged copies and verifies the sample with each byte changed in turn, or with each
// tenth byte if -short is set.
func TestRewriteDamaged(t *testing.T) {
	data := sample(t)
	damaged := slices.Clone(data)
	step := 1
	if testing.Short() {
		step = 10
	}
	for i := 0; i < len(data); i += step {
		damaged[i] = []byte{data[i] ^ 1, data[i] + 16, 0xff}[i%3]
		rewrite(t, damaged)
		damaged[i] = data[i]
	}
}

func BenchmarkWrite(b *testing.B) {
	for app, files := range cached.DexFiles(b, cached.Apps(b)) {
		b.Run(app, func(b *testing.B) {
			for b.Loop() {
				for _, file := range files {
					found, err := Parse(file.Data)
					if err != nil {
						b.Fatal(err)
					}
					w, err := NewWriter(found[0])
					if err != nil {
						b.Fatal(err)
					}
					if _, err := w.Bytes(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
