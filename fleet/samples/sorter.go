package samples

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// A sorter sorts records by key and time, in memory if they fit and otherwise in files. Equal times
// are sorted by content, so that the order of the input does not matter.
type sorter struct {
	temp   string
	memory int
	index  []indexed
	blocks [][]byte // blocks have the records in memory. They never move, so adding leaves no garbage.
	block  int      // block is the index of the block that gets the next record.
	held   int      // held is the number of bytes in blocks.
	runs   []*os.File
	buffer []byte
}

// An indexed is a record in memory: its key, its time, and its position in a block. All tables limit
// the size of a row far below 4 GiB.
type indexed struct {
	key             uint64
	time            int64
	block, at, size uint32
}

// blockSize is the size of a block. A record that is larger has a block of its own.
const blockSize = 1 << 20

func newSorter(temp string, memory int) *sorter { return &sorter{temp: temp, memory: memory} }

// scratch returns an empty buffer for building a record. Pass the record to add before the next
// call.
func (s *sorter) scratch() []byte { return s.buffer[:0] }

// add adds a copy of a record that was built in scratch.
func (s *sorter) add(key uint64, time int64, record []byte) error {
	s.buffer = record
	return s.put(key, time, record)
}

// put adds a copy of a record.
func (s *sorter) put(key uint64, time int64, record []byte) error {
	const entry = 32
	if len(s.index) > 0 && s.held+len(record)+entry*len(s.index) > s.memory {
		if err := s.spill(); err != nil {
			return fmt.Errorf("sorting samples: %w", err)
		}
	}
	for s.block < len(s.blocks) && len(s.blocks[s.block])+len(record) > cap(s.blocks[s.block]) {
		s.block++
	}
	if s.block == len(s.blocks) {
		s.blocks = append(s.blocks, make([]byte, 0, max(blockSize, len(record))))
	}
	block := &s.blocks[s.block]
	s.index = append(s.index, indexed{key, time, uint32(s.block), uint32(len(*block)), uint32(len(record))})
	*block = append(*block, record...)
	s.held += len(record)
	return nil
}

// record returns a record in memory.
func (s *sorter) record(e *indexed) []byte { return s.blocks[e.block][e.at : e.at+e.size] }

func (s *sorter) sort() {
	slices.SortFunc(s.index, func(a, b indexed) int {
		if c := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.time, b.time)); c != 0 {
			return c
		}
		return bytes.Compare(s.record(&a), s.record(&b))
	})
}

// spill writes the records in memory to a new file.
func (s *sorter) spill() error {
	s.sort()
	file, err := temporary(s.temp)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, file)
	w := bufio.NewWriterSize(file, 1<<20)
	var head []byte
	for i := range s.index {
		e := &s.index[i]
		head = binary.LittleEndian.AppendUint64(head[:0], e.key)
		head = binary.LittleEndian.AppendUint64(head, uint64(e.time))
		head = binary.AppendUvarint(head, uint64(e.size))
		if _, err := w.Write(head); err != nil {
			return err
		}
		if _, err := w.Write(s.record(e)); err != nil {
			return err
		}
	}
	for i := range s.blocks {
		s.blocks[i] = s.blocks[i][:0]
	}
	s.index, s.block, s.held = s.index[:0], 0, 0
	return w.Flush()
}

// close removes the files.
func (s *sorter) close() {
	for _, f := range s.runs {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	s.runs = nil
}

// A keyRange is a range of the sorted records. All records with the same key are in the same range.
type keyRange struct {
	from, to int64 // from and to are indices of records, or byte offsets in the merged file.
}

// ranges sorts the records and returns about n ranges of equal size. No record may be added
// afterwards.
func (s *sorter) ranges(n int) ([]keyRange, error) {
	if len(s.runs) > 0 {
		if err := s.spill(); err != nil {
			return nil, fmt.Errorf("sorting samples: %w", err)
		}
		return s.merge(n)
	}
	s.sort()
	var all []keyRange
	size := max(1, (len(s.index)+n-1)/n)
	for from := 0; from < len(s.index); {
		to := min(from+size, len(s.index))
		for to < len(s.index) && s.index[to].key == s.index[to-1].key {
			to++
		}
		all = append(all, keyRange{int64(from), int64(to)})
		from = to
	}
	return all, nil
}

// merge merges all files into one, and returns about n ranges of it.
func (s *sorter) merge(n int) (all []keyRange, err error) {
	var total int64
	h := &runHeap{}
	for _, f := range s.runs {
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return nil, err
		}
		total += size
		r := &run{r: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 256<<10)}
		if err := r.next(); err != nil {
			return nil, err
		}
		*h = append(*h, r)
	}
	out, err := temporary(s.temp)
	if err != nil {
		return nil, err
	}
	old := s.runs
	s.runs = append(s.runs, out)
	w := bufio.NewWriterSize(out, 1<<20)
	heap.Init(h)
	var at, from int64
	var last uint64
	for len(*h) > 0 {
		r := (*h)[0]
		if at-from > total/int64(n) && r.key != last {
			all = append(all, keyRange{from, at})
			from = at
		}
		last = r.key
		if _, err := w.Write(r.whole); err != nil {
			return nil, err
		}
		at += int64(len(r.whole))
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			heap.Pop(h)
		case err != nil:
			return nil, err
		default:
			heap.Fix(h, 0)
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	for _, f := range old {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	s.runs = []*os.File{out}
	return append(all, keyRange{from, at}), nil
}

// each calls f for each record of a range. Several goroutines may call it at the same time.
func (s *sorter) each(ctx context.Context, in keyRange, f func(key uint64, time int64, record []byte) error) error {
	if len(s.runs) == 0 {
		for i := range s.index[in.from:in.to] {
			e := &s.index[in.from+int64(i)]
			if i&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := f(e.key, e.time, s.record(e)); err != nil {
				return err
			}
		}
		return nil
	}
	r := &run{r: bufio.NewReaderSize(io.NewSectionReader(s.runs[0], in.from, in.to-in.from), 256<<10)}
	for i := 0; ; i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := f(r.key, r.time, r.record); err != nil {
			return err
		}
	}
}

// A run is a sorted file during a merge.
type run struct {
	r      *bufio.Reader
	key    uint64
	time   int64
	record []byte
	whole  []byte // whole is the record with its head.
}

func (r *run) next() error {
	const head = 16
	r.whole = append(r.whole[:0], make([]byte, head)...)
	if _, err := io.ReadFull(r.r, r.whole); err != nil {
		return err
	}
	r.key = binary.LittleEndian.Uint64(r.whole)
	r.time = int64(binary.LittleEndian.Uint64(r.whole[8:]))
	size, err := binary.ReadUvarint(r.r)
	if err != nil {
		return err
	}
	r.whole = binary.AppendUvarint(r.whole, size)
	at := len(r.whole)
	r.whole = slices.Grow(r.whole, int(size))[:at+int(size)]
	r.record = r.whole[at:]
	_, err = io.ReadFull(r.r, r.record)
	return err
}

// A runHeap has the run with the smallest record first.
type runHeap []*run

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].key, h[j].key), cmp.Compare(h[i].time, h[j].time), bytes.Compare(h[i].record, h[j].record)) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)   { *h = append(*h, x.(*run)) }
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// appendRow appends a row as a record for the sorter.
func appendRow(b []byte, r *row) []byte {
	// The complement makes samples with equal times sort by falling level.
	b = binary.BigEndian.AppendUint64(b, ^math.Float64bits(r.level))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.step))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.rate))
	b = append(b, byte(r.state), byte(r.trigger))
	for _, list := range [][]uint32{r.features, r.apps, r.versions} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, v := range list {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	return b
}

// readRow reads a row that appendRow wrote.
func readRow(r *row, b []byte) {
	r.level = math.Float64frombits(^binary.BigEndian.Uint64(b))
	r.step = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	r.rate = math.Float64frombits(binary.LittleEndian.Uint64(b[16:]))
	r.state, r.trigger = State(b[24]), Trigger(b[25])
	b = b[26:]
	for _, list := range []*[]uint32{&r.features, &r.apps, &r.versions} {
		n, size := binary.Uvarint(b)
		b = b[size:]
		*list = (*list)[:0]
		for range n {
			v, size := binary.Uvarint(b)
			b = b[size:]
			*list = append(*list, uint32(v))
		}
	}
}

// sortedParts returns the parts of a set whose samples are in a sorter.
func (r *reader) sortedParts(s *sorter) ([]part, error) {
	const shares = 64
	stretches, err := s.ranges(shares)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, in := range stretches {
		parts = append(parts, func(ctx context.Context, f func(*Client) error) error {
			return r.eachSorted(ctx, s, in, f)
		})
	}
	return parts, nil
}

// eachSorted converts the records of a range to clients.
func (r *reader) eachSorted(ctx context.Context, s *sorter, in keyRange, f func(*Client) error) error {
	c := &Client{}
	var row row
	give := func() error {
		if c.Len() == 0 {
			return nil
		}
		c.finish(r)
		return f(c)
	}
	err := s.each(ctx, in, func(key uint64, time int64, record []byte) error {
		if ID(key) != c.ID || c.Len() == 0 {
			if err := give(); err != nil {
				return err
			}
			c.reset(ID(key), len(r.set.Features))
		}
		readRow(&row, record)
		row.client, row.time = ID(key), time
		if !c.add(&row) {
			r.set.counts.addOne(tooMany)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}
