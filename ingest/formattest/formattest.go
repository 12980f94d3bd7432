// Package formattest tests decoders of formats against their common requirements. A sample is a
// txtar archive with two files: a recording, and the text that the decoder should produce. A
// comment "sample type: X" in the archive selects the values to read.
package formattest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A Format is a format under test.
type Format struct {
	// Sniff reports whether a file that begins with head has the format.
	Sniff func(head []byte) bool
	// Decode reads the values of a sample type from a file.
	Decode func(ctx context.Context, data []byte, sampleType string, sink trace.Sink) (*trace.Trace, error)
}

// A recording is a trace.Recording of a file in memory.
type recording struct {
	format     Format
	data       []byte
	sampleType string
}

// Scan implements trace.Recording.
func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return r.format.Decode(ctx, r.data, r.sampleType, sink)
}

// show decodes a recording as text, and checks it against the laws of recordings.
func show(t *testing.T, rec recording) string {
	t.Helper()
	text, err := tracetest.Show(t.Context(), rec)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if err := tracetest.Check(t.Context(), rec); err != nil {
		t.Error(err)
	}
	if err := tracetest.CheckStops(rec); err != nil {
		t.Error(err)
	}
	return text
}

// Golden decodes the recording in each testdata/*.txtar, and compares the result with the expected
// text. If update is set, it writes the expected text.
func (f Format) Golden(t *testing.T, update bool) {
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
			got := []byte(show(t, recording{f, ar.Files[0].Data, kind}))
			if update {
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

// samples returns the recordings in testdata/*.txtar.
func samples(t testing.TB) [][]byte {
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

// located checks that err has a position in the file and is one line.
func located(err error) error {
	var place *syntax.Error
	if !errors.As(err, &place) {
		return fmt.Errorf("error %w has no place", err)
	}
	if strings.ContainsAny(err.Error(), "\n\x00") {
		return fmt.Errorf("error %q is not one line", err)
	}
	return nil
}

// Cut truncates every sample at every offset. With -short, it truncates a long sample at every
// seventh offset. The result must be an error with a position, or a valid recording.
func (f Format) Cut(t *testing.T) {
	for _, data := range samples(t) {
		step := 1
		if testing.Short() && len(data) > 4<<10 {
			step = 7
		}
		for n := 0; n < len(data); n += step {
			if _, err := (recording{f, data[:n], ""}).Scan(t.Context(), tracetest.Discard{}); err != nil {
				if err := located(err); err != nil {
					t.Fatalf("cut at %d of %s: %v", n, data, err)
				}
			}
		}
	}
}

// Fuzz checks decoded files against the laws of recordings.
func (f Format) Fuzz(fuzz *testing.F) {
	for _, data := range samples(fuzz) {
		fuzz.Add(data)
	}
	fuzz.Fuzz(func(t *testing.T, data []byte) {
		f.Sniff(data)
		rec := recording{f, data, ""}
		if _, err := rec.Scan(t.Context(), tracetest.Discard{}); err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		if err := tracetest.Check(t.Context(), rec); err != nil {
			t.Error(err)
		}
	})
}

// A Real is a recording made by another program. File is its path below shared/data. Want has the
// expected counts and warning codes.
type Real = struct{ File, SampleType, Want string }

// Real decodes real recordings with known counts, and truncates them at forty offsets.
func (f Format) Real(t *testing.T, files []Real) {
	const dir = "../../../shared/data"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real data in %s", dir)
	}
	for _, tt := range files {
		t.Run(tt.File+" "+tt.SampleType, func(t *testing.T) {
			data := load(t, filepath.Join(dir, tt.File))
			if !f.Sniff(data[:min(len(data), 8<<10)]) {
				t.Error("Sniff does not recognise it")
			}
			rec := recording{f, data, tt.SampleType}
			if err := tracetest.Check(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
			tr, err := rec.Scan(t.Context(), tracetest.Discard{})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d events, cpu %v, elapsed %v, %d active threads, %d flows", tr.Events, tr.CPU(), tr.Elapsed, tr.Active(), tr.Flows)
			for _, w := range tr.Warnings {
				got += " " + w.Code
			}
			if got != tt.Want {
				t.Errorf("got  %s\nwant %s", got, tt.Want)
			}
			places := 40
			if testing.Short() || len(data) > 1<<20 {
				places = 10 // Decoding a truncated file takes half of the time on average.
			}
			for i := range places {
				if _, err := (recording{f, data[:i*len(data)/places], tt.SampleType}).Scan(t.Context(), tracetest.Discard{}); err != nil {
					if err := located(err); err != nil {
						t.Errorf("cut at %d of %d: %v", i, places, err)
					}
				}
			}
		})
	}
}

// Load reads and decompresses a file of shared/data. It skips the test if there is no such folder.
func Load(t *testing.T, file string) []byte {
	t.Helper()
	const dir = "../../../shared/data"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real data in %s", dir)
	}
	return load(t, filepath.Join(dir, file))
}

// load reads and decompresses a file.
func load(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}
