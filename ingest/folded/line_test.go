package folded

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

func TestCutLine(t *testing.T) {
	tests := []struct {
		frame, function string
		line            int32
	}{
		{"load (app/feed.py:12)", "load (app/feed.py)", 12},
		{"<module> (<string>:1)", "<module> (<string>)", 1},
		{"_call (<frozen importlib._bootstrap>:241)", "_call (<frozen importlib._bootstrap>)", 241},
		{"load - app/feed.rb:12", "load - app/feed.rb", 12},
		{"loop - <internal:kernel>:168", "loop - <internal:kernel>", 168},
		{"feed.py:load:12", "feed.py:load", 12},
		{"<frozen abc>:__new__:7", "<frozen abc>:__new__", 7},
		{"com/mine/Feed.load:12", "com/mine/Feed.load", 12},
		{"java/util/Map$Entry.<init>:3", "java/util/Map$Entry.<init>", 3},
		{"com.mine.Feed.load:12_[j]", "com.mine.Feed.load_[j]", 12},
		{"com/mine/Feed.constructor-impl:12", "com/mine/Feed.constructor-impl", 12},
		{"app.Feed.load(I)Lapp/Post;:12", "app.Feed.load(I)Lapp/Post;", 12},
		{"a.b.c(I)V:12", "", 0}, // The simple name of a class begins with a capital letter.
		{"a::b:12", "", 0},
		{"std::vector<a::b>:12", "", 0},
		{"a::B.c:12", "", 0},
		{"localhost:8080", "", 0},
		{"api.example.com:443", "", 0},
		{"10.0.0.1:443", "", 0},
		{"[2001:db8::1]:443", "", 0},
		{"http://host:8080", "", 0},
		{"main.c:12", "", 0},
		{"src/Main.c:12", "", 0},
		{"src/Main.java:12", "", 0},
		{"/usr/lib/libfoo.so:12", "", 0},
		{"lib/Foo.so:12", "", 0},
		{"Foo.bar:0x12", "", 0},
		{"Foo.bar:0", "", 0},
		{"Foo.bar:012", "", 0},
		{"Foo.bar:12345678", "", 0},
		{"Foo.bar:", "", 0},
		{"Foo.bar:12:3", "", 0},
		{"load feed.js:12:3", "", 0},
		{"load (feed.js:12)", "", 0},
		{"JS:*load /app/feed.js:12", "", 0},
		{"feed.js:load:12", "", 0},
		{"load (main.c:12)", "", 0},
		{"a - b.c:12", "", 0},
		{"-[Foo bar:baz:]", "", 0},
		{"io/netty/Loop:.run:5_[j]", "", 0},
		{"T0:456", "", 0},
		{"tid:1234", "", 0},
		{":12", "", 0},
		{"Foo.1:12", "", 0},
		{".:12", "", 0},
	}
	for _, tt := range tests {
		if tt.function == "" {
			tt.function = tt.frame
		}
		function, line, _ := cutLine([]byte(tt.frame), nil)
		if string(function) != tt.function || line != tt.line {
			t.Errorf("cutLine(%q) = %q, %d; want %q, %d", tt.frame, function, line, tt.function, tt.line)
		}
	}
}

// TestWriters writes random stacks in the form of each writer. The energy of each line of each
// function must be the sum over the stacks. The same stacks without lines must have the same total
// energy.
func TestWriters(t *testing.T) {
	writers := map[string]struct {
		function func(i int) string
		write    func(i, line int) string
	}{
		"py-spy":       {func(i int) string { return fmt.Sprintf("f%d (m.py)", i) }, func(i, line int) string { return fmt.Sprintf("f%d (m.py:%d)", i, line) }},
		"rbspy":        {func(i int) string { return fmt.Sprintf("f%d - m.rb", i) }, func(i, line int) string { return fmt.Sprintf("f%d - m.rb:%d", i, line) }},
		"austin":       {func(i int) string { return fmt.Sprintf("m.py:f%d", i) }, func(i, line int) string { return fmt.Sprintf("m.py:f%d:%d", i, line) }},
		"jfrconv":      {func(i int) string { return fmt.Sprintf("a.B.f%d", i) }, func(i, line int) string { return fmt.Sprintf("a/B.f%d:%d", i, line) }},
		"jfrconv dot":  {func(i int) string { return fmt.Sprintf("a.B.f%d_[j]", i) }, func(i, line int) string { return fmt.Sprintf("a.B.f%d:%d_[j]", i, line) }},
		"descriptors":  {func(i int) string { return fmt.Sprintf("a.B.f%d([I)V", i) }, func(i, line int) string { return fmt.Sprintf("a.B.f%d([I)V:%d", i, line) }},
		"another tool": {func(i int) string { return fmt.Sprintf("ns::f%d", i) }, func(i, _ int) string { return fmt.Sprintf("ns::f%d", i) }},
	}
	for who, writer := range writers {
		r := rand.New(rand.NewPCG(1, 2))
		var text strings.Builder
		want, total := make(map[string]units.Energy), units.Energy(0)
		for range 500 {
			depth, energy := 1+r.IntN(6), r.IntN(100)
			for k := range depth {
				i, line := r.IntN(5), 1+r.IntN(30)
				if k > 0 {
					text.WriteByte(';')
				}
				if r.IntN(10) == 0 {
					line = 0
					text.WriteString(writer.function(i))
				} else {
					text.WriteString(writer.write(i, line))
				}
				if who == "another tool" {
					line = 0
				}
				if k == depth-1 {
					want[fmt.Sprint(writer.function(i), " at ", line)] += units.Energy(energy)
				}
			}
			fmt.Fprintf(&text, " %d\n", energy)
			total += units.Energy(energy)
		}
		sums := &lineSums{sum: make(map[[2]int32]units.Energy)}
		tr, err := Decode(t.Context(), strings.NewReader(text.String()), sums, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]units.Energy)
		for at, e := range sums.sum {
			got[fmt.Sprint(tr.Methods[at[0]].Label(), " at ", at[1])] += e
			total -= e
		}
		if !maps.Equal(got, want) || total != 0 {
			t.Errorf("%s: got %v, want %v; %d nJ are lost", who, got, want, total)
		}
		if len(tr.Methods) != 5 {
			t.Errorf("%s: %d methods", who, len(tr.Methods))
		}
	}
}

// lineSums adds up energies by innermost method and line.
type lineSums struct{ sum map[[2]int32]units.Energy }

func (l *lineSums) Events([]trace.Event) error { return nil }

func (l *lineSums) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		n := len(s.Stack) - 1
		at := [2]int32{int32(s.Stack[n]), 0}
		if len(s.Lines) > 0 {
			at[1] = s.Lines[n]
		}
		l.sum[at] += s.Energy
	}
	return nil
}

// TestElapsedSamples checks that the samples of py-spy and rbspy count as uncertain work, unless the
// unit of the values is stated. Samples of other writers count as work.
func TestElapsedSamples(t *testing.T) {
	milliseconds, err := units.ParseValueUnit("ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text    string
		unit    units.ValueUnit
		elapsed units.Energy
	}{
		{"main (app.py:3);load (app.py:12) 7\nmain (app.py:3) 2\n", units.ValueUnit{}, 9},
		{"main - app.rb:3;load - app.rb:12 7\n", units.ValueUnit{}, 7},
		{"main (app.py:3);load (app.py:12) 7\n", milliseconds, 0},
		{"main (app.py);load (app.py) 7\n", units.ValueUnit{}, 0},
		{"app.py:main:3;app.py:load:12 7\n", units.ValueUnit{}, 0},
		{"com/mine/Feed.load:12;com/mine/Feed.read:3 7\n", units.ValueUnit{}, 0},
	} {
		tr, err := Decode(t.Context(), strings.NewReader(c.text), &lineSums{sum: make(map[[2]int32]units.Energy)}, Options{Unit: c.unit})
		if err != nil {
			t.Fatal(err)
		}
		if tr.Uncertain != c.elapsed || (len(tr.Warnings) > 0) != (c.elapsed > 0) {
			t.Errorf("%q: %d of the samples may be waiting, want %d: %v", c.text, tr.Uncertain, c.elapsed, tr.Warnings)
		}
	}
}
