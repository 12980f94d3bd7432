// Package apicost charges an app's calls into the framework by a table of API costs.
//
// A [Table] has the energy of one call of each framework method, as measured on some device. The
// energy of a run is a sum over pairs of an app method and a framework method that it calls. Each
// pair adds the number of its calls times the energy of one call (Westfield and Gopalan, Orka,
// 2016, Section 3, Equation 1).
//
// A call counts if a method of the app calls a method of the framework. The cost covers the whole
// call, so calls within the framework do not count again. If the framework calls back into the app,
// the app's calls from there count again. The app consists of its own code and of the libraries
// that it ships, as package code/platform decides. Calls into the recorder do not count. Calls by
// methods without a class do not count either, because the owner of such methods is unknown.
//
// [Charge] works on a calling-context tree and is exact. The tree needs counted calls, and the
// callers of recursive calls (cct.Tree.Recursions). Costs are whole picojoules. The energy of a
// node is rounded once, to the nearest nanojoule. Laws:
//
//   - conservation: the energies of [Bill].APIs and of [Bill].Routines each add up to the tree's;
//   - the result does not depend on the order of events, nor on the order of the rows;
//   - each call into the covered packages is in exactly one row of APIs or of Missing.
package apicost

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// A Cost is the energy of one call in picojoules. 0 means unknown.
type Cost int64

// The unit of costs is the picojoule. maxCost is more than a phone at full power uses in a minute,
// which is far above the energy of any call.
const (
	nanojoule       = 1000
	joule     Cost  = 1_000_000_000_000
	maxCost         = 1000 * joule
	perJoule  int64 = int64(joule)
)

// Joules writes the cost as a decimal number of joules, exactly.
func (c Cost) Joules() string { return Amount{pico: int64(c)}.Joules() }

// Energy returns the cost, rounded to the nearest nanojoule.
func (c Cost) Energy() units.Energy { return Amount{pico: int64(c)}.Energy() }

// An Amount is an exact sum of costs. The zero Amount is an energy of 0.
type Amount struct {
	// The amount is nano nanojoules plus pico picojoules.
	nano, pico int64
}

// Times returns the energy of a number of calls.
func (c Cost) Times(calls int64) Amount {
	hi, lo := bits.Mul64(uint64(c), uint64(calls))
	if hi >= nanojoule {
		return Amount{nano: math.MaxInt64}
	}
	q, r := bits.Div64(hi, lo, nanojoule)
	return Amount{nano: int64(min(q, math.MaxInt64)), pico: int64(r)}
}

// Plus returns the sum. A sum that does not fit is the largest Amount.
func (a Amount) Plus(b Amount) Amount {
	pico := a.pico%nanojoule + b.pico%nanojoule
	nano, ok := units.Add(units.Energy(a.nano+a.pico/nanojoule), units.Energy(b.nano+b.pico/nanojoule))
	if !ok || nano >= math.MaxInt64-1 {
		return Amount{nano: math.MaxInt64}
	}
	return Amount{nano: int64(nano) + pico/nanojoule, pico: pico % nanojoule}
}

// fits reports whether the amount is exact and leaves room for further sums.
func (a Amount) fits() bool { return a.nano < math.MaxInt64/4 }

// Energy returns the amount, rounded to the nearest nanojoule, ties to even.
func (a Amount) Energy() units.Energy {
	nano, pico := a.nano+a.pico/nanojoule, a.pico%nanojoule
	if 2*pico > nanojoule || 2*pico == nanojoule && nano%2 == 1 {
		nano++
	}
	return units.Energy(nano)
}

// Joules writes the amount as a decimal number of joules, exactly.
func (a Amount) Joules() string {
	nano, pico := a.nano+a.pico/nanojoule, a.pico%nanojoule
	text := fmt.Sprintf("%d.%09d%03d", nano/1e9, nano%1e9, pico)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Over returns the amount divided by a number of calls, rounded to the nearest picojoule.
func (a Amount) Over(calls int64) Amount {
	if calls <= 0 {
		return a
	}
	nano, pico := a.nano+a.pico/nanojoule, a.pico%nanojoule
	whole, rest := nano/calls, nano%calls
	// rest < calls, so the quotient is at most one nanojoule after rounding.
	hi, lo := bits.Mul64(uint64(rest), nanojoule)
	lo, carry := bits.Add64(lo, uint64(pico), 0)
	lo, more := bits.Add64(lo, uint64(calls)/2, 0)
	q, _ := bits.Div64(hi+carry+more, lo, uint64(calls))
	return Amount{nano: whole, pico: int64(q)}.Plus(Amount{})
}

// Compare returns -1, 0 or +1 as cmp.Compare does.
func (a Amount) Compare(b Amount) int {
	x, y := a.Plus(Amount{}), b.Plus(Amount{})
	switch {
	case x == y:
		return 0
	case x.nano < y.nano || x.nano == y.nano && x.pico < y.pico:
		return -1
	}
	return 1
}
