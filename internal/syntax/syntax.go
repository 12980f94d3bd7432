// Package syntax has the error that all readers of files return.
package syntax

import (
	"fmt"
	"strings"
)

// An Error says where a file is wrong, why, and, if the cause does not tell by
// itself, what to do. It prints on one line:
//
//	app.trace: offset 4711: art trace: record size 0; record again, and move the file as binary
type Error struct {
	// File is the file's path; readers leave it empty, who opened the file fills
	// it in.
	File string
	// Format is the format that the file was read as, such as "art trace".
	Format string
	// Line is the line, from 1; 0 if the format has no lines.
	Line int
	// Offset is the byte in the decompressed file, used where Line is 0; -1 if
	// unknown.
	Offset int64
	// Err is the cause.
	Err error
	// Hint says what to do; may be empty.
	Hint string
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	switch {
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d: ", e.Line)
	case e.Offset >= 0:
		fmt.Fprintf(&b, "offset %d: ", e.Offset)
	}
	if e.Format != "" {
		fmt.Fprintf(&b, "%s: ", e.Format)
	}
	b.WriteString(e.Err.Error())
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
