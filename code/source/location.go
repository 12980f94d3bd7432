package source

import (
	"bytes"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// A Position is a place between two characters of a file.
type Position struct {
	// Line counts from 0. Column counts UTF-16 units from the line's beginning, as
	// the language server protocol does; a byte order mark does not count.
	Line, Column uint32
	// Offset counts bytes from the file's beginning.
	Offset uint32
}

// A Range is what lies between two positions.
type Range struct{ Start, End Position }

// A Location is a stretch of a source file.
type Location struct {
	// Path is the file's path, below the root as it was given.
	Path string
	// Range is that of a name: the method's, the class's, or the call's. Where
	// code has no name it is a token of it: a lambda's arrow or brace, an
	// initialiser's keyword or brace.
	Range Range
	// Body is the whole declaration. Of a call it is what is in the line of its name,
	// from there on.
	Body Range
	// Reason says how sure the location is.
	Reason Reason
}

// A Reason says why a location is the answer, or why there is none.
type Reason uint8

// The reasons.
const (
	// Exact: the method itself.
	Exact Reason = iota
	// Caused: the compiler made the method; the location is the code it was made
	// from.
	Caused
	// Enclosing: the compiler made the method; the location is what is around the
	// code it was made from, since nothing nearer can be told.
	Enclosing
	// Changed: the file was written after the recording, and what the recording
	// says of lines no longer holds; the location was found by name.
	Changed
	// Mismatch: the recording's line is not in the method, though the file is not
	// newer: it is not the source that was recorded. Found by name.
	Mismatch
	// Ambiguous: several methods fit equally well, and each is given.
	Ambiguous
	// Gone: the class is there, the method is not. There is no location.
	Gone
	// Missing: the class is not among the sources. There is no location.
	Missing
)

// String says the reason as the end of a sentence that begins with the method.
func (r Reason) String() string {
	switch r {
	case Exact:
		return "is here"
	case Caused:
		return "was made by the compiler from this"
	case Enclosing:
		return "was made by the compiler from something in this"
	case Changed:
		return "was here when it was recorded; the file has changed since"
	case Mismatch:
		return "is here by name, but was recorded from other sources"
	case Ambiguous:
		return "is one of several that are alike"
	case Gone:
		return "is not in its class any more"
	}
	return "is not among the sources"
}

// nameRange and bodyRange translate what outlines hold.
func nameRange(p outline.Place) Range {
	return Range{
		Position{p.Line, p.Column, p.Offset},
		Position{p.Line, p.Column + uint32(p.Width), p.Offset + uint32(p.Bytes)},
	}
}

func bodyRange(e outline.Extent) Range {
	return Range{Position{e.StartLine, e.StartColumn, e.Start}, Position{e.EndLine, e.EndColumn, e.End}}
}

// A lineMap tells where the lines of a file on disk are in an open one: those
// before and after the part that differs.
type lineMap struct {
	// same lines begin both; from behind line last of the file on disk, counting
	// from 0, lines are shifted.
	same, last, shift int
}

// newLineMap compares two texts line by line; it returns nil if they are equal.
func newLineMap(disk, open []byte) *lineMap {
	if bytes.Equal(disk, open) {
		return nil
	}
	if disk == nil {
		return &lineMap{last: int(^uint(0) >> 1)}
	}
	from, to := bytes.Split(disk, []byte{'\n'}), bytes.Split(open, []byte{'\n'})
	limit := min(len(from), len(to))
	// Editors that send line feeds for what has carriage returns too change
	// nothing.
	equal := func(a, b []byte) bool {
		return bytes.Equal(bytes.TrimSuffix(a, []byte{'\r'}), bytes.TrimSuffix(b, []byte{'\r'}))
	}
	start, tail := 0, 0
	for start < limit && equal(from[start], to[start]) {
		start++
	}
	for tail < limit-start && equal(from[len(from)-1-tail], to[len(to)-1-tail]) {
		tail++
	}
	return &lineMap{same: start, last: len(from) - tail, shift: len(to) - len(from)}
}

// line returns where a line, counted from 1, is now; 0 if it is not there any
// more.
func (l *lineMap) line(n int) int {
	switch {
	case l == nil || n <= 0 || n <= l.same:
		return n
	case n > l.last:
		return n + l.shift
	}
	return 0
}
