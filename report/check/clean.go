package check

import (
	"encoding/csv"
	"strings"
	"unicode"
)

// clean replaces the characters of a text that could end a line, hide a part or turn it round.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// line writes the cells of a line. out.Flush returns the error.
func line(out *csv.Writer, cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	out.Write(cells)
}
