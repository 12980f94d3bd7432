package html

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// An Article is a page of sentences, tables and charts. Its sentences and figures are complete, so
// the page only draws them.
type Article struct {
	Title    string    `json:"title"`
	Sections []Section `json:"sections"`
}

// A Section is a part of an article. The first section usually has no title.
type Section struct {
	Title string `json:"title,omitempty"`
	Parts []Part `json:"parts"`
}

// A Part has exactly one kind of content. A text may also have a tone, and a table a summary.
type Part struct {
	Text string `json:"text,omitempty"`
	// Tone is "worse", "better", "dim" or "".
	Tone string `json:"tone,omitempty"`
	// Command is a line for a shell.
	Command string `json:"command,omitempty"`
	Table   *Table `json:"table,omitempty"`
	// Summary is the text of a folded table. Without a summary the table is open.
	Summary string `json:"summary,omitempty"`
	Chart   *Chart `json:"chart,omitempty"`
	Tree    *Node  `json:"tree,omitempty"`
}

// Text returns a paragraph.
func Text(text string) Part { return Part{Text: text} }

// Dim returns a paragraph of secondary text.
func Dim(text string) Part { return Part{Text: text, Tone: "dim"} }

// A Table has one row of cells per item. The first cell has the item's name.
type Table struct {
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// A Column is a column of a table. A narrow window shows Short, if it is set, in front of each cell.
type Column struct {
	Title  string `json:"title"`
	Short  string `json:"short,omitempty"`
	Figure bool   `json:"figure,omitempty"`
}

// A Cell is a cell of a table, with a note in secondary text, and bars below it.
type Cell struct {
	Text string `json:"text"`
	Note string `json:"note,omitempty"`
	Bars []Bar  `json:"bars,omitempty"`
}

// A Bar draws a value with its interval. All bars of a table have one scale.
type Bar struct {
	// Text names the bar, and Figure is its value in words. Style is "with" or "without".
	Text   string `json:"text"`
	Figure string `json:"figure"`
	Style  string `json:"style"`
	// Length and the ends of Span are shares of the scale, from 0 to 1.
	Length float64     `json:"length"`
	Span   *[2]float64 `json:"span,omitempty"`
}

// A Node is a node of a tree.
type Node struct {
	Text     string `json:"text"`
	Note     string `json:"note,omitempty"`
	Children []Node `json:"children,omitempty"`
}

// A Chart draws lines, points, bands and vertical rules. Coordinates are values of its axes.
type Chart struct {
	// Label describes the chart in words.
	Label   string  `json:"label"`
	Caption string  `json:"caption,omitempty"`
	X       Axis    `json:"x"`
	Y       Axis    `json:"y"`
	Bands   []Band  `json:"bands,omitempty"`
	Lines   []Line  `json:"lines,omitempty"`
	Rules   []Rule  `json:"rules,omitempty"`
	Points  []Point `json:"points,omitempty"`
}

// An Axis has the values from From to To. A logarithmic axis has only positive values.
type Axis struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Log   bool    `json:"log,omitempty"`
	Ticks []Tick  `json:"ticks"`
}

// A Tick is a text at a value of an axis. The page omits ticks that do not fit.
type Tick struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

// A Line joins points. A point has an x and a y.
type Line struct {
	Points [][2]float64 `json:"points"`
	// Style is "with", "without" (dashed) or "level".
	Style string `json:"style"`
}

// A Band is the area between a lower and an upper y, for each x.
type Band struct {
	Points [][3]float64 `json:"points"`
}

// A Rule is a vertical line with a text.
type Rule struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
	Tone string  `json:"tone"`
}

// A Point is a value with its interval and the values that it summarises.
type Point struct {
	X     float64     `json:"x"`
	Y     float64     `json:"y"`
	Span  *[2]float64 `json:"span,omitempty"`
	Parts []float64   `json:"parts,omitempty"`
	Tip   string      `json:"tip"`
}

// WriteArticle writes an article as an HTML page.
func WriteArticle(w io.Writer, a *Article) error {
	return writePage(w, a.Title, func(w *gzip.Writer, _ *counter) error {
		return json.NewEncoder(w).Encode(struct {
			Article *Article `json:"article"`
		}{a})
	})
}

// writePage writes the app with a block of data.
func writePage(w io.Writer, title string, write func(*gzip.Writer, *counter) error) error {
	out := bufio.NewWriter(w) // A bufio.Writer keeps its first error until Flush.
	writeHead(out, title+" – diffprof")
	if err := writeData(out, write); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	out.WriteString("</script>\n<script>")
	out.WriteString(script)
	out.WriteString("</script>\n</body>\n</html>\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}
