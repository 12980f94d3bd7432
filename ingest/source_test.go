package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
)

// reader returns a format that matches any file and whose decoder calls read.
func reader(read func(context.Context, ingest.Source) error) []ingest.Format {
	return []ingest.Format{{
		Name: "any", Title: "anything",
		Sniff: func(ingest.Source) bool { return true },
		Decode: func(ctx context.Context, s ingest.Source, _ trace.Sink, _ ingest.Options) (*trace.Trace, error) {
			return &trace.Trace{Format: "any"}, read(ctx, s)
		},
	}}
}

// scanAs opens a file and decodes it with read.
func scanAs(t *testing.T, path string, o ingest.Options, read func(context.Context, ingest.Source) error) error {
	t.Helper()
	f, err := ingest.OpenAs(t.Context(), path, o, reader(read))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Scan(t.Context(), &capture{})
	return err
}

// A source gives the same bytes however the file is stored. It gives them in order and at any
// offset, also concurrently.
func TestSourceGivesBytes(t *testing.T) {
	data := make([]byte, 3<<20)
	if testing.Short() {
		data = data[:1<<19]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(r.IntN(7))
	}
	for name, stored := range map[string][]byte{
		"plain": data, "gzip": gz(t, data), "zstd": zst(t, data), "zstd of gzip": zst(t, gz(t, data)),
	} {
		read := func(ctx context.Context, s ingest.Source) error {
			if !bytes.Equal(s.Head(), data[:8<<10]) {
				t.Errorf("%s: another head", name)
			}
			if s.Folder() != nil {
				t.Errorf("%s: a folder", name)
			}
			stream, err := s.Stream(ctx)
			if err != nil {
				return err
			}
			defer stream.Close()
			if all, err := io.ReadAll(stream); err != nil || !bytes.Equal(all, data) {
				t.Errorf("%s: %d other bytes in the stream, %v", name, len(all), err)
			}
			at, size, err := s.At(ctx)
			if err != nil || size != int64(len(data)) {
				t.Errorf("%s: %d bytes, %v", name, size, err)
				return err
			}
			for _, from := range []int64{2 * size / 3, 17, size - 100} {
				var b [100]byte
				if _, err := at.ReadAt(b[:], from); err != nil || !bytes.Equal(b[:], data[from:from+100]) {
					t.Errorf("%s: other bytes at %d, %v", name, from, err)
				}
			}
			return nil
		}
		f, err := ingest.OpenAs(t.Context(), put(t, stored), ingest.Options{}, reader(read))
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := f.Scan(t.Context(), &capture{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		both.Wait()
		if f.Size() != int64(len(stored)) {
			t.Errorf("%s: %d bytes are stored, want %d", name, f.Size(), len(stored))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := f.Scan(t.Context(), &capture{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: scanning after Close: %v", name, err)
		}
	}
}

// The limit also applies to the decompressed copy that At makes. The copy is removed at the end.
func TestSourceBoundsCopies(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, gz(t, make([]byte, 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(ctx context.Context, s ingest.Source) error {
		_, _, err := s.At(ctx)
		return err
	}
	if err := scanAs(t, path, ingest.Options{MaxExpanded: 1 << 20}, at); err != nil {
		t.Error(err)
	}
	err := scanAs(t, path, ingest.Options{MaxExpanded: 1<<20 - 1}, at)
	if err == nil || !strings.Contains(err.Error(), "gzip: expands to more than 1048575 bytes") {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSourceGivesFolder checks that the files of a folder can be opened. The folder itself, and
// links to files outside of it, cannot be opened.
func TestSourceGivesFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("inside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(put(t, []byte("outside")), filepath.Join(dir, "out")); err != nil {
		t.Skipf("no links: %v", err)
	}
	err := scanAs(t, dir, ingest.Options{}, func(ctx context.Context, s ingest.Source) error {
		if s.Head() != nil {
			t.Error("a folder has a head")
		}
		if b, err := fs.ReadFile(s.Folder(), "in"); err != nil || string(b) != "inside" {
			t.Errorf("%q, %v", b, err)
		}
		if b, err := fs.ReadFile(s.Folder(), "out"); err == nil {
			t.Errorf("read %q through a link", b)
		}
		if _, err := s.Stream(ctx); err == nil {
			t.Error("a folder has a stream")
		}
		if _, _, err := s.At(ctx); err == nil {
			t.Error("a folder has bytes")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Every format lists its facts once and in the order of FactNames.
func TestFormats(t *testing.T) {
	for _, f := range ingest.Formats() {
		if f.Name == "" || f.Title == "" || f.Start == "" || len(f.Record) == 0 {
			t.Errorf("%s: a field is empty", f.Name)
		}
		names := ingest.FactNames()
		for _, fact := range f.Facts {
			at := slices.Index(names, fact.Name)
			if at < 0 || fact.Detail == "" {
				t.Errorf("%s: fact %q is unknown, out of order or empty", f.Name, fact.Name)
				continue
			}
			names = names[at+1:]
		}
		for _, r := range f.Record {
			if r.Tools == "" || len(r.Steps) == 0 {
				t.Errorf("%s: an empty recipe", f.Name)
			}
		}
	}
	for name, data := range map[string][]byte{"art": []byte("SLOW"), "folded": []byte("a;b 1\n")} {
		if f := open(t, put(t, data), ingest.Options{}); f.Format().Name != name {
			t.Errorf("%q is taken for %s", data, f.Format().Name)
		}
	}
}
