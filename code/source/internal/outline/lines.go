package outline

import (
	"bytes"
	"math"
	"sort"
	"unicode/utf8"
)

// unitStep is the distance in bytes between two stored UTF-16 counts.
const unitStep = 256

// lines converts byte offsets of a text to lines and UTF-16 columns. A line ends with a line feed,
// a carriage return, or a carriage return and a line feed.
type lines struct {
	text   []byte
	starts []uint32
	// units has the number of UTF-16 units before every unitStep-th byte. It is nil for an ASCII
	// text, in which each byte is a unit.
	units []uint32
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: make([]uint32, 1, 1+bytes.Count(text, []byte{'\n'}))}
	ascii := true
	for i, b := range text {
		if b == '\n' || b == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, uint32(i+1))
		}
		ascii = ascii && b < utf8.RuneSelf
	}
	if ascii {
		return l
	}
	l.units = make([]uint32, 0, len(text)/unitStep+1)
	count := uint32(0)
	for i, b := range text {
		if i%unitStep == 0 {
			l.units = append(l.units, count)
		}
		count += unitsOf(b)
	}
	if bytes.HasPrefix(text, []byte("\uFEFF")) {
		// Editors hide a byte order mark, so it does not count as part of the first line.
		for i := range l.units[1:] {
			l.units[i+1]--
		}
	}
	return l
}

// unitsOf returns the UTF-16 units of the character that begins with byte b. For the other bytes of
// a character, it returns 0.
func unitsOf(b byte) uint32 {
	switch {
	case b >= 0xF0:
		return 2
	case b >= 0xC0 || b < 0x80:
		return 1
	}
	return 0
}

// before returns the number of UTF-16 units before an offset.
func (l *lines) before(offset uint32) uint32 {
	if l.units == nil {
		return offset
	}
	block := min(int(offset)/unitStep, len(l.units)-1)
	count, from := l.units[block], block*unitStep
	if block == 0 && bytes.HasPrefix(l.text, []byte("\uFEFF")) {
		from = min(3, int(offset))
	}
	for _, b := range l.text[from:offset] {
		count += unitsOf(b)
	}
	return count
}

// position returns the line and the column of an offset.
func (l *lines) position(offset uint32) (line, column uint32) {
	offset = min(offset, uint32(len(l.text)))
	line = uint32(sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset }) - 1)
	return line, l.before(offset) - l.before(l.starts[line])
}

// place returns the position of a name. It cuts a name that is too long for a Place.
func (l *lines) place(start, end uint32) Place {
	end = min(end, uint32(len(l.text)), start+math.MaxUint16)
	start = min(start, end)
	line, column := l.position(start)
	return Place{
		Offset: start, Line: line, Column: column,
		Bytes: uint16(end - start), Width: uint16(l.before(end) - l.before(start)),
	}
}

// tail returns the text after a name, up to the offset end or the end of the line, whichever comes
// first.
func (l *lines) tail(name Place, end uint32) Tail {
	from, last := name.Offset+uint32(name.Bytes), uint32(len(l.text))
	if next := int(name.Line) + 1; next < len(l.starts) {
		last = l.starts[next]
	}
	if end < last {
		last = end
	} else {
		last = from + uint32(len(bytes.TrimRight(l.text[from:max(from, last)], " \t\r\n")))
	}
	if last <= from || last-from > math.MaxUint16 {
		return Tail{}
	}
	return Tail{Bytes: uint16(last - from), Width: uint16(l.before(last) - l.before(from))}
}

func (l *lines) extent(start, end uint32) Extent {
	e := Extent{Start: start, End: end}
	e.StartLine, e.StartColumn = l.position(start)
	e.EndLine, e.EndColumn = l.position(end)
	return e
}
