// Package column reads columns of Parquet files row by row. It is fast because it creates no value
// for each cell, and converts each text of a dictionary only once.
//
// The following laws hold:
//
//   - A damaged file is an error, although the Parquet library may panic.
//   - The sizes in a file are not trusted for allocations.
//   - Several goroutines may read a File if each has its own cursors.
package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/diffprof/diffprof/internal/syntax"
)

// maxFooter is the maximum size of a file's metadata.
const maxFooter = 256 << 20

// maxRows is the maximum number of rows of a row group. Usual row groups have a hundred thousand to
// a million rows.
const maxRows = 1 << 32

// A File is an open Parquet file.
type File struct {
	file   *os.File
	parsed *parquet.File
}

// A Column is a column of a file (a leaf of its schema).
type Column struct {
	// Name is the path of the column, such as "apps.name". The names of list groups are left out.
	Name string
	// List reports whether a row may have several values.
	List       bool
	leaf       int
	definition byte
	holes      bool // holes means that a list may have entries without a value.
	decimals   int
}

// hole reports whether a definition level means a list entry without a value. Such entries count,
// so that parallel lists stay aligned.
func (c *Column) hole(definition byte) bool { return c.holes && definition == c.definition-1 }

// Open opens a file and reads its metadata.
func Open(path string) (f *File, err error) {
	defer caught(&err)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if f == nil {
			_ = file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkFooter(file, info.Size()); err != nil {
		return nil, err
	}
	parsed, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(1<<18))
	if err != nil {
		return nil, err
	}
	for i, g := range parsed.RowGroups() {
		if claimed := g.NumRows(); claimed < 0 || claimed > maxRows {
			return nil, fmt.Errorf("row group %d claims %d rows", i+1, claimed)
		}
	}
	if err := misread(parsed.Metadata()); err != nil {
		return nil, err
	}
	return &File{file: file, parsed: parsed}, nil
}

// misread returns an error for files that the library reads wrongly or not at all: with run-length
// encoded booleans, which it takes for whole bytes, or with LZ4 pages.
func misread(m *format.FileMetaData) error {
	for _, g := range m.RowGroups {
		for _, c := range g.Columns {
			name := strings.Join(c.MetaData.PathInSchema, ".")
			switch codec := c.MetaData.Codec; {
			case codec == format.Lz4Raw, codec == format.Lz4:
				return &syntax.Error{Offset: -1, Err: fmt.Errorf("column %s is compressed by LZ4", name), Hint: "write the file with zstd, snappy or gzip"}
			case c.MetaData.Type == format.Boolean && byRunLength(&c.MetaData):
				return &syntax.Error{Offset: -1, Err: fmt.Errorf("column %s has run-length-encoded booleans", name), Hint: "write the file with data pages of version 1, or the column as whole numbers"}
			}
		}
	}
	return nil
}

// byRunLength reports whether the values of a column are run-length encoded (RLE). Without
// statistics of the pages, only the list of encodings is known. RLE is always in it, for levels.
// The values must then be RLE if the list lacks the plain encoding.
func byRunLength(m *format.ColumnMetaData) bool {
	for _, s := range m.EncodingStats {
		if s.Encoding == format.RLE && (s.PageType == format.DataPage || s.PageType == format.DataPageV2) {
			return true
		}
	}
	return len(m.EncodingStats) == 0 && !slices.Contains(m.Encoding, format.Plain)
}

// checkFooter checks the sizes at the end of a file before memory is allocated.
func checkFooter(r io.ReaderAt, size int64) error {
	const tail = 8
	b := make([]byte, tail)
	if size < tail+4 {
		return errors.New("the file is too short for Parquet")
	}
	if _, err := r.ReadAt(b, size-tail); err != nil {
		return err
	}
	if string(b[4:]) != "PAR1" {
		return errors.New("the file does not end like a Parquet file")
	}
	if claimed := int64(binary.LittleEndian.Uint32(b)); claimed > min(size-tail, maxFooter) {
		return fmt.Errorf("the metadata claims %d bytes", claimed)
	}
	return nil
}

// caught converts a panic of the library to an error. The library panics because it trusts the
// file.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("damaged: %v", r)
	}
}

// Close closes the file. Its cursors must not be used afterwards.
func (f *File) Close() { _ = f.file.Close() }

// Groups returns the numbers of the row groups.
func (f *File) Groups() iter.Seq[int] {
	return func(yield func(int) bool) {
		for g := range f.parsed.RowGroups() {
			if !yield(g) {
				return
			}
		}
	}
}

// Len returns the number of row groups.
func (f *File) Len() int { return len(f.parsed.RowGroups()) }

// Check returns an error if rows, the number of rows that were read from a row group, differs from
// the number in the file's metadata.
func (f *File) Check(group, rows int) error {
	if claimed := f.parsed.RowGroups()[group].NumRows(); int64(rows) != claimed {
		return fmt.Errorf("row group %d claims %d rows and has %d", group+1, claimed, rows)
	}
	return nil
}

// Before returns the number of rows in the row groups before a group.
func (f *File) Before(group int) (rows int) {
	for _, g := range f.parsed.RowGroups()[:group] {
		rows += int(g.NumRows())
	}
	return rows
}

// Columns returns the leaves of the schema.
func (f *File) Columns() []Column {
	var columns []Column
	var walk func(c *parquet.Column)
	walk = func(c *parquet.Column) {
		if !c.Leaf() {
			for _, child := range c.Columns() {
				walk(child)
			}
			return
		}
		var path []string
		for _, p := range c.Path() {
			if !slices.Contains([]string{"list", "element", "array", "bag", "item"}, p) {
				path = append(path, p)
			}
		}
		column := Column{
			Name: strings.Join(path, "."), List: c.MaxRepetitionLevel() > 0,
			leaf: c.Index(), definition: byte(c.MaxDefinitionLevel()), holes: c.MaxRepetitionLevel() > 0 && c.Optional(),
		}
		if l := c.Type().LogicalType(); l != nil {
			if d, ok := decimals(c.Type()); ok {
				column.decimals = d
			}
		}
		columns = append(columns, column)
	}
	walk(f.parsed.Root())
	return columns
}

// decimals returns the number of digits after the point of a decimal type.
func decimals(t parquet.Type) (int, bool) {
	_, rest, ok := strings.Cut(t.String(), "DECIMAL(")
	if !ok {
		return 0, false
	}
	_, scale, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	n, err := strconv.Atoi(strings.TrimSpace(scale))
	return n, err == nil && n >= 0 && n < 19
}
