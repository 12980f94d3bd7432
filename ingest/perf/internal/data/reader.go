package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

const (
	recordHeader = 8
	// maxPlain is the largest size of a record that the kernel writes.
	maxPlain = 1 << 16
	// maxLarge limits the size of a record that simpleperf writes. The largest such record is the
	// table of kernel symbols.
	maxLarge = 256 << 20
	// maxBlock is the largest decompressed size of a zstd block.
	maxBlock  = 128 << 10
	maxWindow = 8 << 20
)

// An Error is an error at an offset of the file.
type Error struct {
	At  int64
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A reader reads records one after the other.
type reader struct {
	f     *File
	ctx   context.Context
	visit func(*Record) error
	n     int
	// at is the current record. If it contains other records, inner is the current one of these.
	at, inner Record
	// parts collects the parts of a record that simpleperf split.
	parts []byte
	// large is the buffer for records larger than maxPlain.
	large bytes.Buffer
	zstd  *inflater
	// expanded counts the decompressed bytes.
	expanded int64
}

// each calls visit for each record in file order. It returns an *Error, or an error of visit or of
// the context.
func (f *File) each(ctx context.Context, visit func(*Record) error) error {
	r := &reader{f: f, ctx: ctx, visit: visit}
	defer func() {
		if r.zstd != nil {
			r.zstd.decoder.Close()
		}
	}()
	in := bufio.NewReaderSize(io.NewSectionReader(f.r, f.begin, f.end-f.begin), 2*maxPlain)
	for at := f.begin; ; {
		head, err := in.Peek(recordHeader)
		if len(head) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		size, err := r.record(in, head, err, at)
		if f.partial && errors.Is(err, ErrCut) {
			f.Cut = true
			return nil
		}
		if err != nil {
			return err
		}
		at += size
	}
}

// record reads the record whose header is head, and returns its size in the file.
func (r *reader) record(in *bufio.Reader, head []byte, err error, at int64) (int64, error) {
	if err != nil {
		return 0, &Error{at, cut(err)}
	}
	rec := &r.at
	var size int64
	*rec, size = header(head)
	rec.At = at
	if size < recordHeader {
		return 0, &Error{at, fmt.Errorf("a record has the invalid size of %d bytes", size)}
	}
	aux := int64(0)
	if size <= maxPlain {
		b, err := in.Peek(int(size))
		if err != nil {
			return 0, &Error{at, cut(err)}
		}
		rec.Body = b[recordHeader:]
		if body := (fields{rest: rec.Body}); rec.Type == recordAux {
			aux = int64(min(body.u64(), 1<<62))
		} else if rec.Type == recordTracingData && len(rec.Body) <= 8 {
			aux = int64(body.u32()) // In simpleperf's files, the size of the record includes the data.
		}
		if err := r.give(rec); err != nil {
			return 0, err
		}
		if _, err := in.Discard(int(size)); err != nil {
			return 0, &Error{at, cut(err)}
		}
	} else {
		if err := r.readLarge(in, rec, size); err != nil {
			return 0, err
		}
	}
	for left := aux; left > 0; {
		n, err := in.Discard(int(min(left, 1<<30)))
		if left -= int64(n); err != nil {
			return 0, &Error{at, cut(err)}
		}
	}
	return size + aux, nil
}

// readLarge reads a record that does not fit into the buffer.
func (r *reader) readLarge(in *bufio.Reader, rec *Record, size int64) error {
	if size > maxLarge {
		return &Error{rec.At, fmt.Errorf("a record has %d bytes, more than the limit of %d", size, maxLarge)}
	}
	r.large.Reset()
	if _, err := io.CopyN(&r.large, in, size); err != nil {
		return &Error{rec.At, cut(err)}
	}
	rec.Body = r.large.Bytes()[recordHeader:]
	return r.give(rec)
}

// header reads a record's header.
func header(b []byte) (r Record, size int64) {
	r = Record{Type: binary.LittleEndian.Uint32(b), Misc: binary.LittleEndian.Uint16(b[4:])}
	size = int64(binary.LittleEndian.Uint16(b[6:]))
	if r.Type > simpleperfRecords {
		size |= int64(r.Misc) << 16
		r.Misc = 0
	}
	return r, size
}

// cut returns ErrCut if err means that the file ends within a record, and otherwise err.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return err
}

// give calls visit for a record. If the record contains other records, it calls visit for these.
func (r *reader) give(rec *Record) error {
	if r.n++; r.n%1024 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	switch rec.Type {
	case recordSplit:
		if len(r.parts)+len(rec.Body) > maxLarge {
			return &Error{rec.At, fmt.Errorf("the parts of a record have more than %d bytes", maxLarge)}
		}
		r.parts = append(r.parts, rec.Body...)
		return nil
	case recordSplitEnd:
		if len(r.parts) < recordHeader {
			return &Error{rec.At, errShort}
		}
		whole, size := header(r.parts)
		if size != int64(len(r.parts)) || whole.Type == recordSplit || whole.Type == recordSplitEnd {
			return &Error{rec.At, fmt.Errorf("a record of %d bytes has parts of %d bytes", size, len(r.parts))}
		}
		whole.At, whole.Body = rec.At, r.parts[recordHeader:]
		r.parts, r.inner = r.parts[:0], whole
		return r.give(&r.inner)
	case recordCompressed, recordCompressed2:
		return r.expand(rec)
	case recordEventID:
		r.f.addIDs(rec)
		return nil
	case recordTracingData, recordTracingData2:
		in := fields{rest: rec.Body}
		if b := in.take(uint64(in.u32())); len(b) > 0 {
			r.f.tracepoints = tracepoints(b)
		}
		return nil
	}
	return r.visit(rec)
}

// addIDs reads which ids the samples of each event have.
func (f *File) addIDs(r *Record) {
	in := fields{rest: r.Body}
	in.u64() // This is the number of ids.
	for len(in.rest) >= 16 {
		attribute, id := in.u64(), in.u64()
		if attribute < uint64(len(f.Attributes)) {
			f.ids[id] = int(attribute)
		}
	}
}

// An inflater decompresses records. The compressed data is one zstd stream in several pieces, and
// each piece ends at the end of a zstd block.
type inflater struct {
	decoder *zstd.Decoder
	source  bytes.Reader
	block   []byte
	// rest is the start of a record that is still incomplete.
	rest []byte
}

func newInflater() (*inflater, error) {
	z := &inflater{block: make([]byte, maxBlock)}
	var err error
	// With one goroutine, the decoder reads no further than necessary.
	z.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	return z, err
}

// expand calls give for the records within a compressed record.
func (r *reader) expand(rec *Record) error {
	body := rec.Body
	if rec.Type == recordCompressed2 { // The size of the body is rounded up. Its first field is the exact size.
		in := fields{rest: body}
		body = in.take(in.u64())
	}
	first := r.zstd == nil
	if first {
		var err error
		if r.zstd, err = newInflater(); err != nil {
			return err
		}
	}
	z := r.zstd
	z.source.Reset(body)
	if first {
		if err := z.decoder.Reset(&z.source); err != nil {
			return &Error{rec.At, err}
		}
	}
	for z.source.Len() > 0 {
		n, err := z.decoder.Read(z.block)
		if err != nil && !errors.Is(err, io.EOF) {
			return &Error{rec.At, fmt.Errorf("decompressing: %w", err)}
		}
		if r.expanded += int64(n); r.f.max > 0 && r.expanded > r.f.max {
			return &Error{rec.At, fmt.Errorf("compressed records hold more than %d bytes", r.f.max)}
		}
		z.rest = append(z.rest, z.block[:n]...)
		if err := r.giveAll(rec.At); err != nil {
			return err
		}
		if n == 0 && err != nil {
			break
		}
	}
	return nil
}

// giveAll calls give for the complete records among the decompressed bytes.
func (r *reader) giveAll(at int64) error {
	rest := r.zstd.rest
	for len(rest) >= recordHeader {
		rec, size := header(rest)
		if size < recordHeader || size > maxPlain || rec.Type == recordCompressed || rec.Type == recordCompressed2 {
			return &Error{at, fmt.Errorf("a record of type %d and %d bytes is in a compressed one", rec.Type, size)}
		}
		if size > int64(len(rest)) {
			break
		}
		rec.At, rec.Body = at, rest[recordHeader:size]
		r.inner = rec
		if err := r.give(&r.inner); err != nil {
			return err
		}
		rest = rest[size:]
	}
	r.zstd.rest = slices.Delete(r.zstd.rest, 0, len(r.zstd.rest)-len(rest))
	return nil
}
