package dex

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// fullSample returns the sample of package instrument with many more classes. They fill the method
// table except for `room` entries. Each added class has a method that calls methods which no class
// defines.
func fullSample(t testing.TB, room int) *File {
	t.Helper()
	data, err := os.ReadFile("../../instrument/testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	files, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var callees []uint32
	for i := len(w.Methods); i < MaxIndexes-room; i++ {
		m, err := w.Method(fmt.Sprintf("Lother/C%d;", i/100), fmt.Sprintf("m%d", i%100), "V")
		if err != nil {
			t.Fatal(err)
		}
		callees = append(callees, m)
	}
	// The sample's methods call the new methods. Each calls the same number of them.
	var methods []Method
	for _, m := range w.members {
		methods = append(methods, slices.Concat(m.Direct, m.Virtual)...)
	}
	methods = slices.DeleteFunc(methods, func(m Method) bool { return m.Code == 0 })
	for i, m := range methods {
		own := callees[i*len(callees)/len(methods) : (i+1)*len(callees)/len(methods)]
		w.Replace(m.Index, func() (*Body, error) {
			c, err := w.Code(m.Code)
			if err != nil {
				return nil, err
			}
			b, err := w.Body(c)
			if err != nil {
				return nil, err
			}
			// The calls are after the last original instruction, so they never run.
			for _, callee := range own {
				b.Order = append(b.Order, b.Append(Instruction{Op: OpInvokeStatic, Index: callee}, -1))
			}
			b.Order = append(b.Order, b.Append(Instruction{Op: OpGoto, Target: 0}, -1))
			return b, nil
		})
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if files, err = Parse(out); err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// contents returns the code of the methods by name. References in the code are names, not indices.
func contents(t *testing.T, f *File) map[string]string {
	t.Helper()
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for i := range f.Classes {
		class := f.Descriptor(f.Classes[i].Type)
		for _, m := range slices.Concat(members[i].Direct, members[i].Virtual) {
			texts[class+f.Strings[f.Methods[m.Index].Name]+f.Signature(f.Methods[m.Index].Proto)] = describe(t, f, m)
		}
		texts[class] = fmt.Sprint(f.Classes[i].Access, " ", len(members[i].Static), len(members[i].Instance))
	}
	return texts
}

func describe(t *testing.T, f *File, m Method) string {
	if m.Code == 0 {
		return ""
	}
	var text strings.Builder
	if err := f.Verify(m, true); err != nil {
		t.Error(err)
	}
	c, err := f.Code(m.Code)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Instructions(c, func(in *Instruction) error {
		item := ""
		switch in.Op.Index() {
		case IndexString:
			item = f.Strings[in.Index]
		case IndexType:
			item = f.Descriptor(in.Index)
		case IndexField:
			item = f.Strings[f.Fields[in.Index].Name]
		case IndexMethod:
			item = f.Descriptor(uint32(f.Methods[in.Index].Class)) + f.Strings[f.Methods[in.Index].Name] + f.Signature(f.Methods[in.Index].Proto)
		}
		fmt.Fprintln(&text, in.Op, in.A, in.B, in.C, in.Literal, item)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := f.Lines(c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i].File = 0
	}
	for _, h := range c.Handlers {
		for _, catch := range h.Catches {
			text.WriteString(f.Descriptor(catch.Type))
		}
	}
	fmt.Fprint(&text, c.Tries, lines)
	return text.String()
}

// TestSplit splits a full file, and compares the classes in the two files with the original.
func TestSplit(t *testing.T) {
	const room = 8
	f := fullSample(t, 0)
	if len(f.Methods) != MaxIndexes {
		t.Fatalf("%d methods", len(f.Methods))
	}
	first, second, err := Split(f, room, func(int) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	want, got := contents(t, f), make(map[string]string)
	for i, data := range [][]byte{first, second} {
		files, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(files[0].Classes) == 0 || len(files[0].Methods)+room > MaxIndexes {
			t.Errorf("file %d has %d classes, %d methods", i, len(files[0].Classes), len(files[0].Methods))
		}
		w, err := NewWriter(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Method("Lnew/Class;", "added", "V", "I"); err != nil {
			t.Errorf("file %d: %v", i, err)
		}
		for name, text := range contents(t, files[0]) {
			if _, twice := got[name]; twice {
				t.Errorf("both files have %s", name)
			}
			got[name] = text
		}
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is\n%.300s\nwant\n%.300s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d classes and methods, want %d", len(got), len(want))
	}
	if _, _, err := Split(f, room, func(int) bool { return false }); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
}

// TestSplitSample splits the sample at each class. The sample has call sites, method handles,
// annotations and static values.
func TestSplitSample(t *testing.T) {
	for _, path := range []string{"testdata/Shapes.dex", "../../instrument/testdata/Shapes.dex", "../../instrument/testdata/Programs.dex"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f := files[0]
		want := contents(t, f)
		for only := range f.Classes {
			first, second, err := Split(f, 0, func(class int) bool { return class == only })
			if len(f.Classes) == 1 {
				if !errors.Is(err, ErrFull) {
					t.Error(err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]string)
			for _, data := range [][]byte{first, second} {
				files, err := Parse(data)
				if err != nil {
					t.Fatal(err)
				}
				for name, text := range contents(t, files[0]) {
					got[name] = text
				}
			}
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s is\n%.300s\nwant\n%.300s", name, got[name], want[name])
				}
			}
		}
	}
}

// TestSplitDisassembled splits files. The smali project's disassembler must print the same for each
// class before and after, including annotations and static values.
func TestSplitDisassembled(t *testing.T) {
	jars, _ := filepath.Glob("../../.cache/smali/*.jar")
	if _, err := exec.LookPath("java"); err != nil || len(jars) == 0 {
		t.Skip("needs java and the disassembler in .cache/smali, which scripts/deps gets")
	}
	disassemble := func(to string, data []byte) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "classes.dex")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		report, err := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-cp", strings.Join(jars, string(filepath.ListSeparator)),
			"org.jf.baksmali.Main", "disassemble", "--api", "28", "-o", to, path).CombinedOutput()
		if err != nil || len(report) > 0 {
			t.Fatalf("%v\n%.1000s", err, report)
		}
	}
	// The smallest file with a few hundred classes suffices.
	var data []byte
	for _, app := range cached.DexFiles(t, cached.Apps(t)) {
		for _, file := range app {
			files, err := Parse(file.Data)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(files[0].Classes); n > 200 && (data == nil || len(file.Data) < len(data)) {
				data = file.Data
			}
		}
	}
	files, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	half := MaxIndexes - len(files[0].Methods)/2
	first, second, err := Split(files[0], half, func(class int) bool { return class%3 > 0 })
	if err != nil {
		t.Fatal(err)
	}
	before, after := t.TempDir(), t.TempDir()
	disassemble(before, data)
	disassemble(after, first)
	disassemble(after, second)
	if text, err := exec.CommandContext(t.Context(), "diff", "-r", before, after).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.2000s", err, text)
	}
	t.Logf("%d classes, %d bytes into %d and %d", len(files[0].Classes), len(data), len(first), len(second))
	path, err := exec.LookPath("dexdump")
	if err != nil {
		return
	}
	for _, part := range [][]byte{first, second} {
		name := filepath.Join(t.TempDir(), "classes.dex")
		if err := os.WriteFile(name, part, 0o644); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.CommandContext(t.Context(), path, "-f", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%.500s", err, text)
		}
	}
}

// splitSample returns a file with several classes.
func splitSample(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../instrument/testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// splitAny splits a file that may be damaged. The output of Split must be readable.
func splitAny(t *testing.T, data []byte) {
	files, err := Parse(data)
	if err != nil {
		return
	}
	first, second, err := Split(files[0], 0, func(class int) bool { return class%2 > 0 })
	if err != nil {
		return
	}
	for _, part := range [][]byte{first, second} {
		if _, err := Parse(part); err != nil {
			t.Error(err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(splitSample(f))
	f.Fuzz(splitAny)
}

// TestSplitDamaged splits the sample after changing every fifth byte, and after cutting it there.
func TestSplitDamaged(t *testing.T) {
	data := splitSample(t)
	changed := slices.Clone(data)
	for i := 0; i < len(data); i += 5 {
		changed[i] ^= 1 << (i % 8)
		splitAny(t, changed)
		changed[i] = data[i]
		splitAny(t, data[:i])
	}
}
