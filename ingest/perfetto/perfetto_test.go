package perfetto_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a trace in memory.
type recording struct {
	data []byte
	opts perfetto.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	o := r.opts
	o.Spool = func() (perfetto.File, error) { return &memory{}, nil }
	return perfetto.Decode(ctx, bytes.NewReader(r.data), int64(len(r.data)), sink, o)
}

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, at)
}

func (m *memory) Close() error { return nil }

// TestCut truncates a trace at every byte. The result must be an error with a position. Only a
// truncation at the end of a packet may give a shorter trace. With Partial, the part before the
// truncation is read.
func TestCut(t *testing.T) {
	for _, e := range examples() {
		if len(e.data) > 8<<10 {
			t.Fatalf("%s is too long to cut everywhere", e.name)
		}
		for n := range e.data {
			cut(t, e.name, e.data[:n], e.opts)
		}
	}
}

// cut decodes a trace that may be damaged, with and without Partial.
func cut(t *testing.T, name string, data []byte, o perfetto.Options) {
	t.Helper()
	_, err := recording{data, o}.Scan(context.Background(), tracetest.Discard{})
	o.Partial = true
	for _, err := range []error{err, tracetest.Check(context.Background(), recording{data, o})} {
		var bad *syntax.Error
		if err != nil && (!errors.As(err, &bad) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%s, %d bytes: %v", name, len(data), err)
		}
	}
}

func TestStops(t *testing.T) {
	for _, e := range examples() {
		if strings.HasPrefix(render(recording{e.data, e.opts}), "error:") {
			continue
		}
		if err := tracetest.CheckStops(recording{e.data, e.opts}); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, e := range examples() {
		for _, n := range []int{16, 100, 8192} {
			if !perfetto.Sniff(e.data[:min(n, len(e.data))]) {
				t.Errorf("%s is not known by %d bytes", e.name, n)
			}
		}
	}
	for _, no := range []string{"", "\n", "\n\n\nmain;a 1\n", "\x0a\x04\x08\x01\x10\x02", "\x0a\x02\x08", "PERFILE2", "\x0a\x08perfetto\x0a\x01\x02"} {
		if perfetto.Sniff([]byte(no)) {
			t.Errorf("%q is taken for a trace", no)
		}
	}
}

// TestBombs checks that packets that expand without end, or that contain themselves, are errors.
func TestBombs(t *testing.T) {
	large := packet(1, 0, text(900, strings.Repeat("0", 70<<20)))
	for name, c := range map[string]struct {
		data []byte
		most int64
		want string
	}{
		"deflated": {data: file(deflated(large)), want: "a compressed packet expands to more than 67108864 bytes"},
		"zstd":     {data: file(zstandard(large)), want: "a compressed packet"},
		"nested":   {data: file(deflated(deflated(packet(1, 1)))), want: "a compressed packet is nested in another"},
		"many":     {data: file(deflated(packet(1, 1, text(900, strings.Repeat("0", 900)))), deflated(packet(1, 1, text(900, strings.Repeat("0", 900))))), most: 1000, want: "raise --max-expanded"},
		"broken":   {data: file(msg(1, text(50, "no zlib"))), want: "a compressed packet: zlib"},
	} {
		_, err := recording{c.data, perfetto.Options{MaxExpanded: c.most}}.Scan(t.Context(), tracetest.Discard{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBounds checks that traces that need too much memory are errors.
func TestBounds(t *testing.T) {
	var sequences, named, tracks []field
	for i := range int64(1<<16 + 1) {
		sequences = append(sequences, packet(i, 0, num(13, 1)))
	}
	name := strings.Repeat("n", 1<<20)
	for i := range int64(129) {
		named = append(named, packet(1, 0, msg(12, msg(2, num(1, i), text(2, name)))))
	}
	for i := range int64(1<<18 + 1) {
		tracks = append(tracks, packet(1, 0, msg(60, num(1, i+1))))
	}
	for want, data := range map[string][]byte{
		"65536 sequences":      file(sequences...),
		"128 MiB of names":     file(named...),
		"262144 tracks":        file(tracks...),
		"takes more than 8 Mi": file(packet(1, 1, msg(11, num(9, 1), text(23, strings.Repeat("n", 9<<20))))),
	} {
		_, err := recording{data: data}.Scan(t.Context(), tracetest.Discard{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no error of %s: %v", want, err)
		}
	}
}

// TestCycles checks that the decoder does not hang if the parents of tracks form a cycle.
func TestCycles(t *testing.T) {
	data := file(
		packet(1, 1, msg(60, num(1, 7), num(5, 8))), packet(1, 1, msg(60, num(1, 8), num(5, 7))),
		packet(1, 2, msg(11, num(9, 1), num(11, 7), text(23, "a"))),
	)
	if err := tracetest.Check(t.Context(), recording{data: data}); err != nil {
		t.Error(err)
	}
}

// A failing is a temporary file whose writes fail.
type failing struct{ memory }

func (*failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestSpoolFails(t *testing.T) {
	data := file(deflated(packet(1, 1)))
	_, err := perfetto.Decode(t.Context(), bytes.NewReader(data), int64(len(data)), tracetest.Discard{},
		perfetto.Options{Spool: func() (perfetto.File, error) { return &failing{}, nil }})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

// FuzzDecode checks that no file makes the decoder panic, hang or break a law.
func FuzzDecode(f *testing.F) {
	for _, e := range examples() {
		f.Add(e.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cut(t, "fuzz", data, perfetto.Options{Process: "*"})
		cut(t, "fuzz", data, perfetto.Options{})
	})
}

const shared = "../../../shared/data/perfetto"

// TestConformance decodes the traces of Perfetto's own tests. TestExpected checks their
// content.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "conformance", "*.pb"))
	if err != nil || len(files) == 0 {
		t.Skip("the conformance traces lie beside the repository")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 {
			continue // The file is empty if no test needs the trace.
		}
		for _, o := range []perfetto.Options{{}, {Process: "*"}, {SampleType: "slices"}} {
			if err := tracetest.Check(t.Context(), recording{data, o}); err != nil {
				t.Errorf("%s: %v", filepath.Base(f), err)
			}
		}
		if !perfetto.Sniff(data[:min(len(data), 8192)]) {
			t.Errorf("%s is not known", filepath.Base(f))
		}
		if len(data) < 700 {
			for n := 0; n < len(data); n += 23 {
				cut(t, filepath.Base(f), data[:n], perfetto.Options{})
			}
		}
	}
}
