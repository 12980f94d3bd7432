//go:build unix

package ingest_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// TestPipeOfFlows: a pipe that has the name of a file of hand-overs is refused. To open it would
// wait for a writer.
func TestPipeOfFlows(t *testing.T) {
	path := put(t, run(t, 100, artwrite.Form{Version: 3}))
	if err := syscall.Mkfifo(path+".flows", 0o600); err != nil {
		t.Skip("no pipes: ", err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := ingest.Open(t.Context(), path, ingest.Options{})
		opened <- err
	}()
	select {
	case err := <-opened:
		if err == nil {
			t.Error("a pipe is read for hand-overs")
		}
	case <-time.After(20 * time.Second):
		t.Error("opening waits for a writer of the pipe")
	}
}
