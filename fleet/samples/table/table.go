// Package table reads tables in several formats: CSV with commas, semicolons, tabs or bars, JSON
// lines, SQLite and Parquet. Files may be compressed with gzip or zstd. Texts are in UTF-8 or
// UTF-16. The format is found from the content of a file, not from its name.
//
// A table has rows of named columns. Values are texts, which this package does not interpret. A row
// may have a list of apps if the format supports nesting.
//
// The following laws hold:
//
//   - A fault in a file is a syntax.Error with the file and the row. No input causes a panic.
//   - Memory is bounded, because a row has at most maxRow bytes.
//   - A Table may be read several times, but only by one goroutine at a time.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/internal/syntax"
)

// maxRow is the maximum size of a row in bytes. A row with a hundred apps has about 5 KB.
const maxRow = 16 << 20

// A Table is one table of a file.
type Table struct {
	// File is the path. Name is the name of the table, or "" in formats with one table per file.
	File, Name string
	// Columns are the names of the columns, in the order of Record.Values.
	Columns []string
	// Parquet is the path of the decompressed Parquet file, or "" in other formats. Package column
	// reads it faster than Each.
	Parquet string
	// Unended is set after reading a text that does not end with a line break. Its last row may be
	// incomplete.
	Unended bool
	each    func(func(*Record) error) error
	close   func()
}

// A Record is one row. It is valid until the next row is read.
type Record struct {
	// Values are the texts of the columns. A missing value is empty.
	Values []string
	// Lists has the values of each list column, and nil for other columns. Lists is nil in formats
	// without lists.
	Lists [][]string
	// Apps is the list of apps, if the format has objects for apps.
	Apps []App
	// Objects has the lists of each JSON column, except for lists that are in Apps. It is nil in
	// other formats.
	Objects [][]App
	// Row is the number of the row, from 1.
	Row int
}

// Copy copies a record to another record, and reuses its memory. The copy stays valid. The result
// is the approximate size of the texts in bytes.
func (r *Record) Copy(to *Record) (size int) {
	to.Values, to.Apps, to.Row = append(to.Values[:0], r.Values...), append(to.Apps[:0], r.Apps...), r.Row
	to.Lists, to.Objects = copied(to.Lists, r.Lists), copied(to.Objects, r.Objects)
	for _, v := range r.Values {
		size += len(v)
	}
	for _, list := range r.Lists {
		for _, v := range list {
			size += len(v)
		}
	}
	const app = 32 // app is the usual length of an app's name.
	size += app * len(r.Apps)
	for _, list := range r.Objects {
		size += app * len(list)
	}
	return size
}

// copied copies lists, and reuses the memory of the parameter to.
func copied[T any](to, from [][]T) [][]T {
	to = slices.Grow(to[:0], len(from))[:len(from)]
	for i, list := range from {
		to[i] = append(to[i][:0], list...)
	}
	return to
}

// An App is an entry of a list of apps.
type App struct {
	Name, Version, Importance string
}

// Each calls f for each row, in the order of the file. It returns f's first error unchanged.
func (t *Table) Each(f func(*Record) error) error { return t.each(f) }

// Close removes decompressed files.
func (t *Table) Close() {
	if t.close != nil {
		t.close()
	}
}

// Open finds the tables of a file. It writes decompressed files to the folder temp.
func Open(path, temp string) ([]*Table, error) {
	head, err := peek(path)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return onDisk(path, temp, openParquet)
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return onDisk(path, temp, openSQLite)
	}
	if wideOrder(head) != nil {
		head, err = io.ReadAll(decoded(bytes.NewReader(head[:len(head)&^1])))
		if err != nil {
			return nil, fault(path, 0, err, "")
		}
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		return openJSON(path)
	case bytes.HasPrefix(head, []byte("[")):
		return nil, fault(path, 0, errors.New("one JSON array"), "write one object per line, like jq -c '.[]' does")
	case len(head) == 0:
		return nil, fault(path, 0, errors.New("the file is empty"), "")
	case !isText(head):
		return nil, fault(path, 0, errors.New("neither CSV, JSON lines, SQLite nor Parquet"), "convert it to one of them")
	}
	return openCSV(path)
}

// isText reports whether a file with this beginning may be a text: its first line has no NUL byte.
// A later NUL byte is an error of its row.
func isText(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.IndexByte(line, 0) < 0
}

// errNUL is the error for a value with a NUL byte.
var errNUL = errors.New("a NUL byte")

// checkNUL returns an error if a value has a NUL byte. This means that a part of the file was not
// written.
func checkNUL(path string, row int, column, value string) error {
	if strings.IndexByte(value, 0) < 0 {
		return nil
	}
	const most = 40
	return fault(path, row, fmt.Errorf("column %s: %w in %q", column, errNUL, value[:min(most, len(value))]), "a part of the file may not have been written: copy it again, or remove the row")
}

// fault returns an error for a row of a file. Row 0 means the whole file.
func fault(path string, row int, err error, hint string) error {
	if row > 0 {
		err = fmt.Errorf("row %d: %w", row, err)
	}
	return &syntax.Error{File: path, Offset: -1, Err: err, Hint: hint}
}

// peek returns the beginning of a file, decompressed.
func peek(path string) ([]byte, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fault(path, 0, err, "")
	}
	return head[:n], nil
}

// A stream is a decompressed file.
type stream struct {
	io.Reader
	closers []func()
}

// Close implements io.Closer.
func (s *stream) Close() error {
	for _, c := range s.closers {
		c()
	}
	return nil
}

// open opens a file and decompresses it.
func open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &stream{Reader: file, closers: []func(){func() { _ = file.Close() }}}
	magic := make([]byte, 4)
	n, err := io.ReadFull(file, magic)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.Close()
		return nil, fault(path, 0, err, "")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		s.Close()
		return nil, fmt.Errorf("%s: %w; give a file, not a pipe", path, err)
	}
	switch {
	case n >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		z, err := gzip.NewReader(file)
		if err != nil {
			s.Close()
			return nil, fault(path, 0, fmt.Errorf("gzip: %w", err), "")
		}
		s.Reader = z
	case n == 4 && bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			s.Close()
			return nil, fault(path, 0, fmt.Errorf("zstd: %w", err), "")
		}
		s.Reader = z
		s.closers = append(s.closers, z.Close)
	}
	return s, nil
}

// openText opens a file and decompresses it. It converts UTF-16 to UTF-8.
func openText(path string) (io.ReadCloser, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	s := r.(*stream)
	s.Reader = decoded(s.Reader)
	return s, nil
}

// onDisk opens a file of a format that needs random access. A compressed file is decompressed to
// disk first.
func onDisk(path, temp string, openPlain func(name, path string) ([]*Table, error)) ([]*Table, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if len(r.(*stream).closers) == 1 {
		if _, plain := r.(*stream).Reader.(*os.File); plain {
			return openPlain(path, path)
		}
	}
	file, err := os.CreateTemp(temp, "fleet-*.table")
	if err != nil {
		return nil, err
	}
	remove := func() { _ = os.Remove(file.Name()) }
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return nil, fault(path, 0, err, "")
	}
	tables, err := openPlain(path, file.Name())
	if err != nil {
		remove()
		return nil, err
	}
	for _, t := range tables {
		t.close = remove
	}
	return tables, nil
}

// guard is a reader that returns an error after maxRow bytes without a new row.
type guard struct {
	r    io.Reader
	left int
	last byte // last is the last byte that was read.
}

var errLong = fmt.Errorf("the row has more than %d MB", maxRow>>20)

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, errLong
	}
	n, err := g.r.Read(p[:min(len(p), g.left)])
	g.left -= n
	if n > 0 {
		g.last = p[n-1]
	}
	return n, err
}

// named returns the name of a column without surrounding spaces and punctuation.
func named(s string) string {
	return strings.Trim(strings.TrimPrefix(s, "\ufeff"), " \t\"")
}
