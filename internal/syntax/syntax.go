// Package syntax defines the error that all decoders of files return.
package syntax

import (
	"fmt"
	"strings"
)

// An Error states where a file is wrong, the cause, and, if the cause does not suggest it, what
// to do. It prints on one line:
//
//	app.trace: offset 4711: art trace: record size 0; record again, and move the file as binary
type Error struct {
	// File is the file's path. Decoders leave it empty; the code that opened the file sets it.
	File string
	// Format is the format that the file was read as, such as "art trace".
	Format string
	// Line is the line, from 1, or 0 if the format has no lines.
	Line int
	// Offset is the offset in the decompressed file, used if Line is 0; -1 if unknown.
	Offset int64
	// Err is the cause.
	Err error
	// Hint states what to do. It may be empty.
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
