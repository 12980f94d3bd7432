package table

import "errors"

// openSQLite always fails in the browser: the library needs a file system.
func openSQLite(name, _ string) ([]*Table, error) {
	return nil, fault(name, 0, errors.New("SQLite cannot be read here"), "convert it to CSV")
}
