package atrace_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/atrace"
	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a log in memory.
type recording struct {
	data []byte
	opts atrace.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.data)), nil }
	return atrace.Decode(ctx, open, sink, r.opts)
}

// counts is a sink that optionally records events, and counts signals.
type counts struct {
	text    *strings.Builder
	kinds   [trace.Level + 1]int
	begun   int
	defined []string
}

func (c *counts) Events(batch []trace.Event) error {
	for _, e := range batch {
		if e.Kind == trace.Enter {
			c.begun++
		}
		if c.text != nil {
			fmt.Fprintf(c.text, "%d thread %d kind %d of %d ran %d\n", e.Time, e.Thread, e.Kind, e.Ref, e.CPU)
		}
	}
	return nil
}
func (c *counts) Samples([]trace.Sample) error       { return errors.New("a log has no samples") }
func (c *counts) TakeSignals() trace.SignalSink      { return c }
func (c *counts) Operations([]trace.Operation) error { return errors.New("a log has no operations") }
func (c *counts) Until(int64) error                  { return nil }
func (c *counts) Track(t trace.Track) error {
	c.defined = append(c.defined, t.Name)
	return nil
}
func (c *counts) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		c.kinds[s.Kind]++
		if s.Kind != trace.Switch && c.text != nil {
			fmt.Fprintf(c.text, "%d %s kind %d is %d\n", s.Time, c.defined[s.Track], s.Kind, s.Value)
		}
	}
	return nil
}

// render formats a decoded log.
func render(data []byte, o atrace.Options) string {
	c := &counts{text: new(strings.Builder)}
	t, err := recording{data, o}.Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	b := c.text
	for i, m := range t.Methods {
		fmt.Fprintf(b, "method %d: %s\n", i, m.Label())
	}
	for i, th := range t.Threads {
		fmt.Fprintf(b, "thread %d: %q %d of %q, cpu %v, wall %v\n", i, th.Name, th.ID, t.Processes[th.Process].Name, th.CPU, th.Wall)
	}
	for _, r := range t.Timeline {
		fmt.Fprintf(b, "%d is %s %d\n", r.Time, r.Clock, r.Value)
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(b, "warning %s: %s\n", w.Code, w.Message)
	}
	fmt.Fprintf(b, "clock %v, calls %v, elapsed %v, overflow %v\n", t.Clock, t.Calls, t.Elapsed, t.Overflow)
	return b.String()
}

func small(t testing.TB) []byte {
	data, err := os.ReadFile("testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const smallRead = `100000 thread 0 kind 0 of 0 ran 0
200000 thread 0 kind 0 of 1 ran 100000
210000 thread 0 kind 0 of 2 ran 10000
300000 thread 1 kind 0 of 0 ran 0
320000 thread 1 kind 0 of 3 ran 20000
450000 thread 0 kind 1 of 2 ran 140000
460000 thread 0 kind 1 of 1 ran 10000
520000 thread 1 kind 1 of 3 ran 200000
600000 thread 0 kind 1 of 0 ran 40000
600000 thread 1 kind 1 of 0 ran 80000
470000 heap|kB kind 4 is -12
490000 cpu1 kind 1 is 1766400000
495000 cpu1 kind 2 is 2
496000 cpu1 kind 2 is -1
method 0: (app)
method 1: Choreographer#doFrame #
method 2: draw|it
method 3: DrawFrame
thread 0: "com.mine" 2340 of "com.mine", cpu 300µs, wall 500µs
thread 1: "Render [1] - x" 2381 of "com.mine", cpu 300µs, wall 300µs
0 is monotonic 5100250000000
1000 is realtime 1551399234135000000
warning orphan-ends: 1 slice began before the recording; its name is unknown, and it is not read
warning lost-events: the recorder's buffer overflowed, and 7 events are lost
clock dual, calls counted, elapsed 600µs, overflow true
`

// page embeds a log in an HTML page, in systrace's current form or in its old form.
func page(log []byte, old bool) []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html>\n<head>\n<title>Android System Trace</title>\n<script>\n")
	b.WriteString(strings.Repeat("x", 100_000) + "\n  </script>\n<body>\n")
	if old {
		b.WriteString("  <script>\n  var linuxPerfData = \"\\\n")
		b.Write(bytes.ReplaceAll(bytes.TrimSpace(log), []byte("\n"), []byte("\\n\\\n")))
		b.WriteString("\\n\";\n")
	} else {
		b.WriteString("  <script class=\"trace-data\" type=\"application/text\">\n")
		b.Write(log)
	}
	b.WriteString("  </script>\n<!-- END TRACE -->\n</body>\n</html>\n")
	return b.Bytes()
}

// TestDecode reads a log as it is, with CR LF, and in both forms of HTML pages. The results must be
// equal.
func TestDecode(t *testing.T) {
	log := small(t)
	for name, data := range map[string][]byte{
		"log":         log,
		"line ends":   bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")),
		"no last end": bytes.TrimSpace(log),
		"behind word": append([]byte("capturing trace... done\nTRACE:\n"), log...),
		"page":        page(log, false),
		"old page":    page(log, true),
	} {
		if !atrace.Sniff(data[:min(len(data), 8<<10)]) {
			t.Errorf("%s: not known", name)
		}
		if got := render(data, atrace.Options{}); got != smallRead {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, smallRead)
		}
		if err := tracetest.Check(t.Context(), recording{data: data}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := tracetest.CheckStops(recording{data: log}); err != nil {
		t.Error(err)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"# tracer: nop\n":   true,
		"\n# tracer: nop\n": true,
		"<idle>-0 [000] d..2 3572.028780: cpu_idle: state=3 cpu_id=0\n": true,
		"  a b-12 (  12) [003] 12.345678: sched_wakeup: comm=x\n":       true,
		"java 1234 [003] 12.345678: cycles: \n\t7f00 read (libc.so)\n":  false, // perf script
		"<!DOCTYPE html>\n<title>Android System Trace</title>":          true,
		"<!DOCTYPE html>\n<title>Another page</title>":                  false,
		"a;b;c 12\n": false,
		"":           false,
	} {
		if got := atrace.Sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestLines reads lines as other kernels write them, and counts invalid lines.
func TestLines(t *testing.T) {
	const log = `
kworker/0:4-10374 [000] ...1 100.000001: cpu_frequency: state=384000 cpu_id=0
<11091>-11091 [001] 100.000002: clock_set_rate: x state=1 cpu_id=1
lowpool[69]-12  (   11) [001] .... 100.000003: tracing_mark_write: B|11|a
lowpool[69]-12  (   11) [001] .... 100.000003500: 0: E
a-1 ( 1) [000] d..3 100.000005: tracing_mark_write:
a-1 ( 1) [000] d..3 100.000006: tracing_mark_write: Q|1|x
no event
a-1 [000] 100: x: y
a-b [000] 100.000001: x: y
sched-1 ( 1) [000] d..3 100.000004: sched_switch: prev_comm=x ==> next_comm=y
a-1 ( 1) [000] d..3 100.000004: cpu_idle: state=x cpu_id=0
a-9999999 ( 1) [000] d..3 100.000006: tracing_mark_write: B|1|x
`
	const want = `2000 thread 1 kind 0 of 0 ran 0
2000 thread 1 kind 0 of 3 ran 0
2500 thread 1 kind 1 of 3 ran 0
5000 thread 1 kind 1 of 0 ran 0
0 cpu0 kind 1 is 384000000
method 0: (process without a name)
method 1: a
method 2: (no process stated)
method 3: a
thread 0: "a" 1 of "a", cpu 0s, wall 0s
thread 1: "lowpool[69]" 12 of "", cpu 0s, wall 3µs
thread 2: "kworker/0:4" 10374 of "(no process stated)", cpu 0s, wall 0s
thread 3: "" 11091 of "(no process stated)", cpu 0s, wall 0s
warning all-processes: 2 processes are read together, as the whole device; --process chooses one, such as 11
warning bad-lines: 6 lines are not events of ftrace, and are not read; the first is line 8
warning no-switches: the log has no thread switches, and so no processor time: the time of threads outside of slices is not recorded, and belongs to no method; record with atrace's category sched
clock wall, calls counted, elapsed 5µs, overflow false
`
	if got := render([]byte(log), atrace.Options{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLongLines checks that a line that is too long for an event is counted as invalid, even at the
// end of the log, and that the lines around it are read.
func TestLongLines(t *testing.T) {
	long := "a-1 ( 1) [000] d..3 100.000002: tracing_mark_write: B|1|" + strings.Repeat("x", 2<<20)
	const begin, end = "a-1 ( 1) [000] d..3 100.000001: tracing_mark_write: B|1|a\n", "a-1 ( 1) [000] d..3 100.000003: tracing_mark_write: E\n"
	for _, log := range []string{begin + long + "\n" + end, begin + end + long} {
		got := render([]byte(log), atrace.Options{})
		if !strings.Contains(got, "elapsed 2µs") || !strings.Contains(got, "warning bad-lines: 1 line") {
			t.Errorf("the recording is\n%.2000s", got)
		}
	}
	if got := render([]byte(begin+"# "+strings.Repeat("x", 2<<20)+"\n"+end), atrace.Options{}); !strings.Contains(got, "elapsed 2µs") || strings.Contains(got, "bad-lines") {
		t.Errorf("with a long comment the recording is\n%.2000s", got)
	}
}

// TestTruncation truncates a log, and its HTML page, at every byte. The result is an error with a
// position or, with Partial, a recording with a warning.
func TestTruncation(t *testing.T) {
	log := small(t)
	data := page(log, false)
	begin, end := bytes.Index(data, log), bytes.Index(data, log)+len(log)
	for _, file := range [][]byte{log, data} {
		from, to := 0, len(log)
		if len(file) > len(log) {
			from, to = begin, end
		}
		// The last line may lose its end, and the last event some of its fields.
		for n := from; n < to-20; n++ {
			for _, partial := range []bool{false, true} {
				tr, err := recording{file[:n], atrace.Options{Partial: partial}}.Scan(t.Context(), tracetest.Discard{})
				var located *syntax.Error
				switch {
				case err != nil && !errors.As(err, &located):
					t.Fatalf("cut at %d: %v", n, err)
				case err == nil && !warns(tr, "truncated") && !warns(tr, "bad-lines"):
					t.Fatalf("cut at %d: no warning", n)
				case err == nil && !partial && n > from+200:
					t.Fatalf("cut at %d: no error", n)
				}
			}
		}
	}
	want := "error: line 20: atrace log: the log is cut: it has 10 of 19 events; fetch the file again, or read it as far as it goes with --partial\n"
	if got := render(log[:bytes.Index(log, []byte("E|2340"))], atrace.Options{}); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func warns(t *trace.Trace, code string) bool {
	for _, w := range t.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// TestReal compares the real logs, if present, with counts from other tools. For the log with
// context switches, trace_processor counts 39665 switches, 26568 slices of threads and 40.481 s of
// busy time.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data/systrace"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real logs of ../shared/data/systrace are not here")
	}
	for name, want := range map[string]string{
		"petra-systrace_example.html":            "0 switches, 0 slices, 718 frequencies, 0 idle states, 0 gauges, 0s",
		"petra-systrace_example_2.html":          "0 switches, 0 slices, 6 frequencies, 1944 idle states, 0 gauges, 0s",
		"profilertester-atrace-compressed.trace": "39665 switches, 26568 slices, 616 frequencies, 7480 idle states, 2683 gauges, 40.48095s",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, deflated, ok := bytes.Cut(data, []byte("TRACE:\n")); ok {
			z, err := zlib.NewReader(bytes.NewReader(deflated))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		rec := recording{data, atrace.Options{Process: "*"}}
		c := new(counts)
		tr, err := rec.Scan(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprintf("%d switches, %d slices, %d frequencies, %d idle states, %d gauges, %v", c.kinds[trace.Switch], c.begun-tr.Active(), c.kinds[trace.Frequency], c.kinds[trace.Idle], c.kinds[trace.Gauge], tr.CPU())
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := tracetest.Check(t.Context(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNumbersAgain checks that threads, or processes, that have the same number at different times
// are kept separate.
func TestNumbersAgain(t *testing.T) {
	at := 1000
	line := func(who string, tgid string, event string) string {
		at++
		return fmt.Sprintf("%s (%s) [000] d..3 5213.%06d: %s\n", who, tgid, at, event)
	}
	to := func(prev, state, next string) string {
		name := func(task string) (comm, tid string) {
			i := strings.LastIndexByte(task, '-')
			return task[:i], task[i+1:]
		}
		a, p := name(prev)
		b, n := name(next)
		return "sched_switch: prev_comm=" + a + " prev_pid=" + p + " prev_prio=120 prev_state=" + state + " ==> next_comm=" + b + " next_pid=" + n + " next_prio=120"
	}
	for _, dead := range []string{"x", "X", "Z"} {
		log := func(worker, process, later string) []byte {
			at = 1000
			second := "net-" + worker
			return []byte("" +
				line("<idle>-0", "-----", to("swapper-0", "R", "com.mine-100")) +
				line("com.mine-100", "  100", "tracing_mark_write: B|100|start") +
				line("com.mine-100", "  100", to("com.mine-100", "S", "worker-101")) +
				line("worker-101", "  100", "tracing_mark_write: B|100|killed") +
				line("worker-101", "  100", to("worker-101", dead, "com.mine-100")) +
				line("com.mine-100", "  100", to("com.mine-100", "D", second)) +
				line(second, "  100", "tracing_mark_write: B|100|fetch") +
				line(second, "  100", "tracing_mark_write: E|100") +
				line(second, "  100", to(second, "S", "com.mine-100")) +
				// The first thread of the process ends before the other threads. They still belong
				// to the process.
				line("com.mine-100", "  100", to("com.mine-100", dead, second)) +
				line(second, "  100", "tracing_mark_write: B|100|late") +
				line(second, "  100", to(second, dead, "com.other-"+process)) +
				line("com.other-"+process, "  "+process, "tracing_mark_write: B|"+process+"|other") +
				line("com.other-"+process, "  "+process, "tracing_mark_write: C|"+process+"|heap|7") +
				line("com.other-"+process, "  "+process, to("com.other-"+process, "S", "pool-"+later)) +
				line("pool-"+later, "  "+process, "tracing_mark_write: B|"+process+"|third") +
				line("pool-"+later, "  "+process, to("pool-"+later, "S", "swapper-0")))
		}
		for _, wanted := range []string{"*", "com.mine", "com.other"} {
			o := atrace.Options{Process: wanted}
			got, want := render(log("101", "100", "101"), o), render(log("201", "200", "301"), o)
			for number, other := range map[string]string{"201 of": "101 of", "200 of": "100 of", "301 of": "101 of"} {
				want = strings.ReplaceAll(want, " "+number, " "+other)
			}
			if got != want {
				t.Errorf("%s of %s is read as\n%s\nwant\n%s", wanted, dead, got, want)
			}
			if wanted == "com.mine" && (!strings.Contains(got, `"worker" 101 of "com.mine"`) || !strings.Contains(got, `"net" 101 of "com.mine"`) || strings.Contains(got, "other")) {
				t.Errorf("the process has\n%s", got)
			}
			if err := tracetest.Check(t.Context(), recording{log("101", "100", "101"), o}); err != nil {
				t.Error(err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(small(f))
	f.Add(page(small(f), true))
	f.Add([]byte("a-1 ( 1) [1023] .... 999999999.999999999: tracing_mark_write: B|1|x\na-1 [000] 0.000000: 0: E\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec := recording{data: data}
		if _, err := rec.Scan(t.Context(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(t.Context(), rec); err != nil {
			t.Error(err)
		}
	})
}

// TestSystemCalls checks that the system calls of an unknown machine become operations on the files
// that the log shows to be opened.
func TestSystemCalls(t *testing.T) {
	log := "# tracer: nop\n#\n"
	line := func(us, tid int, text string) {
		log += fmt.Sprintf("       com.mine-%d     (  100) [001] ...1   10.%06d: %s\n", tid, us, text)
	}
	line(1, 100, "tracing_mark_write: B|100|load")
	for i, text := range []string{
		"sys_enter: NR 29 (5, c0306201, 7ff, 0, 0, 0)", "sys_exit: NR 29 = 0", "sys_enter: NR 98 (5, 0, 0, 0, 0, 0)", "sys_exit: NR 98 = -11",
		"sys_enter: NR 56 (ffffff9c, 7f81a02140, 80000, 0, 0, 0)", "sys_exit: NR 56 = 42",
		"sys_enter: NR 63 (2a, 7f81a02140, 1000, 0, 0, 0)", "sys_exit: NR 63 = 4096",
		"sys_enter: NR 57 (2a, 0, 0, 0, 0, 0)", "sys_exit: NR 57 = 0", "sys_enter: NR 64 (...", "sys_exit: NR 64 = 2",
	} {
		line(10+i, 100, text)
	}
	line(90, 100, "tracing_mark_write: E|100")
	got := new(tracetest.Listener)
	r := recording{data: []byte(log)}
	tr, err := r.Scan(t.Context(), got)
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	for _, o := range got.Operations {
		lines += fmt.Sprintf("%d+%d %s %s %d\n", o.Time/1000, o.Duration/1000, o.Verb, o.Component, o.Bytes)
	}
	if want := "14+0 open disk 0\n15+1 read disk 4096\n17+1 close disk 0\n"; lines != want {
		t.Errorf("got\n%swant\n%s", lines, want)
	}
	codes := ""
	for _, w := range tr.Warnings {
		codes += w.Code + " "
	}
	if want := "bare-calls assumed-files guessed-abi no-switches "; codes != want {
		t.Errorf("warnings %s, want %s", codes, want)
	}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
}

func TestOpens(t *testing.T) { formattest.Opens(t, atrace.Format, small(t)) }
