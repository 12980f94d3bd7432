package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// barWidth is the cells of the longest bar.
const barWidth = 30

// A bars draws energies as bars of one scale. Each component has a letter: capital for its use,
// small for its tail. So bars need no colours. The processor's energy is solid, and so is the bar
// of a run without energy by component.
type bars struct {
	most    units.Energy
	letters map[string]rune
}

const (
	solid  = '█'
	nobody = '·'
)

// newBars makes bars. most is the energy of the longest one. components are the run's components,
// most energy first.
func newBars(most units.Energy, components []report.Component) *bars {
	b := &bars{most: most, letters: make(map[string]rune)}
	taken := make(map[rune]bool)
	for _, c := range components {
		if c.Name == finding.Processor {
			b.letters[c.Name] = solid
			continue
		}
		for _, letter := range words.Component(c.Name) + "abcdefghijklmnopqrstuvwxyz" {
			if letter = unicode.ToUpper(letter); unicode.IsLetter(letter) && letter < utf8.RuneSelf && !taken[letter] {
				b.letters[c.Name], taken[letter] = letter, true
				break
			}
		}
	}
	return b
}

// bar draws an energy, and what components have of it. Each part ends where the sum up to it
// ends, so that rounding adds nothing up.
func (b *bars) bar(total units.Energy, by []report.Component) string {
	if b.most <= 0 || total <= 0 {
		return ""
	}
	width := func(e units.Energy) int {
		return int((int64(units.MulDiv(int64(e), 2*barWidth, int64(b.most))) + 1) / 2)
	}
	if len(by) == 0 {
		return strings.Repeat(string(solid), max(width(total), 1))
	}
	var line strings.Builder
	drawn, sum := 0, units.Energy(0)
	draw := func(e units.Energy, letter rune) {
		sum += e
		for ; drawn < width(sum); drawn++ {
			line.WriteRune(letter)
		}
	}
	for _, c := range by {
		letter := b.letters[c.Name]
		draw(c.Use, letter)
		draw(c.Tail, unicode.ToLower(letter))
		draw(c.Rest, nobody)
	}
	return line.String()
}

// key says what the letters mean.
func (b *bars) key(components []report.Component) []string {
	var key []string
	rest := false
	for _, c := range components {
		letter := b.letters[c.Name]
		key = append(key, string(letter)+" "+clean(words.Component(c.Name)))
		if c.Tail != 0 {
			key = append(key, string(unicode.ToLower(letter))+" its tail")
		}
		rest = rest || c.Rest != 0
	}
	if rest {
		key = append(key, string(nobody)+" unattributed")
	}
	return key
}
