package profilo_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/profilo"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{Sniff: profilo.Sniff, Decode: decode}

// decode decodes a trace. unit is the unit of a sample's value.
func decode(ctx context.Context, data []byte, unit string, sink trace.Sink) (*trace.Trace, error) {
	var o profilo.Options
	if unit != "" {
		var err error
		if o.Unit, err = units.ParseValueUnit(unit); err != nil {
			return nil, err
		}
	}
	return profilo.Decode(ctx, bytes.NewReader(data), sink, o)
}

func TestOpens(t *testing.T)  { format.Opens(t, profilo.Format) }
func TestGolden(t *testing.T) { format.Golden(t, *update) }
func TestCut(t *testing.T)    { format.Cut(t) }
func FuzzDecode(f *testing.F) { format.Fuzz(f) }

// TestScripts compares the stacks of the real trace, if present, with the output of Profilo's own
// scripts. The scripts print the names of the app's methods, and numbers only for methods without a
// name. Stacks are therefore matched by these numbers. A name must always represent the same
// method.
func TestScripts(t *testing.T) {
	const dir = "../../../shared/data/folded/"
	text, err := os.Open(dir + "profilo-android-stacks.folded")
	if err != nil {
		t.Skip("the real trace of ../shared/data/folded is not here")
	}
	defer text.Close()
	file, err := os.Open(dir + "profilo-android-trace.log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	c := &tracetest.Collector{}
	tr, err := decode(t.Context(), data, "ms", c)
	if err != nil {
		t.Fatal(err)
	}
	if !profilo.Sniff(data[:8<<10]) || tr.Events != 524 || tr.CPU() != 524*time.Millisecond || len(tr.Methods) != 91 || tr.Processes[0].Name != "com.facebook.loom.sample" {
		t.Errorf("%d events, cpu %v, %d methods, process %q", tr.Events, tr.CPU(), len(tr.Methods), tr.Processes[0].Name)
	}
	// blank keeps the part of a frame that both outputs have: the number of a frame without a name.
	unnamed := map[string]bool{}
	want := map[string]int{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		for frame := range strings.SplitSeq(lines.Text()[:strings.LastIndexByte(lines.Text(), ' ')], ";") {
			unnamed[frame] = strings.HasPrefix(frame, "_")
		}
	}
	blank := func(frames []string) string {
		for i, f := range frames {
			if !unnamed[f] {
				frames[i] = "?"
			}
		}
		return strings.Join(frames, ";")
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(text); lines.Scan(); {
		i := strings.LastIndexByte(lines.Text(), ' ')
		n, err := strconv.Atoi(lines.Text()[i+1:])
		if err != nil {
			t.Fatal(err)
		}
		want[blank(strings.Split(lines.Text()[:i], ";"))] += n
	}
	got := map[string]int{}
	for _, s := range c.Kept {
		var frames []string
		for _, m := range s.Stack {
			frames = append(frames, tr.Methods[m].Label())
		}
		got[blank(frames)]++
	}
	for stack, n := range want {
		if got[stack] != n {
			t.Errorf("%d samples of %s, want %d", got[stack], stack, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d different stacks, want %d", len(got), len(want))
	}
}

func TestErrors(t *testing.T) {
	const head = "dt\nver|3\nprec|6\npid|10\n\n"
	for text, want := range map[string]string{
		"dt\nver|3\n\n":                                          "line 3: Profilo trace: the head has no line prec with the number of decimals of times",
		"dt\nver|3\nprec|12\n":                                   "line 3: Profilo trace: the number of decimals \"12\" is not from 0 to 9",
		"dt\nver|3\nprec|6\npid|x\n":                             "line 4: Profilo trace: the process id \"x\" is not a number",
		head + "1|STACK_FRAME|1|2|3|4\n":                         "line 6: Profilo trace: not an entry: a number, a type, and up to five numbers, separated by |",
		head + "1|STACK_FRAME|1|2|3|4|5|6\n":                     "line 6: Profilo trace: not an entry: a number, a type, and up to five numbers, separated by |",
		head + "1|COUNTER|1|2|3|4|5\n":                           "Profilo trace: the trace has no stacks",
		head + strings.Repeat("x", 1<<17) + "\n":                 "line 6: Profilo trace: a line is longer than 65536 bytes",
		head + strings.Repeat("1|STACK_FRAME|0|0|0|0|0\n", 5000): "line 4102: Profilo trace: a stack has more than 4096 frames",
	} {
		_, err := decode(t.Context(), []byte(text), "", tracetest.Discard{})
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}
