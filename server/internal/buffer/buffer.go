// Package buffer has the text of an open file, and converts between byte offsets and an
// editor's lines and columns.
//
// Lines count from 0 and end with \n, \r\n or \r. Columns count from 0 in the
// units of an [Encoding]. A byte order mark at the beginning does not count, since
// editors do not show it. Every position is valid: a column after the end of a line
// means its end, a line after the last one means the end of the text, and a column
// inside a character means its beginning.
//
// A [Buffer] is immutable and safe for concurrent use. An edit returns a new one.
package buffer

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// An Encoding is the unit of columns. The text itself is UTF-8, and each invalid byte is one
// column.
type Encoding uint8

// The encodings of the Language Server Protocol 3.17. The default is UTF-16.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// String returns the protocol's name of the encoding.
func (e Encoding) String() string { return [...]string{"utf-16", "utf-8", "utf-32"}[e] }

// mark is the byte order mark in UTF-8.
const mark = "\uFEFF"

// A Position is a line and a column.
type Position struct{ Line, Column int }

// A Buffer is a text with its lines.
type Buffer struct {
	text string
	// starts are the offsets at which lines begin. There is at least one.
	starts []int
}

// New returns a buffer of the text.
func New(text string) *Buffer {
	b := &Buffer{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			b.starts = append(b.starts, i+1)
		case '\n':
			b.starts = append(b.starts, i+1)
		}
	}
	return b
}

// Text returns the whole text, byte order mark included.
func (b *Buffer) Text() string { return b.text }

// Lines returns the number of lines, at least one.
func (b *Buffer) Lines() int { return len(b.starts) }

// Replace returns the text with the part between two positions replaced. It swaps positions
// in the wrong order.
func (b *Buffer) Replace(from, to Position, text string, e Encoding) *Buffer {
	first, last := b.Offset(from, e), b.Offset(to, e)
	if first > last {
		first, last = last, first
	}
	return New(b.text[:first] + text + b.text[last:])
}

// Offset returns the byte offset of a position.
func (b *Buffer) Offset(p Position, e Encoding) int {
	switch {
	case p.Line < 0:
		return b.begin(0)
	case p.Line >= len(b.starts):
		return len(b.text)
	}
	at, end := b.begin(p.Line), b.end(p.Line)
	for column := 0; at < end; {
		r, size := utf8.DecodeRuneInString(b.text[at:end])
		if column += width(r, size, e); column > p.Column {
			return at
		}
		at += size
	}
	return end
}

// Position returns the position of a byte offset, which may be outside the text.
func (b *Buffer) Position(offset int, e Encoding) Position {
	offset = min(max(offset, b.begin(0)), len(b.text))
	line := sort.SearchInts(b.starts, offset+1) - 1
	at, end := b.begin(line), min(offset, b.end(line))
	column := 0
	for at < end {
		r, size := utf8.DecodeRuneInString(b.text[at:])
		if at+size > end {
			break
		}
		column += width(r, size, e)
		at += size
	}
	return Position{line, column}
}

// LineEnd returns the line end of the first line. If the text has only one line, it returns a line
// feed.
func (b *Buffer) LineEnd() string {
	if len(b.starts) < 2 {
		return "\n"
	}
	return b.text[b.end(0):b.starts[1]]
}

// Line returns the text of a line without its line end. It returns "" for a line that does not
// exist.
func (b *Buffer) Line(line int) string {
	if line < 0 || line >= len(b.starts) {
		return ""
	}
	return b.text[b.begin(line):b.end(line)]
}

// begin returns the offset of a line's first column.
func (b *Buffer) begin(line int) int {
	if line == 0 && strings.HasPrefix(b.text, mark) {
		return len(mark)
	}
	return b.starts[line]
}

// end returns the offset of the end of a line's text, before the line end.
func (b *Buffer) end(line int) int {
	if line+1 == len(b.starts) {
		return len(b.text)
	}
	end := b.starts[line+1] - 1
	if b.text[end] == '\n' && end > b.starts[line] && b.text[end-1] == '\r' {
		end--
	}
	return end
}

// width returns the number of columns of a character.
func width(r rune, size int, e Encoding) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}
