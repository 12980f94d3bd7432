package crowd

import (
	"math"

	"github.com/diffprof/diffprof/report/html"
	"github.com/diffprof/diffprof/report/words"
)

// A picture is a column of bars. All bars have one scale.
type picture struct {
	most float64
	rows [][]value
}

// A value is a bar before the scale is known. low and high are the ends of its interval.
type value struct {
	text, figure, style string
	at, low, high       float64
}

// symmetricValue returns a value whose interval extends by half on each side.
func symmetricValue(text, figure string, at, half float64) value {
	return value{text, figure, "with", at, at - half, at + half}
}

// add adds the bars of a row.
func (p *picture) add(row ...value) {
	for _, v := range row {
		for _, end := range []float64{v.at, v.high} {
			if isFinite(end) {
				p.most = max(p.most, end)
			}
		}
	}
	p.rows = append(p.rows, row)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// bars returns the bars of a row.
func (p *picture) bars(row int) (all []html.Bar) {
	share := func(x float64) float64 {
		if p.most <= 0 || !isFinite(x) {
			return 0
		}
		return math.Round(10_000*max(0, min(1, x/p.most))) / 10_000
	}
	for _, v := range p.rows[row] {
		bar := html.Bar{Text: v.text, Figure: v.figure, Style: v.style, Length: share(v.at)}
		if isFinite(v.low) && isFinite(v.high) && v.low < v.high {
			bar.Span = &[2]float64{share(v.low), share(v.high)}
		}
		all = append(all, bar)
	}
	return all
}

// withoutApp and withApp return the bars for the energy that devices use without an app and with
// it.
func (d Drain) withoutApp() value {
	return value{"without it", words.TwoDigits(3600*d.Reference) + " %/h", "without", d.Reference, d.Reference, d.Reference}
}

func (d Drain) withApp() value {
	return symmetricValue("with it", words.PercentPerHour(d.Reference+d.Excess, d.Half), d.Reference+d.Excess, d.Half)
}

// conditional returns the bar for an excess under a condition.
func (c *Conditional) conditional() value {
	return symmetricValue("more with "+c.Condition, words.PercentPerHour(c.Drain, c.Half), c.Drain, c.Half)
}

// draw adds a column with the bars of a picture to a table.
func (p *picture) draw(t *html.Table, title, short string) {
	t.Columns = append(t.Columns, html.Column{Title: title, Short: short})
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], html.Cell{Bars: p.bars(i)})
	}
}
