package samples

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// A store keeps clients in a temporary file, so that later readings need not decode the input
// again. If the disk is full, it stores nothing. Several goroutines may use it.
type store struct {
	temp string
	end  atomic.Int64

	mu   sync.Mutex
	file *os.File
	err  error // err is the first error of creating or writing the file.
}

// A chunk is a part of the file. It has whole clients.
type chunk struct {
	at   int64
	size int
}

// chunkSize is the approximate size of a chunk. A client that is larger has a larger chunk.
const chunkSize = 1 << 20

// keep wraps a part. The first reading stores its clients, and later readings use the file.
func (s *store) keep(p part) part {
	var kept atomic.Pointer[[]chunk]
	return func(ctx context.Context, f func(*Client) error) error {
		if chunks := kept.Load(); chunks != nil {
			return s.each(ctx, *chunks, f)
		}
		var buffer []byte
		var chunks []chunk
		whole := true
		flush := func() {
			at, err := s.write(buffer)
			whole = whole && err == nil
			chunks = append(chunks, chunk{at, len(buffer)})
			buffer = buffer[:0]
		}
		err := p(ctx, func(c *Client) error {
			if whole {
				if buffer = c.appendTo(buffer); len(buffer) >= chunkSize {
					flush()
				}
			}
			return f(c)
		})
		if err != nil {
			return err
		}
		if flush(); whole {
			kept.Store(&chunks)
		}
		return nil
	}
}

// write writes a chunk and returns its offset.
func (s *store) write(b []byte) (at int64, err error) {
	s.mu.Lock()
	if s.file == nil && s.err == nil {
		s.file, s.err = temporary(s.temp)
	}
	file, err := s.file, s.err
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	at = s.end.Add(int64(len(b))) - int64(len(b))
	if _, err := file.WriteAt(b, at); err != nil {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		return 0, err
	}
	return at, nil
}

// each calls f for each client of some chunks.
func (s *store) each(ctx context.Context, chunks []chunk, f func(*Client) error) error {
	var buffer []byte
	c := &Client{}
	for _, at := range chunks {
		buffer = slices.Grow(buffer[:0], at.size)[:at.size]
		if _, err := s.file.ReadAt(buffer, at.at); err != nil {
			return err
		}
		for rest := buffer; len(rest) > 0; {
			if err := ctx.Err(); err != nil {
				return err
			}
			rest = c.readFrom(rest)
			if err := f(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// close removes the file.
func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// appendTo encodes a client. Numbers are stored as differences between successive values.
func (c *Client) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(c.ID))
	b = binary.AppendUvarint(b, uint64(c.Len()))
	b = binary.AppendUvarint(b, uint64(len(c.Times)))
	b = binary.AppendUvarint(b, uint64(len(c.Features)))
	b = binary.AppendUvarint(b, uint64(len(c.Entries)))
	for _, e := range c.Entries {
		b = binary.AppendUvarint(b, uint64(e.App))
		b = binary.AppendUvarint(b, uint64(e.Version))
		b = binary.AppendUvarint(b, uint64(e.First))
	}
	b = appendNumbers(b, c.starts)
	b = binary.AppendUvarint(b, uint64(len(c.ran)))
	for _, at := range c.ran {
		if width(len(c.Entries)) == 1 {
			b = append(b, byte(at))
		} else {
			b = binary.LittleEndian.AppendUint32(b, at)
		}
	}
	for _, values := range c.Features {
		b = appendNumbers(b, values)
	}
	b = appendNumbers(b, c.Rates)
	b = appendNumbers(b, c.Times)
	b = appendNumbers(b, c.Levels)
	b = appendNumbers(b, c.Steps)
	for i, state := range c.States {
		b = append(b, byte(state), byte(c.Triggers[i]))
	}
	return b
}

// readFrom decodes a client that appendTo encoded. It returns the remaining bytes.
func (c *Client) readFrom(b []byte) []byte {
	c.ID = ID(binary.LittleEndian.Uint64(b))
	b = b[8:]
	var length, times, features, entries, ran int
	length, b = readNumber(b)
	times, b = readNumber(b)
	features, b = readNumber(b)
	entries, b = readNumber(b)
	c.Entries = slices.Grow(c.Entries[:0], entries)[:entries]
	for i := range c.Entries {
		var app, version, first int
		app, b = readNumber(b)
		version, b = readNumber(b)
		first, b = readNumber(b)
		c.Entries[i] = Entry{App: uint32(app), Version: uint32(version), First: int32(first)}
	}
	c.starts, b = readNumbers(b, c.starts, length)
	ran, b = readNumber(b)
	c.ran = slices.Grow(c.ran[:0], ran)[:ran]
	size := width(entries)
	bytes := b[:ran*size]
	b = b[ran*size:]
	for i := range c.ran {
		if size == 1 {
			c.ran[i] = uint32(bytes[i])
		} else {
			c.ran[i] = binary.LittleEndian.Uint32(bytes[i*size:])
		}
	}
	c.Features = slices.Grow(c.Features[:0], features)[:features]
	for f := range c.Features {
		c.Features[f], b = readNumbers(b, c.Features[f], length)
	}
	c.Rates, b = readNumbers(b, c.Rates, length-times)
	c.Times, b = readNumbers(b, c.Times, times)
	c.Levels, b = readNumbers(b, c.Levels, times)
	c.Steps, b = readNumbers(b, c.Steps, times)
	c.States, c.Triggers = c.States[:0], c.Triggers[:0]
	for i := range times {
		c.States, c.Triggers = append(c.States, State(b[2*i])), append(c.Triggers, Trigger(b[2*i+1]))
	}
	return b[2*times:]
}

// width returns the number of bytes for the index of an entry.
func width(entries int) int {
	if entries <= 1<<8 {
		return 1
	}
	return 4
}

// appendNumbers appends numbers, encoded as differences.
func appendNumbers[T int32 | uint32 | int64](b []byte, values []T) []byte {
	last := int64(0)
	for _, v := range values {
		b = binary.AppendVarint(b, int64(v)-last)
		last = int64(v)
	}
	return b
}

// readNumbers decodes n numbers that appendNumbers encoded. It reuses the memory of values.
func readNumbers[T int32 | uint32 | int64](b []byte, values []T, n int) ([]T, []byte) {
	values = slices.Grow(values[:0], n)[:n]
	last := int64(0)
	for i := range values {
		u, size := uint64(b[0]), 1
		if u >= 0x80 {
			u, size = binary.Uvarint(b)
		}
		b = b[size:]
		last += int64(u>>1) ^ -int64(u&1)
		values[i] = T(last)
	}
	return values, b
}

func readNumber(b []byte) (int, []byte) {
	u, size := binary.Uvarint(b)
	return int(u), b[size:]
}
