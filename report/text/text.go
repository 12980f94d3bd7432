// Package text renders reports for people at a terminal: aligned columns, names
// short enough to read, and under each figure where in the app's code it comes
// from.
//
// Renderings are made of plain text that keeps its alignment in a file, and of
// colours where [Options] asks for them. They keep these laws:
//
//   - shares of a whole are rounded so that they add up to 100.0%;
//   - what is left out is counted where it is left out;
//   - energy that was modelled is called modelled;
//   - names are data: control characters in them never reach the terminal.
//
// Widths are those of terminal cells, so names of any script line up. A line is
// cut only in names and paths, never in figures.
package text

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// DefaultTop is how many tasks a comparison lists unless told: what one reads in a
// sitting.
const DefaultTop = 20

// Options say how to render. The zero value is plain text for 80 columns.
type Options struct {
	// Unit is what energy is shown in; nil chooses by the size of the subject's.
	Unit *units.Unit
	// Voltage turns energy into charge; 0 is units.DefaultVoltage.
	Voltage units.Voltage
	// Width is the number of columns to use, 80 at least.
	Width int
	// Color says whether to use colours.
	Color bool
}

// A page is a rendering under way. Writes go to a buffer: nothing can fail
// before it is whole.
type page struct {
	strings.Builder
	unit                               units.Unit
	voltage                            units.Voltage
	width                              int
	bold, faint, bad, good, note, head func(a ...any) string
}

// newPage starts a rendering of energies around total.
func newPage(o Options, total units.Energy) *page {
	p := &page{voltage: o.Voltage, width: max(o.Width, 80)}
	if p.voltage == 0 {
		p.voltage = units.DefaultVoltage
	}
	p.unit = units.Suiting(total)
	if o.Unit != nil {
		p.unit = *o.Unit
	}
	paint := func(attributes ...color.Attribute) func(a ...any) string {
		c := color.New(attributes...)
		if o.Color {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.SprintFunc()
	}
	p.bold, p.faint = paint(color.Bold), paint(color.Faint)
	p.bad, p.good = paint(color.FgRed), paint(color.FgGreen)
	p.note, p.head = paint(color.FgYellow), paint(color.Underline)
	return p
}

// flush writes the page.
func (p *page) flush(w io.Writer) error {
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

// amount writes an energy without its unit, for columns. What is too small for
// the unit is about nothing, but not nothing.
func (p *page) amount(e units.Energy) string {
	if x := p.unit.Of(e, p.voltage); x != 0 && math.Abs(x) < 0.001 {
		return "~0"
	}
	return p.unit.Format(e, p.voltage)
}

// energy writes an energy with its unit.
func (p *page) energy(e units.Energy) string { return p.amount(e) + " " + p.unit.String() }

// percent writes a share; what is there but too small to show is not nothing.
func percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// percents writes the shares of parts that make up a whole, in tenths of a
// percent that add up to 100.0%: those that lose most by rounding down are
// rounded up. A whole of nothing has no shares.
func percents(parts []units.Energy) []string {
	var total units.Energy
	for _, part := range parts {
		total += part
	}
	shown := make([]string, len(parts))
	if total <= 0 {
		for i := range shown {
			shown[i] = "–"
		}
		return shown
	}
	tenths := make([]int64, len(parts))
	rest := make([]int64, len(parts))
	left := int64(1000)
	for i, part := range parts {
		tenths[i] = units.MulDiv(int64(part), 1000, int64(total))
		// What rounding down loses, in 1/2³⁰ of a tenth: near enough to rank by.
		rest[i] = units.MulDiv(int64(part), 1000<<30, int64(total)) - tenths[i]<<30
		left -= tenths[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i := range rest {
			if rest[i] > rest[most] {
				most = i
			}
		}
		tenths[most]++
		rest[most] = -1
	}
	for i, n := range tenths {
		shown[i] = fmt.Sprintf("%d.%d%%", n/10, n%10)
	}
	return shown
}

// count writes a number with thousands parted by thin marks that every terminal
// has.
func count[N int | int64](n N) string {
	digits := fmt.Sprint(int64(n))
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// some writes a count with its noun.
func some[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return count(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	default:
		return count(n) + " " + noun + "s"
	}
}

// short names a method as developers say it.
func short(label string) string { return clean(trace.Short(label)) }

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
	runes := []rune(s)
	for len(runes) > 0 && cells(string(runes)) > n-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}
