package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// first is the offset of the bytes of cursorOf.
const first = 1

// cursorOf returns a cursor at the start of some bytes, with other bytes before and after its chunk.
func cursorOf(b ...byte) *cursor {
	return newCursor(bytes.NewReader(slices.Concat([]byte{9}, b, []byte{7, 7, 7, 7})), first, first+int64(len(b)))
}

// TestCursorNumbers reads integers of one byte to nine bytes.
func TestCursorNumbers(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  int64
	}{
		{[]byte{0}, 0}, {[]byte{0x7f}, 127}, {[]byte{0x80, 1}, 128}, {[]byte{0xff, 0x7f}, 1<<14 - 1}, {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -1},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, math.MinInt64}, {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, math.MaxInt64},
	} {
		cursor := cursorOf(c.bytes...)
		if got, err := cursor.number(); err != nil || got != c.want || cursor.at != first+int64(len(c.bytes)) {
			t.Errorf("% x is %d at %d, %v; want %d", c.bytes, got, cursor.at, err, c.want)
		}
		if _, err := cursorOf(c.bytes[:len(c.bytes)-1]...).number(); !errors.Is(err, errCut) {
			t.Errorf("% x without its end: %v", c.bytes, err)
		}
	}
}

// TestCursorStaysInItsChunk counts, skips and reads up to the end of a chunk, and beyond it.
func TestCursorStaysInItsChunk(t *testing.T) {
	for n, fits := range map[byte]bool{0: true, 4: true, 5: false, 0x7f: false} {
		c := cursorOf(n, 1, 2, 3, 4)
		got, err := c.count()
		if (err == nil) != fits || fits && got != int(n) {
			t.Errorf("a list of %d elements in 4 bytes: %d, %v", n, got, err)
		}
		if !fits && !strings.Contains(err.Error(), fmt.Sprintf("%d elements does not fit into the remaining 4 bytes", n)) {
			t.Errorf("a list of %d elements: %v", n, err)
		}
	}
	for n, fits := range map[int64]bool{0: true, 2: true, 3: true, 4: false, -1: false} {
		c := cursorOf(9, 8, 1, 2, 3)
		c.seek(first + 2)
		if err := c.skip(n); (err == nil) != fits || fits && c.at != first+2+n {
			t.Errorf("skipping %d of 3 bytes: at %d, %v", n, c.at, err)
		}
		c.seek(first + 2)
		b, err := c.bytes(n)
		if (err == nil) != fits || fits && (!bytes.Equal(b, []byte{1, 2, 3}[:n]) || c.at != first+2+n) {
			t.Errorf("reading %d of 3 bytes: %v, %v", n, b, err)
		}
	}
	c := cursorOf(5, 6, 7, 8)
	for _, at := range []int64{3, 0, 2, 1, 3} { // It goes on and back.
		c.seek(first + at)
		if b, err := c.byte(); err != nil || b != byte(5+at) || c.at != first+at+1 {
			t.Errorf("byte %d is %d, at %d, %v", at, b, c.at, err)
		}
	}
	if _, err := c.byte(); !errors.Is(err, errCut) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := cursorOf().bytes(maxText + 1); err == nil || errors.Is(err, errCut) {
		t.Errorf("a text of %d bytes: %v", maxText+1, err)
	}
	if _, err := cursorOf().bytes(maxText); !errors.Is(err, errCut) {
		t.Errorf("a text of %d bytes: %v", maxText, err)
	}
}

// TestCursorTexts reads texts in each encoding.
func TestCursorTexts(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  text
	}{
		{[]byte{0}, text{}}, {[]byte{1}, text{}}, {[]byte{2, 9}, text{pooled: 9, isRef: true}},
		{[]byte{3, 2, 0xc3, 0xa9}, text{string: "é"}}, {[]byte{5, 2, 'a', 0xe9}, text{string: "aé"}}, {[]byte{3, 0}, text{}},
		{[]byte{4, 3, 'a', 0xb5, 0xb0, 3, 0x92, 0xb8, 3}, text{string: "a\U0001D412"}},
	} {
		if got, err := cursorOf(c.bytes...).text(); err != nil || got != c.want {
			t.Errorf("% x is %+v, %v; want %+v", c.bytes, got, err, c.want)
		}
	}
	for _, bad := range [][]byte{{}, {6}, {3, 2, 'a'}, {4, 2, 'a'}, {2}, {3}} {
		if got, err := cursorOf(bad...).text(); err == nil {
			t.Errorf("% x is %+v", bad, got)
		}
	}
}

// TestHeaders reads headers whose tables are at the limits of the chunk, and outside of it. The chunk
// begins at 10 and has 200 bytes.
func TestHeaders(t *testing.T) {
	headed := func(length, pools, metadata uint64, more int) ([]byte, int64) {
		b := append([]byte("0123456789"), make([]byte, 200+more)...)
		copy(b[10:], magic)
		binary.BigEndian.PutUint16(b[14:], 2)
		for i, v := range []uint64{length, pools, metadata, 5, 6, 7, 8} {
			binary.BigEndian.PutUint64(b[18+8*i:], v)
		}
		b[10+67] = 1
		return b, int64(len(b))
	}
	for _, c := range []struct {
		length, pools, metadata uint64
		more                    int
		want                    string
	}{
		{200, headerSize, 199, 0, ""}, {200, 199, headerSize, 0, ""}, {150, 149, 100, 0, ""}, {200, 100, 100, 50, ""},
		{200, headerSize - 1, 100, 0, "outside"}, {200, 100, headerSize - 1, 0, "outside"}, {200, 200, 100, 0, "outside"}, {200, 100, 200, 0, "outside"},
		{201, 100, 100, 0, errCut.Error()}, {headerSize - 1, 60, 60, 0, errCut.Error()}, {200, 0, 100, 0, errOpen.Error()},
	} {
		b, size := headed(c.length, c.pools, c.metadata, c.more)
		h, err := readHeader(bytes.NewReader(b), 10, size)
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || c.want == "" && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && (h.begin != 10 || h.end != 10+int64(c.length) || h.pools != 10+int64(c.pools) || h.metadata != 10+int64(c.metadata) || h.start != 5 || h.duration != 6 || h.ticks != 7 || h.frequency != 8) {
			t.Errorf("%+v: %+v", c, h)
		}
	}
	if _, err := readHeader(bytes.NewReader(nil), 0, headerSize-1); !errors.Is(err, errCut) {
		t.Errorf("a cut header: %v", err)
	}
}

// TestEventsOfAChunk lists the events of a chunk, without metadata and checkpoints. An event must end
// in the chunk.
func TestEventsOfAChunk(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  string
		fails bool
	}{
		{[]byte{3, 5, 0, 2, 0, 2, 1, 4, 2, 0, 0}, "5 2 ", false}, {[]byte{3, 5, 0}, "5 ", false}, {[]byte{4, 5, 0}, "", true}, {[]byte{2, 9, 0}, "9 ", true}, {nil, "", false},
	} {
		b := append(make([]byte, headerSize), c.bytes...)
		got := ""
		err := events(newCursor(bytes.NewReader(append(b, 9, 9)), first, int64(len(b))), header{end: int64(len(b))}, func(class int64) error {
			got += fmt.Sprint(class, " ")
			return nil
		})
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("% x: %s, %v", c.bytes, got, err)
		}
	}
}

// TestLoadComparisons checks the limits at which a difference between samples and a measurement is
// clear, and at which a machine is busy.
func TestLoadComparisons(t *testing.T) {
	for _, c := range []struct {
		a, b time.Duration
		want bool
	}{
		{100 * time.Millisecond, 0, false}, {101 * time.Millisecond, 0, true}, {9*time.Second + 100*time.Millisecond, 8 * time.Second, false}, {9*time.Second + 101*time.Millisecond, 8 * time.Second, true}, {time.Second, 2 * time.Second, false},
	} {
		if got := clearlyMore(c.a, c.b); got != c.want {
			t.Errorf("%v is clearly more than %v: %v", c.a, c.b, got)
		}
	}
	for machine, want := range map[float64]bool{1.7: false, 1.9: true} {
		if l := (loads{machine: machine, machines: 2}); l.busy() != want {
			t.Errorf("a load of %v of 2 is busy: %v", machine, l.busy())
		}
	}
	var c comparison
	c.counted = 5
	if !c.set(3e9, 10e6) || c.sampled != 50*time.Millisecond || c.used != 3*time.Second {
		t.Errorf("5 samples of 10 ms: %+v", c)
	}
	for counted, fits := range map[int64]bool{math.MaxInt64 / 4 / 10: true, math.MaxInt64/4/10 + 1: false} {
		if c := (comparison{counted: counted}); c.set(1, 10) != fits {
			t.Errorf("%d samples of 10 ns fit: %v", counted, !fits)
		}
	}
	if c.set(math.MaxInt64/2, 1) {
		t.Error("a used time beyond all bounds fits")
	}
}
