package firefox_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A recording is a file in memory, and which of its values are read.
type recording struct {
	data []byte
	kind string
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return firefox.Decode(ctx, bytes.NewReader(r.data), sink, firefox.Options{SampleType: r.kind})
}

// show writes what is read of a file as text, and holds it to the laws of recordings.
func show(t *testing.T, rec recording) string {
	t.Helper()
	text, err := tracetest.Show(context.Background(), rec)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if err := tracetest.Check(context.Background(), rec); err != nil {
		t.Error(err)
	}
	if err := tracetest.CheckStops(rec); err != nil {
		t.Error(err)
	}
	return text
}

// TestGolden reads the file of each testdata/*.txtar, and compares what was read. A
// comment "sample type: X" says which of the values.
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
			kind := ""
			for line := range strings.Lines(string(ar.Comment)) {
				if rest, ok := strings.CutPrefix(line, "sample type: "); ok {
					kind = strings.TrimSpace(rest)
				}
			}
			got := []byte(show(t, recording{ar.Files[0].Data, kind}))
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

// inputs are the files of the goldens.
func inputs(t testing.TB) [][]byte {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ar.Files[0].Data)
	}
	return all
}

// TestCut cuts every file at every offset: what stands before is an error with a place, or
// a recording.
func TestCut(t *testing.T) {
	for _, data := range inputs(t) {
		for n := range data {
			_, err := recording{data: data[:n]}.Scan(context.Background(), tracetest.Discard{})
			var place *syntax.Error
			if err != nil && !errors.As(err, &place) {
				t.Fatalf("cut at %d of %s: error %v has no place", n, data, err)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q has several lines", err)
			}
		}
	}
}

// FuzzDecode holds any file to the laws of recordings.
func FuzzDecode(f *testing.F) {
	for _, data := range inputs(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		firefox.Sniff(data)
		rec := recording{data: data}
		if _, err := rec.Scan(context.Background(), tracetest.Discard{}); err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Error(err)
		}
	})
}

// TestReal reads real files, of which counts are known, and cuts them.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real data in %s", dir)
	}
	for _, tt := range real {
		t.Run(tt.file, func(t *testing.T) {
			data := load(t, filepath.Join(dir, tt.file))
			if !firefox.Sniff(data[:min(len(data), 8<<10)]) {
				t.Error("it is not known by its begin")
			}
			rec := recording{data, tt.kind}
			if err := tracetest.Check(context.Background(), rec); err != nil {
				t.Fatal(err)
			}
			tr, err := rec.Scan(context.Background(), tracetest.Discard{})
			if err != nil {
				t.Fatal(err)
			}
			var codes []string
			for _, w := range tr.Warnings {
				codes = append(codes, w.Code)
			}
			if got := counts(tr) + " " + strings.Join(codes, " "); strings.TrimSpace(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for i := range 40 {
				_, err := recording{data[:i*len(data)/40], tt.kind}.Scan(context.Background(), tracetest.Discard{})
				var place *syntax.Error
				if err != nil && !errors.As(err, &place) {
					t.Errorf("cut: error %v has no place", err)
				}
			}
		})
	}
}

// load reads a file, and undoes its compression.
func load(t testing.TB, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return data
}
