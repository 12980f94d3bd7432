package simpleperf_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/simpleperf"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a report in memory.
type recording struct {
	data []byte
	opts simpleperf.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.data)), nil }
	return simpleperf.Decode(ctx, open, sink, r.opts)
}

// render formats a decoded report.
func render(data []byte, o simpleperf.Options) string {
	c := &tracetest.Collector{}
	t, err := recording{data, o}.Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "clock %v, interval %v, energy %v, unstated %v\n", t.Clock, t.Interval, t.Energy, t.Unstated)
	for _, th := range t.Threads {
		p := t.Processes[th.Process]
		fmt.Fprintf(&b, "thread %q %d of %q %d: %d samples, cpu %v\n", th.Name, th.ID, p.Name, p.ID, th.Events, th.CPU)
	}
	for _, s := range c.Kept {
		fmt.Fprintf(&b, "%d: %d", s.Thread, s.CPU+s.Wall+int64(s.Energy))
		for _, m := range s.Stack {
			fmt.Fprintf(&b, " %s", t.Methods[m].Label())
		}
		b.WriteByte('\n')
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

// field writes a field: a number, or bytes.
func field(number int, value any) []byte {
	switch v := value.(type) {
	case int:
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), uint64(v))
	case string:
		return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|2), uint64(len(v))), v...)
	case []byte:
		return field(number, string(v))
	}
	panic("no field")
}

func message(fields ...[]byte) []byte { return bytes.Join(fields, nil) }

// report encodes a report of records.
func report(records ...[]byte) []byte {
	out := []byte("SIMPLEPERF\x01\x00")
	for _, r := range records {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(r)))
		out = append(out, r...)
	}
	return append(out, 0, 0, 0, 0)
}

// A call is a file and the index of a symbol in the file, or -1 for code without a symbol.
type call struct{ file, symbol int }

func sample(thread, event, count int, calls ...call) []byte {
	m := message(field(1, 77), field(2, thread), field(4, count), field(5, event))
	for _, c := range calls {
		m = append(m, field(3, message(field(1, 0x1234), field(2, c.file), field(3, int(uint32(c.symbol)))))...)
	}
	return field(1, m)
}

func file(id int, path string, symbols ...string) []byte {
	m := message(field(1, id), field(2, path))
	for _, s := range symbols {
		m = append(m, field(3, s)...)
	}
	return field(3, m)
}

const (
	boot = iota + 1
	app
	libart
	libc
)

func small() []byte {
	return report(
		field(5, message(field(1, "cpu-clock"), field(1, "sched:sched_switch"), field(1, "cpu-cycles:u"), field(2, "com.mine"))),
		sample(10, 0, 250_000, call{libc, 0}, call{app, 0}, call{libart, 0}, call{libart, 1}, call{boot, 0}, call{libart, 2}, call{libc, 1}),
		sample(10, 1, 1, call{libc, 0}),
		sample(11, 0, 500_000, call{libart, 2}, call{libc, 1}, call{libc, -1}),
		sample(12, 2, 9000, call{99, 0}),
		field(2, message(field(1, 100), field(2, 3))),
		file(boot, "/system/framework/boot.oat", "android.os.Handler.dispatchMessage"),
		file(app, "/data/app/com.mine/base.vdex", "[DEDUPED] com.mine.Main.run"),
		file(libart, "/apex/com.android.art/lib64/libart.so", "ExecuteNterpImpl", "art::interpreter::Execute()", "art::gc::Heap::Collect()"),
		file(libc, "/lib64/libc.so", "read", "__start_thread"),
		field(4, message(field(1, 10), field(2, 1), field(3, "main"))),
		field(4, message(field(1, 11), field(2, 1), field(3, "HeapTask"))),
	)
}

const smallCPU = `clock thread-cpu, interval 250µs, energy none, unstated false
thread "main" 10 of "com.mine" 1: 1 samples, cpu 250µs
thread "HeapTask" 11 of "com.mine" 1: 1 samples, cpu 500µs
` + "0: 250000 libc.so`__start_thread android.os.Handler.dispatchMessage com.mine.Main.run libc.so`read\n" +
	"1: 500000 libc.so`0x1234 libc.so`__start_thread libart.so`art::gc::Heap::Collect()\n" +
	`warning lost-samples: the recorder lost 3 samples
warning other-events: 1 sample of cpu-cycles:u is not counted; --sample-type chooses the event
warning other-events: 1 sample of sched:sched_switch is not counted; --sample-type chooses the event
`

func TestDecode(t *testing.T) {
	if got := render(small(), simpleperf.Options{}); got != smallCPU {
		t.Errorf("got\n%s\nwant\n%s", got, smallCPU)
	}
	if err := tracetest.Check(context.Background(), recording{data: small()}); err != nil {
		t.Error(err)
	}
	got := render(small(), simpleperf.Options{SampleType: "cpu-cycles:u"})
	for _, want := range []string{"clock none, interval 0s, energy given, unstated true\n", "0: 9000 0x1234\n", "warning other-unit: the values count cpu-cycles:u, which is neither energy nor time; --cpu-frequency, such as 2.4GHz, converts them to processor time\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("cycles:\n%s\nlacks %s", got, want)
		}
	}
}

// TestWall checks that samples represent the time to the thread's next sample.
func TestWall(t *testing.T) {
	at := func(thread, event, time int) []byte {
		return field(1, message(field(1, time), field(2, thread), field(4, 1), field(5, event), field(3, message(field(2, libc), field(3, event)))))
	}
	data := report(
		field(5, message(field(1, "cpu-clock"), field(1, "sched:sched_switch"), field(6, 1))),
		at(10, 0, 1000), at(11, 1, 1100), at(10, 1, 1500), at(10, 0, 9500), at(11, 0, 1100),
		file(libc, "/lib64/libc.so", "read", "wait"), field(4, message(field(1, 10), field(2, 1), field(3, "main"))),
	)
	got := render(data, simpleperf.Options{SampleType: "wall"})
	for _, want := range []string{"clock wall", "\"main\" 10 of \"\" 1: 2 samples", "0: 500 libc.so`read\n0: 8000 libc.so`wait\n1: 1 libc.so`wait\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nlacks %s", got, want)
		}
	}
	if err := tracetest.Check(context.Background(), recording{data, simpleperf.Options{SampleType: "wall"}}); err != nil {
		t.Error(err)
	}
	if got := render(report(at(10, 0, 1000)), simpleperf.Options{SampleType: "wall"}); !strings.Contains(got, "the report has no waiting times") {
		t.Error(got)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		data []byte
		opts simpleperf.Options
		want string
	}{
		{"empty", nil, simpleperf.Options{}, "offset 0: simpleperf report: the file ends in the middle of a record; fetch the file again, or read it as far as it goes with --partial"},
		{"version", []byte("SIMPLEPERF\x02\x00\x00\x00\x00\x00"), simpleperf.Options{}, "offset 0: simpleperf report: unknown version 2 of the format"},
		{"no samples", report(), simpleperf.Options{}, "simpleperf report: the recording has no samples"},
		{"other event", small(), simpleperf.Options{SampleType: "cpu"}, `simpleperf report: no event is called "cpu"; the recording has cpu-clock, sched:sched_switch, cpu-cycles:u`},
		{"large record", []byte("SIMPLEPERF\x01\x00\xff\xff\xff\x7f"), simpleperf.Options{}, "offset 12: simpleperf report: a record has 2147483647 bytes, more than the limit of 268435456"},
		{"damaged", report([]byte{0x0f, 1}), simpleperf.Options{}, "offset 12: simpleperf report: invalid field type 7"},
	} {
		_, err := recording{tt.data, tt.opts}.Scan(context.Background(), &tracetest.Collector{})
		var located *syntax.Error
		if err == nil || err.Error() != tt.want || !errors.As(err, &located) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestTruncation truncates a report at every byte. The result is an error with a position or, with
// Partial, a recording.
func TestTruncation(t *testing.T) {
	data := small()
	for n := range len(data) - 3 {
		_, err := recording{data: data[:n]}.Scan(context.Background(), &tracetest.Collector{})
		var located *syntax.Error
		if !errors.As(err, &located) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		_, err = recording{data[:n], simpleperf.Options{Partial: true}}.Scan(context.Background(), &tracetest.Collector{})
		if err != nil && !errors.As(err, &located) {
			t.Fatalf("cut at %d, partial: %v", n, err)
		}
	}
	got := render(data[:len(data)-10], simpleperf.Options{Partial: true})
	if !strings.Contains(got, "com.mine.Main.run") || !strings.Contains(got, "warning truncated: ") {
		t.Error(got)
	}
}

func TestStops(t *testing.T) {
	if err := tracetest.CheckStops(recording{data: small()}); err != nil {
		t.Error(err)
	}
}

// TestReal compares the real reports with independent counts, if they are present.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data/simpleperf"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real reports of ../shared/data/simpleperf are not here")
	}
	for name, want := range map[string]string{
		"firefox-simpleperf-cpu-clock.trace.gz": "927 samples, 9 threads, 231.75ms",
		"studio-simpleperf_callchain.trace":     "1801 samples, 9 threads, 1.801s",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		rec := recording{data: data}
		tr, err := rec.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprintf("%d samples, %d threads, %v", tr.Events, len(tr.Threads), time.Duration(tr.CPU())); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(small())
	f.Add(report(sample(1, 0, 5, call{1, -1}), file(1, "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec := recording{data: data}
		if _, err := rec.Scan(context.Background(), &tracetest.Collector{}); err != nil {
			return
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Error(err)
		}
	})
}

func TestOpens(t *testing.T) { formattest.Opens(t, simpleperf.Format, small()) }
