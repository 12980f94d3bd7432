package table

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/fleet/samples/column"
	"github.com/diffprof/diffprof/internal/syntax"
)

// openParquet reads a Parquet file.
func openParquet(name, path string) ([]*Table, error) {
	file, err := column.Open(path)
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		e.File = name
		return nil, e
	}
	if err != nil {
		return nil, fault(name, 0, err, "the file may be cut: copy it again")
	}
	defer file.Close()
	t := &Table{File: name, Parquet: path}
	for _, c := range file.Columns() {
		t.Columns = append(t.Columns, c.Name)
	}
	t.each = func(f func(*Record) error) error { return eachParquet(name, path, f) }
	return []*Table{t}, nil
}

func eachParquet(name, path string, f func(*Record) error) error {
	file, err := column.Open(path)
	if err != nil {
		return fault(name, 0, err, "")
	}
	defer file.Close()
	columns := file.Columns()
	record := Record{Values: make([]string, len(columns)), Lists: make([][]string, len(columns))}
	for group := range file.Groups() {
		cursors := make([]*column.Cursor, len(columns))
		for i, c := range columns {
			cursors[i] = file.Cursor(group, c, column.Texts)
		}
		before := record.Row
		err := func() error {
			defer func() {
				for _, c := range cursors {
					c.Close()
				}
			}()
			return eachOfGroup(name, &record, columns, cursors, f)
		}()
		if err != nil {
			return err
		}
		if err := file.Check(group, record.Row-before); err != nil {
			return fault(name, record.Row+1, err, "the file is damaged: copy it again")
		}
	}
	return nil
}

// eachOfGroup reads the rows of a row group. All columns must have the same length.
func eachOfGroup(name string, record *Record, columns []column.Column, cursors []*column.Cursor, f func(*Record) error) error {
	for {
		ended := 0
		for i, c := range cursors {
			more, err := c.Next()
			if err != nil {
				return fault(name, record.Row+1, fmt.Errorf("column %s: %w", columns[i].Name, err), "the file may be cut: copy it again")
			}
			if !more {
				ended++
				continue
			}
			record.Values[i], record.Lists[i] = "", nil
			if columns[i].List {
				record.Lists[i] = c.Texts
			} else if len(c.Texts) > 0 {
				record.Values[i] = c.Texts[0]
			}
		}
		if ended == len(cursors) {
			return nil
		}
		if ended > 0 {
			return fault(name, record.Row+1, fmt.Errorf("some columns have fewer rows than others"), "the file is damaged: copy it again")
		}
		record.Row++
		if err := f(record); err != nil {
			return err
		}
	}
}
