package check

import (
	"encoding/csv"
	"strconv"
	"strings"
	"unicode"
)

// clean replaces the characters of a text that could end a line, hide text or reverse its direction.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// line writes one line of cells. The writer keeps an error until out.Error.
func line(out *csv.Writer, cells ...string) {
	for i := range cells {
		cells[i] = cell(clean(cells[i]))
	}
	out.Write(cells)
}

// cell returns a cell that no spreadsheet reads as a formula. It puts an apostrophe in front of
// characters that begin formulas. Numbers do not change.
func cell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
