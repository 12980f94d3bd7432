// Package syntax defines the error that all decoders of files return.
package syntax

import (
	"fmt"
	"strings"
)

// An Error says where a file is wrong, why, and, if that is not clear from the cause, what to do.
// It prints on one line:
//
//	app.trace: offset 4711: art trace: record size 0; record again, and move the file as binary
type Error struct {
	// File is the file's path. Decoders leave it empty. The code that opened the file sets it.
	File string
	// Format is the format that the file was read as, such as "art trace".
	Format string
	// Line is the line, from 1. It is 0 if the format has no lines.
	Line int
	// Offset is the offset in the decompressed file, or -1 if unknown. It is used if Line is 0.
	Offset int64
	// Err is the cause.
	Err error
	// Hint says what to do. It may be empty.
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
