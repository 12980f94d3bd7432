package dex

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"hash/adler32"
	"testing"
)

// TestHeader checks the header of a written file: its magic number, checksums, sizes and offsets.
func TestHeader(t *testing.T) {
	found, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(found[0])
	if err != nil {
		t.Fatal(err)
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	if !bytes.HasPrefix(data, []byte("dex\n0")) || data[7] != 0 {
		t.Errorf("the file begins with %q", data[:8])
	}
	if got, want := u32(0x08), adler32.Checksum(data[0x0c:]); got != want {
		t.Errorf("the checksum is %#x, want %#x", got, want)
	}
	if want := sha1.Sum(data[0x20:]); !bytes.Equal(data[0x0c:0x20], want[:]) {
		t.Errorf("the signature is %x, want %x", data[0x0c:0x20], want)
	}
	if u32(0x20) != uint32(len(data)) || u32(0x24) != 0x70 || u32(0x28) != 0x12345678 {
		t.Errorf("the file size is %d, the header size is %d and the byte order is %#x", u32(0x20), u32(0x24), u32(0x28))
	}
	// The sections of identifiers follow each other. The data section comes next and ends with
	// the file.
	end := uint32(0x70)
	for i, size := range []uint32{4, 4, 12, 8, 8, 32} {
		count, offset := u32(0x38+8*i), u32(0x3c+8*i)
		if count == 0 {
			continue
		}
		if offset != end {
			t.Errorf("section %d begins at %d, want %d", i+1, offset, end)
		}
		end = offset + count*size
	}
	if size, offset := u32(0x68), u32(0x6c); offset < end || size+offset != uint32(len(data)) {
		t.Errorf("the data section has %d bytes from %d, in a file of %d bytes whose sections end at %d", size, offset, len(data), end)
	}
	if at := u32(0x34); at < u32(0x6c) || at >= uint32(len(data)) {
		t.Errorf("the list of sections begins at %d", at)
	}
}
