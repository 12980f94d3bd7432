package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/internal/syntax"
)

const (
	// maxLayers is how deep compression may lie in compression.
	maxLayers = 2
	// maxWindow is the window of zstd --long, the largest that it reads unasked.
	maxWindow = 128 << 20
	// atraceHead is how far into a file the word may lie that atrace's compressed data follow.
	atraceHead = 128
	// readAhead is how much of the file is read at once.
	readAhead = 256 << 10
)

// hintTrusted is for inputs that are larger than anything ought to be.
const hintTrusted = "if the file is to be trusted, raise --max-expanded"

// An expanded file is one whose compression is undone. Close releases the
// decompressors.
type expanded struct {
	io.Reader
	// layers names the compression, the outermost layer first.
	layers  []string
	closers []func()
}

// Close implements io.Closer.
func (e *expanded) Close() error {
	for _, c := range e.closers {
		c()
	}
	return nil
}

// expand undoes the compression of r, each layer of which may give most bytes.
func expand(ctx context.Context, r io.Reader, most int64) (*expanded, error) {
	e := &expanded{Reader: &checked{ctx: ctx, r: r}}
	for {
		b := bufio.NewReaderSize(e.Reader, readAhead)
		e.Reader = b
		// A short file has less than the magic number, which is no error yet.
		head, err := b.Peek(atraceHead)
		if err == nil || len(head) > 0 || errors.Is(err, io.EOF) {
			name := compression(head)
			if name == "" {
				return e, nil
			}
			err = e.undo(name, b, head, most)
		}
		if err != nil {
			e.Close()
			return nil, err
		}
	}
}

// undo undoes one layer.
func (e *expanded) undo(name string, b *bufio.Reader, head []byte, most int64) error {
	if len(e.layers) == maxLayers {
		return &syntax.Error{Offset: -1, Format: name, Err: fmt.Errorf("compressed more than %d times over", maxLayers), Hint: "decompress it first"}
	}
	var r io.Reader
	switch name {
	case "gzip":
		z, err := gzip.NewReader(b)
		if err != nil {
			return broken(name, err)
		}
		r = z
	case "zlib":
		if _, err := b.Discard(zlibAt(head)); err != nil {
			return err
		}
		z, err := zlib.NewReader(b)
		if err != nil {
			return broken(name, err)
		}
		r = z
	default:
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
		if err != nil {
			return broken(name, err)
		}
		e.closers = append(e.closers, z.Close)
		r = z
	}
	e.layers = append(e.layers, name)
	e.Reader = limit(&mended{r: r, name: name}, most, &syntax.Error{
		Offset: -1, Format: name, Err: fmt.Errorf("expands to more than %d bytes", most), Hint: hintTrusted,
	})
	return nil
}

// compression names the compression of what begins with head, empty if none.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case zlibAt(head) > 0:
		return "zlib"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return "zstd" // a frame to skip, which may stand before the first
	}
	return ""
}

// zlibAt returns where the compressed data begin that atrace -z writes after a line TRACE:,
// before which it may say what it does. It returns 0 if there are none.
func zlibAt(head []byte) int {
	_, after, ok := bytes.Cut(head, []byte("TRACE:\n"))
	// Deflate with a window of 32 KiB, at any level.
	if !ok || len(after) < 2 || after[0] != 0x78 || (int(after[0])<<8|int(after[1]))%31 != 0 {
		return 0
	}
	return len(head) - len(after)
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

// A mended reader is a decompressor whose errors have a place.
type mended struct {
	r    io.Reader
	name string
}

func (m *mended) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = broken(m.name, err)
	}
	return n, err
}

// A limited reader ends with an error where there are too many bytes.
type limited struct {
	r    io.Reader
	left int64
	over error
}

// limit bounds what r gives to most bytes, beyond which the error is over. A
// negative most is no bound.
func limit(r io.Reader, most int64, over error) io.Reader {
	if most < 0 {
		return r
	}
	return &limited{r, most, over}
}

func (l *limited) Read(p []byte) (int, error) {
	// One byte more than is left tells a file that ends at the limit from one that
	// goes on.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		return 0, l.over
	}
	l.left -= int64(n)
	return n, err
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
