package folded_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func Example() {
	const text = "[main];app.Feed.load(I)Lapp/Post;;app.Json.read()V 1.2@3\n"
	unit, err := units.ParseValueUnit("uJ")
	if err != nil {
		panic(err)
	}
	sink := &collector{}
	tr, err := folded.Decode(context.Background(), strings.NewReader(text), sink, folded.Options{Unit: unit})
	if err != nil {
		panic(err)
	}
	for _, s := range sink.samples {
		fmt.Printf("%s: %d nJ in %d calls\n", tr.Threads[s.Thread].Name, s.Energy, s.Calls)
		for _, id := range s.Stack {
			fmt.Println(" ", tr.Methods[id].Label())
		}
	}
	// Output:
	// main: 1200 nJ in 3 calls
	//   app.Feed.load(I)Lapp/Post;
	//   app.Json.read()V
}

// A collector keeps the samples and the arguments of Start.
type collector struct {
	samples []trace.Sample
	clock   trace.Clock
	energy  trace.Provenance
	starts  int
}

func (c *collector) Start(clock trace.Clock, energy trace.Provenance) {
	c.clock, c.energy = clock, energy
	c.starts++
}

func (c *collector) Events([]trace.Event) error { return errors.New("folded stacks have no events") }

func (c *collector) Samples(batch []trace.Sample) error {
	if c.starts != 1 {
		return fmt.Errorf("%d starts before the first batch", c.starts)
	}
	for _, s := range batch {
		s.Stack = append([]trace.MethodID(nil), s.Stack...)
		c.samples = append(c.samples, s)
	}
	return nil
}

func decode(r io.Reader, o folded.Options) (*trace.Trace, []trace.Sample, error) {
	c := &collector{}
	tr, err := folded.Decode(context.Background(), r, c, o)
	if err == nil && (c.clock != tr.Clock || c.energy != tr.Energy) {
		err = errors.New("the start and the trace differ in clock or energy")
	}
	return tr, c.samples, err
}

// render formats a decoded text, with methods by their parts.
func render(tr *trace.Trace, samples []trace.Sample, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d samples, energy %s, clock %s, technique %s\n", tr.Format, tr.Events, tr.Energy, tr.Clock, tr.Technique)
	for _, th := range tr.Threads {
		fmt.Fprintf(&b, "thread %q, id %d: %d samples, cpu %v\n", th.Name, th.ID, th.Events, th.CPU)
	}
	for _, m := range tr.Methods {
		fmt.Fprintf(&b, "method %q", m.Label())
		if m.Lang == name.JVM {
			fmt.Fprintf(&b, " = class %s, name %s, descriptor %q", m.Class(), m.Name, m.Signature)
		} else if m.Short() != m.Label() {
			fmt.Fprintf(&b, " = %s", m.Short())
		}
		if m.Mark != "" {
			fmt.Fprintf(&b, ", mark %s", m.Mark)
		}
		b.WriteByte('\n')
	}
	for _, s := range samples {
		fmt.Fprintf(&b, "thread %d stack %v: energy %d, cpu %d, calls %d\n", s.Thread, s.Stack, s.Energy, s.CPU, s.Calls)
	}
	for _, w := range tr.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

// TestGolden decodes the input of each testdata/*.txtar, in the unit that its first comment line
// states, and compares the result.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(string(ar.Comment), "\n")
			unit, err := units.ParseValueUnit(strings.TrimPrefix(name, "unit: "))
			if err != nil {
				t.Fatal(err)
			}
			in := ar.Files[0].Data
			got := []byte(render(decode(bytes.NewReader(in), folded.Options{Unit: unit})))
			if *update {
				ar.Files = append(ar.Files[:1], txtar.File{Name: "want", Data: got})
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := ar.Files[1].Data; !bytes.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestDecodeErrors checks the exact error messages.
func TestDecodeErrors(t *testing.T) {
	const hint = "; write each line as frames joined by ';', a space and a number"
	tests := []struct{ name, in, want string }{
		{"no value", "a;b 1\na;b;c\n", "line 2: folded stacks: no value after the stack" + hint},
		{"word for value", "a;b x\n", "line 1: folded stacks: no value after the stack" + hint},
		{"value stuck to stack", "a;b12", "line 1: folded stacks: no value after the stack" + hint},
		{"value only", "\n\n12\n", "line 3: folded stacks: no stack before the value" + hint},
		{"empty frames only", ";; 12\n", "line 1: folded stacks: no stack before the value" + hint},
		{"empty", "", "folded stacks: no stacks in the file" + hint},
		{"two values", "a;b 1 2\n\na;c 3 0\n", "folded stacks: every line has two values, as in the difference of two runs; read the two runs instead"},
		{"comments", "# a;b 1\n\n", "folded stacks: no stacks in the file" + hint},
		{"negative", "a -1\n", `line 1: folded stacks: value "-1" is negative`},
		{"bad number", "a 1.2.3\n", `line 1: folded stacks: value "1.2.3" is not a decimal number`},
		{"thousands", "a 1,200\n", `line 1: folded stacks: value "1,200" is not a decimal number`},
		{"hex", "a 0x1f\n", `line 1: folded stacks: value "0x1f" is not a decimal number`},
		{"too large", "a 9223372036854775808\n", `line 1: folded stacks: value "9223372036854775808" is too large`},
		{"long value", "a " + strings.Repeat("9", 300), `line 1: folded stacks: value "` + strings.Repeat("9", 40) + `"… has too many digits`},
		{"sum", "a 9223372036854775807\n#\nb 1\n", "line 3: folded stacks: the sum of the values up to here is too large"},
		{"calls", "a 1@x\n", `line 1: folded stacks: number of calls "x" is not a whole number that fits`},
		{"no calls", "a 1@\n", `line 1: folded stacks: number of calls "" is not a whole number that fits`},
		{"negative calls", "a 1@-1\n", `line 1: folded stacks: number of calls "-1" is not a whole number that fits`},
		{"sum of calls", "a 1@9223372036854775807\na 1@1\n", "line 2: folded stacks: the sum of the calls up to here is too large"},
		{"calls without value", "a @3\n", "line 1: folded stacks: no value after the stack" + hint},
		{"long line", "a 1\n" + strings.Repeat("a;", 9<<20), "line 2: folded stacks: line is longer than 16 MiB"},
		{"binary", "SIMPLEPERF\x00\x01\x02\n", "line 1: folded stacks: no value after the stack" + hint},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := decode(strings.NewReader(tt.in), folded.Options{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
			var located *syntax.Error
			if !errors.As(err, &located) {
				t.Errorf("error is a %T, not a *syntax.Error", err)
			}
		})
	}
}

func TestDecodePassesErrorsOn(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a 1\nb"), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, _, err := decode(broken, folded.Options{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("reader: error %v", err)
	}
	_, err = folded.Decode(context.Background(), strings.NewReader("a 1\n"), sinkError{io.ErrClosedPipe}, folded.Options{})
	if err != io.ErrClosedPipe {
		t.Errorf("sink: error %v, want the sink's own", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, line := range []string{"a 1\n", "# comment\n"} {
		_, err = folded.Decode(ctx, strings.NewReader(strings.Repeat(line, 5000)), &collector{}, folded.Options{})
		if err != context.Canceled {
			t.Errorf("cancelled among lines %q: error %v", line, err)
		}
	}
}

type sinkError struct{ err error }

func (s sinkError) Events([]trace.Event) error   { return s.err }
func (s sinkError) Samples([]trace.Sample) error { return s.err }

// TestDecodeInPieces reads the input byte by byte, so that pieces of input end everywhere.
func TestDecodeInPieces(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "[t%d];%sx.Y.m%d()Lx/Y; %d\r\n", i%3, strings.Repeat("deep.Er.f;", i%70), i%100, i)
	}
	b.WriteString(strings.Repeat("long.Line.f;", 20_000) + "end 5")
	want := render(decode(strings.NewReader(b.String()), folded.Options{}))
	if strings.HasPrefix(want, "error") {
		t.Fatal(want)
	}
	if got := render(decode(iotest.OneByteReader(strings.NewReader(b.String())), folded.Options{})); got != want {
		t.Error("reading byte by byte differs")
	}
}

// TestTruncation truncates a text at every byte. The result is a recording or an error with a line.
func TestTruncation(t *testing.T) {
	const text = "\uFEFF# head\r\n[main tid=7];a.B.c(La/B;[[I)La/C;;d 12.5@3\r\n\n/usr/lib/libc.so;f 1e2\n"
	for n := range len(text) {
		_, _, err := decode(strings.NewReader(text[:n]), folded.Options{})
		var located *syntax.Error
		if err != nil && (!errors.As(err, &located) || located.Line > 4) {
			t.Errorf("cut at %d: error %v", n, err)
		}
		folded.Sniff([]byte(text[:n]))
	}
}

// TestReal reads folded stacks of other profilers. The sum of the decoded values must equal the sum
// of the lines' last fields.
func TestReal(t *testing.T) {
	files := realFiles(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !folded.Sniff(data[:min(len(data), 4096)]) {
				t.Error("not sniffed")
			}
			tr, samples, err := decode(bytes.NewReader(data), folded.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var sum, want, frames, wantFrames, n int64
			for _, s := range samples {
				sum += int64(s.Energy)
				frames += int64(len(s.Stack))
			}
			for line := range strings.Lines(string(data)) {
				words := strings.Fields(line)
				if len(words) == 0 {
					continue
				}
				var v int64
				if _, err := fmt.Sscan(words[len(words)-1], &v); err != nil {
					t.Fatal(err)
				}
				want += v
				n++
				for frame := range strings.SplitSeq(line[:strings.LastIndexByte(line, ' ')], ";") {
					// One line of the vertx sample ends in a blank frame.
					if strings.TrimSpace(frame) != "" {
						wantFrames++
					}
				}
			}
			if sum != want || tr.Events != n || frames != wantFrames {
				t.Errorf("%d lines, %d frames, sum %d; want %d, %d and %d", tr.Events, frames, sum, n, wantFrames, want)
			}
		})
	}
}

// realFiles lists the folded stacks among the shared samples, and skips the test if the samples are
// absent.
func realFiles(t testing.TB) []string {
	const dir = "../../../shared/data/folded"
	var files []string
	for _, pattern := range []string{"*.collapsed", "*.folded", "*.foldedstack*", "*collapsed-all.txt", "firefox-flamegraph.txt"} {
		more, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skipf("no real data in %s", dir)
	}
	return files
}

// A text is a recording of folded stacks in memory.
type text struct {
	data string
	unit units.ValueUnit
}

func (x text) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return folded.Decode(ctx, strings.NewReader(x.data), sink, folded.Options{Unit: x.unit})
}

// TestLaws checks decoded texts against the laws of recordings, in every unit.
func TestLaws(t *testing.T) {
	const data = "[main];a.B.c()V;d 12@3\nx 5\n[main];x 0\n[idle] 7\n"
	for _, name := range units.ValueUnitNames() {
		unit, err := units.ParseValueUnit(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := tracetest.Check(context.Background(), text{data, unit}); err != nil {
			t.Errorf("in %s: %v", name, err)
		}
	}
}

// FuzzDecode checks that any text decodes to a recording that keeps the laws. If the samples are
// written as text and decoded again, they must be the same.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		if ar, err := txtar.ParseFile(file); err == nil {
			f.Add(ar.Files[0].Data)
		}
	}
	f.Add([]byte("a;b 120@3\n[t];a.B.c(La/B;)La/C;;d 1e3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		folded.Sniff(text)
		tr, samples, err := decode(bytes.NewReader(text), folded.Options{})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		var again strings.Builder
		for _, s := range samples {
			if s.Energy < 0 || s.Calls < 0 || s.CPU != 0 {
				t.Fatalf("sample %+v", s)
			}
			fmt.Fprintf(&again, "[%s tid=%d]", tr.Threads[s.Thread].Name, tr.Threads[s.Thread].ID)
			for _, id := range s.Stack {
				m := tr.Methods[id]
				label := m.Label()
				if m.Lang != name.JVM && strings.Contains(label, "(") {
					// A descriptor that spaces or an empty frame kept incomplete may now be
					// completed by the next frame.
					return
				}
				fmt.Fprintf(&again, ";%s", label)
			}
			fmt.Fprintf(&again, " %d@%d\n", s.Energy, s.Calls)
		}
		if tr.Events != int64(len(samples)) {
			t.Errorf("%d events, %d samples", tr.Events, len(samples))
		}
		back, samplesBack, err := decode(strings.NewReader(again.String()), folded.Options{})
		if err != nil && strings.Contains(err.Error(), "two values") {
			return // Every name ends in a number, which would be read as the value.
		}
		if err != nil {
			t.Fatalf("%q was read and written as %q: %v", text, again.String(), err)
		}
		if got, want := stacks(back, samplesBack), stacks(tr, samples); got != want {
			t.Errorf("%q was read as\n%s\nand written as %q, which reads as\n%s", text, want, again.String(), got)
		}
	})
}

// stacks formats everything except the threads.
func stacks(tr *trace.Trace, samples []trace.Sample) string {
	var b strings.Builder
	for _, s := range samples {
		for _, id := range s.Stack {
			fmt.Fprintf(&b, "%s ", tr.Methods[id].Label())
		}
		fmt.Fprintf(&b, "%d@%d\n", s.Energy, s.Calls)
	}
	return b.String()
}

func BenchmarkDecode(b *testing.B) {
	var text bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&text, "[main];android.os.Looper.loop()V;android.os.Handler.dispatchMessage(Landroid/os/Message;)V;app.Feed.m%d(I)Lapp/Post;;app.Json.read()V %d\n", i%500, i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := folded.Decode(context.Background(), bytes.NewReader(text.Bytes()), tracetest.Discard{}, folded.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
