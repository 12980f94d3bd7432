package words

import (
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// A Phrase is a sentence whose energies are still numbers, so that its reader can choose their
// unit. It begins with a text. Its elements are texts (string), energies written with a unit (units.Energy), and energies
// written without one (Bare).
type Phrase []any

// Bare is an energy that a sentence has without its unit, as JSON a list of one number.
type Bare [1]units.Energy

// Marks around the energies of a sentence that a Phrase is made of.
const (
	energyMark = "\x00e"
	amountMark = "\x00a"
	endMark    = "\x00"
)

// marked is an energy in a sentence that a Phrase is made of.
func marked(mark string, e units.Energy) string {
	return mark + strconv.FormatInt(int64(e), 10) + endMark
}

// NewPhrase makes a phrase of the sentence that write writes. It is nil for a sentence without an
// energy, and for one with a name that looks like a mark.
func NewPhrase(write func(Scale) string) Phrase {
	unit := units.Nano
	rest := write(Scale{unit: &unit, voltage: units.DefaultVoltage, apart: true})
	if strings.ContainsRune(write(Each(&unit, 0)), 0) {
		return nil
	}
	var p Phrase
	for i, part := range strings.Split(rest, endMark) {
		switch {
		case i > 0 && i%2 == 0 && part == "":
		case i%2 == 0:
			p = append(p, part)
		default:
			// A mark is a letter and a whole number: marked wrote it.
			n, _ := strconv.ParseInt(part[1:], 10, 64)
			if part[:1] == amountMark[1:] {
				p = append(p, Bare{units.Energy(n)})
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

// In writes the phrase with its energies on a scale.
func (p Phrase) In(s Scale) string {
	var b strings.Builder
	for _, part := range p {
		switch part := part.(type) {
		case string:
			b.WriteString(part)
		case units.Energy:
			b.WriteString(s.Energy(part))
		case Bare:
			b.WriteString(s.Amount(part[0]))
		}
	}
	return b.String()
}
