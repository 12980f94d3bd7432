package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/diffprof/diffprof/internal/syntax"
)

// A pipe is an input that can be read only once: the standard input, a pipe or a device. Its bytes
// are copied to a temporary file.
type pipe struct {
	io.Reader
	io.Closer
}

// openPipe reads and copies the first bytes of a pipe.
func (s *source) openPipe(ctx context.Context, in io.ReadCloser) error {
	raw, err := unnamed()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	s.raw = raw
	s.pipe = &pipe{limit(in, s.max, &syntax.Error{
		Offset: -1, Err: fmt.Errorf("the pipe has more than %d bytes", s.max), Hint: hintTrusted,
	}), in}
	return s.readHead(ctx, io.TeeReader(&cancellable{ctx: ctx, r: s.pipe}, raw))
}

// drain copies the rest of the pipe. The caller must hold s.mu. If drain fails, the bytes copied so
// far are discarded.
func (s *source) drain(ctx context.Context) error {
	_, err := keep(s.raw, &cancellable{ctx: ctx, r: s.pipe})
	if err == nil {
		s.size, err = s.raw.Seek(0, io.SeekEnd)
	}
	err = errors.Join(err, s.pipe.Close())
	s.pipe = nil
	if err != nil {
		err = errors.Join(err, s.raw.Close())
		s.raw = nil
	}
	return err
}

// copySize is the size of the buffer for copying.
const copySize = 256 << 10

// unnamed creates a temporary file and removes its name. The system frees the file when its last
// handle is closed.
func unnamed() (*os.File, error) {
	file, err := os.CreateTemp("", "diffprof-*")
	if err != nil {
		return nil, fmt.Errorf("keeping a copy of the input: %w", err)
	}
	// A system that cannot remove an open file keeps it until the next clean-up of temporary files.
	os.Remove(file.Name())
	return file, nil
}

// keep copies r to file and returns the number of bytes.
func keep(file *os.File, r io.Reader) (int64, error) {
	// The struct hides ReadFrom, so CopyBuffer uses the buffer.
	n, err := io.CopyBuffer(struct{ io.Writer }{file}, r, make([]byte, copySize))
	var write *os.PathError
	if errors.As(err, &write) {
		err = fmt.Errorf("keeping a copy of the input: %w", err)
	}
	return n, err
}

// A cancellable reader returns once its context is done. A blocked read of a pipe cannot be
// interrupted, so it continues in its own goroutine, and the bytes that it reads are lost.
type cancellable struct {
	ctx context.Context
	r   io.Reader
	buf []byte
}

func (i *cancellable) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if i.buf == nil {
		i.buf = make([]byte, copySize)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	buf := i.buf[:min(len(p), len(i.buf))]
	go func() {
		n, err := i.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, buf[:got.n]), got.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
