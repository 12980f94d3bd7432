package words

import (
	"math"

	"github.com/diffprof/diffprof/units"
)

// A Scale is the unit in which energy is shown.
type Scale struct {
	// unit is nil if the unit is chosen for each figure.
	unit    *units.Unit
	voltage units.Voltage
	// apart is set while a Phrase is made. Energies are then placeholders instead of text.
	apart bool
}

// ScaleFor returns the scale for a unit, or for the unit that suits total if unit is nil. voltage
// converts energy to charge; 0 is units.DefaultVoltage.
func ScaleFor(unit *units.Unit, voltage units.Voltage, total units.Energy) Scale {
	if unit == nil {
		suiting := units.BestUnit(total)
		unit = &suiting
	}
	return ScalePerFigure(unit, voltage)
}

// ScalePerFigure is like ScaleFor, but if unit is nil, every figure gets the unit that suits it.
func ScalePerFigure(unit *units.Unit, voltage units.Voltage) Scale {
	if voltage == 0 {
		voltage = units.DefaultVoltage
	}
	return Scale{unit: unit, voltage: voltage}
}

// Unit returns the symbol of the unit, or "" if each figure has its own unit.
func (s Scale) Unit() string {
	if s.unit == nil {
		return ""
	}
	return s.unit.String()
}

// Noun names the quantity: "energy", or "total" if the unit is not stated.
func (s Scale) Noun() string {
	if s.unit != nil && *s.unit == units.Plain {
		return "total"
	}
	return "energy"
}

// Volts returns the voltage that converts energy to charge.
func (s Scale) Volts() float64 { return float64(s.voltage) / float64(units.Volt) }

// Amount formats an energy without its unit, for columns. An energy other than 0 that is too small
// for the unit is "~0".
func (s Scale) Amount(e units.Energy) string {
	if s.apart {
		return markEnergy(amountMark, e)
	}
	return s.amount(e, s.suited(e))
}

// Energy formats an energy with its unit.
func (s Scale) Energy(e units.Energy) string {
	if s.apart {
		return markEnergy(energyMark, e)
	}
	unit := s.suited(e)
	if unit == units.Plain && (e == 1 || e == -1) {
		return s.amount(e, unit) + " unit"
	}
	return s.amount(e, unit) + " " + unit.String()
}

// Range formats an energy between least and most with its unit. If least is nil, most is the only
// figure.
func (s Scale) Range(least *units.Energy, most units.Energy) string {
	if least == nil || *least >= most || s.apart {
		return s.Energy(most)
	}
	if unit := s.suited(most); *least == 0 || unit == s.suited(*least) {
		if s.amount(*least, unit) == s.amount(most, unit) {
			return s.Energy(most)
		}
		return s.amount(*least, unit) + " to " + s.Energy(most)
	}
	return s.Energy(*least) + " to " + s.Energy(most)
}

func (s Scale) amount(e units.Energy, unit units.Unit) string {
	if x := unit.Amount(e, s.voltage); x != 0 && math.Abs(x) < 0.001 {
		return "~0"
	}
	if unit == units.Plain {
		return Count(int64(e))
	}
	return unit.Format(e, s.voltage)
}

// suited returns the unit for an energy: the largest unit in which the rounded figure is at least 1.
func (s Scale) suited(e units.Energy) units.Unit {
	if s.unit != nil {
		return *s.unit
	}
	for _, unit := range []units.Unit{units.One, units.Milli, units.Micro} {
		if math.Abs(unit.Amount(e, s.voltage)) >= 0.9995 {
			return unit
		}
	}
	return units.Nano
}

// Percent formats a fraction in percent. A share other than 0 that is too small to show is "<0.1%".
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1%"
	}
	return units.Fixed(100*share, 1) + "%"
}

// Share formats an energy as a share of a total, "–" for a total of 0.
func Share(part, total units.Energy) string {
	if total == 0 {
		return "–"
	}
	return Percent(units.Share(part, total))
}

// Rounded returns "rounded" if the shares of the parts, as Percent writes them, do not add up to
// 100%. Otherwise it returns "".
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

// Ticks returns at most about six round amounts at equal distances, for an axis. They cover least
// to most. If the two are equal, there is one tick.
func (s Scale) Ticks(least, most units.Energy) []units.Energy {
	if most <= least {
		return []units.Energy{least}
	}
	num, den := s.suited(most).Scale(s.voltage)
	unit := float64(num) / float64(den)
	// The step is 1, 2, 2.5 or 5 times a power of ten. A nanojoule is the smallest.
	rough := float64(most-least) / unit / 4
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if step*factor >= rough {
			step *= factor
			break
		}
	}
	step = max(step, 1/unit)
	at := func(k float64) units.Energy { return units.Energy(math.Round(k * step * unit)) }
	var ticks []units.Energy
	for k := math.Floor(float64(least) / unit / step); ; k++ {
		ticks = append(ticks, at(k))
		if at(k) >= most || len(ticks) > 10 {
			return ticks
		}
	}
}
