// Package text renders reports for people at a terminal. Columns are aligned, and names are short
// enough to read. The lines below a figure say where it is in the app's code.
//
// The output is plain text, and stays aligned in a file. [Options] can add colors. Laws:
//
//   - each share is rounded separately. If the shares of a total do not add up to 100.0%, a note
//     states this;
//   - omitted rows are counted at their place;
//   - energy that was modelled is called modelled;
//   - names are data: control characters in them never reach the terminal.
//
// Widths are in terminal cells, so names in any script are aligned. Only names and paths are
// shortened, never figures.
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

// A page is the state of a rendering. Writes go to a buffer, so only the final write can fail.
type page struct {
	strings.Builder
	scale                              words.Scale
	width                              int
	methods                            report.Methods // the methods of the document
	distinctSteps                      map[string]int // by task ID, a step that identifies the task: see distinctSteps
	bold, faint, bad, good, note, head func(a ...any) string
}

// newPage starts a page. The options or the inputs decide the unit of energy. If they do not, it is
// the unit that suits total.
func newPage(o report.Options, total units.Energy, inputs ...report.Input) *page {
	p := &page{scale: words.ScaleFor(unitOf(o.Unit, inputs...), o.Voltage, total), width: columns(o.Width)}
	paint := func(c text.Color) func(a ...any) string {
		if !o.Color {
			return fmt.Sprint
		}
		// Color.Sprint would read the environment. The caller has already done so.
		return func(a ...any) string { return text.Escape(fmt.Sprint(a...), c.EscapeSeq()) }
	}
	p.bold, p.faint = paint(text.Bold), paint(text.Faint)
	p.bad, p.good = paint(text.FgRed), paint(text.FgGreen)
	p.note, p.head = paint(text.FgYellow), paint(text.Underline)
	return p
}

// unitOf returns the unit for the energies of inputs: units.Plain if an input does not state its
// unit, and otherwise asked, which may be nil.
func unitOf(asked *units.Unit, inputs ...report.Input) *units.Unit {
	for _, in := range inputs {
		if in.Unit == report.UnknownUnit {
			plain := units.Plain
			return &plain
		}
	}
	return asked
}

// measure names the quantity with its unit, such as "energy in mJ".
func (p *page) measure() string { return p.scale.Noun() + " in " + p.scale.Unit() }

// columns limits a requested width to what text supports.
func columns(width int) int {
	const usual, least, most = 80, 60, 500
	if width <= 0 {
		return usual
	}
	return min(max(width, least), most)
}

// tooSmall are the texts for figures that are too small to show.
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

// linef writes a line, without trailing spaces.
func (p *page) linef(format string, a ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	p.WriteByte('\n')
}

// amount formats an energy without its unit, for columns.
func (p *page) amount(e units.Energy) string { return p.scale.Amount(e) }

// energy formats an energy with its unit.
func (p *page) energy(e units.Energy) string { return p.scale.Energy(e) }

// runEnergy formats a run's energy, and how it is known.
func (p *page) runEnergy(in report.Input) string {
	return p.scale.Range(in.LeastApart(), in.Energy) + " (" + in.EnergyFrom + ")"
}

// fileAndEnergy formats an input's path, cut to the width of the page, and its energy.
func (p *page) fileAndEnergy(in report.Input) string {
	drained := words.MeanOf(in.Runs) + ", " + p.runEnergy(in)
	return cutLeft(clean(in.Path), max(p.width-11-cells(drained), 8)) + drained
}

// short returns the name of a method as developers write it.
func (p *page) short(label string) string { return clean(p.methods.Short(label)) }

// clean replaces characters that could move the cursor or change the color.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// cells returns the number of terminal cells of s.
func cells(s string) int { return text.StringWidthWithoutEscSequences(s) }

// pad appends spaces to s up to n cells.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-cells(s))) }

// cutRight shortens s to n cells from its right.
func cutRight(s string, n int) string { return text.Snip(s, n, "…") }

// cutLeft shortens s to n cells from its left, because names differ mostly at the end.
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

// cutMethod shortens a method to n cells. It cuts the parameters from the left first, because
// overloads differ mostly in the last ones.
func cutMethod(s string, n int) string {
	at := strings.IndexByte(s, '(')
	if at < 0 || cells(s) <= n {
		return cutLeft(s, n)
	}
	const few = 4
	if room := n - cells(s[:at+1]); room >= few {
		return s[:at+1] + cutLeft(s[at+1:], room)
	}
	return cutLeft(s[:at], n)
}

// cutWords shortens s to n cells at a space, so that figures keep all digits. It cuts inside a word
// only if the first word is too long and is not a figure.
func cutWords(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	for i := strings.LastIndexByte(s, ' '); i > 0; i = strings.LastIndexByte(s[:i], ' ') {
		if cells(s[:i])+1 <= n {
			return s[:i] + "…"
		}
	}
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsDigit(first) || strings.ContainsRune("+-–~≤<.", first) {
		return s
	}
	for s != "" && cells(s)+1 > n {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s + "…"
}
