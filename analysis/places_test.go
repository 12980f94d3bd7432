package analysis

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

const feedDex = "../code/bytecode/testdata/Feed.dex"

// A dexSample is a position in a method of Feed.dex.
type dexSample struct {
	method name.Method
	units  int32
	unit   int32
}

// dexRun is a recording with one sample for each position.
type dexRun []dexSample

func (r dexRun) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, 1)}
	ids := make(map[name.Method]trace.MethodID)
	for _, s := range r {
		id, ok := ids[s.method]
		if !ok {
			id = trace.MethodID(len(tr.Methods))
			ids[s.method] = id
			tr.Methods, tr.CodeUnits = append(tr.Methods, s.method), append(tr.CodeUnits, s.units)
		}
		if err := sink.Samples([]trace.Sample{{Stack: []trace.MethodID{id}, Lines: []int32{^s.unit}, Energy: 1, Count: 1}}); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// everyPosition returns the positions of all instructions of Feed.dex, with the line of each by the
// line tables.
func everyPosition(t *testing.T, overloads bool) (run dexRun, want []int) {
	t.Helper()
	data, err := os.ReadFile(feedDex)
	if err != nil {
		t.Fatal(err)
	}
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		members, err := f.Members()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Classes {
			for _, m := range append(members[i].Direct, members[i].Virtual...) {
				if m.Code == 0 {
					continue
				}
				code, err := f.Code(m.Code)
				if err != nil {
					t.Fatal(err)
				}
				table, err := f.Lines(code)
				if err != nil {
					t.Fatal(err)
				}
				id := f.Methods[m.Index]
				method := name.OfClass(dex.ClassName(f.Descriptor(f.Classes[i].Type)), f.Strings[id.Name], f.Signature(id.Proto))
				if overloads {
					method.Signature = ""
				}
				err = f.Instructions(code, func(in *dex.Instruction) error {
					line, _ := dex.LineAt(table, in.Address)
					run, want = append(run, dexSample{method, int32(len(code.Units)), int32(in.Address)}), append(want, line)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return run, want
}

// TestDamagedMethod damages the methods of a file one after the other. The other methods must keep
// their line tables.
func TestDamagedMethod(t *testing.T) {
	whole, err := os.ReadFile(feedDex)
	if err != nil {
		t.Fatal(err)
	}
	// read returns the number of methods with line tables, and the offsets of their code.
	read := func(data []byte) (n int, places []int) {
		files, err := dex.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f, classesOf, found := files[0], make(map[string][]trace.MethodID), make(map[string][]dexMethod)
		members, err := f.Members()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Classes {
			classesOf[dex.ClassName(f.Descriptor(f.Classes[i].Type))] = []trace.MethodID{0}
			for _, m := range append(members[i].Direct, members[i].Virtual...) {
				if m.Code != 0 {
					places = append(places, m.Code)
				}
			}
		}
		readLineTables(f, classesOf, false, found)
		for _, overloads := range found {
			n += len(overloads)
		}
		return n, places
	}
	all, places := read(whole)
	if all < 2 || all != len(places) {
		t.Fatalf("%d of %d methods have lines", all, len(places))
	}
	for _, place := range places {
		data := slices.Clone(whole)
		data[place+3] = 0xff // the method then has more parameters than registers
		if n, _ := read(data); n != all-1 {
			t.Errorf("a method at %d is damaged: %d of %d methods have lines", place, n, all)
		}
	}
}

// linesOf divides a run by line, with the dex files.
func linesOf(t *testing.T, run dexRun, files ...string) (*lines.Table, []trace.Warning, error) {
	t.Helper()
	s, err := newSetup(t.Context(), Options{Classpath: files, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	tree, tr, err := buildByLine(t.Context(), lines.Split(run), s.treeLimits(1))
	if err != nil {
		t.Fatal(err)
	}
	tree, err = s.resolveLines(t.Context(), &opened{path: "run.data"}, &Input{Trace: tr}, tree, nil)
	if err != nil {
		return nil, nil, err
	}
	one := func(v int32) float64 { return float64(tree.Seen.Self(v)) }
	return lines.New(tree, one, func(v int32) float64 { return float64(tree.Seen.All(v)) }, 1, 1, nil, 1), tr.Warnings, nil
}

// TestPositions compares the lines of all instructions of a dex file with its line tables.
func TestPositions(t *testing.T) {
	run, want := everyPosition(t, false)
	got, _, err := linesOf(t, run, feedDex)
	if err != nil {
		t.Fatal(err)
	}
	type at struct {
		label string
		line  int
	}
	count := make(map[at]int)
	for i, s := range run {
		count[at{s.method.Label(), want[i]}]++
	}
	for _, r := range got.Rows {
		if key := (at{r.Method.Label(), r.Line}); float64(count[key]) != r.Samples {
			t.Errorf("%v has %v samples, want %d", key, r.Samples, count[key])
		}
		delete(count, at{r.Method.Label(), r.Line})
	}
	if len(count) > 0 || len(run) < 10 {
		t.Errorf("%d instructions; no row for %v", len(run), count)
	}
}

// TestPositionsByLength has methods without descriptors. A line must be unknown if overloads of the
// same length differ. It must never be a line of the wrong overload.
func TestPositionsByLength(t *testing.T) {
	run, want := everyPosition(t, true)
	got, _, err := linesOf(t, run, feedDex)
	if err != nil {
		t.Fatal(err)
	}
	possible := make(map[string]bool)
	for i, s := range run {
		possible[s.method.OnLine(int32(want[i])).Label()] = true
	}
	for _, r := range got.Rows {
		if r.Line > 0 && !possible[r.Method.OnLine(int32(r.Line)).Label()] {
			t.Errorf("%s:%d is no line of the method", r.Method.Label(), r.Line)
		}
	}
	if got.Located < got.Total/2 {
		t.Errorf("%d of %d samples have a line", got.Located, got.Total)
	}
}

// TestPositionsThatLie has recordings with wrong positions, and files without lines.
func TestPositionsThatLie(t *testing.T) {
	run, _ := everyPosition(t, false)
	other := append(dexRun{}, run...)
	for i := range other {
		other[i].units += 3
	}
	var starts dexRun
	for i := range 40 {
		starts = append(starts, dexSample{name.OfClass("a.B", strings.Repeat("m", i+1), ""), 50, 0})
	}
	foreign := dexRun{{name.OfClass("x.Y", "z", ""), 50, 4}}
	for _, c := range []struct {
		what    string
		run     dexRun
		file    string
		failure string
		warning string
	}{
		{"another build", other, feedDex, "another build than the recorded one", ""},
		{"no positions", starts, feedDex, "", "the first instruction of each interpreted method"},
		{"no file", run, "", "", "give the APK of the build with --classpath"},
		{"another app", foreign, feedDex, "", "none of the methods"},
	} {
		var files []string
		if c.file != "" {
			files = append(files, c.file)
		}
		got, warnings, err := linesOf(t, c.run, files...)
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%s: error %v, want %q", c.what, err, c.failure)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got.Located != 0 {
			t.Errorf("%s: %d nJ have a line", c.what, got.Located)
		}
		var all []string
		for _, w := range warnings {
			all = append(all, w.Message)
		}
		if text := strings.Join(all, "; "); !strings.Contains(text, c.warning) {
			t.Errorf("%s: warnings %q, want %q", c.what, text, c.warning)
		}
	}
}

// TestMoves compares the line map of two files with the texts of their lines.
func TestMoves(t *testing.T) {
	folder := t.TempDir()
	before := []string{"a", "b", "c", "d", "e", "f", "g"}
	after := []string{"x", "a", "b", "D", "e", "new", "new", "f", "g"}
	var paths []string
	for name, text := range map[string][]string{"1before": before, "2after": after} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if strings.HasSuffix(paths[0], "2after") {
		paths[0], paths[1] = paths[1], paths[0]
	}
	m := newLineMap(paths[0], paths[1])
	for i, text := range before {
		got := m.line(i + 1)
		if text == "c" || text == "d" {
			if got != 0 {
				t.Errorf("line %d (%s) is gone, got %d", i+1, text, got)
			}
			continue
		}
		if got == 0 || after[got-1] != text {
			t.Errorf("line %d (%s) moved to %d", i+1, text, got)
		}
	}
	if same := newLineMap(paths[0], paths[0]); same.line(5) != 5 {
		t.Error("lines of equal files move")
	}
}

// TestEditedLines checks that an edited line becomes the similar line in its place.
func TestEditedLines(t *testing.T) {
	folder := t.TempDir()
	before, after := filepath.Join(folder, "before"), filepath.Join(folder, "after")
	for path, text := range map[string]string{
		before: "void run() {\n  load(100);\n  draw();\n  close();\n}\n",
		after:  "// runs\nvoid run() {\n  trace(\"a long text that is new\");\n  load(1000);\n  draw();\n}",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, back := newLineMap(before, after), newLineMap(after, before)
	for line, want := range []int{0, 2, 4, 5, 0, 6} {
		if line > 0 && m.line(line) != want {
			t.Errorf("line %d is now line %d, want %d", line, m.line(line), want)
		}
		if want > 0 && back.line(want) != line {
			t.Errorf("line %d was line %d, want %d", want, back.line(want), line)
		}
	}
}
