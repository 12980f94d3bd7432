package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

func read(t testing.TB, text string) *Map {
	t.Helper()
	m, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const sample = `# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
com.app.Main -> a.b:
# {"id":"sourceFile","fileName":"Main.kt"}
    android.widget.TextView title -> a
    int[] numbers -> b
    1:3:void <init>(com.app.Model):10:12 -> <init>
    4:4:void <init>(com.app.Model):20:20 -> <init>
    void plain(int[],java.lang.String[][]) -> a
    com.app.Model plain(com.app.Model) -> a
    1:1:int com.app.Util.twice(int):7:7 -> c
    1:1:void com.app.Model.load():31 -> c
    1:1:void show(java.lang.String):40 -> c
    2:5:void show(java.lang.String):41:44 -> c
    6:9:void show(java.lang.String):50:50 -> c
    20:29:void hide():60:69 -> c
    void one() -> d
    void two() -> d
    1:2:void three():0:0 -> e
      # {"id":"com.android.tools.r8.synthesized"}
    3:4:void three():0:0 -> e
    1:8:boolean changed(com.app.Model,int):70:77 -> f
      # {"id":"com.android.tools.r8.residualsignature","signature":"(La/c;)V"}
    9:9:boolean changed(com.app.Model,int):78:78 -> f
    10:19:boolean other(int):80:80 -> f
    0:21:void zero():48:48 -> g
    5:5:void first() -> h
    5:5:void second() -> h
    1:1:void größe():3:3 -> ö
    1:1:void with space():4:4 -> i
com.app.Model -> a.c:
    1:1:void load():31:31 -> a
com.app.Main$$Outline -> a.d:
# {"id":"sourceFile","fileName":"R8$$SyntheticClass"}
# {"id":"com.android.tools.r8.synthesized"}
    1:2:void com.app.Main.m(int):0:0 -> b
      # {"id":"com.android.tools.r8.outline"}
com.app.Kept -> com.app.Kept:
`

// TestRetraceLine checks that the result has no line if the file does not list the line. The first
// line of the method would be wrong.
func TestRetraceLine(t *testing.T) {
	m := read(t, sample)
	const show = "(Ljava/lang/String;)V"
	for _, c := range []struct {
		name string
		in   Frame
		want []int
	}{
		{"a line in a range", Frame{Class: "a.b", Method: "c", Line: 4}, []int{43}},
		{"a line with inlined methods", Frame{Class: "a.b", Method: "c", Line: 1}, []int{40, 31, 7}},
		{"the first line of a method", Frame{Class: "a.b", Method: "<init>", Descriptor: "(La/c;)V", Line: 1}, []int{10}},
		{"a line outside of all ranges", Frame{Class: "a.b", Method: "c", Descriptor: show, Line: 500}, []int{0}},
		{"a line after the ranges of a constructor", Frame{Class: "a.b", Method: "<init>", Descriptor: "(La/c;)V", Line: 9}, []int{0}},
		{"a method without ranges", Frame{Class: "a.b", Method: "a", Descriptor: "(La/c;)La/c;", Line: 99}, []int{99}},
		{"a class that is not in the file", Frame{Class: "x.Y", Method: "a", Line: 3}, []int{3}},
	} {
		var lines []int
		for _, f := range m.RetraceLine(c.in) {
			lines = append(lines, f.Line)
		}
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s: lines %v, want %v", c.name, lines, c.want)
		}
	}
}

func TestRetrace(t *testing.T) {
	m := read(t, sample)
	if lines, first := m.Skipped(); lines != 0 {
		t.Fatalf("skipped %d lines, the first: %v", lines, first)
	}
	main := func(method, descriptor string, line int) Frame {
		return Frame{Class: "com.app.Main", Method: method, Descriptor: descriptor, File: "Main.kt", Line: line}
	}
	synthesized := func(f Frame) Frame { f.Synthesized = true; return f }
	show := "(Ljava/lang/String;)V"
	tests := []struct {
		name      string
		in        Frame
		want      []Frame
		ambiguous bool
	}{
		{"unknown class", Frame{Class: "x.Y", Method: "a", Descriptor: "(La/c;[[La/b;I)La/q;", File: "Y.java", Line: 3},
			[]Frame{{Class: "x.Y", Method: "a", Descriptor: "(Lcom/app/Model;[[Lcom/app/Main;I)La/q;", File: "Y.java", Line: 3}}, false},
		{"unknown method", Frame{Class: "a.b", Method: "zz", Descriptor: "()La/c;", File: "SourceFile", Line: 3},
			[]Frame{main("zz", "()Lcom/app/Model;", 3)}, false},
		{"first line", Frame{Class: "a.b", Method: "<init>", Descriptor: "(La/c;)V", Line: 2}, []Frame{main("<init>", "(Lcom/app/Model;)V", 11)}, false},
		{"no line is the method's first", Frame{Class: "a.b", Method: "<init>", Descriptor: "(La/c;)V"}, []Frame{main("<init>", "(Lcom/app/Model;)V", 10)}, false},
		{"no descriptor, no line", Frame{Class: "a.b", Method: "<init>"}, []Frame{main("<init>", "(Lcom/app/Model;)V", 10)}, false},
		{"descriptor of arrays", Frame{Class: "a.b", Method: "a", Descriptor: "([I[[Ljava/lang/String;)V"}, []Frame{main("plain", "([I[[Ljava/lang/String;)V", 0)}, false},
		{"descriptor of mapped types", Frame{Class: "a.b", Method: "a", Descriptor: "(La/c;)La/c;"}, []Frame{main("plain", "(Lcom/app/Model;)Lcom/app/Model;", 0)}, false},
		{"a method without ranges keeps its line", Frame{Class: "a.b", Method: "a", Descriptor: "(La/c;)La/c;", Line: 99}, []Frame{main("plain", "(Lcom/app/Model;)Lcom/app/Model;", 99)}, false},
		{"inlined", Frame{Class: "a.b", Method: "c", Line: 1}, []Frame{
			main("show", show, 40),
			{Class: "com.app.Model", Method: "load", Descriptor: "()V", Line: 31},
			{Class: "com.app.Util", Method: "twice", Descriptor: "(I)I", Line: 7},
		}, false},
		{"ranges of equal length", Frame{Class: "a.b", Method: "c", Line: 4}, []Frame{main("show", show, 43)}, false},
		{"a range onto one line", Frame{Class: "a.b", Method: "c", Line: 8}, []Frame{main("show", show, 50)}, false},
		{"overload by line", Frame{Class: "a.b", Method: "c", Line: 25}, []Frame{main("hide", "()V", 65)}, false},
		{"overload by descriptor", Frame{Class: "a.b", Method: "c", Descriptor: "()V"}, []Frame{main("hide", "()V", 60)}, false},
		{"overload by neither", Frame{Class: "a.b", Method: "c"}, []Frame{main("show", show, 40)}, true},
		{"a line outside all ranges", Frame{Class: "a.b", Method: "c", Descriptor: show, Line: 500}, []Frame{main("show", show, 40)}, false},
		{"descriptor that none has", Frame{Class: "a.b", Method: "c", Descriptor: "(J)V", Line: 25}, []Frame{main("hide", "()V", 65)}, false},
		{"collapsed overloads", Frame{Class: "a.b", Method: "d", Descriptor: "()V"}, []Frame{main("one", "()V", 0)}, true},
		{"synthesized, noted once", Frame{Class: "a.b", Method: "e", Line: 3}, []Frame{synthesized(main("three", "()V", 0))}, false},
		{"residual signature", Frame{Class: "a.b", Method: "f", Descriptor: "(La/c;)V"}, []Frame{main("changed", "(Lcom/app/Model;I)Z", 70)}, false},
		{"residual signature, noted once", Frame{Class: "a.b", Method: "f", Descriptor: "(La/c;)V", Line: 9}, []Frame{main("changed", "(Lcom/app/Model;I)Z", 78)}, false},
		{"beside a residual signature", Frame{Class: "a.b", Method: "f", Descriptor: "(I)Z"}, []Frame{main("other", "(I)Z", 80)}, false},
		{"range from zero", Frame{Class: "a.b", Method: "g"}, []Frame{main("zero", "()V", 48)}, false},
		{"range from zero, with a line", Frame{Class: "a.b", Method: "g", Line: 21}, []Frame{main("zero", "()V", 48)}, false},
		{"negative line", Frame{Class: "a.b", Method: "g", Line: -1}, []Frame{main("zero", "()V", 48)}, false},
		{"equal ranges without original lines", Frame{Class: "a.b", Method: "h", Line: 5}, []Frame{main("first", "()V", 5)}, true},
		{"letters beyond ASCII", Frame{Class: "a.b", Method: "ö"}, []Frame{main("größe", "()V", 3)}, false},
		{"a name with a space", Frame{Class: "a.b", Method: "i"}, []Frame{main("with space", "()V", 4)}, false},
		{"file from the trace", Frame{Class: "a.c", Method: "a", File: "Model.java"}, []Frame{{Class: "com.app.Model", Method: "load", Descriptor: "()V", File: "Model.java", Line: 31}}, false},
		{"placeholder for a file", Frame{Class: "a.c", Method: "a", File: "SourceFile"}, []Frame{{Class: "com.app.Model", Method: "load", Descriptor: "()V", Line: 31}}, false},
		{"outline", Frame{Class: "a.d", Method: "b", File: "Z.java"}, []Frame{synthesized(main("m", "(I)V", 0))}, false},
		{"method of a synthesized class", Frame{Class: "a.d", Method: "q"}, []Frame{{Class: "com.app.Main$$Outline", Method: "q", Synthesized: true}}, false},
		{"kept", Frame{Class: "com.app.Kept", Method: "run", Descriptor: "()V", File: "Kept.java", Line: 5, Synthesized: true},
			[]Frame{{Class: "com.app.Kept", Method: "run", Descriptor: "()V", File: "Kept.java", Line: 5}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ambiguous := m.Retrace(test.in)
			if !reflect.DeepEqual(got, test.want) || ambiguous != test.ambiguous {
				t.Errorf("Retrace(%+v)\n= %+v, %v\nwant %+v, %v", test.in, got, ambiguous, test.want, test.ambiguous)
			}
		})
	}
	if m.Class("a.c") != "com.app.Model" || m.Class("a.q") != "a.q" {
		t.Error("Class is wrong")
	}
}

func TestRetraceIsTheSameWithCarriageReturns(t *testing.T) {
	unix, dos := read(t, sample), read(t, "\ufeff"+strings.ReplaceAll(sample, "\n", "\r\n"))
	if lines, first := dos.Skipped(); lines != 0 {
		t.Fatalf("skipped %d lines: %v", lines, first)
	}
	if !reflect.DeepEqual(unix.methods, dos.methods) || !reflect.DeepEqual(unix.text, dos.text) {
		t.Error("line ends change the map")
	}
}

func TestReadPassesOddLines(t *testing.T) {
	tests := []struct{ line, want string }{
		{"    gibberish", "neither a class"},
		{"    1:2 -> a", "line number"},
		{"    9:2:void f() -> a", "line number"},
		{"    1:99999999999:void f() -> a", "line number"},
		{"    void f():x -> a", "line number"},
		{"    void f()3:3 -> a", "neither"},
		{"    void (int) -> a", "neither"},
		{"    void a.b.() -> a", "empty name"},
		{"    void f( -> a", "neither"},
		{"    f() -> a", "neither"},
		{"# {\"id\":", "damaged JSON"},
		{"b.B -> a:", "another class"},
		{" -> x:", "neither"},
		{"    void " + strings.Repeat("x", maxLine) + "() -> a", "more than"},
	}
	for _, test := range tests {
		m := read(t, "b.A -> a:\n"+test.line+"\nb.C -> c:\n    void run() -> a\n")
		lines, first := m.Skipped()
		if lines != 1 || !strings.Contains(first.Error(), test.want) || !strings.HasPrefix(first.Error(), "line 2: ") {
			t.Errorf("%.40q: skipped %d, %v; want %q", test.line, lines, first, test.want)
		}
		if got, _ := m.Retrace(Frame{Class: "c", Method: "a"}); got[0].Method != "run" {
			t.Errorf("%.40q: the rest is lost: %v", test.line, got)
		}
	}
}

func TestReadRejectsOtherFiles(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only\n# comments\n", "hello\nworld\n", "    int a -> b\n", "\x00\x01\x02"} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("Read(%q): %v", text, err)
		}
	}
	_, err := Read(failing{})
	if err == nil || !strings.Contains(err.Error(), "line 2: disk gone") {
		t.Errorf("a failing reader: %v", err)
	}
}

// A failing is a reader that returns a line, and then an error.
type failing struct{}

func (failing) Read(b []byte) (int, error) { return copy(b, "a -> b:\n"), fmt.Errorf("disk gone") }

func TestReadTruncated(t *testing.T) {
	for n := range len(sample) {
		m, err := Read(strings.NewReader(sample[:n]))
		if err != nil {
			if strings.Contains(sample[:n], ":\n    ") {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if lines, _ := m.Skipped(); lines > 1 {
			t.Errorf("cut at %d: skipped %d lines", n, lines)
		}
		m.Retrace(Frame{Class: "a.b", Method: "c", Line: 1})
	}
}

func TestReadManyLines(t *testing.T) {
	var b strings.Builder
	const methods = 500
	classes := shorten.Count(2000)
	for c := range classes {
		fmt.Fprintf(&b, "com.app.C%d -> a.c%d:\n", c, c)
		for i := range methods {
			fmt.Fprintf(&b, "    %d:%d:void method%d(int):%d:%d -> m\n", 2*i, 2*i+1, i, 7*i, 7*i+1)
		}
	}
	m := read(t, b.String())
	if len(m.methods) != classes*methods {
		t.Errorf("%d methods", len(m.methods))
	}
	got, ambiguous := m.Retrace(Frame{Class: fmt.Sprintf("a.c%d", classes-1), Method: "m", Line: 999})
	if ambiguous || got[0].Method != "method499" || got[0].Line != 7*499+1 {
		t.Errorf("Retrace = %v, %v", got, ambiguous)
	}
}

// sampleFiles returns the real mapping files, which are not in the repository.
func sampleFiles(t testing.TB) []string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "mapping")
	files, _ := filepath.Glob(filepath.Join(dir, "*mapping*.txt"))
	if len(files) == 0 {
		t.Skipf("no mapping files in %s", dir)
	}
	return files
}

func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile(sampleFiles(b)[0])
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(string(data))); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleMap_Retrace() {
	m, err := Read(strings.NewReader(`com.app.Main -> a.b:
    1:1:int com.app.Util.twice(int):7:7 -> c
    1:1:void show(java.lang.String):40 -> c
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	frames, _ := m.Retrace(Frame{Class: "a.b", Method: "c", Descriptor: "(Ljava/lang/String;)V", Line: 1})
	for _, f := range frames {
		fmt.Printf("%s.%s%s:%d\n", f.Class, f.Method, f.Descriptor, f.Line)
	}
	// Output:
	// com.app.Main.show(Ljava/lang/String;)V:40
	// com.app.Util.twice(I)I:7
}
