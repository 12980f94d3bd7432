// Package table reads tables of any of the formats that fleets are kept in: CSV with commas,
// semicolons or tabs, JSON lines, SQLite and Parquet, plain or compressed by gzip or zstd. The
// content tells the format, never the file's name.
//
// A table is rows of named columns whose values are texts; what they mean is not known here.
// A row may have a list of apps, where the format can nest.
//
// Laws: what is wrong with a file is a syntax.Error with the file and the row; no input panics,
// and memory is bounded: a row has at most maxRow bytes. A Table may be read often, but by one
// goroutine at a time.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/internal/syntax"
)

// maxRow is how many bytes a row may have. A row of a hundred apps has some 5 KB.
const maxRow = 16 << 20

// A Table is one table of a file.
type Table struct {
	// File is the path, Name the table's name in a file of several, or empty.
	File, Name string
	// Columns are the names of the columns, in the order of Record.Values.
	Columns []string
	// Parquet is set for Parquet files, which package column reads faster: the path of the
	// file, decompressed.
	Parquet string
	// Unended is set, once the table was read, if its text does not end with the end of a line: its
	// last row may be cut.
	Unended bool
	each    func(func(*Record) error) error
	close   func()
}

// A Record is one row. It is valid until the next one is read.
type Record struct {
	// Values are the texts of the columns; empty where there is none.
	Values []string
	// Lists has for each column its list, nil where it has none or the format no lists.
	Lists [][]string
	// Apps is the list of apps of a format that has them as objects.
	Apps []App
	// Row is the number of the row, from 1.
	Row int
}

// An App is an app of a list.
type App struct {
	Name, Version, Importance string
}

// Each calls f for each row, in the order of the file. It returns f's first error as it is.
func (t *Table) Each(f func(*Record) error) error { return t.each(f) }

// Close removes what was decompressed to disk.
func (t *Table) Close() {
	if t.close != nil {
		t.close()
	}
}

// Open finds the tables of a file. What it decompresses to disk goes to the folder temp.
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
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("{")):
		return openJSON(path)
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("[")):
		return nil, fault(path, 0, errors.New("one JSON array"), "write one object a line, as jq -c '.[]' does")
	case len(bytes.TrimSpace(head)) == 0:
		return nil, fault(path, 0, errors.New("the file is empty"), "")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, fault(path, 0, errors.New("neither CSV, JSON lines, SQLite nor Parquet"), "convert it to one of them")
	}
	return openCSV(path)
}

// fault returns an error at a row of a file; row 0 is the file as a whole.
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

// A stream is a file as it is read, decompressed.
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

// open opens a file and undoes its compression.
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

// onDisk opens a file of a format that is read at any offset: a compressed one is decompressed
// to a file of its own first.
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

// guard is a reader that lets at most maxRow bytes pass between two rows.
type guard struct {
	r    io.Reader
	left int
	last byte // that passed
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

// named returns the name of a column, without blanks and marks around it.
func named(s string) string {
	return strings.Trim(strings.TrimPrefix(s, "\ufeff"), " \t\"")
}
