package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// openCSV reads a table whose first line has the names of the columns.
func openCSV(path string) ([]*Table, error) {
	t := &Table{File: path}
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	reader, g := newCSV(r)
	g.left = maxRow
	header, err := reader.Read()
	if err != nil {
		return nil, fault(path, 1, err, "the first line names the columns")
	}
	for _, name := range header {
		t.Columns = append(t.Columns, named(name))
	}
	t.each = func(f func(*Record) error) (err error) {
		t.Unended, err = eachCSV(path, f)
		return err
	}
	return []*Table{t}, nil
}

// newCSV returns a reader of a table, and the guard that limits the size of rows. The separator is
// the most frequent of the possible separators in the first line.
func newCSV(r io.Reader) (*csv.Reader, *guard) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(4096)
	line, _, _ := strings.Cut(string(head), "\n")
	separators := []rune{',', ';', '\t'}
	best := slices.MaxFunc(separators, func(x, y rune) int {
		return strings.Count(line, string(x)) - strings.Count(line, string(y))
	})
	g := &guard{r: b, left: maxRow}
	c := csv.NewReader(g)
	c.Comma, c.ReuseRecord, c.LazyQuotes = best, true, true
	return c, g
}

// eachCSV calls f for each row. unended reports that the last row has no line break.
func eachCSV(path string, f func(*Record) error) (unended bool, err error) {
	r, err := open(path)
	if err != nil {
		return false, err
	}
	defer r.Close()
	reader, g := newCSV(r)
	if _, err := reader.Read(); err != nil {
		return false, fault(path, 1, err, "")
	}
	record := Record{}
	for row := 1; ; row++ {
		g.left = maxRow
		values, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return g.last != '\n' && g.last != '\r', nil
		case errors.Is(err, csv.ErrFieldCount):
			return false, fault(path, row, errors.New("the row has fewer or more columns than the first line"), "the file may be cut: copy it again")
		case err != nil:
			return false, fault(path, row, err, "")
		}
		record.Values, record.Row = values, row
		if err := f(&record); err != nil {
			return false, err
		}
	}
}
