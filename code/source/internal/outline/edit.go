package outline

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// An Edit is the difference between two texts.
type Edit struct {
	// after is the text after the edit.
	after []byte
	// hunks are the replacements, in order. Each applies to the result of the earlier ones.
	hunks []hunk
}

// A hunk replaces the text between the offsets start and end. newEnd is the end of the replacement
// in the new text, which begins at start, too.
type hunk struct {
	after              []byte
	start, end, newEnd uint32
	// Line and column of start, of end, and of newEnd. Columns count UTF-16 units.
	startLine, startColumn, endLine, endColumn, newLine, newColumn uint32
}

// NewEdit compares two texts, line by line and then within lines. It retains after.
func NewEdit(before, after []byte) *Edit {
	e := &Edit{after: after}
	at, line, column := 0, uint32(0), uint32(0)
	if bytes.HasPrefix(after, byteOrderMark) {
		at = len(byteOrderMark)
	}
	for _, p := range differences(before, after) {
		if p = p.trimmed(before, after); p.a0 == p.a1 && p.b0 == p.b1 {
			continue
		}
		h := hunk{after: after, start: uint32(p.b0), end: uint32(p.b0 + p.a1 - p.a0), newEnd: uint32(p.b1)}
		line, column = advance(line, column, after[min(at, p.b0):p.b0])
		h.startLine, h.startColumn = line, column
		h.endLine, h.endColumn = advance(line, column, before[p.a0:p.a1])
		line, column = advance(line, column, after[p.b0:p.b1])
		h.newLine, h.newColumn = line, column
		at = p.b1
		e.hunks = append(e.hunks, h)
	}
	return e
}

var byteOrderMark = []byte("\uFEFF")

// advance returns the position at the end of a text, given the position of its start.
func advance(line, column uint32, text []byte) (uint32, uint32) {
	breaks := bytes.Count(text, []byte{'\n'})
	if returns := bytes.Count(text, []byte{'\r'}); returns > 0 {
		breaks += returns - bytes.Count(text, []byte("\r\n"))
	}
	if breaks == 0 {
		return line, column + widthOf(text)
	}
	return line + uint32(breaks), widthOf(text[bytes.LastIndexAny(text, "\r\n")+1:])
}

// widthOf returns the length of a text in UTF-16 units.
func widthOf(text []byte) (units uint32) {
	for _, b := range text {
		units += unitsOf(b)
	}
	return units
}

// A span pairs the bytes a0 to a1 of a text with the bytes b0 to b1 that replace them.
type span struct{ a0, a1, b0, b1 int }

// trimmed returns the span without the prefix and the suffix that its two texts share. It never
// splits a character or a line end.
func (p span) trimmed(a, b []byte) span {
	for p.a0 < p.a1 && p.b0 < p.b1 && a[p.a0] == b[p.b0] {
		p.a0, p.b0 = p.a0+1, p.b0+1
	}
	for p.a1 > p.a0 && p.b1 > p.b0 && a[p.a1-1] == b[p.b1-1] {
		p.a1, p.b1 = p.a1-1, p.b1-1
	}
	for p.a0 > 0 && p.b0 > 0 && (isInsideCharacter(a, p.a0) || isInsideCharacter(b, p.b0)) {
		p.a0, p.b0 = p.a0-1, p.b0-1
	}
	for p.a1 < len(a) && p.b1 < len(b) && (isInsideCharacter(a, p.a1) || isInsideCharacter(b, p.b1)) {
		p.a1, p.b1 = p.a1+1, p.b1+1
	}
	return p
}

// isInsideCharacter reports whether an offset is inside a character or a line end.
func isInsideCharacter(text []byte, at int) bool {
	if at <= 0 || at >= len(text) {
		return false
	}
	return !utf8.RuneStart(text[at]) || text[at-1] == '\r' && text[at] == '\n'
}

// differences returns the lines that differ. It works in two steps:
//
//  1. It matches lines that occur exactly once in each text, if they are in the same order.
//  2. It extends each match to the equal lines after it.
func differences(a, b []byte) []span {
	whole := span{0, len(a), 0, len(b)}.trimmed(a, b)
	// From here on, whole lines are compared.
	whole.a0 -= whole.b0 - (bytes.LastIndexByte(b[:whole.b0], '\n') + 1)
	whole.b0 = bytes.LastIndexByte(b[:whole.b0], '\n') + 1
	from, to := bytes.SplitAfter(a[whole.a0:whole.a1], []byte{'\n'}), bytes.SplitAfter(b[whole.b0:whole.b1], []byte{'\n'})
	var out []span
	at := span{whole.a0, whole.a0, whole.b0, whole.b0}
	i, j := 0, 0
	take := func(lines [][]byte) (n int) {
		for _, l := range lines {
			n += len(l)
		}
		return n
	}
	for _, m := range append(commonLines(from, to), [2]int{len(from), len(to)}) {
		if m[0] < i || m[1] < j {
			continue // An earlier match already covers this line.
		}
		at.a1, at.b1 = at.a0+take(from[i:m[0]]), at.b0+take(to[j:m[1]])
		out = append(out, at)
		for i, j = m[0], m[1]; i < len(from) && j < len(to) && bytes.Equal(from[i], to[j]); i, j = i+1, j+1 {
			at.a1, at.b1 = at.a1+len(from[i]), at.b1+len(to[j])
		}
		at = span{at.a1, at.a1, at.b1, at.b1}
	}
	return out
}

// commonLines pairs the lines that occur exactly once in each text, by their numbers. Both numbers
// increase from pair to pair.
func commonLines(a, b [][]byte) [][2]int {
	type place struct{ a, b, count int }
	found := make(map[string]place, len(a))
	for i, l := range a {
		p := found[string(l)]
		found[string(l)] = place{i, -1, p.count + 1}
	}
	for j, l := range b {
		if p, ok := found[string(l)]; ok {
			found[string(l)] = place{p.a, j, p.count + 100}
		}
	}
	var pairs [][2]int
	for _, p := range found {
		if p.count == 101 {
			pairs = append(pairs, [2]int{p.a, p.b})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return x[0] - y[0] })
	return rising(pairs)
}

// rising returns a longest subsequence of the pairs in which the second numbers increase.
func rising(pairs [][2]int) [][2]int {
	before := make([]int, len(pairs))
	var tops []int // tops has, for each length, the last pair of the best subsequence.
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(tops, p[1], func(top, b int) int { return pairs[top][1] - b })
		if before[i] = -1; n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	var out [][2]int
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = before[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}

// End returns the offset of the end of the edit in the new text.
func (e *Edit) End() uint32 {
	if n := len(e.hunks); n > 0 {
		return e.hunks[n-1].newEnd
	}
	return 0
}

// JustAbove reports whether the edit is above an offset of the new text, with at most one line of
// code between them. Blank lines and comments do not count.
func (e *Edit) JustAbove(offset uint32) bool {
	return slices.ContainsFunc(e.hunks, func(h hunk) bool {
		if offset < h.newEnd {
			return false
		}
		typed := bytes.TrimRight(e.after[:h.newEnd], " \t\r\n")
		between := bytes.SplitN(e.after[len(typed):offset], []byte{'\n'}, maxBetween)
		code := 0
		for _, line := range between[1:] {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '/' && line[0] != '*' {
				code++
			}
		}
		return len(between) > 1 && len(between) < maxBetween && code <= 2 // code includes the line of offset.
	})
}

// maxBetween is the maximum number of lines that JustAbove reads. Even long comments have fewer
// lines.
const maxBetween = 200

// touches reports whether the edit changed a name, or text next to it. p is in the new text.
func (e *Edit) touches(p Place) bool {
	return slices.ContainsFunc(e.hunks, func(h hunk) bool {
		return p.Offset <= h.newEnd && p.Offset+uint32(p.Bytes) >= h.start
	})
}

// offset converts an offset in the old text to the new text. Offsets in the replaced part become
// its start.
func (h *hunk) offset(at uint32) uint32 {
	switch {
	case at < h.start:
		return at
	case at >= h.end:
		return at - h.end + h.newEnd
	}
	return h.start
}

// line converts a line of the old text to the new text. A line is not part of the replaced text if
// that text ends at its start.
func (h *hunk) line(at uint32) uint32 {
	if at > h.endLine || at == h.endLine && h.endColumn == 0 {
		return at - h.endLine + h.newLine
	}
	return at
}

// position converts a position in the old text to the new text.
func (h *hunk) position(offset, line, column uint32) (uint32, uint32, uint32) {
	switch {
	case offset < h.start:
		return offset, line, column
	case offset < h.end:
		return h.start, h.startLine, h.startColumn
	case line == h.endLine:
		return h.offset(offset), h.newLine, column - h.endColumn + h.newColumn
	}
	return h.offset(offset), h.line(line), column
}

// place converts the position of a name in the old text to the new text. A deleted name gets length
// 0.
func (h *hunk) place(p Place) Place {
	last := p.Offset + uint32(p.Bytes)
	if last <= h.start {
		return p
	}
	out := p
	out.Offset, out.Line, out.Column = h.position(p.Offset, p.Line, p.Column)
	if p.Offset >= h.end {
		return out
	}
	// The edit is inside the name.
	text := h.after[out.Offset:max(out.Offset, min(h.offset(last), uint32(len(h.after))))]
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	text = text[:min(len(text), math.MaxUint16)]
	out.Bytes, out.Width = uint16(len(text)), uint16(widthOf(text))
	return out
}

// tail converts the tail of a call in the old text to the new text. begin is the offset at which
// the tail begins.
func (h *hunk) tail(begin uint32, t Tail) Tail {
	last := begin + uint32(t.Bytes)
	switch {
	case h.end <= begin || h.start >= last:
		return t
	case h.start < begin:
		return Tail{}
	case h.end <= last && h.startLine == h.endLine && h.startLine == h.newLine:
		bytes, width := last-begin+h.newEnd-h.end, uint32(t.Width)+h.newColumn-h.endColumn
		return Tail{uint16(min(bytes, math.MaxUint16)), uint16(min(width, math.MaxUint16))}
	}
	return Tail{uint16(h.start - begin), uint16(widthOf(h.after[begin:h.start]))}
}

func (h *hunk) extent(x Extent) Extent {
	if x.End <= h.start {
		return x
	}
	x.Start, x.StartLine, x.StartColumn = h.position(x.Start, x.StartLine, x.StartColumn)
	x.End, x.EndLine, x.EndColumn = h.position(x.End, x.EndLine, x.EndColumn)
	return x
}
