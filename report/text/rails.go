package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxRails limits the rails that are drawn.
const maxRails = 10

// levels are the bars of a sparkline, from nearly no power to the rail's highest.
var levels = []rune("▁▂▃▄▅▆▇█")

// rails draws the measured power of each rail over time. Each rail has its own scale.
func (p *page) rails(list []report.Rail) {
	if len(list) == 0 {
		return
	}
	p.linef("")
	p.paragraph(p.bold, "Measured energy, highest power, and power over time")
	drawn := list[:min(len(list), maxRails)]
	wide := 0
	for _, r := range drawn {
		wide = max(wide, cells(clean(r.Name)))
	}
	for _, r := range drawn {
		most := max(slices.Max(r.Powers), 0)
		e := words.ScalePerFigure(nil, 0).Energy
		p.linef("%s  %9s  %9s  %s", pad(clean(r.Name), wide), e(r.Energy), milliwatts(most), sparkline(r.Powers, most))
	}
	if more := len(list) - len(drawn); more > 0 {
		p.paragraph(p.faint, words.Some(more, "rail")+" more; --format json has all")
	}
}

// milliwatts formats a power.
func milliwatts(p units.Power) string {
	if p < 10*units.Milliwatt {
		return fmt.Sprintf("%.2f mW", float64(p)/float64(units.Milliwatt))
	}
	return fmt.Sprintf("%.0f mW", float64(p)/float64(units.Milliwatt))
}

// sparkline draws powers on a scale from 0 to the parameter most. Unknown powers are blank.
func sparkline(powers []units.Power, most units.Power) string {
	var b strings.Builder
	for _, power := range powers {
		switch {
		case power < 0 || most <= 0:
			b.WriteByte(' ')
		default:
			b.WriteRune(levels[units.MulDiv(int64(min(power, most)), int64(len(levels)-1), int64(most))])
		}
	}
	return strings.TrimRight(b.String(), " ")
}
