package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "any-name-will-do")
	if err := os.WriteFile(path, []byte("[main];app.Feed.load()V;app.Json.read()V 1200\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	f, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	t, err := f.Scan(context.Background(), &capture{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Format, t.Events, t.Threads[0].Name)
	// Output: folded 1 main
}

// A capture keeps the events and counts the samples of a scan.
type capture struct {
	events  []trace.Event
	samples int
	energy  units.Energy // the sum over samples
}

func (c *capture) Events(batch []trace.Event) error {
	c.events = append(c.events, batch...)
	return nil
}

func (c *capture) Samples(batch []trace.Sample) error {
	c.samples += len(batch)
	for i := range batch {
		c.energy += batch[i].Energy
	}
	return nil
}

// run returns a method trace of n events in the given form.
func run(t testing.TB, n int, f artwrite.Form) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	tr := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}},
		Methods: []name.Method{name.OfClass("a.B", "m", "()V"), name.OfClass("a.B", "n", "()V")},
	}
	var events []artwrite.Event
	var at time.Duration
	for range n {
		at += time.Duration(r.IntN(1e6))
		events = append(events, artwrite.Event{Method: r.IntN(2), Action: artwrite.Action(r.IntN(2)), CPU: at, Wall: at})
	}
	tr.Events = slices.Values(events)
	var b bytes.Buffer
	if err := artwrite.Write(&b, tr, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zst(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// deflated returns b in the form that atrace -z writes.
func deflated(t testing.TB, b []byte) []byte {
	out := bytes.NewBufferString("capturing trace... done\nTRACE:\n")
	w := zlib.NewWriter(out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// put writes a file whose name does not reveal the format.
func put(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a file and closes it when the test ends.
func open(t testing.TB, path string, o ingest.Options) *ingest.File {
	t.Helper()
	f, err := ingest.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// failure opens and scans an invalid file, and returns the error.
func failure(t testing.TB, path string, o ingest.Options) error {
	t.Helper()
	f, err := ingest.Open(t.Context(), path, o)
	if err == nil {
		defer f.Close()
		_, err = f.Scan(t.Context(), &capture{})
	}
	if err == nil {
		t.Fatal("no error")
	}
	if s := err.Error(); strings.Contains(s, "\n") || strings.Count(s, path) != 1 {
		t.Errorf("%q does not name the file once, on one line", s)
	}
	return err
}

func TestOpenCompressed(t *testing.T) {
	data := run(t, 20_000, artwrite.Form{Version: 3})
	half := len(data) / 2
	files := map[string][]byte{
		"plain":           data,
		"gzip":            gz(t, data),
		"gzip members":    append(gz(t, data[:half]), gz(t, data[half:])...),
		"zstd":            zst(t, data),
		"zstd frames":     append(zst(t, data[:half]), zst(t, data[half:])...),
		"zstd skip frame": append([]byte("\x51\x2a\x4d\x18\x02\x00\x00\x00hi"), zst(t, data)...),
		"gzip of zstd":    gz(t, zst(t, data)),
		"zstd of gzip":    zst(t, gz(t, data)),
		"gzip of gzip":    gz(t, gz(t, data)),
	}
	var want capture
	if _, err := open(t, put(t, data), ingest.Options{}).Scan(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		t.Run(name, func(t *testing.T) {
			f := open(t, put(t, b), ingest.Options{})
			if err := tracetest.Check(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			var got capture
			if _, err := f.Scan(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.events, want.events) {
				t.Errorf("%d events, want %d, or other ones", len(got.events), len(want.events))
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	data := run(t, 1000, artwrite.Form{Version: 3})
	zeros := append(bytes.Clone(data), make([]byte, 1<<20)...)
	damaged := gz(t, data)
	damaged[len(damaged)/2] ^= 0x55
	// The checksum is in the last eight bytes, which are after the part that the format reads.
	streaming := run(t, 1000, artwrite.Form{Version: 3, Streaming: true})
	trailer := gz(t, streaming)
	trailer[len(trailer)-6] ^= 1
	checksum := zst(t, streaming)
	checksum[len(checksum)-2] ^= 1
	tests := []struct {
		name string
		data []byte
		opts ingest.Options
		want string
	}{
		{"gzip checksum", trailer, ingest.Options{}, "gzip: gzip: invalid checksum; the file is damaged: fetch it again"},
		{"zstd checksum", checksum, ingest.Options{}, "zstd: "},
		{"two members", append(gz(t, streaming), gz(t, streaming)...), ingest.Options{}, fmt.Sprintf("offset %d: art trace: another trace begins here", len(streaming))},
		{"three layers", gz(t, zst(t, gz(t, data))), ingest.Options{}, "gzip: compressed more than 2 times; decompress it first"},
		{"gzip bomb", gz(t, zeros), ingest.Options{MaxExpanded: 1 << 19}, "gzip: expands to more than 524288 bytes; if you trust the file, raise --max-expanded"},
		{"zstd bomb", zst(t, zeros), ingest.Options{MaxExpanded: 1 << 19}, "zstd: expands to more than 524288 bytes"},
		{"bomb in a bomb", gz(t, zst(t, zeros)), ingest.Options{MaxExpanded: 1 << 19}, "zstd: expands to more than 524288 bytes"},
		{"damaged gzip", damaged, ingest.Options{}, "gzip: "},
		{"gzip header", []byte("\x1f\x8b\xff\xff\xff\xff\xff\xff\xff\xff\xff"), ingest.Options{}, "gzip: "},
		{"cut gzip", gz(t, data)[:1500], ingest.Options{}, "art trace: the file ends in the middle of a record"},
		{"cut gzip header", gz(t, data)[:5], ingest.Options{}, "gzip: the compressed data ends too early: unexpected EOF; fetch the whole file"},
		{"cut zstd header", zst(t, data)[:5], ingest.Options{}, "zstd: the compressed data ends too early: unexpected EOF; fetch the whole file"},
		{"zlib bomb", deflated(t, zeros), ingest.Options{MaxExpanded: 1 << 19}, "zlib: expands to more than 524288 bytes"},
		{"cut zlib header", []byte("TRACE:\nx\x9c"), ingest.Options{}, "zlib: the compressed data ends too early"},
		{"damaged zlib", []byte("TRACE:\nx\x9c\xff\xff\xff\xff"), ingest.Options{}, "zlib: "},
		{"cut folded", gz(t, bytes.Repeat([]byte("a;b 1\n"), 10000))[:60], ingest.Options{}, "the compressed data ends too early"},
		{"cut trace", data[:len(data)-5], ingest.Options{}, "art trace: the file ends in the middle of a record"},
		{"folded with flows", []byte("a;b 1\n"), ingest.Options{Flows: put(t, nil)}, "--flows works only with method traces"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := failure(t, put(t, test.data), test.opts); !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		if err := failure(t, filepath.Join(t.TempDir(), "none"), ingest.Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("no flows", func(t *testing.T) {
		_, err := ingest.Open(t.Context(), put(t, data), ingest.Options{Flows: filepath.Join(t.TempDir(), "none")})
		if !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}

// A file that expands exactly to the limit is complete.
func TestOpenExpandsToTheLimit(t *testing.T) {
	data := run(t, 1000, artwrite.Form{Version: 3})
	for _, b := range [][]byte{gz(t, data), zst(t, data)} {
		if _, err := open(t, put(t, b), ingest.Options{MaxExpanded: int64(len(data))}).Scan(t.Context(), &capture{}); err != nil {
			t.Error(err)
		}
		if _, err := open(t, put(t, b), ingest.Options{MaxExpanded: -1}).Scan(t.Context(), &capture{}); err != nil {
			t.Error(err)
		}
		if err := failure(t, put(t, b), ingest.Options{MaxExpanded: int64(len(data)) - 1}); err == nil {
			t.Error("no error")
		}
	}
}

// TestOpenAtrace reads a log compressed by atrace, and a truncated one.
func TestOpenAtrace(t *testing.T) {
	log, err := os.ReadFile("atrace/testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	whole := deflated(t, log)
	file := open(t, put(t, whole), ingest.Options{Process: "com.mine"})
	tr, err := file.Scan(t.Context(), &capture{})
	if err != nil || tr.Format != "atrace" || tr.Events != 10 || !slices.Equal(file.Compression(), []string{"zlib"}) {
		t.Errorf("%+v, %v, %q", tr, err, file.Compression())
	}
	if err := failure(t, put(t, whole[:len(whole)-100]), ingest.Options{}); !strings.Contains(err.Error(), "the compressed data ends too early") {
		t.Error(err)
	}
	tr, err = open(t, put(t, whole[:len(whole)-100]), ingest.Options{Partial: true}).Scan(t.Context(), &capture{})
	if err != nil || tr.Events == 0 || !slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "truncated" }) {
		t.Errorf("cut: %+v, %v", tr, err)
	}
	if err := failure(t, put(t, whole), ingest.Options{Process: "com.other"}); !strings.HasSuffix(err.Error(), `atrace log: no process "com.other"; the processes are com.mine (2340)`) {
		t.Error(err)
	}
}

func TestOpenPartial(t *testing.T) {
	data := run(t, 1000, artwrite.Form{Version: 3})
	for _, b := range [][]byte{data[:len(data)-5], gz(t, data)[:1500]} {
		tr, err := open(t, put(t, b), ingest.Options{Partial: true}).Scan(t.Context(), &capture{})
		if err != nil || tr.Events == 0 || tr.Warnings[0].Code != "truncated" {
			t.Errorf("%+v, %v", tr, err)
		}
	}
}

// unknown returns err as an UnknownError, or nil.
func unknown(err error) *ingest.UnknownError {
	var u *ingest.UnknownError
	errors.As(err, &u)
	return u
}

func TestOpenUnknown(t *testing.T) {
	tests := []struct{ data, want string }{
		{"", "the file is empty"},
		{"<!DOCTYPE html>\n<html>", "HTML"},
		{"JAVA PROFILE 1.0.2\x00", "a heap dump"},
		{"PK\x03\x04\x00", "zip"},
		{"2ELIFREP\x00\x00", "perf script > app.perf-script"},
		{"\n\t            1238 sixty\n\t           891f5 start_thread\n\n\n", "perf script -F comm,pid,tid,time,event,period"},
		{"work \n\t            1238 sixty\n", "perf script -F comm,pid,tid,time,event,period"},
		{"# comment\nwork 24499 \n\tffffffff81001238 sixty (/tmp/work)\n", "perf script -F comm,pid,tid,time,event,period"},
		{"work 24496/24499 62018.346964:   10000000 \n\t            1238 sixty\n", "perf script -F comm,pid,tid,time,event,period"},
		{"62018.346964: cpu-clock: \n\t            1238 sixty\n", "perf script -F comm,pid,tid,time,event,period"},
		{"work 62018.346964:   10000000 cpu-clock: \n\t            1238\n", "perf script -F comm,pid,tid,time,event,period"},
		{strings.Repeat("\x00", 8) + "\x03" + strings.Repeat("\x00", 15) + "\x10\x27\x00\x00", "go tool pprof -proto"},
		{"<?xml version=\"1.0\"?>\n<svg xmlns:fg=\"http://github.com/jonhoo/inferno\">", "py-spy record --format speedscope"},
		{"<!DOCTYPE html>\n<style>#hl {}</style><canvas id='canvas'></canvas>", "asprof -e cpu -f app.jfr"},
		{"{\"meta\": {}}\n", "JSON"},
		{"<?xml version=\"1.0\"?>\n<device name=\"Android\">", "--power-profile"},
		{"# compiler: R8\ncom.mine.Main -> a.a:\n    void b() -> c\n", "--mapping"},
		{"enqueue 1 1500 2c5fd1\n", "--flows"},
		{strings.Repeat("\x00", 300), "zeros only"},
		{strings.Repeat("\x01", 257) + "ustar\x00", "tar"},
		{"\x99\x98\x97", "its first bytes are 99 98 97"},
		{"hello, world\n", "it is text, but not folded stacks"},
	}
	for _, test := range tests {
		for _, b := range [][]byte{[]byte(test.data), gz(t, []byte(test.data))} {
			_, err := ingest.Open(t.Context(), put(t, b), ingest.Options{})
			if unknown(err) == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.20q: %v, want %q", test.data, err, test.want)
			}
		}
	}
}

func TestScanNoticesChange(t *testing.T) {
	path := put(t, run(t, 100, artwrite.Form{Version: 3}))
	f := open(t, path, ingest.Options{})
	if _, err := f.Scan(t.Context(), &capture{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, run(t, 101, artwrite.Form{Version: 3}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Scan(t.Context(), &capture{}); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Error(err)
	}
}

// A file that changes during a scan is not reported as truncated.
func TestScanNoticesWriting(t *testing.T) {
	data := run(t, 50_000, artwrite.Form{Version: 3})
	path := put(t, data[:len(data)-5])
	f := open(t, path, ingest.Options{})
	_, err := f.Scan(t.Context(), sinkFunc(func() error { return os.WriteFile(path, data, 0o600) }))
	if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Error(err)
	}
}

// A trace with one clock that is named only at its end is read with that clock.
func TestScanFindsLateClock(t *testing.T) {
	for _, clock := range []trace.Clock{trace.ThreadCPU, trace.WallClock} {
		for _, version := range []int{2, 3, 4} {
			f := open(t, put(t, run(t, 100, artwrite.Form{Version: version, Clock: clock, Streaming: true})), ingest.Options{})
			if err := tracetest.Check(t.Context(), f); err != nil {
				t.Errorf("version %d, %v: %v", version, clock, err)
			}
			var c capture
			tr, err := f.Scan(t.Context(), &c)
			if err != nil || tr.Clock != clock || (clock == trace.ThreadCPU) != (c.events[50].CPU > 0) {
				t.Errorf("version %d, %v: %+v, %v", version, clock, tr, err)
			}
		}
	}
}

func TestScanReadsSidecar(t *testing.T) {
	path := put(t, run(t, 100, artwrite.Form{Version: 3}))
	flows := "enqueue 1 1 a\ndispatch 1 5000 a\n"
	if err := os.WriteFile(path+".flows", []byte(flows), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := open(t, path, ingest.Options{}).Scan(t.Context(), &capture{})
	if err != nil || tr.Flows != 1 || tr.Events != 102 {
		t.Errorf("%+v, %v", tr, err)
	}
	bad := put(t, []byte("enqueue 1\n"))
	_, err = ingest.Open(t.Context(), path, ingest.Options{Flows: bad})
	if want := bad + ": line 1: flows: 2 fields, not 4"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestScanReportsProgress(t *testing.T) {
	data := gz(t, run(t, 200_000, artwrite.Form{Version: 3}))
	var calls, last int64
	o := ingest.Options{Progress: func(done, total int64) {
		if calls++; done < last || total != int64(len(data)) {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}}
	if _, err := open(t, put(t, data), o).Scan(t.Context(), &capture{}); err != nil {
		t.Fatal(err)
	}
	if last != int64(len(data)) || calls > 300 {
		t.Errorf("%d calls, the last at %d of %d", calls, last, len(data))
	}
}

func TestScanStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := open(t, put(t, gz(t, run(t, 200_000, artwrite.Form{Version: 3}))), ingest.Options{})
	n := 0
	_, err := f.Scan(ctx, sinkFunc(func() error {
		if n++; n == 1 {
			cancel()
		}
		return nil
	}))
	if !errors.Is(err, context.Canceled) || n > 40 {
		t.Errorf("%v after %d batches", err, n)
	}
	stop := errors.New("enough")
	if _, err := f.Scan(t.Context(), sinkFunc(func() error { return stop })); !errors.Is(err, stop) {
		t.Error(err)
	}
}

type sinkFunc func() error

func (f sinkFunc) Events([]trace.Event) error   { return f() }
func (f sinkFunc) Samples([]trace.Sample) error { return f() }

// Files can be scanned by several goroutines at once.
func TestScanConcurrently(t *testing.T) {
	f := open(t, put(t, run(t, 5000, artwrite.Form{Version: 2, Clock: trace.ThreadCPU, Streaming: true})), ingest.Options{})
	errs := make(chan error)
	for range 4 {
		go func() { _, err := f.Scan(context.Background(), &capture{}); errs <- err }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// FuzzOpen checks that Open and Scan never panic or hang, and that each error has a position or a
// known cause.
func FuzzOpen(f *testing.F) {
	data := run(f, 50, artwrite.Form{Version: 3})
	f.Add(data)
	f.Add(gz(f, data))
	f.Add(zst(f, data))
	f.Add(gz(f, zst(f, data)))
	f.Add(gz(f, data)[:100])
	f.Add([]byte("a;b 1\nc;d 2\n"))
	f.Add([]byte("\x51\x2a\x4d\x18\xff\xff\xff\xff"))
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := ingest.Open(t.Context(), path, ingest.Options{MaxExpanded: 1 << 20})
		if err == nil {
			defer file.Close()
			_, err = file.Scan(t.Context(), &capture{})
		}
		var s *syntax.Error
		if err != nil && !errors.As(err, &s) && unknown(err) == nil {
			t.Errorf("%T: %v", err, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	})
}
