//go:build !js

package history

import (
	"errors"
	"fmt"

	"modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// cause explains an error of SQLite for users. It is empty for other errors.
func cause(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return "it is no history: name another file"
	case sqlite3.SQLITE_CORRUPT:
		return "it is damaged: take a copy of it, or remove it and add the recordings again"
	case sqlite3.SQLITE_BUSY:
		return fmt.Sprintf("another program has been writing to it for %s: try again later", Patience)
	case sqlite3.SQLITE_FULL:
		return "the disk is full, or the file may not grow: nothing was changed"
	case sqlite3.SQLITE_IOERR:
		return "the disk fails, or the file may not grow so far: nothing was changed"
	case sqlite3.SQLITE_READONLY:
		return "the file or its folder may only be read, and it has to be written to"
	case sqlite3.SQLITE_CANTOPEN:
		return "it or its folder cannot be opened for writing"
	}
	return ""
}
