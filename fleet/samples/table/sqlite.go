//go:build !js

package table

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // This is the driver "sqlite".
)

// openSQLite finds the tables of a database. It opens the database for reading only.
func openSQLite(name, path string) ([]*Table, error) {
	if err := checkSize(path); err != nil {
		return nil, fault(name, 0, err, "copy it again")
	}
	db, err := openDB(path)
	if err != nil {
		return nil, fault(name, 0, err, "")
	}
	defer db.Close()
	names, err := texts(db, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		return nil, fault(name, 0, err, "the database may be cut: copy it again")
	}
	var tables []*Table
	for _, n := range names {
		columns, err := texts(db, "SELECT name FROM pragma_table_info(?) ORDER BY cid", n)
		if err != nil {
			return nil, fault(name, 0, fmt.Errorf("table %s: %w", n, err), "")
		}
		t := &Table{File: name, Name: n, Columns: columns}
		t.each = func(f func(*Record) error) error { return eachSQLite(name, path, n, f) }
		tables = append(tables, t)
	}
	return tables, nil
}

// checkSize returns an error if a database is shorter than its header says. SQLite would read the
// missing part as zeros, and return empty values.
func checkSize(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var head [100]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return errors.New("the database is shorter than its header")
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 1 << 16
	}
	// The number of pages is valid only if these two counters are equal.
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	if binary.BigEndian.Uint32(head[24:]) == binary.BigEndian.Uint32(head[92:]) && info.Size() < page*pages {
		return fmt.Errorf("the database has %d bytes, and its header states %d", info.Size(), page*pages)
	}
	return nil
}

func openDB(path string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: "mode=ro&immutable=1"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// texts returns the single column of a query.
func texts(db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func eachSQLite(name, path, table string, f func(*Record) error) error {
	db, err := openDB(path)
	if err != nil {
		return fault(name, 0, err, "")
	}
	defer db.Close()
	rows, err := db.Query(`SELECT * FROM "` + strings.ReplaceAll(table, `"`, `""`) + `"`)
	if err != nil {
		return fault(name, 0, fmt.Errorf("table %s: %w", table, err), "")
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return fault(name, 0, err, "")
	}
	cells := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	record := Record{Values: make([]string, len(columns))}
	for rows.Next() {
		record.Row++
		if err := rows.Scan(into...); err != nil {
			return fault(name, record.Row, err, "")
		}
		for i, c := range cells {
			record.Values[i] = cell(c)
		}
		if err := f(&record); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fault(name, record.Row+1, err, "the database may be cut: copy it again")
	}
	return nil
}

// cell returns a value of a database as text.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(v)
}
