package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/trace"
)

// sniffLen is how many decompressed bytes the formats may look at.
const sniffLen = 8 << 10

// A format is a format of recordings.
type format struct {
	sniff  func(head []byte) bool
	decode func(context.Context, io.Reader, trace.Sink, *File) (*trace.Trace, error)
	// lateClock is nil for formats that state their clocks at the start.
	lateClock func(head []byte) bool
}

// formats are tried in turn: those with a magic number first, plain text last.
var formats = [...]format{
	{
		sniff:     art.Sniff,
		lateClock: art.LateClock,
		decode: func(ctx context.Context, r io.Reader, sink trace.Sink, f *File) (*trace.Trace, error) {
			return art.Decode(ctx, r, sink, art.Options{Partial: f.opts.Partial, Clock: f.knownClock(), Flows: f.flows})
		},
	},
	{
		sniff: folded.Sniff,
		decode: func(ctx context.Context, r io.Reader, sink trace.Sink, f *File) (*trace.Trace, error) {
			if f.opts.Flows != "" {
				return nil, errors.New("a flows file needs a method trace, and these are folded stacks")
			}
			return folded.Decode(ctx, r, sink, folded.Options{Unit: f.opts.Unit, Voltage: f.opts.Voltage})
		},
	},
}

// An input is a file being read: decompressed, and its format known.
type input struct {
	r      io.Reader
	head   []byte
	format *format
	close  func()
}

// identify undoes compression and finds the format.
func (f *File) identify(ctx context.Context, source io.Reader) (*input, error) {
	r, done, err := f.expand(ctx, source)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(r, sniffLen)
	head, err := b.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) && !(errors.Is(err, io.ErrUnexpectedEOF) && len(head) > 0) {
		done()
		return nil, err
	}
	for i := range formats {
		if formats[i].sniff(head) {
			return &input{r: b, head: head, format: &formats[i], close: done}, nil
		}
	}
	done()
	return nil, unknown(head)
}

// A meter reports how far the reading of a file has come.
type meter struct {
	r                 io.Reader
	done, next, total int64
	report            func(done, total int64)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	if m.done >= m.next || err != nil {
		m.report(m.done, m.total)
		m.next = m.done + max(m.total/256, 1<<16)
	}
	return n, err
}
