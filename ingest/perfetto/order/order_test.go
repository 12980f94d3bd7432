package order_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto/order"
)

// A packet in these tests consists of a stream, a time and a number, of 8 bytes each.
const packetLen = 24

// An item is the content of a packet.
type item struct {
	stream int
	time   int64
	number int
}

// write writes a file of items.
func write(items []item) []byte {
	var b []byte
	for _, i := range items {
		b = binary.LittleEndian.AppendUint64(b, uint64(i.stream))
		b = binary.LittleEndian.AppendUint64(b, uint64(i.time))
		b = binary.LittleEndian.AppendUint64(b, uint64(i.number))
	}
	return b
}

// A reader reads the packets of one stream.
type reader struct{ stream int }

func (r reader) Read(_ int64, data []byte, list []order.Record[item]) ([]order.Record[item], error) {
	for ; len(data) >= packetLen; data = data[packetLen:] {
		i := item{int(binary.LittleEndian.Uint64(data)), int64(binary.LittleEndian.Uint64(data[8:])), int(binary.LittleEndian.Uint64(data[16:]))}
		if i.stream == r.stream {
			list = append(list, order.Record[item]{Time: i.time, Data: i})
		}
	}
	return list, nil
}

// merge returns the items of a file in the order of Merge. For items for which hidden returns true,
// it passes Unknown as the earliest time.
func merge(t *testing.T, items []item, hidden func(item) bool) []item {
	t.Helper()
	var x order.Index
	for i, it := range items {
		at := it.time
		if hidden(it) {
			at = order.Unknown
		}
		x.Add(it.stream, int64(i*packetLen), packetLen, at)
	}
	var got []item
	err := order.Merge(t.Context(), bytes.NewReader(write(items)), &x, func(stream int) order.Reader[item] { return reader{stream} },
		func(r *order.Record[item]) error {
			got = append(got, r.Data)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMerge compares the order of Merge with the result of sorting all items.
func TestMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n, streams := random.IntN(3000), 1+random.IntN(12)
		step, back := 1+random.Int64N(20), random.Int64N(500)
		items := make([]item, n)
		stream := 0
		for i := range items {
			if random.IntN(4) == 0 {
				stream = random.IntN(streams)
			}
			at := int64(i)*step + 1000
			if random.IntN(10) == 0 {
				at -= random.Int64N(back + 1)
			}
			items[i] = item{stream, at, i}
		}
		got := merge(t, items, func(i item) bool { return i.number < n/4 && i.number%7 == 0 })
		want := slices.Clone(items)
		slices.SortStableFunc(want, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.stream, b.stream))
		})
		if !slices.IsSortedFunc(got, func(a, b item) int { return cmp.Compare(a.time, b.time) }) {
			t.Fatal("times run backwards")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d items of %d streams come in another order", n, streams)
		}
	}
}

// TestManyRuns checks that the index stays small, and the order right, if the streams alternate all
// the time.
func TestManyRuns(t *testing.T) {
	items := make([]item, 1<<20+1<<16)
	for i := range items {
		items[i] = item{i % 3, int64(i), i}
	}
	got := merge(t, items, func(item) bool { return false })
	if !slices.Equal(got, items) {
		t.Error("the order is wrong")
	}
}

func TestMergeFails(t *testing.T) {
	items := []item{{0, 1, 0}, {0, 2, 1}}
	var x order.Index
	x.Add(0, 0, packetLen, 1)
	x.Add(0, packetLen, packetLen, 2)
	wrong := errors.New("wrong")
	open := func(int) order.Reader[item] { return reader{0} }
	if err := order.Merge(t.Context(), bytes.NewReader(write(items)), &x, open, func(*order.Record[item]) error { return wrong }); err != wrong {
		t.Error(err)
	}
	if err := order.Merge(t.Context(), bytes.NewReader(nil), &x, open, func(*order.Record[item]) error { return nil }); err == nil {
		t.Error("a file that shrinks is no error")
	}
	x = order.Index{}
	if err := order.Merge(t.Context(), bytes.NewReader(nil), &x, open, nil); err != nil {
		t.Error(err)
	}
}

// TestLate checks that a stream with a wrong early time is not kept in memory as a whole.
func TestLate(t *testing.T) {
	items := make([]item, 1<<17+1<<15)
	for i := range items {
		items[i] = item{0, int64(i) + 1000, i}
	}
	items[len(items)-1].time = 1
	got := merge(t, items, func(item) bool { return false })
	late := 0
	for i := 1; i < len(got); i++ {
		if got[i].time < got[i-1].time {
			late++
		}
	}
	if len(got) != len(items) || late != 1 || got[0].time != 1000 {
		t.Errorf("%d of %d items, %d of them late, from %d on", len(got), len(items), late, got[0].time)
	}
}
