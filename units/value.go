package units

import (
	"fmt"
	"strings"
)

// A ValueUnit is the assumed unit of the numbers in a file that states none. It is a unit of energy
// or of processor time. The zero ValueUnit means that the unit is unknown. The numbers are then
// used unchanged.
type ValueUnit struct {
	stated bool
	energy Unit
	// time is 0 for a unit of energy. For a unit of time it is the index in times, plus one.
	time int
}

// times lists the units of time with their length in nanoseconds.
var times = [...]struct {
	name string
	ns   int64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// ValueUnitNames returns the names that [ParseValueUnit] reads, units of energy first.
func ValueUnitNames() []string {
	names := UnitNames()
	for _, t := range times {
		names = append(names, t.name)
	}
	return names
}

// ParseValueUnit reads the name of a unit of energy, as [ParseUnit] does, or of processor time: ns,
// us, ms or s. A unit of time is for files that count samples. For example, the unit is ms if there
// are 1000 samples per second.
func ParseValueUnit(s string) (ValueUnit, error) {
	if u, err := ParseUnit(s); err == nil {
		return ValueUnit{stated: true, energy: u}, nil
	}
	plain := strings.NewReplacer("µ", "u", "μ", "u").Replace(s)
	for i, t := range times {
		if plain == t.name {
			return ValueUnit{stated: true, time: i + 1}, nil
		}
	}
	return ValueUnit{}, fmt.Errorf("unknown unit %q: use one of %s", s, strings.Join(ValueUnitNames(), ", "))
}

// Stated reports whether the unit is known.
func (u ValueUnit) Stated() bool { return u.stated }

// String returns the unit's name, such as µAh or ms, or "" for the zero ValueUnit.
func (u ValueUnit) String() string {
	if !u.stated {
		return ""
	}
	if u.IsTime() {
		return times[u.time-1].name
	}
	return u.energy.String()
}

// IsTime reports whether the unit is a unit of time.
func (u ValueUnit) IsTime() bool { return u.time > 0 }

// Scale returns the number of nanojoules or nanoseconds in one unit, as the fraction num/den. v
// matters only for the microampere-hour.
func (u ValueUnit) Scale(v Voltage) (num, den int64) {
	if u.IsTime() {
		return times[u.time-1].ns, 1
	}
	return u.energy.Scale(v)
}
