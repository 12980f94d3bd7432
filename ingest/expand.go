package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/internal/syntax"
)

const (
	// maxLayers is how deep compression may lie in compression.
	maxLayers = 2
	// maxWindow is the window of zstd --long, the largest that it reads unasked.
	maxWindow = 128 << 20
	// readAhead is how much of the file is read at once.
	readAhead = 256 << 10
)

// expand undoes the compression of r. done releases the decoders.
func (f *File) expand(ctx context.Context, r io.Reader) (out io.Reader, done func(), err error) {
	var closers []func()
	done = func() {
		for _, c := range closers {
			c()
		}
	}
	r = &checked{ctx: ctx, r: r}
	for layer := 0; ; layer++ {
		b := bufio.NewReaderSize(r, readAhead)
		// A short file has less than the magic number, which is no error yet.
		head, err := b.Peek(4)
		if err != nil && len(head) == 0 && !errors.Is(err, io.EOF) {
			done()
			return nil, nil, err
		}
		name := compression(head)
		switch {
		case name == "":
			return b, done, nil
		case layer == maxLayers:
			done()
			return nil, nil, &syntax.Error{Offset: -1, Format: name, Err: fmt.Errorf("compressed more than %d times over", maxLayers), Hint: "decompress it first"}
		case name == "gzip":
			z, err := gzip.NewReader(b)
			if err != nil {
				done()
				return nil, nil, broken(name, err)
			}
			r = z
		default:
			z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
			if err != nil {
				done()
				return nil, nil, broken(name, err)
			}
			closers = append(closers, z.Close)
			r = z
		}
		r = &limited{r: r, name: name, left: f.opts.MaxExpanded, max: f.opts.MaxExpanded}
	}
}

// compression names the compression of what begins with head, empty if none.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18}):
		return "zstd" // a frame to skip, which may stand before the first
	}
	return ""
}

// broken locates the error of a decompressor. An end that comes too early stays
// io.ErrUnexpectedEOF to those who ask, for the format to say what it cuts short.
func broken(name string, err error) error {
	var s *syntax.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &syntax.Error{Offset: -1, Format: name, Hint: "fetch the whole file",
			Err: fmt.Errorf("the compressed data ends too early: %w", io.ErrUnexpectedEOF)}
	case errors.As(err, &s), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &syntax.Error{Offset: -1, Format: name, Err: err, Hint: "the file is damaged: fetch it again"}
}

// A limited reader ends with an error where a file expands too far.
type limited struct {
	r         io.Reader
	name      string
	left, max int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.max < 0 {
		n, err := l.r.Read(p)
		return n, l.wrap(err)
	}
	// One byte more than is left tells a file that ends at the limit from one that
	// goes on.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		return 0, &syntax.Error{
			Offset: -1, Format: l.name,
			Err:  fmt.Errorf("expands to more than %d bytes", l.max),
			Hint: "if the file is to be trusted, raise --max-expanded",
		}
	}
	l.left -= int64(n)
	return n, l.wrap(err)
}

func (l *limited) wrap(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return broken(l.name, err)
}

// A checked reader ends with its context.
type checked struct {
	ctx context.Context
	r   io.Reader
}

func (c *checked) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
