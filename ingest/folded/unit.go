package folded

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// A Unit is the unit of the values, of energy or of time. The zero Unit is the
// nanojoule.
type Unit struct {
	energy units.Unit
	// time is one more than the index into times; 0 means energy.
	time int
}

// times are the units of time, with the nanoseconds that they hold.
var times = [...]struct {
	name string
	ns   int64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// UnitNames returns the names that [ParseUnit] reads, energies first.
func UnitNames() []string {
	names := units.UnitNames()
	for _, t := range times {
		names = append(names, t.name)
	}
	return names
}

// ParseUnit reads the name of a unit: of energy, as units.ParseUnit does, or of
// processor time: ns, us, ms or s. Stacks that count samples are times too: at 1000
// samples a second the unit is ms.
func ParseUnit(s string) (Unit, error) {
	if u, err := units.ParseUnit(s); err == nil {
		return Unit{energy: u}, nil
	}
	plain := strings.NewReplacer("µ", "u", "μ", "u").Replace(s)
	for i, t := range times {
		if plain == t.name {
			return Unit{time: i + 1}, nil
		}
	}
	return Unit{}, fmt.Errorf("unknown unit %q: use one of %s", s, strings.Join(UnitNames(), ", "))
}

// String returns the unit's name, such as µAh or ms.
func (u Unit) String() string {
	if u.timed() {
		return times[u.time-1].name
	}
	return u.energy.String()
}

func (u Unit) timed() bool { return u.time > 0 }

// scale returns the nanojoules or nanoseconds that one unit holds, as num/den.
func (u Unit) scale(v units.Voltage) (num, den int64) {
	if u.timed() {
		return times[u.time-1].ns, 1
	}
	return u.energy.Scale(v)
}
