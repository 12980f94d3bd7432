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
	// maxLayers is the number of compression layers that a file may have.
	maxLayers = 2
	// maxWindow is the window size of zstd --long. Without an option, zstd decompresses no larger
	// window.
	maxWindow = 128 << 20
	// atraceHead is the number of bytes in which zlibAt searches for the line TRACE:.
	atraceHead = 128
	// readAhead is the size of one read.
	readAhead = 256 << 10
)

// hintTrusted is the hint for inputs that are larger than the limit.
const hintTrusted = "if you trust the file, raise --max-expanded"

// An expanded file is a decompressed file. Close releases the decompressors.
type expanded struct {
	io.Reader
	// layers has the names of the compression formats, the outermost layer first.
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

// expand decompresses r. The parameter most limits the size of each layer in bytes.
func expand(ctx context.Context, r io.Reader, most int64) (*expanded, error) {
	e := &expanded{Reader: &checked{ctx: ctx, r: r}}
	for {
		b := bufio.NewReaderSize(e.Reader, readAhead)
		e.Reader = b
		// Peek fails with io.EOF for a file shorter than atraceHead, which is no error here.
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

// undo removes one layer of compression.
func (e *expanded) undo(name string, b *bufio.Reader, head []byte, most int64) error {
	if len(e.layers) == maxLayers {
		return &syntax.Error{Offset: -1, Format: name, Err: fmt.Errorf("compressed more than %d times", maxLayers), Hint: "decompress it first"}
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
	e.Reader = limit(&located{r: r, name: name}, most, &syntax.Error{
		Offset: -1, Format: name, Err: fmt.Errorf("expands to more than %d bytes", most), Hint: hintTrusted,
	})
	return nil
}

// compression names the compression of a file that begins with head. It returns "" if there is
// none.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case zlibAt(head) > 0:
		return "zlib"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return "zstd" // This is a skippable frame, which may precede the first frame.
	}
	return ""
}

// zlibAt returns the offset of the compressed data that atrace -z writes after a line TRACE:, or 0
// if there is no such data. Messages of atrace may precede the line.
func zlibAt(head []byte) int {
	_, after, ok := bytes.Cut(head, []byte("TRACE:\n"))
	// This is the zlib header for Deflate with a window of 32 KiB, at any compression level.
	if !ok || len(after) < 2 || after[0] != 0x78 || (int(after[0])<<8|int(after[1]))%31 != 0 {
		return 0
	}
	return len(head) - len(after)
}

// broken adds the position to an error of a decompressor. If the file ends too early, the error
// still wraps io.ErrUnexpectedEOF. The decoder uses it to describe the incomplete part.
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

// A located reader wraps a decompressor and adds the position and the compression format to its
// errors.
type located struct {
	r    io.Reader
	name string
}

func (m *located) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = broken(m.name, err)
	}
	return n, err
}

// A limited reader returns the error over after a number of bytes.
type limited struct {
	r    io.Reader
	left int64
	over error
}

// limit returns a reader that reads r and fails if r is too long. For a negative limit, it returns
// r itself.
func limit(r io.Reader, most int64, over error) io.Reader {
	if most < 0 {
		return r
	}
	return &limited{r, most, over}
}

func (l *limited) Read(p []byte) (int, error) {
	// Reading one byte more than the limit tells a file that ends there from a longer file.
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

// A checked reader fails after its context is done.
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
