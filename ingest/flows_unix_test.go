//go:build unix

package ingest_test

import (
	"syscall"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// TestPipeOfFlows checks that Open refuses a named pipe as the sidecar of hand-overs, because
// opening the pipe would wait for a writer.
func TestPipeOfFlows(t *testing.T) {
	path := put(t, run(t, 100, artwrite.Form{Version: 3}))
	if err := syscall.Mkfifo(path+".flows", 0o600); err != nil {
		t.Skip("no pipes: ", err)
	}
	// If Open waited for a writer, the test would exceed the time limit of go test.
	if _, err := ingest.Open(t.Context(), path, ingest.Options{}); err == nil {
		t.Error("a pipe is read for hand-overs")
	}
}
