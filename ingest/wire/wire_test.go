package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A field is a field of a random message, with the text that show prints for it.
type field struct {
	encoded []byte
	text    string
}

// randomField encodes a field as the Protocol Buffers specification describes it. It shares no code
// with the package.
func randomField(r *rand.Rand) field {
	number := []uint64{1, 2, 15, 16, 300, 1<<29 - 1}[r.IntN(6)]
	varint := func(v uint64) (b []byte) {
		for ; v >= 0x80; v >>= 7 {
			b = append(b, byte(v)|0x80)
		}
		return append(b, byte(v))
	}
	value := r.Uint64() >> r.IntN(64)
	switch r.IntN(4) {
	case 0:
		return field{append(varint(number<<3), varint(value)...), fmt.Sprintf("%d=%d", number, value)}
	case 1:
		return field{binary.LittleEndian.AppendUint64(varint(number<<3|1), value), fmt.Sprintf("%d=%d", number, value)}
	case 2:
		return field{binary.LittleEndian.AppendUint32(varint(number<<3|5), uint32(value)), fmt.Sprintf("%d=%d", number, uint32(value))}
	}
	data := make([]byte, []int{0, 1, 125, 126, 127, 128, 3000}[r.IntN(7)])
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return field{append(append(varint(number<<3|2), varint(uint64(len(data)))...), data...), fmt.Sprintf("%d=%x", number, data) + "."}
}

func show(number int, value uint64, data []byte) string {
	if data != nil {
		return fmt.Sprintf("%d=%x.", number, data)
	}
	return fmt.Sprintf("%d=%d", number, value)
}

// TestReadFields reads random messages as outermost and as inner messages. A message that is
// truncated within a field is an error, and the fields before the truncation are read.
func TestReadFields(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		var message []byte
		ends := []int{0}
		var want []string
		for range 1 + r.IntN(5) {
			f := randomField(r)
			message = append(message, f.encoded...)
			ends = append(ends, len(message))
			want = append(want, f.text)
		}
		for _, size := range append(slices.Clone(ends), r.IntN(len(message)+1), len(message)-1) {
			whole := 0 // fields before the cut
			for whole < len(want) && ends[whole+1] <= size {
				whole++
			}
			cut := ends[whole] != size
			var got []string
			m := Message(message[:size])
			var err error
			for len(m) > 0 && err == nil {
				var number int
				var value uint64
				var data []byte
				if number, value, data, err = m.Next(); err == nil {
					got = append(got, show(number, value, data))
				}
			}
			if !slices.Equal(got, want[:whole]) || (err != nil) != cut {
				t.Fatalf("%x, %d bytes: inner message %q, %v; want %q", message, size, got, err, want[:whole])
			}
			got = nil
			reader := NewReader(bytes.NewReader(message[:size]))
			for {
				number, value, data, err := reader.Next(func(int) bool { return true })
				if err != nil {
					if cut != errors.Is(err, ErrCut) || cut == errors.Is(err, io.EOF) || reader.Offset() != int64(ends[whole]) {
						t.Fatalf("%x, %d bytes: %v at %d", message, size, err, reader.Offset())
					}
					break
				}
				if n := len(got); reader.Offset() != int64(ends[n]) || reader.End() != int64(ends[n+1]) {
					t.Fatalf("field %d of %x is at %d to %d, want %d to %d", n, message, reader.Offset(), reader.End(), ends[n], ends[n+1])
				}
				text := show(number, value, data)
				if value == 0 && data == nil { // Next skips a fixed number in an outermost message.
					text, _, _ = strings.Cut(want[len(got)], "\n")
				}
				got = append(got, text)
			}
			if !slices.Equal(got, want[:whole]) {
				t.Fatalf("%x, %d bytes: %q, want %q", message, size, got, want[:whole])
			}
		}
	}
}

// TestSkipsUnwantedFields skips fields of bytes that the caller does not want.
func TestSkipsUnwantedFields(t *testing.T) {
	reader := NewReader(strings.NewReader("\x0a\x03abc\x12\x02de"))
	if number, _, data, err := reader.Next(func(n int) bool { return n == 2 }); number != 1 || data != nil || err != nil || reader.End() != 5 {
		t.Errorf("the first field is %d, %q, %v, up to %d", number, data, err, reader.End())
	}
	if number, _, data, err := reader.Next(func(n int) bool { return n == 2 }); number != 2 || string(data) != "de" || err != nil {
		t.Errorf("the second field is %d, %q, %v", number, data, err)
	}
}

// TestBadFields reads fields that no writer writes.
func TestBadFields(t *testing.T) {
	long := strings.Repeat("\xff", 11)
	for _, c := range []struct{ text, reader, message string }{
		{"\x02\x00", "invalid field number 0", ""},
		{"\x82\x80\x80\x80\x20\x00", "invalid field number 1073741824", ""},
		{"\x0b", "invalid field type 3", "invalid field type 3"},
		{"\x0c", "invalid field type 4", "invalid field type 4"},
		{"\x0a\x05abc", ErrCut.Error(), "a field is longer than the message"},
		{"\x08" + long, ErrNumber.Error(), ErrNumber.Error()},
		{"\x0a" + long, ErrNumber.Error(), ErrNumber.Error()},
		{"\x0a\x81\x80\x80\x20", "a field has 67108865 bytes, more than the limit of 67108864", "longer than the message"},
		{"\x0a\x80\x80\x80\x20", ErrCut.Error(), "longer than the message"}, // This is exactly the limit.
	} {
		reader := NewReader(strings.NewReader(c.text))
		if _, _, _, err := reader.Next(func(int) bool { return true }); err == nil || err.Error() != c.reader {
			t.Errorf("%q: %v, want %q", c.text, err, c.reader)
		}
		m := Message(c.text)
		if _, _, _, err := m.Next(); c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%q within a message: %v, want %q", c.text, err, c.message)
		}
	}
}

// TestLists reads repeated numbers, packed and single.
func TestLists(t *testing.T) {
	if got, err := Numbers([]int64{7}, 0, []byte("\x01\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")); err != nil || !slices.Equal(got, []int64{7, 1, 128, -1}) {
		t.Errorf("packed numbers are %v, %v", got, err)
	}
	if got, err := Numbers([]uint64{7}, 9, nil); err != nil || !slices.Equal(got, []uint64{7, 9}) {
		t.Errorf("numbers are %v, %v", got, err)
	}
	if _, err := Numbers[uint64](nil, 0, []byte("\x01\x80")); err == nil {
		t.Error("a cut number is one")
	}
	two := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 3), math.MaxUint64)
	if got, err := Fixed([]uint64{1}, 0, two); err != nil || !slices.Equal(got, []uint64{1, 3, math.MaxUint64}) {
		t.Errorf("packed fixed numbers are %v, %v", got, err)
	}
	if got, err := Fixed([]uint64{1}, 5, nil); err != nil || !slices.Equal(got, []uint64{1, 5}) {
		t.Errorf("fixed numbers are %v, %v", got, err)
	}
	if _, err := Fixed(nil, 0, two[:15]); err == nil {
		t.Error("a cut fixed number is one")
	}
	a, c := uint64(1), uint64(3)
	if err := Fill([]byte("\x08\x0a\x10\x0b\x18\x0c\x20\x0d"), &a, nil, &c); err != nil || a != 10 || c != 12 {
		t.Errorf("the places have %d and %d, %v", a, c, err)
	}
	stop := errors.New("stop")
	seen := 0
	if err := Each([]byte("\x08\x0a\x10\x0b"), func(int, uint64, []byte) error { seen++; return stop }); !errors.Is(err, stop) || seen != 1 {
		t.Errorf("%v after %d fields", err, seen)
	}
}
