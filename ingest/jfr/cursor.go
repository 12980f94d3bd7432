package jfr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf16"
)

// maxText limits the size of a text. The longest texts are the command lines of the JVM.
const maxText = 16 << 20

var errCut = errors.New("the file ends in the middle of a chunk")

// A cursor reads the values of a chunk in sequence.
type cursor struct {
	r   *bufio.Reader
	src io.ReaderAt
	// at is the current offset in the file. end is the offset of the end of the chunk.
	at, end int64
	buf     []byte
}

func newCursor(src io.ReaderAt, at, end int64) *cursor {
	c := &cursor{src: src, end: end}
	c.r = bufio.NewReaderSize(nil, 1<<16)
	c.seek(at)
	return c
}

// seek goes to an offset in the file.
func (c *cursor) seek(at int64) {
	if n := at - c.at; n >= 0 && n <= int64(c.r.Buffered()) {
		c.r.Discard(int(n)) // Discard cannot fail within the buffer.
	} else {
		c.r.Reset(io.NewSectionReader(c.src, at, max(0, c.end-at)))
	}
	c.at = at
}

func (c *cursor) byte() (byte, error) {
	b, err := c.r.ReadByte()
	if err != nil {
		return 0, cut(err)
	}
	c.at++
	return b, nil
}

// number reads an integer of up to nine bytes. Each byte has seven bits, the least significant bits
// first. The ninth byte has eight bits.
func (c *cursor) number() (int64, error) {
	var v uint64
	for shift := 0; ; shift += 7 {
		b, err := c.byte()
		if err != nil {
			return 0, err
		}
		if shift == 56 {
			return int64(v | uint64(b)<<shift), nil
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int64(v), nil
		}
	}
}

// count reads the number of elements that follow. Each element has at least one byte.
func (c *cursor) count() (int, error) {
	n, err := c.number()
	if err == nil && (n < 0 || n > c.end-c.at) {
		err = fmt.Errorf("a list of %d elements does not fit into the remaining %d bytes", n, c.end-c.at)
	}
	return int(n), err
}

// skip skips n bytes.
func (c *cursor) skip(n int64) error {
	if n < 0 || n > c.end-c.at {
		return errCut
	}
	c.seek(c.at + n)
	return nil
}

// bytes reads n bytes. They are valid until the next call.
func (c *cursor) bytes(n int64) ([]byte, error) {
	if n < 0 || n > maxText {
		return nil, fmt.Errorf("a text has %d bytes, more than the limit of %d", n, maxText)
	}
	if n > c.end-c.at {
		return nil, errCut
	}
	if int64(cap(c.buf)) < n {
		c.buf = make([]byte, n)
	}
	b := c.buf[:n]
	k, err := io.ReadFull(c.r, b)
	c.at += int64(k)
	return b, cut(err)
}

// A text is a string, or the number of a string in the constant pool of strings.
type text struct {
	string string
	pooled int64
	isRef  bool
}

// text reads a string.
func (c *cursor) text() (text, error) {
	encoding, err := c.byte()
	if err != nil {
		return text{}, err
	}
	switch encoding {
	case 0, 1: // The text is null or empty.
		return text{}, nil
	case 2:
		n, err := c.number()
		return text{pooled: n, isRef: true}, err
	case 3, 5: // The text is in UTF-8 or Latin-1.
		n, err := c.number()
		if err != nil {
			return text{}, err
		}
		b, err := c.bytes(n)
		if err != nil || encoding == 3 {
			return text{string: string(b)}, err
		}
		runes := make([]rune, len(b))
		for i, x := range b {
			runes[i] = rune(x)
		}
		return text{string: string(runes)}, nil
	case 4: // The text is in UTF-16. Each code unit is an integer.
		n, err := c.count()
		if err != nil {
			return text{}, err
		}
		if n > maxText {
			return text{}, fmt.Errorf("a text has %d characters, more than the limit of %d", n, maxText)
		}
		var units []uint16
		for range n {
			u, err := c.number()
			if err != nil {
				return text{}, err
			}
			units = append(units, uint16(min(max(u, 0), math.MaxUint16)))
		}
		return text{string: string(utf16.Decode(units))}, nil
	}
	return text{}, fmt.Errorf("unknown encoding %d of a text", encoding)
}

// cut describes an error at the end of the file.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}
