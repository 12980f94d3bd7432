package ingest_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/syntax"
)

// TestOpenSide reads a file of 1000 bytes, plain and compressed, with limits around its size.
func TestOpenSide(t *testing.T) {
	text := []byte(strings.Repeat("0123456789", 100))
	for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text), "zstd": zst(t, text)} {
		path := put(t, b)
		for limit, fits := range map[int64]bool{0: true, -1: true, 1000: true, 5000: true, 999: false, 10: false} {
			var got []byte
			var bad *syntax.Error
			r, err := ingest.OpenSide(t.Context(), path, limit)
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			if fits && (err != nil || string(got) != string(text)) || !fits && (!errors.As(err, &bad) || int64(len(got)) > limit) {
				t.Errorf("%s, limit %d: %d bytes, %v", form, limit, len(got), err)
			}
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if r, err := ingest.OpenSide(t.Context(), path, 0); err == nil {
			r.Close()
			t.Errorf("%s is opened", path)
		}
	}
}

// TestContent compares the hashes of recordings. Compressing a recording keeps its hash. Changing a
// byte, or the name of a file in a folder, changes it.
func TestContent(t *testing.T) {
	content := func(path string) [32]byte {
		t.Helper()
		sum, err := open(t, path, ingest.Options{}).Content(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	text, other := []byte("a;b 1\na;c 2\n"), []byte("a;b 1\na;c 3\n")
	if content(put(t, text)) != content(put(t, gz(t, text))) {
		t.Error("the compressed recording has another hash")
	}
	if content(put(t, text)) == content(put(t, other)) {
		t.Error("another recording has the same hash")
	}
	folder := func(names ...string) string {
		path := t.TempDir()
		if err := os.Mkdir(filepath.Join(path, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			n, text, _ := strings.Cut(n, "=")
			if err := os.WriteFile(filepath.Join(path, n), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	contentOf := func(ctx context.Context, path string) ([32]byte, error) {
		f, err := ingest.OpenAs(t.Context(), path, ingest.Options{}, reader(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return f.Content(ctx)
	}
	hash := func(path string) [32]byte {
		t.Helper()
		sum, err := contentOf(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	first := hash(folder("a=x", "sub/b=y"))
	if hash(folder("a=x", "sub/b=y")) != first {
		t.Error("an equal folder has another hash")
	}
	for _, names := range [][]string{{"a=x", "sub/b=z"}, {"a=x", "sub/c=y"}, {"a=x"}, {"a=x", "b=y"}, {"a=x", "sub/b=y", "c="}} {
		if hash(folder(names...)) == first {
			t.Errorf("the folder with %q has the same hash", names)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := contentOf(ctx, folder("a=x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped reader returns %v", err)
	}
}
