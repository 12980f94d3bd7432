package table

import "errors"

// openSQLite says that there is no SQLite here: the library needs a system's files.
func openSQLite(name, _ string) ([]*Table, error) {
	return nil, fault(name, 0, errors.New("SQLite cannot be read here"), "convert it to CSV")
}
