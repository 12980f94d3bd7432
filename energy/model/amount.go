package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/units"
)

// A unit is a unit of measurement, such as mA. It is num/den of the base unit.
type unit struct {
	name     string
	num, den int64
}

// A quantity is a kind of physical quantity in a model file, such as power.
type quantity struct {
	// name is the name of the quantity in messages.
	name string
	// per lists the allowed denominators. For example, in "75 mA + 3 mA/level", the first amount
	// belongs to the part fixed, and the second to the part perLevel.
	per []per
	// most bounds each part of a sum.
	most int64
}

// A per is the denominator of an amount, as in 8 ms/KiB.
type per struct {
	name     string
	part     int
	num, den int64
}

// These are the parts of a sum, such as "75 mA + 3 mA/level".
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

	powerQuantity     = quantity{"power or current", []per{{"level", perLevel, 1, 1}}, int64(1000 * units.Watt)}
	energyQuantity    = quantity{"energy or charge", append(slices.Clone(perBytes), per{"packet", perPacket, 1, 1}), int64(1000 * units.Joule)}
	workTimeQuantity  = quantity{"time", perBytes, int64(day)}
	timeQuantity      = quantity{"time", nil, int64(day)}
	sizeQuantity      = quantity{"number of bytes", nil, 1 << 40}
	chargeQuantity    = quantity{"energy or charge", nil, int64(1_000_000_000 * units.Joule)}
	frequencyQuantity = quantity{"frequency", nil, int64(1000 * units.Gigahertz)}
	voltageQuantity   = quantity{"voltage", nil, int64(1000 * units.Volt)}
)

// The units that do not depend on the voltage.
var (
	times     = []unit{{"ns", 1, 1}, {"µs", 1e3, 1}, {"us", 1e3, 1}, {"ms", 1e6, 1}, {"s", 1e9, 1}, {"min", 60e9, 1}}
	byteUnits = []unit{{"B", 1, 1}, {"KiB", 1 << 10, 1}, {"MiB", 1 << 20, 1}}
	hertz     = []unit{{"Hz", 1, 1}, {"kHz", 1e3, 1}, {"MHz", 1e6, 1}, {"GHz", 1e9, 1}}
	volt      = []unit{{"mV", 1e3, 1}, {"V", 1e6, 1}}
)

// powers returns the units of power, in microwatts. Units of current also state a power, at the
// voltage v.
func powers(v units.Voltage) []unit {
	// A nanoampere times a microvolt is a femtowatt.
	return []unit{
		{"µW", 1, 1}, {"uW", 1, 1}, {"mW", 1e3, 1}, {"W", 1e6, 1},
		{"µA", 1e3 * int64(v), 1e9}, {"uA", 1e3 * int64(v), 1e9}, {"mA", int64(v), 1e3}, {"A", int64(v), 1},
	}
}

// energies returns the units of energy, in nanojoules. Units of charge also state an energy, at the
// voltage v.
func energies(v units.Voltage) []unit {
	// A µAh at a microvolt is 3.6 nanojoules.
	return []unit{
		{"nJ", 1, 1}, {"µJ", 1e3, 1}, {"uJ", 1e3, 1}, {"mJ", 1e6, 1}, {"J", 1e9, 1},
		{"µAh", 36 * int64(v), 10}, {"uAh", 36 * int64(v), 10}, {"mAh", 3600 * int64(v), 1},
	}
}

// A measure is a part of a sum with its range.
type measure struct {
	n     int64
	about Range[int64]
}

// amount parses a sum of amounts, such as "75 mA (60 to 90) + 3 mA/level", into its parts.
func (q quantity) amount(text string, in []unit) (sum [parts]measure, err error) {
	for i, term := range strings.Split(text, " + ") {
		part, f, err := q.measure(term, in)
		if err != nil {
			return sum, fmt.Errorf("%.60q %w", strings.TrimSpace(term), err)
		}
		if sum[part].n += f.n; sum[part].n > q.most {
			return sum, fmt.Errorf("%.60q is too large", text)
		}
		if f.about.Stated() && sum[part].n != f.n {
			return sum, fmt.Errorf("%.60q has a range in a sum of equal denominators", text)
		}
		if f.about.Stated() {
			sum[part].about = f.about
		}
		if i > parts {
			return sum, fmt.Errorf("%.60q has too many terms", text)
		}
	}
	return sum, nil
}

// measure parses an amount and its range, such as "75 mA (60 to 90)".
func (q quantity) measure(term string, in []unit) (part int, f measure, err error) {
	amount, about, ranged := strings.Cut(term, "(")
	if part, f.n, err = q.term(amount, in); err != nil || !ranged {
		return part, f, err
	}
	const form = "has an invalid range: write it as (60 to 90), in the unit of the amount"
	least, most, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(about), ")"), " to ")
	if !ok || !strings.HasSuffix(strings.TrimSpace(about), ")") {
		return part, f, errors.New(form)
	}
	number, unit := splitNumber(strings.TrimSpace(amount))
	for at, text := range map[*int64]string{&f.about.Least: least, &f.about.Most: most} {
		text = strings.TrimSpace(text)
		if only, rest := splitNumber(text); only == "" || rest != "" {
			return part, f, errors.New(form)
		}
		if _, *at, err = q.term(text+unit, in); err != nil {
			return part, f, err
		}
	}
	if f.about.Least > f.n || f.n > f.about.Most {
		err = fmt.Errorf("has a range without %s", number)
	}
	return part, f, err
}

// term parses an amount. Its error continues a sentence that begins with the term.
func (q quantity) term(term string, in []unit) (part int, n int64, err error) {
	number, name := splitNumber(strings.TrimSpace(term))
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

// hint describes how an amount is written.
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

// splitNumber splits a text into a number and the rest. The letter e belongs to the number only if
// digits follow it.
func splitNumber(text string) (number, rest string) {
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

// digits returns the index after the digits and decimal points that begin at i.
func digits(text string, i int) int {
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.') {
		i++
	}
	return i
}

// sum reads a value that is a sum of amounts without ranges. It returns false if the value is
// invalid.
func (q quantity) sum(v table.Value, in []unit) (out [parts]int64, ok bool) {
	sum, ok := q.measures(v, in, -1)
	for i := range sum {
		out[i] = sum[i].n
	}
	return out, ok
}

// measures reads a value that is a sum of amounts. Only the part of the sum with index ranged may
// have a range. measures returns false if the value is invalid.
func (q quantity) measures(v table.Value, in []unit, ranged int) (out [parts]measure, ok bool) {
	text, ok := v.Text()
	if !ok {
		return out, false
	}
	out, err := q.amount(text, in)
	if err != nil {
		v.Fail("%v", err)
		return out, false
	}
	for part := range out {
		if out[part].about.Stated() && part != ranged {
			v.Fail("%.60q has a range, but this amount must be a single value", text)
			return out, false
		}
	}
	return out, true
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
		if n >= u.num && u.exact(n) {
			return u.number(n) + " " + u.name
		}
	}
	return "0 " + in[0].name
}

// exact reports whether an amount needs at most three decimals in the unit.
func (u *unit) exact(n int64) bool { return n%u.num*1000%u.num == 0 }

// number formats an exact amount in the unit.
func (u *unit) number(n int64) string {
	text := fmt.Sprint(n / u.num)
	if rest := n % u.num; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest*1000/u.num), "0")
	}
	return text
}

// writeFigure formats an amount and its range in one unit.
func writeFigure(f measure, in []unit, per string) string {
	if !f.about.Stated() {
		return write(f.n, in) + per
	}
	for _, u := range slices.Backward(in) {
		if f.n >= u.num && u.exact(f.n) && u.exact(f.about.Least) && u.exact(f.about.Most) {
			return fmt.Sprintf("%s %s%s (%s to %s)", u.number(f.n), u.name, per, u.number(f.about.Least), u.number(f.about.Most))
		}
	}
	return fmt.Sprintf("%d %s%s (%d to %d)", f.n, in[0].name, per, f.about.Least, f.about.Most)
}
