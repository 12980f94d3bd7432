package jfr_test

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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a file in memory.
type recording struct {
	data []byte
	opts jfr.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return jfr.Decode(ctx, bytes.NewReader(r.data), int64(len(r.data)), sink, r.opts)
}

// render formats a decoded recording.
func render(data []byte, o jfr.Options) string {
	c := &tracetest.Collector{}
	t, err := recording{data, o}.Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "clock %v, interval %v, elapsed %v\n", t.Clock, t.Interval, t.Elapsed)
	for _, th := range t.Threads {
		fmt.Fprintf(&b, "thread %q %d: %d samples, cpu %v, wall %v\n", th.Name, th.ID, th.Events, th.CPU, th.Wall)
	}
	for _, s := range c.Kept {
		fmt.Fprintf(&b, "%d: %v", s.Thread, time.Duration(s.CPU+s.Wall))
		for i, m := range s.Stack {
			fmt.Fprintf(&b, " %s:%d", t.Methods[m].Label(), s.Lines[i])
		}
		b.WriteByte('\n')
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

var (
	run  = frame{"java/lang/Thread", "run", "()V", 1}
	load = frame{"com/mine/Feed", "load", "(I)Lcom/mine/Post;", 22}
	read = frame{"libc-2.31.so", "read", "()L;", 0}
)

func small() *chunk {
	return &chunk{
		start:    1_700_000_000_000_000_000,
		settings: []setting{{"jdk.ExecutionSample", "period", "10 ms"}, {"jdk.Other", "period", "3 s"}},
		samples: []event{
			{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{load, run}},
			{class: "jdk.ExecutionSample", thread: "io", state: "SLEEPING", stack: []frame{run}},
			{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{read, load, run}},
			{class: "jdk.NativeMethodSample", thread: "io", state: "RUNNABLE", stack: []frame{run}},
		},
	}
}

const (
	stackLoad = " java.lang.Thread.run()V:1 com.mine.Feed.load(I)Lcom/mine/Post;:22"
	stackRead = stackLoad + " libc-2.31.so`read:0"
	native    = "warning native-samples: 1 sample of native code does not state whether its thread ran, and is not counted\n"
	smallCPU  = "clock thread-cpu, interval 10ms, elapsed 2s\n" +
		"thread \"main\" 100: 2 samples, cpu 20ms, wall 0s\n" +
		"0: 10ms" + stackLoad + "\n0: 10ms" + stackRead + "\n" + native
)

func TestDecode(t *testing.T) {
	for name, change := range map[string]func(*chunk){
		"utf-8": func(*chunk) {}, "latin-1": func(c *chunk) { c.latin = true }, "utf-16": func(c *chunk) { c.utf16 = true },
		"pooled": func(c *chunk) { c.pooled = true }, "two checkpoints": func(c *chunk) { c.split = true },
		"both": func(c *chunk) { c.pooled, c.split = true, true },
	} {
		c := small()
		change(c)
		data := c.bytes()
		if got := render(data, jfr.Options{}); got != smallCPU {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, smallCPU)
		}
		if err := tracetest.Check(context.Background(), recording{data: data}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSampleType(t *testing.T) {
	async := small()
	async.settings = []setting{{"", "event", "cpu"}, {"", "interval", "0"}}
	asyncWall := small()
	asyncWall.settings = []setting{{"", "event", "wall"}, {"", "interval", "5000000"}}
	wallClock := &chunk{start: 1, settings: []setting{{"", "wall", "20000000"}}, samples: []event{
		{class: "profiler.WallClockSample", thread: "main", state: "SLEEPING", stack: []frame{run}, count: 3},
	}}
	cpuTime := &chunk{start: 1, samples: []event{
		{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{run}},
		{class: "jdk.CPUTimeSample", thread: "main", stack: []frame{load, run}, period: 7_000_000},
		{class: "jdk.CPUTimeSample", thread: "main", stack: nil, period: 7_000_000, failed: true},
	}}
	silent := small()
	silent.settings = nil
	silent.samples = silent.samples[:1]
	empty := &chunk{start: 1}
	for _, tt := range []struct {
		name  string
		c     *chunk
		asked string
		want  string
	}{
		{"wall", small(), "wall", "clock wall, interval 10ms, elapsed 2s\nthread \"main\" 100: 2 samples, cpu 0s, wall 20ms\nthread \"io\" 101: 1 samples, cpu 0s, wall 10ms\n" +
			"0: 10ms" + stackLoad + "\n1: 10ms java.lang.Thread.run()V:1\n0: 10ms" + stackRead + "\n"},
		{"async", async, "", smallCPU},
		{"async wall", asyncWall, "", "clock wall, interval 5ms, elapsed 2s\nthread \"main\" 100: 2 samples, cpu 0s, wall 10ms\nthread \"io\" 101: 1 samples, cpu 0s, wall 5ms\n" +
			"0: 5ms" + stackLoad + "\n1: 5ms java.lang.Thread.run()V:1\n0: 5ms" + stackRead + "\n"},
		{"wall clock samples", wallClock, "", "clock wall, interval 20ms, elapsed 2s\nthread \"main\" 100: 1 samples, cpu 0s, wall 60ms\n0: 60ms java.lang.Thread.run()V:1\n"},
		{"cpu time", cpuTime, "", "clock thread-cpu, interval 0s, elapsed 2s\nthread \"main\" 100: 1 samples, cpu 7ms, wall 0s\n0: 7ms" + stackLoad + "\n"},
		{"no settings", silent, "", "clock thread-cpu, interval 20ms, elapsed 2s\nthread \"main\" 100: 1 samples, cpu 20ms, wall 0s\n0: 20ms" + stackLoad +
			"\nwarning interval-unknown: the recording does not state its sampling interval. Judging by the times between samples of a thread, each sample counts as 20 ms at most, and any part of this time may be work\n"},
		{"no samples", empty, "", "error: JFR recording: the recording has no samples of this kind; record with profile.jfc, or with async-profiler\n"},
		{"no wall", cpuTime, "alloc", "error: JFR recording: unknown sample type \"alloc\"; the sample types are cpu and wall\n"},
	} {
		data := tt.c.bytes()
		if got := render(data, jfr.Options{SampleType: tt.asked}); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestMoments checks the times of samples. They count from the start of the first chunk, on its
// clock, and are never before the thread's previous sample.
func TestMoments(t *testing.T) {
	first, second := small(), small()
	second.start += 2_000_000_000
	for i, ticks := range []int64{5, 900, 7, 0} {
		first.samples[i].ticks = ticks
	}
	second.samples = []event{
		{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{run}, ticks: -3},
		{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{run}, ticks: 400},
		{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{run}, ticks: 300},
	}
	c := &tracetest.Collector{}
	tr, err := recording{append(first.bytes(), second.bytes()...), jfr.Options{SampleType: "wall"}}.Scan(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, s := range c.Kept {
		got = append(got, s.Time)
	}
	if want := []int64{10, 1800, 14, 2_000_000_000, 2_000_000_800, 2_000_000_800}; !slices.Equal(got, want) || tr.Skew != 1786 {
		t.Errorf("moments %v with a skew of %d, want %v and 1786", got, tr.Skew, want)
	}
	if n := len(tr.Warnings); n == 0 || tr.Warnings[0].Message != "1 sample is earlier than the preceding sample of the same thread, and was given the time of that sample" {
		t.Errorf("warnings %v", tr.Warnings)
	}
}

// TestHiddenClasses checks that the variable parts of class names are removed.
func TestHiddenClasses(t *testing.T) {
	for _, class := range []string{"a/B$$Lambda/0x00007f00", "a/B$$Lambda+0x00007f00", "a/B$$Lambda.0x00007f00"} {
		c := small()
		c.samples = []event{{class: "jdk.ExecutionSample", thread: "main", state: "RUNNABLE", stack: []frame{{class, "run", "()V", 3}}}}
		if got := render(c.bytes(), jfr.Options{}); !strings.Contains(got, " a.B$$Lambda.run()V:3\n") {
			t.Errorf("%s: %s", class, got)
		}
	}
}

// TestOracle9 decodes the layout of Oracle's Java 9, whose classes have other names.
func TestOracle9(t *testing.T) {
	c := small()
	c.oracle9 = true
	if got := render(c.bytes(), jfr.Options{}); got != smallCPU {
		t.Errorf("got\n%s\nwant\n%s", got, smallCPU)
	}
}

// TestChunks decodes consecutive chunks, which number their constants independently.
func TestChunks(t *testing.T) {
	second := small()
	second.start += 2_000_000_000
	second.samples = []event{
		{class: "jdk.ExecutionSample", thread: "io", state: "RUNNABLE", stack: []frame{run}},
		{class: "jdk.ExecutionSample", thread: "io", state: "RUNNABLE", stack: []frame{load, run}},
	}
	first := small().bytes()
	data := append(slices.Clone(first), second.bytes()...)
	want := "clock thread-cpu, interval 10ms, elapsed 4s\n" +
		"thread \"main\" 100: 2 samples, cpu 20ms, wall 0s\nthread \"io\" 100: 2 samples, cpu 20ms, wall 0s\n" +
		"0: 10ms" + stackLoad + "\n0: 10ms" + stackRead + "\n1: 10ms java.lang.Thread.run()V:1\n1: 10ms" + stackLoad + "\n" + native
	if got := render(data, jfr.Options{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	cut := data[:len(data)-9]
	if got := render(cut, jfr.Options{}); !strings.Contains(got, fmt.Sprintf("offset %d: JFR recording: the file ends in the middle of a chunk; ", len(first))) {
		t.Error(got)
	}
	got := render(cut, jfr.Options{Partial: true})
	want = smallCPU[:len(smallCPU)-len(native)] + fmt.Sprintf("warning truncated: the last chunk, at offset %d, is incomplete and was left out\n", len(first)) + native
	if got != want {
		t.Errorf("partial\n%s\nwant\n%s", got, want)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, "offset 0: JFR recording: the file ends in the middle of a chunk"},
		{"header", func(b []byte) []byte { return b[:50] }, "offset 0: JFR recording: the file ends in the middle of a chunk"},
		{"old", func(b []byte) []byte { b[5] = 0; return b }, "recorded by Java 8 or older, which has a different format; record with Java 8u262 or newer"},
		{"not closed", func(b []byte) []byte { copy(b[24:], make([]byte, 8)); return b }, "the recording was not closed"},
		{"plain numbers", func(b []byte) []byte { b[67] = 0; return b }, "its numbers are not compressed, which no JVM writes"},
		{"tables outside", func(b []byte) []byte { binary.BigEndian.PutUint64(b[16:], 1<<60); return b }, "the chunk's tables are outside of it"},
		{"other chunk", func(b []byte) []byte { return append(b, make([]byte, 100)...) }, `a chunk begins with "\x00\x00\x00\x00" instead of the magic number`},
		{"event of nothing", func(b []byte) []byte { copy(b[68:], make([]byte, 4)); return b }, "an event has the invalid size of 0 bytes"},
		{"long event", func(b []byte) []byte { b[71] = 0x7f; return b }, "an event has the invalid size of "},
	} {
		data := tt.change(small().bytes())
		_, err := recording{data: data}.Scan(context.Background(), &tracetest.Collector{})
		var located *syntax.Error
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &located) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestTruncation truncates a recording at every byte. The result must be an error with a position.
func TestTruncation(t *testing.T) {
	data := small().bytes()
	for n := range data {
		for _, partial := range []bool{false, true} {
			_, err := recording{data[:n], jfr.Options{Partial: partial}}.Scan(context.Background(), &tracetest.Collector{})
			var located *syntax.Error
			if !errors.As(err, &located) {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
	}
}

func TestStops(t *testing.T) {
	c := small()
	for range 3000 {
		c.samples = append(c.samples, c.samples[0])
	}
	if err := tracetest.CheckStops(recording{data: c.bytes()}); err != nil {
		t.Error(err)
	}
}

// TestReal compares the real recordings with the output of the JDK's jfr program, if they are
// present.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data/jfr"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real recordings of ../shared/data/jfr are not here")
	}
	for name, want := range map[string]string{
		"cortex-kafka-cpu-0.jfr.gz": "478 samples, 29 threads, 4.78s",
		"cortex-kafka-cpu-1.jfr.gz": "613 samples, 30 threads, 6.13s",
		"cortex-kafka-cpu-2.jfr.gz": "482 samples, 30 threads, 4.82s",
		"cortex-kafka-cpu-3.jfr.gz": "698 samples, 31 threads, 6.98s",
		"pyroscope-dump1.jfr.gz":    "2188 samples, 8 threads, 21.88s",
		// The samples represent 5.48 s, but the JVM measured a processor time of 1.43 s. Its
		// measurement of the thread agrees with this: 1.78 % of 12 cores.
		"speedscope-heavy.jfr": "346 samples, 1 threads, 1.805544256s",
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
		if !jfr.Sniff(data) {
			t.Errorf("%s is not known", name)
		}
		rec := recording{data: data}
		tr, err := rec.Scan(context.Background(), &tracetest.Collector{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprintf("%d samples, %d threads, %v", tr.Events, len(tr.Threads), tr.CPU()); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range []*chunk{small(), {start: 1, pooled: true, samples: small().samples}} {
		f.Add(c.bytes())
	}
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

func BenchmarkDecode(b *testing.B) {
	c := small()
	for len(c.samples) < 100_000 {
		c.samples = append(c.samples, c.samples...)
	}
	data := c.bytes()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (recording{data: data}).Scan(context.Background(), tracetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOpens(t *testing.T) { formattest.Opens(t, jfr.Format, small().bytes()) }
