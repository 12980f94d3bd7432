package data

import (
	"bytes"
	"encoding/binary"
)

// fields reads numbers and texts from the start of a byte slice. Reading beyond its end returns 0
// and sets short.
type fields struct {
	rest  []byte
	short bool
}

// take reads n bytes.
func (f *fields) take(n uint64) []byte {
	if n > uint64(len(f.rest)) {
		f.short, f.rest = true, nil
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) u32() uint32 {
	if b := f.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if b := f.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads a text and the zero byte after it.
func (f *fields) text() []byte {
	i := bytes.IndexByte(f.rest, 0)
	if i < 0 {
		f.short = true
		b := f.rest
		f.rest = nil
		return b
	}
	b := f.rest[:i]
	f.rest = f.rest[i+1:]
	return b
}

// until returns the bytes before the first zero.
func until(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
