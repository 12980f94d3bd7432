package apk

import (
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
)

// Read returns the content of an entry. It checks the content's length and checksum.
func (a *Archive) Read(e *Entry) ([]byte, error) {
	if e.Size > maxEntry {
		return nil, fail(e.Name, e.local, adviceBuild, "%d bytes are more than the limit of %d", e.Size, int64(maxEntry))
	}
	data := make([]byte, 0, e.Size+bytes.MinRead)
	b := bytes.NewBuffer(data)
	if err := a.copy(b, e); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// copy writes the content of an entry to w.
func (a *Archive) copy(w io.Writer, e *Entry) error {
	var r io.Reader = a.stored(e)
	if e.Method == Deflated {
		f := flate.NewReader(r)
		defer f.Close()
		r = f
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(r, e.Size+1))
	switch {
	case err != nil:
		return fail(e.Name, e.data, adviceAgain, "after %d bytes: %w", n, err)
	case n != e.Size:
		more := ""
		if n > e.Size {
			more = "at least "
		}
		return fail(e.Name, e.data, adviceAgain, "%s%d bytes, but the directory states %d", more, n, e.Size)
	case sum.Sum32() != e.CRC:
		return fail(e.Name, e.data, adviceAgain, "the checksum is %08x, but the directory states %08x", sum.Sum32(), e.CRC)
	}
	return nil
}

// stored returns the bytes of an entry as they are stored.
func (a *Archive) stored(e *Entry) *io.SectionReader {
	return io.NewSectionReader(a.content, e.data, e.Packed)
}
