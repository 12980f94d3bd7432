package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// separators are the possible separators of columns.
var separators = []rune{',', ';', '\t', '|'}

// openCSV reads a table whose first line has the names of the columns.
func openCSV(path string) ([]*Table, error) {
	t := &Table{File: path}
	r, err := openText(path)
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
	if slices.ContainsFunc(header, func(name string) bool { return strings.Contains(name, "\r") }) {
		return nil, fault(path, 1, errors.New("lines end with a carriage return alone"), "convert them: tr '\\r' '\\n'")
	}
	for _, name := range header {
		t.Columns = append(t.Columns, named(name))
	}
	t.each = func(f func(*Record) error) (err error) {
		t.Unended, err = t.eachCSV(reader.Comma, f)
		return err
	}
	return []*Table{t}, nil
}

// newCSV returns a reader for a table, and the guard that limits the size of its rows. The
// separator is the one that occurs most often in the first line. Excel may write a line such as
// sep=; before it.
func newCSV(r io.Reader) (*csv.Reader, *guard) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(4096)
	line, _, _ := strings.Cut(string(head), "\n")
	best := slices.MaxFunc(separators, func(x, y rune) int {
		return strings.Count(line, string(x)) - strings.Count(line, string(y))
	})
	if after, ok := strings.CutPrefix(strings.TrimRight(strings.TrimPrefix(line, string(byteOrderMark)), "\r"), "sep="); ok && len(after) == 1 {
		best = rune(after[0])
		_, _ = b.Discard(len(line) + 1)
	}
	g := &guard{r: b, left: maxRow}
	c := csv.NewReader(g)
	c.Comma, c.ReuseRecord, c.LazyQuotes = best, true, true
	return c, g
}

// eachCSV calls f for each row. unended is true if the last row has no line break.
func (t *Table) eachCSV(comma rune, f func(*Record) error) (unended bool, err error) {
	path := t.File
	r, err := openText(path)
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
			return false, t.wrongCount(row, values, comma)
		case err != nil:
			return false, fault(path, row, err, "")
		}
		for i, v := range values {
			if err := checkNUL(path, row, t.Columns[i], v); err != nil {
				return false, err
			}
			if t.hasRow(v, comma) {
				return false, fault(path, row, fmt.Errorf("column %s: the value in quotes has a whole row in it", t.Columns[i]), "the quote at its end is missing: add it, or remove the row")
			}
		}
		record.Values, record.Row = values, row
		if err := f(&record); err != nil {
			return false, err
		}
	}
}

// wrongCount returns the error for a row with fewer or more columns than the first line.
func (t *Table) wrongCount(row int, values []string, comma rune) error {
	less, hint := "fewer", "the file may be cut: copy it again"
	if len(values) > len(t.Columns) {
		less, hint = "more", fmt.Sprintf("put a value that contains %q in quotes", comma)
	}
	if slices.ContainsFunc(values, func(v string) bool { return t.hasRow(v, comma) }) {
		hint = "the quote at the end of a value is missing: add it, or remove the row"
	}
	return fault(t.File, row, fmt.Errorf("the row has %s columns than the first line: %d, not %d", less, len(values), len(t.Columns)), hint)
}

// hasRow reports whether a value with several lines contains a row of the table. This happens if a
// quote is not closed.
func (t *Table) hasRow(value string, comma rune) bool {
	_, rest, more := strings.Cut(value, "\n")
	for more && len(t.Columns) > 1 {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		n := strings.Count(line, string(comma)) - (len(t.Columns) - 1)
		if n == 0 || n > 0 && strings.ContainsRune(line, '"') {
			return true
		}
	}
	return false
}
