package perfscript_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/perfscript"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a text in memory.
type recording struct {
	text string
	opts perfscript.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(r.text)), nil }
	return perfscript.Decode(ctx, open, sink, r.opts)
}

// render formats a decoded text.
func render(t *testing.T, text string, o perfscript.Options) string {
	t.Helper()
	c := &tracetest.Collector{}
	tr, err := recording{text, o}.Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if err := tracetest.Check(context.Background(), recording{text, o}); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "clock %v, interval %v, energy %v, weight %q, elapsed %v, vm %q\n", tr.Clock, tr.Interval, tr.Energy, tr.Weight, tr.Elapsed, tr.VM)
	for _, th := range tr.Threads {
		process := "no process"
		if len(tr.Processes) > 0 {
			process = fmt.Sprintf("%q %d", tr.Processes[th.Process].Name, tr.Processes[th.Process].ID)
		}
		fmt.Fprintf(&b, "thread %q %d of %s: %d samples\n", th.Name, th.ID, process, th.Events)
	}
	for _, s := range c.Kept {
		fmt.Fprintf(&b, "%d at %v: %d", s.Thread, time.Duration(s.Time), s.CPU+int64(s.Energy))
		for i, m := range s.Stack {
			line := int32(0)
			if len(s.Lines) > 0 {
				line = s.Lines[i]
			}
			fmt.Fprintf(&b, " %s", tr.Methods[m].OnLine(line).Label())
		}
		b.WriteByte('\n')
	}
	for _, w := range tr.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

// small has frames in all forms: with and without addresses, with offsets, with source positions,
// and with spaces in names and in files.
const small = "\uFEFF# captured on: Wed Aug 15 16:01:24 2018\n" +
	`# cpudesc : Some CPU @ 2.50GHz

V8 Worker 12 24636/25607 [000] 100.109216:    1001001 cpu-clock:u:
	           98a87 malloc+0x157 (/usr/lib/libc.so.6)
  malloc.c:3321
	           17e0 _ZN3app4loadEi+0x1f (/home/me/the server (deleted))
	           17f0 operator()(int) (inlined)
	 6ce258d4c544155 [unknown] ([unknown])
	 6ce258d4c544156 [unknown] ([unknown])

  com.mine	24636/24636 [005] 100.2: 250 cpu-clock:u:
      74aad30e2a com.mine.Feed.load (/data/app/base.vdex)
      74aad30e00 art::interpreter::Execute() (/apex/com.android.art/lib64/libart.so)
      74aad30e2c com.mine.Main.run (/data/app/base.vdex)
perf has something to say
swapper     0/0     100.300000:  1001001 cpu-clock:u:
	ffffffffad14d115 [unknown] ([kernel.kallsyms])

perf 24636/24636 100.310000: PERF_RECORD_COMM: perf:1/1
V8 Worker 12 24636/25607 100.400000000: 500 cpu-clock:u:
	ffffffffad14d115 [unknown] ([kernel.kallsyms])
	ffffffffad14d116 [unknown] ([kernel.kallsyms])
	read (libc.so.6)
	main
	            1234 [unknown] (/usr/bin/server)
	    7ffff376bbf0 [unknown] (/usr/bin/server)
	    7ffff376bbf0 Lcom/mine/Hot;::run (/tmp/perf-12.map)

V8 Worker 12 24636/25607 100.500000: 300 cpu-clock:u:  	ffffffffad14d115 do_idle+0x5 ([kernel.kallsyms])
other 7/7 [001] 100.600000: sched:sched_switch: prev_comm=other prev_pid=7 ==> next_comm=swapper (x)
	 98a87 schedule ([kernel.kallsyms])
`

const smallWant = `clock thread-cpu, interval 250ns, energy none, weight "", elapsed 490.784ms, vm "art"
thread "V8 Worker 12" 25607 of "com.mine" 24636: 3 samples
thread "com.mine" 24636 of "com.mine" 24636: 1 samples
` + "0 at 0s: 1001001 operator()(int) the server (deleted)`app::load(int) libc.so.6`malloc:3321\n" +
	"1 at 90.784ms: 250 com.mine.Main.run com.mine.Feed.load\n" +
	"0 at 290.784ms: 500 com.mine.Hot.run server`[unknown] server`0x1234 main libc.so.6`read [kernel.kallsyms]`[unknown]\n" +
	"0 at 390.784ms: 300 [kernel.kallsyms]`do_idle\n" +
	`warning idle: 1 sample of idle processors is not counted; --process 0 reads it
warning other-events: 1 sample of sched:sched_switch is not counted; --sample-type chooses the event
warning several-processes: samples of 3 processes are read together; --process chooses one
warning skipped-lines: 2 lines are neither samples nor frames, and were skipped
`

func TestDecode(t *testing.T) {
	if got := render(t, small, perfscript.Options{}); got != smallWant {
		t.Errorf("got\n%s\nwant\n%s", got, smallWant)
	}
	if got := render(t, strings.ReplaceAll(small, "\n", "\r\n"), perfscript.Options{}); got != smallWant {
		t.Errorf("with other line ends, got\n%s", got)
	}
	for _, tt := range []struct {
		name, text string
		opts       perfscript.Options
		want       []string
	}{
		{"event", small, perfscript.Options{SampleType: "sched:sched_switch"}, []string{
			"energy given, weight \"samples\"", "thread \"other\" 7 of \"other\" 7: 1 samples\n0 at 490.784ms: 1 [kernel.kallsyms]`schedule\n"}},
		{"process", small, perfscript.Options{Process: "0"}, []string{"thread \"swapper\" 0 of \"swapper\" 0: 1 samples\n0 at 190.784ms: 1001001 [kernel.kallsyms]`[unknown]\n"}},
		{"idle", "swapper 0/0 1.5: 5 cpu-clock:\n\tf (x)\n", perfscript.Options{}, []string{"thread-cpu, interval 0s", "1 sample of idle processors"}},
		{"idle, asked for", "swapper 0/0 1.5: 5 cpu-clock:\n\tf (x)\n", perfscript.Options{Process: "0"}, []string{"0 at 0s: 5 x`f\n"}},
		{"no count", "a b 9 1.5: cpu-clock:\n\tf (x)\n\na b 9 1.6: cpu-clock:\n", perfscript.Options{}, []string{
			"weight \"samples\"", "thread \"a b\" 9 of no process: 2 samples\n0 at 0s: 1 x`f\n0 at 100ms: 1\n", "the values count samples"}},
		{"threads without processes", "b 9 1.5: 5 cpu-clock:\n\tf (x)\n\nc 9 1.6: 7 cpu-clock:\n\tf (x)\n\nb 9 1.7: 9 cpu-clock:\n\tf (x)\n", perfscript.Options{}, []string{
			"thread \"b\" 9 of no process: 2 samples\nthread \"c\" 9 of no process: 1 samples\n0 at 0s: 5 x`f\n1 at 100ms: 7 x`f\n0 at 200ms: 9 x`f\n"}},
		{"period", "# event : name = cpu-clock, , type = 1, { sample_period, sample_freq } = 4000, sample_type = IP, freq = 1, x\nb 9 1.5: cpu-clock:\n\tf (x)\n", perfscript.Options{},
			[]string{"clock thread-cpu, interval 250µs", "0 at 0s: 250000 x`f\n"}},
		{"no times", "# cmdline : /usr/bin/perf record -F 100 -g\n  a b 9 cpu-clock: \n\t12 f (x)\n\na b 8/9 [001] 7 cpu-clock:u:\n\t12 f (x)\n", perfscript.Options{}, []string{
			"clock thread-cpu, interval 10ms", "0 at 0s: 10000000 x`f\n", "elapsed 0s"}},
		{"cycles", "# cpudesc : Some CPU @ 2.50GHz\nb 9 1.5: 5000 cycles:ppp:\n\tf (x)\n", perfscript.Options{}, []string{"clock cycles", "0 at 0s: 2000 x`f\n", "2.5 GHz, which the name of the processor states"}},
		{"given", "# cpudesc : Some CPU @ 2.50GHz\nb 9 1.5: 5000 cycles:ppp:\n\tf (x)\n", perfscript.Options{Frequency: 1e9}, []string{"0 at 0s: 5000 x`f\n"}},
	} {
		got := render(t, tt.text, tt.opts)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nlacks %s", tt.name, got, want)
			}
		}
	}
}

// lined has source positions, as perf 6.1 writes them with -F +srcline.
const lined = `spin 24755 62031.990323:    2004008 cpu-clock: 
	            1152 mix+0x19 (/tmp/spin)
  spin.c:7
	            118c work+0x15
  spin.c:21 (inlined)
	            11dd main+0x14 (/tmp/spin)
  spin.c:29
	            1070 _start+0x20 (/tmp/spin)
  ??:0

spin 24755 62031.992345:    2004008 cpu-clock: 
	            1190 add (inlined)
  spin.c:16 (discriminator 2)
	            1190 work+0x19 (/tmp/spin)
  spin.c:22
	            11dd main+0x14 (/tmp/spin)
  libspin.so[11dd]

`

// TestLines reads the line of the sampled instruction, for the functions that it was inlined into
// too. The lines of callers are read only if perf unwound the stack with DWARF.
func TestLines(t *testing.T) {
	const own = "spin`_start spin`main work spin`mix:7|spin`main spin`work:22 add:16"
	for header, want := range map[string]string{
		"": own,
		"# cmdline : /usr/bin/perf record -F 99 -g ./spin\n":                         own,
		"# cmdline : /usr/bin/perf record -F 99 --call-graph dwarf,8192 -g ./spin\n": "spin`_start spin`main:29 work:21 spin`mix:7|spin`main spin`work:22 add:16",
	} {
		got := render(t, header+lined, perfscript.Options{})
		for stack := range strings.SplitSeq(want, "|") {
			if !strings.Contains(got, "2004008 "+stack+"\n") {
				t.Errorf("%sgot\n%s\nlacks %s", header, got, stack)
			}
		}
	}
	for n := range len(lined) {
		if _, err := (recording{text: lined[:n]}).Scan(context.Background(), tracetest.Discard{}); err != nil {
			if located := new(syntax.Error); !errors.As(err, &located) {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		opts       perfscript.Options
		want       string
	}{
		{"empty", "", perfscript.Options{}, "perf script: the recording has no samples"},
		{"no event", small, perfscript.Options{SampleType: "x"}, `perf script: no event is called "x"; the recording has cpu-clock:u, sched:sched_switch`},
		{"no process", small, perfscript.Options{Process: "x"}, `perf script: no process "x"; the processes are com.mine (24636), swapper (0), other (7)`},
		{"sum", strings.Repeat("a 1 1.5: 999999999999999999 x:\n", 11), perfscript.Options{}, "line 11: perf script: the sum of the counts up to here is too large"},
		{"deep", "a 1 1.5: 1 x:\n" + strings.Repeat("\tf (x)\n", 1<<20+1), perfscript.Options{}, "line 1048578: perf script: a sample has more than 1048576 frames"},
		{"long line", "a 1 1.5: 1 x:\n\t" + strings.Repeat("f", 17<<20), perfscript.Options{}, "line 2: perf script: line is longer than 16 MiB"},
	} {
		_, err := recording{tt.text, tt.opts}.Scan(context.Background(), tracetest.Discard{})
		var located *syntax.Error
		if err == nil || err.Error() != tt.want || !errors.As(err, &located) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestTruncation truncates the text at every byte. Not every truncation can be detected.
func TestTruncation(t *testing.T) {
	for n := range len(small) {
		_, err := recording{text: small[:n]}.Scan(context.Background(), tracetest.Discard{})
		var located *syntax.Error
		if err != nil && !errors.As(err, &located) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

func TestStops(t *testing.T) {
	if err := tracetest.CheckStops(recording{text: strings.Repeat("a 1 1.5: 1 x:\n\tf (x)\n\n", 3000)}); err != nil {
		t.Error(err)
	}
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]bool{
		small: true, "# ========\n# captured on    : Sun\n": true, "\na b  9/9 [001]  1.5:   1 cycles:u: \n": true, "a 9 1.5: cycles: 1234 f (x)\n": true,
		"": false, "a;b 12\n": false, "# tracer: nop\n          <idle>-0     [000] d..1  123.456: sched_switch: prev\n": false,
		"a 9 1.5: PERF_RECORD_COMM: x\n": false, "time is 1.5: it says\n": false, "9 1.5: cycles:\n": false,
	} {
		if got := perfscript.Sniff([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// TestReal compares real texts with independent counts, if they are present.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real texts of ../shared/data are not here")
	}
	for name, want := range map[string]string{
		"linux-perf/firefox-simple-perf.txt.gz":                     "163 samples, 12 threads, 163000000",
		"linux-perf/firefox-test.perf.gz":                           "72 samples, 15 threads, 587515833",
		"linux-perf/speedscope-forks.txt":                           "237 samples, 3 threads, 237237237",
		"linux-perf/speedscope-one-sample.txt":                      "1 samples, 1 threads, 1001001",
		"linux-perf/speedscope-rust-mangled.txt":                    "96 samples, 1 threads, 1627118592",
		"linux-perf/speedscope-simple-with-header.txt":              "136 samples, 1 threads, 136136136",
		"linux-perf/speedscope-simple-with-pid.txt":                 "137 samples, 1 threads, 137",
		"simpleperf/aosp-perf_display_bitmaps.UiThread.perf-script": "164 samples, 1 threads, 41000000",
	} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var in io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if in, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !perfscript.Sniff(text[:min(len(text), 8<<10)]) {
			t.Errorf("%s is not known", name)
		}
		c := &tracetest.Collector{}
		rec := recording{text: string(text)}
		tr, err := rec.Scan(context.Background(), c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sum := int64(0)
		for _, s := range c.Kept {
			sum += s.CPU + int64(s.Energy)
		}
		if got := fmt.Sprintf("%d samples, %d threads, %d", tr.Events, len(tr.Threads), sum); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(small)
	f.Add("a b 9 1.5: cpu-clock:\n\tf (x)\n\na b 9 1.6: cpu-clock:\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec := recording{text: text}
		if _, err := rec.Scan(context.Background(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := strings.Repeat(small[strings.Index(small, "V8"):], 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (recording{text: text}).Scan(context.Background(), tracetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOpens(t *testing.T) { formattest.Opens(t, perfscript.Format, []byte(small)) }

// TestTimes reads times with few and with many digits, in several seconds.
func TestTimes(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"99.5", "101.25", "1.75s"}, {"62031.990323", "62032.000001", "9.678ms"}, {"1.000000001", "1.000000003", "2ns"}, {"999999998.999999999", "999999999.000000000", "1ns"}, {"1.0", "1.9", "900ms"},
	} {
		text := "a 9 " + c.first + ": 5 cpu-clock:\n\tf (x)\n\na 9 " + c.second + ": 7 cpu-clock:\n\tf (x)\n"
		if got := render(t, text, perfscript.Options{}); !strings.Contains(got, "0 at 0s: 5") || !strings.Contains(got, "0 at "+c.want+": 7") {
			t.Errorf("%s after %s is not %s later:\n%s", c.second, c.first, c.want, got)
		}
	}
}
