package art

import (
	"context"
	"errors"
	"io"
)

// windowSize holds 18,000 records: large enough that a refill costs nothing,
// small enough to stay in the second-level cache.
const windowSize = 256 << 10

// A window is a sliding view of the input. Unlike a bufio.Reader it hands out
// its buffer, so that the record loops index a slice and call nothing.
type window struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	pos  int   // next unread byte in buf
	fill int   // end of what was read
	base int64 // offset in the file of buf[0]
	err  error // from r; io.EOF at the end
}

// offset is where the next unread byte stands in the file.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// end is how many bytes have been read in all: the file's length once r is spent.
func (w *window) end() int64 { return w.base + int64(w.fill) }

// bytes returns what is buffered and unread.
func (w *window) bytes() []byte { return w.buf[w.pos:w.fill] }

func (w *window) skip(n int) { w.pos += n }

// peek returns the next n bytes without taking them. At the end of the input it
// returns what is left with io.ErrUnexpectedEOF.
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

// take is peek, and takes the bytes.
func (w *window) take(n int) ([]byte, error) {
	b, err := w.peek(n)
	if err == nil {
		w.pos += n
	}
	return b, err
}

// more reads at least one more byte. Callers ask for more than is buffered, so a
// full buffer has to grow. This is where a scan notices that it was cancelled.
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
	// The buffer grows as bytes arrive, so that a length field that lies cannot
	// claim more memory than the file has bytes.
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
