package source_test

import (
	"strings"
	"unicode/utf16"

	"github.com/diffprof/diffprof/code/source"
)

// offsetOf computes a position's byte offset only from its line and column, by encoding the text in
// UTF-16.
func offsetOf(text string, p source.Position) int {
	offset := 0
	for range p.Line {
		i := strings.IndexAny(text[offset:], "\r\n")
		if i < 0 {
			return -1
		}
		if strings.HasPrefix(text[offset+i:], "\r\n") {
			i++
		}
		offset += i + 1
	}
	if offset == 0 && strings.HasPrefix(text, "\uFEFF") {
		offset = len("\uFEFF")
	}
	units := uint32(0)
	for units < p.Column && offset < len(text) {
		r := []rune(text[offset:min(offset+4, len(text))])[0]
		units += uint32(len(utf16.Encode([]rune{r})))
		offset += len(string(r))
	}
	if units != p.Column {
		return -1
	}
	return offset
}
