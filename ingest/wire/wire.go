// Package wire reads the wire format of Protocol Buffers field by field, without generated code.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxField limits the size of a field. For comparison, a sample of a million frames takes 10 MB.
const maxField = 64 << 20

// Causes of errors.
var (
	ErrCut    = errors.New("the file ends in the middle of a field")
	ErrNumber = errors.New("a number has more than 64 bits")
)

// A Reader reads the fields of an outermost message, one after the other. It must not be used
// concurrently.
type Reader struct {
	r *bufio.Reader
	// at is the offset of the latest field, and end is the offset of the next field.
	at, end int64
	buf     []byte
}

// NewReader returns a reader of a message.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 1<<16), buf: make([]byte, 0, 1<<12)}
}

// Offset returns the start of the latest field.
func (r *Reader) Offset() int64 { return r.at }

// End returns the end of the latest field.
func (r *Reader) End() int64 { return r.end }

// ReadByte implements io.ByteReader and counts the byte.
func (r *Reader) ReadByte() (byte, error) {
	b, err := r.r.ReadByte()
	if err == nil {
		r.end++
	}
	return b, err
}

// Next reads the next field, which is a number or bytes. data is nil for a number, and otherwise
// valid until the next call. If want returns false for a field of bytes, Next skips the bytes and
// data is nil. It returns io.EOF after the last field.
func (r *Reader) Next(want func(number int) bool) (number int, value uint64, data []byte, err error) {
	r.at = r.end
	if _, err := r.r.Peek(1); err != nil {
		return 0, 0, nil, err
	}
	tag, err := r.varint()
	if err != nil {
		return 0, 0, nil, err
	}
	if tag>>3 == 0 || tag>>3 > 1<<29 {
		return 0, 0, nil, fmt.Errorf("invalid field number %d", tag>>3)
	}
	number = int(tag >> 3)
	size := uint64(0)
	switch tag & 7 {
	case 0:
		value, err = r.varint()
		return number, value, nil, err
	case 1:
		size = 8
	case 2:
		if size, err = r.varint(); err != nil {
			return 0, 0, nil, err
		}
	case 5:
		size = 4
	default:
		return 0, 0, nil, fmt.Errorf("invalid field type %d", tag&7)
	}
	if tag&7 != 2 || !want(number) {
		// The conversion to int is safe, because no file has 2⁶³ bytes.
		n, err := r.r.Discard(int(min(size, 1<<62)))
		r.end += int64(n)
		return number, 0, nil, cut(err)
	}
	if size > maxField {
		return 0, 0, nil, fmt.Errorf("a field has %d bytes, more than the limit of %d", size, maxField)
	}
	if data, err = r.bytes(int(size)); err != nil {
		return 0, 0, nil, err
	}
	return number, 0, data, nil
}

// bytes reads size bytes. The buffer grows only as bytes arrive, because the stated size may be
// wrong.
func (r *Reader) bytes(size int) ([]byte, error) {
	const step = 1 << 20
	r.buf = r.buf[:0]
	for len(r.buf) < size {
		from := len(r.buf)
		to := min(size, from+step)
		if cap(r.buf) < to {
			r.buf = append(make([]byte, 0, max(to, 2*cap(r.buf))), r.buf...)
		}
		r.buf = r.buf[:to]
		n, err := io.ReadFull(r.r, r.buf[from:])
		r.end += int64(n)
		if err != nil {
			return nil, cut(err)
		}
	}
	return r.buf, nil
}

func (r *Reader) varint() (uint64, error) {
	from := r.end
	v, err := binary.ReadUvarint(r)
	switch {
	case err == nil:
		return v, nil
	case r.end-from == binary.MaxVarintLen64:
		return 0, ErrNumber
	}
	return 0, cut(err)
}

// cut describes the end of the file within a field.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return err
}

// A Message has the unread bytes of an inner message.
type Message []byte

// Next reads the first field of the message, and removes it. The field is a number or, if data is
// not nil, bytes. Fixed 32-bit and 64-bit numbers are returned as bits, which math.Float64frombits
// and similar functions convert.
func (m *Message) Next() (number int, value uint64, data []byte, err error) {
	// In most fields, the tag has one byte, and so has the number or the length.
	if b := *m; len(b) > 1 && b[0] < 0x80 && b[1] < 0x80 {
		switch b[0] & 7 {
		case 0:
			*m = b[2:]
			return int(b[0] >> 3), uint64(b[1]), nil, nil
		case 2:
			if end := 2 + int(b[1]); end <= len(b) {
				*m = b[end:]
				return int(b[0] >> 3), 0, b[2:end], nil
			}
		}
	}
	return m.next()
}

// next is the general case of Next.
func (m *Message) next() (number int, value uint64, data []byte, err error) {
	tag, err := m.varint()
	if err != nil {
		return 0, 0, nil, err
	}
	number = int(tag >> 3)
	size := uint64(0)
	switch tag & 7 {
	case 0:
		value, err = m.varint()
		return number, value, nil, err
	case 1:
		size = 8
	case 2:
		if size, err = m.varint(); err != nil {
			return 0, 0, nil, err
		}
	case 5:
		size = 4
	default:
		return 0, 0, nil, fmt.Errorf("invalid field type %d", tag&7)
	}
	if size > uint64(len(*m)) {
		return 0, 0, nil, errors.New("a field is longer than the message that it is in")
	}
	data, *m = (*m)[:size], (*m)[size:]
	switch tag & 7 {
	case 1:
		return number, binary.LittleEndian.Uint64(data), nil, nil
	case 5:
		return number, uint64(binary.LittleEndian.Uint32(data)), nil, nil
	}
	return number, 0, data, nil
}

func (m *Message) varint() (uint64, error) {
	v, n := binary.Uvarint(*m)
	switch {
	case n == 0:
		return 0, errors.New("a message ends in the middle of a number")
	case n < 0:
		return 0, ErrNumber
	}
	*m = (*m)[n:]
	return v, nil
}

// Numbers appends the numbers of a repeated field: the packed numbers in data, or value if data is
// nil.
func Numbers[T int64 | uint64](list []T, value uint64, data []byte) ([]T, error) {
	if data == nil {
		return append(list, T(value)), nil
	}
	for m := Message(data); len(m) > 0; {
		v, err := m.varint()
		if err != nil {
			return nil, err
		}
		list = append(list, T(v))
	}
	return list, nil
}

// Fixed appends the 64-bit numbers of a repeated field: the packed numbers in data, or value if
// data is nil.
func Fixed(list []uint64, value uint64, data []byte) ([]uint64, error) {
	if data == nil {
		return append(list, value), nil
	}
	for ; len(data) >= 8; data = data[8:] {
		list = append(list, binary.LittleEndian.Uint64(data))
	}
	if len(data) > 0 {
		return nil, errors.New("a list of numbers ends in the middle of one")
	}
	return list, nil
}

// Each calls f for each field of an inner message.
func Each(data []byte, f func(number int, value uint64, data []byte) error) error {
	for m := Message(data); len(m) > 0; {
		number, value, data, err := m.Next()
		if err == nil {
			err = f(number, value, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Fill reads numbers of an inner message: field 1 into places[0], field 2 into places[1] and so on.
// It skips fields whose place is nil, and fields after the last place.
func Fill(data []byte, places ...*uint64) error {
	return Each(data, func(number int, value uint64, _ []byte) error {
		if number >= 1 && number <= len(places) && places[number-1] != nil {
			*places[number-1] = value
		}
		return nil
	})
}
