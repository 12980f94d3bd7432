//go:build unix

package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// A pipe can be read once and scanned often, and leaves nothing in the folder for
// temporary files.
func TestOpenPipe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes: %v", err)
	}
	data := gz(t, run(t, 50_000, artwrite.Form{Version: 3}))
	written := make(chan error)
	go func() { written <- os.WriteFile(path, data, 0o600) }()
	f := open(t, path, ingest.Options{})
	if err := trace.Check(t.Context(), f); err != nil {
		t.Error(err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A scan of a pipe whose writer says nothing ends when it is cancelled.
func TestScanPipeStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes: %v", err)
	}
	opened := make(chan *os.File)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		opened <- w
	}()
	f := open(t, path, ingest.Options{})
	w := <-opened
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Scan(ctx, &capture{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
