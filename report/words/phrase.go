package words

import (
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// A Phrase is a sentence in which energies are still numbers, so that a page can choose their unit.
// Its elements are text (string), energies to write with a unit (units.Energy), and energies to
// write without one (UnitlessEnergy). The first element is text.
type Phrase []any

// UnitlessEnergy is an energy to write without a unit. In JSON it is a list of one number.
type UnitlessEnergy [1]units.Energy

// Marks around the energies of the sentence that becomes a Phrase.
const (
	energyMark = "\x00e"
	amountMark = "\x00a"
	endMark    = "\x00"
)

// markEnergy formats an energy between marks.
func markEnergy(mark string, e units.Energy) string {
	return mark + strconv.FormatInt(int64(e), 10) + endMark
}

// NewPhrase makes a phrase from the sentence that write returns. It returns nil if there is no
// energy in it, or if a name in it contains a mark.
func NewPhrase(write func(Scale) string) Phrase {
	unit := units.Nano
	rest := write(Scale{unit: &unit, voltage: units.DefaultVoltage, apart: true})
	if strings.ContainsRune(write(ScalePerFigure(&unit, 0)), 0) {
		return nil
	}
	var p Phrase
	for i, part := range strings.Split(rest, endMark) {
		switch {
		case i > 0 && i%2 == 0 && part == "":
		case i%2 == 0:
			p = append(p, part)
		default:
			// marked wrote the mark, so it is a letter and an integer.
			n, _ := strconv.ParseInt(part[1:], 10, 64)
			if part[:1] == amountMark[1:] {
				p = append(p, UnitlessEnergy{units.Energy(n)})
			} else {
				p = append(p, units.Energy(n))
			}
		}
	}
	if len(p) == 1 {
		return nil
	}
	return p
}

// In formats the phrase with energies in the unit of a scale.
func (p Phrase) In(s Scale) string {
	var b strings.Builder
	for _, part := range p {
		switch part := part.(type) {
		case string:
			b.WriteString(part)
		case units.Energy:
			b.WriteString(s.Energy(part))
		case UnitlessEnergy:
			b.WriteString(s.Amount(part[0]))
		}
	}
	return b.String()
}
