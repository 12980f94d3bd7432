package perfetto

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxExpanded limits the decompressed size of a packet. Perfetto compresses half a mebibyte at a
// time.
const maxExpanded = 64 << 20

// A File stores decompressed packets.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// A file is the trace file, followed by the decompressed packets.
type file struct {
	io.ReaderAt
	size  int64
	open  func() (File, error)
	most  int64
	spool File
	extra int64
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	if at >= f.size && f.spool != nil {
		return f.spool.ReadAt(p, at-f.size)
	}
	if more := at + int64(len(p)) - f.size; more > 0 && f.spool != nil {
		n, err := f.ReaderAt.ReadAt(p[:int64(len(p))-more], at)
		if n < len(p)-int(more) {
			return n, err
		}
		m, err := f.spool.ReadAt(p[n:], 0)
		return n + m, err
	}
	return f.ReaderAt.ReadAt(p, at)
}

// add appends decompressed packets, and returns their offset.
func (f *file) add(data []byte) (int64, error) {
	if f.spool == nil {
		spool, err := f.open()
		if err != nil {
			return 0, err
		}
		f.spool = spool
	}
	at := f.size + f.extra
	if f.extra += int64(len(data)); f.most > 0 && f.extra > f.most {
		return 0, fmt.Errorf("the compressed packets expand to more than %d bytes; if you trust the file, raise --max-expanded", f.most)
	}
	if _, err := f.spool.Write(data); err != nil {
		return 0, fmt.Errorf("keeping a copy of the compressed packets: %w", err)
	}
	return at, nil
}

// close deletes the decompressed packets.
func (f *file) close() error {
	if f.spool == nil {
		return nil
	}
	return f.spool.Close()
}

var errBomb = fmt.Errorf("a compressed packet expands to more than %d bytes", maxExpanded)

// expand processes the packets within a compressed packet.
func (s *survey) expand(ctx context.Context, p *packet) error {
	if s.nested {
		return errors.New("a compressed packet is nested in another")
	}
	s.nested = true
	defer func() { s.nested = false }()
	if err := s.inflate(p); err != nil {
		return err
	}
	at, err := s.file.add(s.plain.Bytes())
	if err != nil {
		return err
	}
	return packets(at, s.plain.Bytes(), func(p *packet, size int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return s.packet(ctx, p, size)
	})
}

// inflate decompresses a packet.
func (s *survey) inflate(p *packet) error {
	var r io.Reader
	if p.kind == packetDeflated {
		z, err := zlib.NewReader(bytes.NewReader(p.data))
		if err != nil {
			return fmt.Errorf("a compressed packet: %w", err)
		}
		r = z
	} else {
		if s.zstd == nil {
			z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxExpanded), zstd.WithDecoderMaxMemory(2*maxExpanded))
			if err != nil {
				return err
			}
			s.zstd = z
		}
		if err := s.zstd.Reset(bytes.NewReader(p.data)); err != nil {
			return fmt.Errorf("a compressed packet: %w", err)
		}
		r = s.zstd
	}
	s.plain.Reset()
	n, err := io.Copy(&s.plain, io.LimitReader(r, maxExpanded+1))
	switch {
	case err != nil:
		return fmt.Errorf("a compressed packet: %w", err)
	case n > maxExpanded:
		return errBomb
	}
	return nil
}
