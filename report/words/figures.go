package words

import (
	"math"

	"github.com/diffprof/diffprof/units"
)

// A Scale says in which unit energy is shown.
type Scale struct {
	// unit is nil where each figure has the unit that suits it.
	unit    *units.Unit
	voltage units.Voltage
	// apart is set where a Phrase is made: energies are marked, not written.
	apart bool
}

// In is the scale of a unit, or, if that is nil, of the one that suits total. voltage
// turns energy into charge; 0 is units.DefaultVoltage.
func In(unit *units.Unit, voltage units.Voltage, total units.Energy) Scale {
	if unit == nil {
		suiting := units.Suiting(total)
		unit = &suiting
	}
	return Each(unit, voltage)
}

// Each is the scale of a unit or, if that is nil, of one that suits each figure.
// voltage is as In takes it.
func Each(unit *units.Unit, voltage units.Voltage) Scale {
	if voltage == 0 {
		voltage = units.DefaultVoltage
	}
	return Scale{unit: unit, voltage: voltage}
}

// Unit is the symbol of the unit; empty where each figure has its own.
func (s Scale) Unit() string {
	if s.unit == nil {
		return ""
	}
	return s.unit.String()
}

// Noun is what the figures are of: "energy", or "total" where nobody stated their unit.
func (s Scale) Noun() string {
	if s.unit != nil && *s.unit == units.Plain {
		return "total"
	}
	return "energy"
}

// Volts is the voltage by which energy is shown as charge.
func (s Scale) Volts() float64 { return float64(s.voltage) / float64(units.Volt) }

// Amount writes an energy without its unit, for columns. What is too small for the
// unit is about nothing, but not nothing: "~0".
func (s Scale) Amount(e units.Energy) string {
	if s.apart {
		return marked(amountMark, e)
	}
	return s.amount(e, s.of(e))
}

// Energy writes an energy with its unit.
func (s Scale) Energy(e units.Energy) string {
	if s.apart {
		return marked(energyMark, e)
	}
	unit := s.of(e)
	if unit == units.Plain && (e == 1 || e == -1) {
		return s.amount(e, unit) + " unit"
	}
	return s.amount(e, unit) + " " + unit.String()
}

func (s Scale) amount(e units.Energy, unit units.Unit) string {
	if x := unit.Of(e, s.voltage); x != 0 && math.Abs(x) < 0.001 {
		return "~0"
	}
	return unit.Format(e, s.voltage)
}

// of is the unit of an energy: the largest in which it is 1 or more, when rounded.
func (s Scale) of(e units.Energy) units.Unit {
	if s.unit != nil {
		return *s.unit
	}
	for _, unit := range []units.Unit{units.One, units.Milli, units.Micro} {
		if math.Abs(unit.Of(e, s.voltage)) >= 0.9995 {
			return unit
		}
	}
	return units.Nano
}

// Percent writes a share of 1; what is there but too small to show is not nothing.
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1%"
	}
	return units.Fixed(100*share, 1) + "%"
}

// Share writes an energy's part of a total. A total of nothing has no parts.
func Share(part, total units.Energy) string {
	if total == 0 {
		return "–"
	}
	return Percent(units.Share(part, total))
}

// Rounded is a note beside parts that make up a total: "rounded" where their shares, as
// Percent writes them, do not add up to 100%, else empty.
func Rounded(total units.Energy, parts ...units.Energy) string {
	tenths := 0.0
	for _, part := range parts {
		tenths += math.Round(1000 * units.Share(part, total))
	}
	if total == 0 || tenths == 1000 {
		return ""
	}
	return "rounded"
}
