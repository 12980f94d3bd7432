package text

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// maxPairs limits the listed pairs of bundles (active periods of components).
const maxPairs = 15

// bundlePairs writes the bundles of two runs side by side, and the subject's wasted energy.
func (p *page) bundlePairs(c *report.BundleComparison) {
	if c == nil {
		return
	}
	p.linef("")
	p.paragraph(p.bold, "Active periods of each component in both runs (bundles), subject │ reference, largest difference first; "+p.measure())
	shown := c.Pairs[:min(len(c.Pairs), maxPairs)]
	rows := make([]table.Row, len(shown))
	for i, pair := range shown {
		row := table.Row{clean(pair.Component)}
		row = append(append(row, p.side(c.Subject, pair.Subject)...), "│")
		row = append(row, p.side(c.Reference, pair.Reference)...)
		rows[i] = append(row, p.saving(pair.Difference))
	}
	lines := aligned(table.Row{"component", "", "time", p.scale.Noun(), "│", "", "time", p.scale.Noun(), "more"}, rows)
	p.linef("%s", p.head(lines[0]+"caused by"))
	for i, pair := range shown {
		list, at := c.Subject, pair.Subject
		if at == nil {
			list, at = c.Reference, pair.Reference
		}
		drivers := ""
		for k, label := range list.List[*at].Drivers() {
			if k > 0 {
				drivers += ", "
			}
			drivers += p.short(label)
		}
		p.linef("%s%s", lines[i+1], cutWords(drivers, max(p.width-cells(lines[i+1]), 16)))
	}
	if more := len(c.Pairs) - len(shown); more > 0 {
		p.linef("%s", p.faint(tally(int64(more))+" more in --format json"))
	}
	p.wasted(c.Subject.Findings)
}

// side formats a bundle in one run: its number of periods, their time and their energy.
func (p *page) side(b *report.Bundles, i *int) []any {
	if i == nil {
		return []any{"–", "–", "–"}
	}
	one := &b.List[*i]
	return []any{"×" + tally(one.Count), units.FormatTime(one.Time), p.amount(one.Energy)}
}
