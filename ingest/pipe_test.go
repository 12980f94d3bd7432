//go:build unix

package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A pipe can be read once and scanned many times, and leaves nothing in the folder for temporary
// files.
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
	if err := tracetest.Check(t.Context(), f); err != nil {
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

// Cancelling ends the opening of a pipe without data, and the scan of a pipe that stalls.
func TestPipeStops(t *testing.T) {
	data := run(t, 50_000, artwrite.Form{Version: 3})
	for _, sent := range [][]byte{nil, data[:len(data)/2]} {
		path := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("no pipes: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			// The reader may close the pipe before all bytes are written.
			if _, err := w.Write(sent); err != nil && !errors.Is(err, syscall.EPIPE) {
				t.Error(err)
			}
			cancel()
			<-ctx.Done()
		}()
		f, err := ingest.Open(ctx, path, ingest.Options{})
		if err == nil {
			_, err = f.Scan(ctx, &capture{})
			f.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		<-closed
	}
}

// An endless pipe is not copied if its format is unknown. Otherwise it is copied up to the limit.
func TestOpenEndlessPipe(t *testing.T) {
	tests := []struct{ begin, again, want string }{
		{"not a recording\n", "not a recording\n", "it is text, but not folded stacks"},
		{"", "\x00", "zeros only"},
		{"a;b 1\n", "a;b 1\n", "the pipe has more than 1048576 bytes; if you trust the file, raise --max-expanded"},
		// An endless sequence of empty compressed blocks never yields a head.
		{"", string(gz(t, nil)), "the pipe has more than 1048576 bytes"},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("no pipes: %v", err)
		}
		written := make(chan struct{})
		go func() {
			defer close(written)
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			piece := []byte(strings.Repeat(test.again, 64<<10/len(test.again)))
			for _, err = w.WriteString(test.begin); err == nil; {
				_, err = w.Write(piece)
			}
			if !errors.Is(err, syscall.EPIPE) {
				t.Error(err)
			}
		}()
		if err := failure(t, path, ingest.Options{MaxExpanded: 1 << 20}); !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: %v, want %q", test.again, err, test.want)
		}
		<-written
	}
}

// A file of the kernel has size 0 but is not empty.
func TestOpenKernelFile(t *testing.T) {
	const path = "/proc/self/status"
	if info, err := os.Stat(path); err != nil || info.Size() > 0 {
		t.Skipf("no such file: %v", err)
	}
	if err := failure(t, path, ingest.Options{}); !strings.Contains(err.Error(), "it is text, but not folded stacks") {
		t.Error(err)
	}
}
