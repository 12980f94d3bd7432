package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/units"
)

// A unit is a unit of an amount: num/den of the base unit of its quantity.
type unit struct {
	name     string
	num, den int64
}

// A quantity is a kind of amount in a model file.
type quantity struct {
	// name is the name of the quantity in messages.
	name string
	// per lists the allowed denominators, with their part of a sum. The first part is for
	// amounts without a denominator.
	per []per
	// most bounds each part of a sum.
	most int64
}

// A per is the denominator of an amount: 8 ms/KiB.
type per struct {
	name     string
	part     int
	num, den int64
}

// The parts of a sum.
const (
	fixed = iota
	perKiB
	perPacket
	perLevel
	parts
)

// A KiB holds 8192 bits.
var (
	perBytes = []per{{"KiB", perKiB, 1, 1}, {"Mbit", perKiB, 8192, 1_000_000}}

	draw   = quantity{"power or current", []per{{"level", perLevel, 1, 1}}, int64(1000 * units.Watt)}
	cost   = quantity{"energy or charge", append(slices.Clone(perBytes), per{"packet", perPacket, 1, 1}), int64(1000 * units.Joule)}
	busy   = quantity{"time", perBytes, int64(day)}
	lapse  = quantity{"time", nil, int64(day)}
	size   = quantity{"number of bytes", nil, 1 << 40}
	tank   = quantity{"energy or charge", nil, int64(1_000_000_000 * units.Joule)}
	clocks = quantity{"frequency", nil, int64(1000 * units.Gigahertz)}
	volts  = quantity{"voltage", nil, int64(1000 * units.Volt)}
)

// The units that do not depend on the voltage.
var (
	times     = []unit{{"ns", 1, 1}, {"µs", 1e3, 1}, {"us", 1e3, 1}, {"ms", 1e6, 1}, {"s", 1e9, 1}, {"min", 60e9, 1}}
	byteUnits = []unit{{"B", 1, 1}, {"KiB", 1 << 10, 1}, {"MiB", 1 << 20, 1}}
	hertz     = []unit{{"Hz", 1, 1}, {"kHz", 1e3, 1}, {"MHz", 1e6, 1}, {"GHz", 1e9, 1}}
	volt      = []unit{{"mV", 1e3, 1}, {"V", 1e6, 1}}
)

// powers returns the units of power in microwatts, and of current at a voltage.
func powers(v units.Voltage) []unit {
	// A nanoampere times a microvolt is a femtowatt.
	return []unit{
		{"µW", 1, 1}, {"uW", 1, 1}, {"mW", 1e3, 1}, {"W", 1e6, 1},
		{"µA", 1e3 * int64(v), 1e9}, {"uA", 1e3 * int64(v), 1e9}, {"mA", int64(v), 1e3}, {"A", int64(v), 1},
	}
}

// energies returns the units of energy in nanojoules, and of charge at a voltage.
func energies(v units.Voltage) []unit {
	// A µAh at a microvolt is 3.6 nanojoules.
	return []unit{
		{"nJ", 1, 1}, {"µJ", 1e3, 1}, {"uJ", 1e3, 1}, {"mJ", 1e6, 1}, {"J", 1e9, 1},
		{"µAh", 36 * int64(v), 10}, {"uAh", 36 * int64(v), 10}, {"mAh", 3600 * int64(v), 1},
	}
}

// amount parses a sum of amounts, such as "75 mA + 3 mA/level", into its parts.
func (q quantity) amount(text string, in []unit) (sum [parts]int64, err error) {
	for i, term := range strings.Split(text, " + ") {
		part, n, err := q.term(term, in)
		if err != nil {
			return sum, fmt.Errorf("%.60q %w", strings.TrimSpace(term), err)
		}
		if sum[part] += n; sum[part] > q.most {
			return sum, fmt.Errorf("%.60q is too large", text)
		}
		if i > parts {
			return sum, fmt.Errorf("%.60q has too many terms", text)
		}
	}
	return sum, nil
}

// term parses an amount. The error continues a sentence that begins with the text of the term.
func (q quantity) term(term string, in []unit) (part int, n int64, err error) {
	number, name := apart(strings.TrimSpace(term))
	name, by, isPer := strings.Cut(name, "/")
	num, den := int64(1), int64(1)
	if isPer {
		i := slices.IndexFunc(q.per, func(p per) bool { return p.name == strings.TrimSpace(by) })
		if i < 0 {
			return 0, 0, fmt.Errorf("is not a valid %s: %s", q.name, q.hint(in))
		}
		part, num, den = q.per[i].part, q.per[i].num, q.per[i].den
	}
	i := slices.IndexFunc(in, func(u unit) bool { return u.name == strings.TrimSpace(name) })
	switch {
	case number == "":
		return 0, 0, fmt.Errorf("is not a valid %s: %s", q.name, q.hint(in))
	case i < 0 && strings.TrimSpace(name) == "":
		return 0, 0, fmt.Errorf("has no unit: %s", q.hint(in))
	case i < 0:
		return 0, 0, fmt.Errorf("has an unknown unit: %s", q.hint(in))
	}
	n, err = units.Decimal(number, in[i].num*num, in[i].den*den)
	if err == nil && n > q.most {
		err = errors.New("is too large")
	}
	return part, n, err
}

// hint describes how to write an amount.
func (q quantity) hint(in []unit) string {
	var names []string
	for _, u := range in {
		if !strings.HasPrefix(u.name, "u") {
			names = append(names, u.name)
		}
	}
	text := "use a number with " + strings.Join(names, ", ")
	if len(q.per) > 0 {
		names = nil
		for _, p := range q.per {
			names = append(names, "/"+p.name)
		}
		text += "; " + strings.Join(names, ", ") + " may follow"
	}
	return text
}

// apart splits a text after its number. An e is an exponent if digits follow.
func apart(text string) (number, rest string) {
	i := digits(text, len(text)-len(strings.TrimPrefix(text, "-")))
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		start := i + 1
		if start < len(text) && (text[start] == '-' || text[start] == '+') {
			start++
		}
		if end := digits(text, start); end > start {
			i = end
		}
	}
	return text[:i], text[i:]
}

// digits returns the end of the digits and points from i on.
func digits(text string, i int) int {
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.') {
		i++
	}
	return i
}

// sum reads a value that is a sum of amounts. It returns false if the value is invalid.
func (q quantity) sum(v table.Value, in []unit) ([parts]int64, bool) {
	text, ok := v.Text()
	if !ok {
		return [parts]int64{}, false
	}
	sum, err := q.amount(text, in)
	if err != nil {
		v.Fail("%v", err)
		return [parts]int64{}, false
	}
	return sum, true
}

// The units in which amounts are written, the smallest first.
var (
	outPowers   = []unit{{"µW", 1, 1}, {"mW", 1e3, 1}, {"W", 1e6, 1}}
	outEnergies = []unit{{"nJ", 1, 1}, {"µJ", 1e3, 1}, {"mJ", 1e6, 1}, {"J", 1e9, 1}}
	outTimes    = []unit{{"ns", 1, 1}, {"µs", 1e3, 1}, {"ms", 1e6, 1}, {"s", 1e9, 1}}
)

// write formats an amount exactly, in the largest unit that needs at most three decimals.
func write(n int64, in []unit) string {
	for _, u := range slices.Backward(in) {
		if rest := n % u.num; n >= u.num && rest*1000%u.num == 0 {
			text := fmt.Sprint(n / u.num)
			if rest > 0 {
				text += strings.TrimRight(fmt.Sprintf(".%03d", rest*1000/u.num), "0")
			}
			return text + " " + u.name
		}
	}
	return "0 " + in[0].name
}
