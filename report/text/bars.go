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

// barWidth is the length of the longest bar in cells.
const barWidth = 30

// bars draws energies as bars on one scale. A component is drawn as a letter, for example W for
// wifi in use and w for its tail, so bars need no colors. The processor is solid, and so is a run
// without components.
type bars struct {
	most    units.Energy
	letters map[string]rune
}

const (
	solidBar         = '█'
	unattributedName = '·'
)

// newBars makes bars. The parameter most is the energy of the longest bar. components are the run's
// components, sorted by energy.
func newBars(most units.Energy, components []report.Component) *bars {
	b := &bars{most: most, letters: make(map[string]rune)}
	taken := make(map[rune]bool)
	for _, c := range components {
		if c.Name == finding.Processor {
			b.letters[c.Name] = solidBar
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

// bar draws an energy with its parts by component. Each part ends at the rounded running sum, so
// rounding errors do not add up.
func (b *bars) bar(total units.Energy, by []report.Component) string {
	if b.most <= 0 || total <= 0 {
		return ""
	}
	width := func(e units.Energy) int {
		return int((int64(units.MulDiv(int64(e), 2*barWidth, int64(b.most))) + 1) / 2)
	}
	if len(by) == 0 {
		return strings.Repeat(string(solidBar), max(width(total), 1))
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
		draw(c.Rest, unattributedName)
	}
	return line.String()
}

// key explains the letters.
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
		key = append(key, string(unattributedName)+" unattributed")
	}
	return key
}
