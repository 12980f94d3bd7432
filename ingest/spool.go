package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
)

// spool copies r to a temporary file without a name, which the system removes
// with its last handle. A read that hangs outlives a cancelled ctx in a goroutine
// of its own: there is no way to interrupt it.
func spool(ctx context.Context, r io.Reader) (*os.File, error) {
	file, err := os.CreateTemp("", "diffprof-*")
	if err != nil {
		return nil, fmt.Errorf("keeping a copy of the input: %w", err)
	}
	// Systems that cannot remove an open file keep it until the next clean-up.
	os.Remove(file.Name())
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(file, r)
		copied <- err
		if ctx.Err() != nil {
			file.Close()
		}
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("keeping a copy of the input: %w", err)
	}
	return file, nil
}
