package folded

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// slowFrame is the grammar of frames as a regular expression. It tries all alternatives in order: a
// name with a descriptor, or any one character other than ';'.
var slowFrame = func() *regexp.Regexp {
	const (
		class      = `L[A-Za-z0-9_$+./\-\x{80}-\x{10FFFF}]+;`
		fieldType  = `\[*(?:[BCDFIJSZ]|` + class + `)`
		descriptor = `\((?:` + fieldType + `)*\)(?:V|` + fieldType + `)`
	)
	return regexp.MustCompile(`^(?:[^;](?:` + descriptor + `|[^;])*)?`)
}()

// slowCut is cut implemented with slowFrame, as an oracle.
func slowCut(stack string) (frame, rest string) {
	frame = slowFrame.FindString(stack)
	return frame, strings.TrimPrefix(stack[len(frame):], ";")
}

// pieces are parts from which tests build stacks that resemble descriptors.
var pieces = []string{
	"a", "B.c", "(", ")", ";", "L", "V", "I", "[", "La/B;", "()V", "(La;)La;", "(I[[La.b.C;J)Lx;;", "Lambda$1/0x0", " ", "ü",
	"(Lü;)V", ";;", "(L;)V", "<init>", "_[j]", "operator()(int)",
}

// TestCutAgreesWithGrammar compares cut with slowCut on random stacks.
func TestCutAgreesWithGrammar(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50_000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkCut(t, b.String())
	}
}

func checkCut(t *testing.T, stack string) {
	t.Helper()
	raw := []byte(stack)
	for rest := stack; rest != ""; {
		var want string
		want, rest = slowCut(rest)
		var got []byte
		got, raw, _ = cut(raw)
		if string(got) != want || string(raw) != rest {
			t.Fatalf("cut(%q) = %q, rest %q; want %q, rest %q", stack, got, raw, want, rest)
		}
	}
}

// TestCutJoined joins well-formed frames with ';' and splits them again.
func TestCutJoined(t *testing.T) {
	frames := []string{
		"app.Foo.bar(Ljava/lang/String;I)Lapp/X;", "app.Foo.<init>()V", "java.util.List.add(Ljava/lang/Object;)Z",
		"a.B.c([[Lx;[J)[Lx/Y;", "native", "foo (inlined)", "operator()(int)", "a.b_[j]", "a.B.d()La/B;_[i]",
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		stack := make([]string, 1+rng.IntN(6))
		for i := range stack {
			stack[i] = frames[rng.IntN(len(frames))]
		}
		rest := []byte(strings.Join(stack, ";"))
		for i, want := range stack {
			var got []byte
			if got, rest, _ = cut(rest); string(got) != want {
				t.Fatalf("frame %d of %q is %q", i, stack, got)
			}
		}
		if len(rest) > 0 {
			t.Fatalf("%q leaves %q", stack, rest)
		}
	}
}

// FuzzCut compares cut with slowCut on any text.
func FuzzCut(f *testing.F) {
	for _, p := range pieces {
		f.Add("a" + p + ";b")
	}
	f.Add("a(La;b")
	f.Fuzz(func(t *testing.T, stack string) {
		checkCut(t, strings.ToValidUTF8(stack, "?"))
	})
}

// TestCutIsLinear splits texts that would take a naive parser quadratic time.
func TestCutIsLinear(t *testing.T) {
	for _, piece := range []string{"(", "(I", "([", "a(L", "a(La", "a(La;", "a()", "a()La", ";"} {
		stack := []byte(strings.Repeat(piece, (4<<20)/len(piece)))
		for len(stack) > 0 {
			_, stack, _ = cut(stack)
		}
	}
}

func TestSniff(t *testing.T) {
	tests := []struct {
		head string
		want bool
	}{
		{"a;b 1\n", true},
		{"\uFEFF# x\r\n\r\na;b 1\r\n", true},
		{"[main];a 1@2", true},
		{"main 5\n", true},
		{"main 5\nwork 6\nid", true},
		{"a;b;c\n", true},
		{"a;b;cut off in the mid", true},
		{"foo(La;)V;b", true},
		{"a;b 1e-3\n", true},
		{"a;b 1\xc3", true},
		{"", false},
		{"\n\n", false},
		{"# a;b 1\n", false},
		{"a\n", false},
		{"12\n", false},
		{"Total 5\nsomething else\n", false},
		{"package foo;\n", false},
		{"*version\n3\nclock=dual\n", false},
		{"SLOW\x00\x03;b 1\n", false},
		{"a;b 1\xc3\n", false},
		{`{"a":"b;c","d": 1`, false},
		{`[{"a":"b;c; 1`, false},
		{`["a;b;c`, false},
		{"<!doctype html>&lt;&gt;;", false},
		{"<?xml version=\"1.0\"?>;a;b\n", false},
		{"SIMPLEPERF", false},
	}
	for _, tt := range tests {
		if got := Sniff([]byte(tt.head)); got != tt.want {
			t.Errorf("Sniff(%q) = %t", tt.head, got)
		}
	}
}

// TestSniffLeavesOthers checks Sniff on real files of other formats.
func TestSniffLeavesOthers(t *testing.T) {
	const dir = "../../../shared/data"
	var files []string
	for _, pattern := range []string{"art/*", "power_profile/*", "mapping/*", "petra/*", "pprof/*", "simpleperf/*.data", "simpleperf/*.trace*", "systrace/*", "perfetto/*", "jfr/*", "other/*/*", "batterystats/*.*", "folded/*.log", "folded/*stacks.txt"} {
		more, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skipf("no real data in %s", dir)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || strings.Contains(file, ".foldedstack") {
			continue // This is a folder, or has folded stacks.
		}
		if Sniff(data[:min(len(data), 4096)]) {
			t.Errorf("%s is taken for folded stacks", file)
		}
	}
}

// TestFramesInCommon checks that frames that a stack shares with the previous stack are read like
// other frames.
func TestFramesInCommon(t *testing.T) {
	parts := []string{"a", "b.c", ";", ";", "; ", "(", ")V", "(I)V", "(Lx/Y;)Lz;", "(L", ")L", "[t]", "[", "]", " ", "\t", "x", ":12", ":13", "A.b", "f.py:", "c (d.py:7)"}
	r := rand.New(rand.NewPCG(3, 4))
	d := newDecoder(nil, Options{})
	var last []byte
	reused := 0
	for range 100_000 {
		stack := slices.Clone(last[:r.IntN(len(last)+1)])
		for range 1 + r.IntN(5) {
			stack = append(stack, parts[r.IntN(len(parts))]...)
		}
		if len(stack) > 60 {
			stack = stack[:0]
		}
		var want, got []trace.MethodID
		var wantLines, gotLines []int32
		var wantThread string
		for rest, first := string(stack), true; rest != ""; first = false {
			var frame string
			frame, rest = slowCut(rest)
			frame = strings.TrimSpace(frame)
			switch {
			case frame == "":
			case first && isThread([]byte(frame)):
				wantThread = frame
			default:
				function, line, _ := cutLine([]byte(frame), nil)
				want, wantLines = append(want, d.methods.ID(function)), append(wantLines, line)
			}
		}
		before := slices.Clone(d.last.frames)
		thread := string(d.frames(stack))
		for _, f := range d.last.frames {
			if f.method >= 0 {
				got, gotLines = append(got, f.method), append(gotLines, f.line)
			}
		}
		if thread != wantThread || !slices.Equal(got, want) || !slices.Equal(gotLines, wantLines) {
			t.Fatalf("%q after %q: got %q and %v, want %q and %v", stack, last, thread, got, wantThread, want)
		}
		for k := range min(len(before), len(d.last.frames)) {
			if before[k] == d.last.frames[k] && before[k].own {
				reused++
			}
		}
		last = stack
	}
	if reused < 10_000 {
		t.Errorf("only %d frames were in common", reused)
	}
}
