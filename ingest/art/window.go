package art

import (
	"context"
	"errors"
	"io"
)

// windowSize is large enough to make refills cheap, and fits into the second-level cache. It holds
// 18,000 records.
const windowSize = 256 << 10

// A window is a sliding view of the input. Unlike a bufio.Reader, it gives access to its buffer, so
// the record loops index a slice without function calls.
type window struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	pos  int   // pos is the index of the next unread byte in buf.
	fill int   // fill is the end of the data in buf.
	base int64 // base is the offset of buf[0] in the file.
	err  error // err is the error of r. It is io.EOF at the end of the file.
}

// offset returns the offset of the next unread byte in the file.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// end returns the number of bytes read so far. When r is at its end, this is the length of the
// file.
func (w *window) end() int64 { return w.base + int64(w.fill) }

// bytes returns the buffered bytes that are unread.
func (w *window) bytes() []byte { return w.buf[w.pos:w.fill] }

func (w *window) skip(n int) { w.pos += n }

// peek returns the next n bytes without consuming them. At the end of the input, it returns the
// remaining bytes with io.ErrUnexpectedEOF.
func (w *window) peek(n int) ([]byte, error) {
	for w.fill-w.pos < n {
		if err := w.more(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return w.bytes(), err
		}
	}
	return w.buf[w.pos : w.pos+n : w.pos+n], nil
}

// take consumes the next n bytes and returns them.
func (w *window) take(n int) ([]byte, error) {
	b, err := w.peek(n)
	if err == nil {
		w.pos += n
	}
	return b, err
}

// more reads at least one more byte into the buffer. It enlarges a full buffer, and checks for
// cancellation.
func (w *window) more() error {
	if w.err != nil {
		return w.err
	}
	if err := w.ctx.Err(); err != nil {
		w.err = err
		return err
	}
	if w.pos > 0 {
		copy(w.buf, w.buf[w.pos:w.fill])
		w.base += int64(w.pos)
		w.fill -= w.pos
		w.pos = 0
	}
	// The buffer grows only as bytes arrive, so a wrong length field cannot use more memory than
	// the file has bytes.
	if w.fill == len(w.buf) {
		w.buf = append(make([]byte, 0, max(windowSize, 2*len(w.buf))), w.buf...)
		w.buf = w.buf[:cap(w.buf)]
	}
	for tries := 0; ; tries++ {
		n, err := w.r.Read(w.buf[w.fill:])
		w.fill += n
		if err != nil {
			w.err = err
		}
		switch {
		case n > 0:
			return nil
		case err != nil:
			return err
		case tries == 100:
			w.err = io.ErrNoProgress
			return w.err
		}
	}
}
