//go:build !js

package history

import (
	"errors"
	"fmt"

	"modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// cause returns a message for users about an SQLite error. It returns "" for other errors.
func cause(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return "it is not a history: name another file"
	case sqlite3.SQLITE_CORRUPT:
		return "it is damaged: restore a backup, or remove it and add the recordings again"
	case sqlite3.SQLITE_BUSY:
		return fmt.Sprintf("another program has been writing to it for %s: try again later", Patience)
	case sqlite3.SQLITE_FULL:
		return "the disk is full, or a limit of the file size is reached: nothing was changed"
	case sqlite3.SQLITE_IOERR:
		return "the disk failed, or a limit of the file size is reached: nothing was changed"
	case sqlite3.SQLITE_READONLY:
		return "the file or its folder is read-only, and must be writable"
	case sqlite3.SQLITE_CANTOPEN:
		return "it or its folder cannot be opened for writing"
	}
	return ""
}
