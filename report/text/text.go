// Package text renders reports for people at a terminal: aligned columns, names
// short enough to read, and under each figure where in the app's code it comes
// from.
//
// Renderings are made of plain text that keeps its alignment in a file, and of
// colours where [Options] asks for them. They keep these laws:
//
//   - each share is rounded by itself; where those of a whole do not add up to 100.0%,
//     a note says so;
//   - what is left out is counted where it is left out;
//   - energy that was modelled is called modelled;
//   - names are data: control characters in them never reach the terminal.
//
// Widths are in terminal cells, so names in any script line up. A line is cut only in names and
// paths, never in figures.
package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A page is a rendering under way. Writes go to a buffer: nothing can fail
// before it is whole.
type page struct {
	strings.Builder
	scale                              words.Scale
	width                              int
	methods                            report.Methods // those that the document names
	telling                            map[string]int // what tells tasks apart: see tellApart
	bold, faint, bad, good, note, head func(a ...any) string
}

// newPage starts a rendering of energies around total, which inputs drained.
func newPage(o report.Options, total units.Energy, inputs ...report.Input) *page {
	p := &page{scale: words.In(unitOf(o.Unit, inputs...), o.Voltage, total), width: columns(o.Width)}
	paint := func(c text.Color) func(a ...any) string {
		if !o.Color {
			return fmt.Sprint
		}
		// Color.Sprint looks at the environment; the caller already has.
		return func(a ...any) string { return text.Escape(fmt.Sprint(a...), c.EscapeSeq()) }
	}
	p.bold, p.faint = paint(text.Bold), paint(text.Faint)
	p.bad, p.good = paint(text.FgRed), paint(text.FgGreen)
	p.note, p.head = paint(text.FgYellow), paint(text.Underline)
	return p
}

// unitOf is the unit to show the energies of inputs in: the one asked for, which may be
// nil, or units.Plain if one of the inputs does not state its own.
func unitOf(asked *units.Unit, inputs ...report.Input) *units.Unit {
	for _, in := range inputs {
		if in.Unit == report.UnknownUnit {
			plain := units.Plain
			return &plain
		}
	}
	return asked
}

// measure names what is shown, and its unit.
func (p *page) measure() string { return p.scale.Noun() + " in " + p.scale.Unit() }

// columns is how many columns to use where a caller names a number.
func columns(width int) int {
	const usual, least, most = 80, 60, 500
	if width <= 0 {
		return usual
	}
	return min(max(width, least), most)
}

// tooSmall has the figures that are not 0 but too small to show.
var tooSmall = []string{"~0", "<0.1%"}

// flush writes the page, with a note on figures that are too small to show.
func (p *page) flush(w io.Writer) error {
	written := p.String()
	small := slices.DeleteFunc(slices.Clone(tooSmall), func(s string) bool { return !strings.Contains(written, " "+s) })
	if len(small) > 0 {
		p.linef("")
		p.paragraph(p.faint, strings.Join(small, " and ")+": not zero, but too small to show")
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

// linef writes a line, without trailing blanks.
func (p *page) linef(format string, a ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	p.WriteByte('\n')
}

// amount writes an energy without its unit, for columns.
func (p *page) amount(e units.Energy) string { return p.scale.Amount(e) }

// energy writes an energy with its unit.
func (p *page) energy(e units.Energy) string { return p.scale.Energy(e) }

// drained writes what a run drained, and how far to trust it.
func (p *page) drained(in report.Input) string {
	return p.scale.Range(in.Least, in.Energy) + " (" + in.EnergyFrom + ")"
}

// fileAnd writes an input's path, cut to the width of the page, and its energy.
func (p *page) fileAnd(in report.Input) string {
	drained := words.MeanOf(in.Runs) + ", " + p.drained(in)
	return cutLeft(clean(in.Path), max(p.width-11-cells(drained), 8)) + drained
}

// short names a method as developers say it.
func (p *page) short(label string) string { return clean(p.methods.Short(label)) }

// clean replaces what could move a cursor or change a colour.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// cells is the number of terminal cells that s takes.
func cells(s string) int { return text.StringWidthWithoutEscSequences(s) }

// pad fills s up with blanks to n cells.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-cells(s))) }

// cutRight shortens s to n cells from its right.
func cutRight(s string, n int) string { return text.Snip(s, n, "…") }

// cutLeft shortens s to n cells from its left, where names are most alike.
func cutLeft(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	from, room := len(s), n-1
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if room -= text.RuneWidth(r); room < 0 {
			break
		}
		from -= size
	}
	return "…" + s[from:]
}

// cutWords shortens s to n cells from its right, at a blank: no figure loses a digit. Only
// a first word that is longer, and no figure, is cut itself.
func cutWords(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	for i := strings.LastIndexByte(s, ' '); i > 0; i = strings.LastIndexByte(s[:i], ' ') {
		if cells(s[:i])+1 <= n {
			return s[:i] + "…"
		}
	}
	if first, _ := utf8.DecodeRuneInString(s); !unicode.IsLetter(first) {
		return s
	}
	for s != "" && cells(s)+1 > n {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s + "…"
}
