package apk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"
	"testing"
)

// TestDigest compares digests with the definition of signature scheme 2: each section is cut into
// chunks of 1 MiB, and no chunk is empty.
func TestDigest(t *testing.T) {
	const chunk = 1 << 20
	hash := func(parts ...[]byte) []byte {
		sum := sha256.Sum256(slices.Concat(parts...))
		return sum[:]
	}
	number := func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
	content := func(n int) []byte { return bytes.Repeat([]byte("0123456789"), n/10+1)[:n] }
	for _, sizes := range [][3]int{{0, 0, 22}, {1, 5, 22}, {chunk, chunk, 22}, {2 * chunk, 9, 22}, {2*chunk + 1, chunk + 1, 22}, {chunk - 1, 2 * chunk, 22}} {
		var sections [3][]byte
		var sums []byte
		count := 0
		for i, size := range sizes {
			sections[i] = content(size)
			for piece := range slices.Chunk(sections[i], chunk) {
				sums, count = append(sums, hash([]byte{0xa5}, number(len(piece)), piece)...), count+1
			}
		}
		want := hash([]byte{0x5a}, number(count), sums)
		for _, step := range []int{chunk - 1, chunk, 3 * chunk} {
			d := newDigester(io.Discard)
			for piece := range slices.Chunk(sections[0], step) {
				if n, err := d.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := d.digest(sections[1], sections[2]); !bytes.Equal(got, want) {
				t.Errorf("sections of %v bytes, written in pieces of %d: %x, want %x", sizes, step, got, want)
			}
		}
	}
}
