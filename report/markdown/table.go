package markdown

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A table has the rows of a table, the heading first. All rows have the same number of cells. The
// first column has texts, the others have figures.
type table [][]string

// write pads the cells of a column to equal width, because some editors show the Markdown source.
func (t table) write(to *strings.Builder) {
	widths := make([]int, len(t[0]))
	width := utf8.RuneCountInString
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	to.WriteString("\n")
	for n, row := range t {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-width(cell))
			if i == 0 {
				fmt.Fprintf(to, "| %s%s |", cell, space)
			} else {
				fmt.Fprintf(to, " %s%s |", space, cell)
			}
		}
		to.WriteString("\n")
		if n == 0 {
			for i, w := range widths {
				if i == 0 {
					fmt.Fprintf(to, "|:%s|", strings.Repeat("-", w+1))
				} else {
					fmt.Fprintf(to, "%s:|", strings.Repeat("-", w+1))
				}
			}
			to.WriteString("\n")
		}
	}
}

// indent is a leading space of a cell. It is a no-break space, which renderers keep.
const indent = "\u00a0"
