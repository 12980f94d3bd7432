package apicost

import (
	"iter"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A Reason states whether a call has a cost, and if not, why.
type Reason uint8

// The reasons.
const (
	// Listed: the call has a cost.
	Listed Reason = iota
	// NotListed: no row is about the method, or about the same method of a superclass.
	NotListed
	// OtherOverload: the table has only other overloads, or the run does not show which overload
	// was called.
	OtherOverload
	// NoCost: the row of the method states no cost, or the cost zero.
	NoCost
)

// String names the reason: "listed", "not-listed", "other-overload", "no-cost".
func (r Reason) String() string {
	return [...]string{"listed", "not-listed", "other-overload", "no-cost"}[r]
}

// maxClasses bounds the classes that are searched for one method. No real class has more
// supertypes.
const maxClasses = 1000

// above is like rawAbove, but writes nested classes with dots, as tables do: a.Outer.Inner.
func above(class string, supertypes func(string) iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range rawAbove(class, supertypes) {
			if !yield(strings.ReplaceAll(at, "$", ".")) {
				return
			}
		}
	}
}

// rawAbove yields a class and its supertypes, the nearest first.
func rawAbove(class string, supertypes func(string) iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		queue, seen := []string{class}, map[string]bool{class: true}
		for i := 0; i < len(queue) && i < maxClasses; i++ {
			if !yield(queue[i]) {
				return
			}
			for super := range supertypes(queue[i]) {
				if !seen[super] {
					seen[super] = true
					queue = append(queue, super)
				}
			}
		}
	}
}

// Find returns the row with the cost of a method. It prefers a row with the method's class, name
// and parameters to a row for all overloads of the name. If the class has neither row, Find looks
// in its supertypes, the nearest first. Constructors are not inherited. If there is no cost, row is
// -1 and why is the reason.
func (t *Table) Find(m name.Method, supertypes func(string) iter.Seq[string]) (row int, why Reason) {
	s := signatureOf(m)
	if m.Lang != name.JVM || s.class == "" {
		return -1, NotListed
	}
	why = NotListed
	for class := range above(m.Class(), supertypes) {
		if class != s.class && s.name == constructor {
			break
		}
		in := s
		in.class = class
		row, here := t.find(in)
		switch {
		case here == Listed || here == NoCost:
			return row, here
		case here == OtherOverload:
			why = OtherOverload
		}
	}
	return -1, why
}

// find is the part of Find that looks in a single class.
func (t *Table) find(s signature) (row int, why Reason) {
	cost := func(row int) (int, Reason) {
		if t.Rows[row].Cost == 0 {
			return -1, NoCost
		}
		return row, Listed
	}
	if row, ok := t.byKey[s.key()]; ok && !s.all {
		return cost(row)
	}
	if row, ok := t.byKey[s.place()]; ok {
		return cost(row)
	}
	rows := t.byPlace[s.place()]
	switch {
	case len(rows) == 0:
		return -1, NotListed
	case !s.all:
		return -1, OtherOverload
	}
	// The run does not show the parameters, so the cost is known only if all overloads have the
	// same cost.
	for _, row := range rows {
		if t.Rows[row].Cost != t.Rows[rows[0]].Cost {
			return -1, OtherOverload
		}
	}
	return cost(rows[0])
}

// findByName returns the row of a method as Orka found it: by class and name. The last overload
// wins. Constructors have no row.
func (t *Table) findByName(m name.Method) (row int, why Reason) {
	s := signatureOf(m)
	rows := t.byPlace[s.place()]
	if m.Lang != name.JVM || s.name == constructor || len(rows) == 0 {
		return -1, NotListed
	}
	row = rows[len(rows)-1]
	if t.Rows[row].Cost == 0 {
		return -1, NoCost
	}
	return row, Listed
}

// Guess returns the median of the known costs of a method's class, or of the nearest supertype that
// has known costs. The median of an even number of costs is the mean of the middle two, rounded
// down. It returns 0 if no such class has a cost.
func (t *Table) Guess(m name.Method, supertypes func(string) iter.Seq[string]) Cost {
	if m.Lang != name.JVM {
		return 0
	}
	for class := range above(m.Class(), supertypes) {
		if costs := t.byClass[class]; len(costs) > 0 {
			n := len(costs)
			return (costs[(n-1)/2] + costs[n/2]) / 2
		}
	}
	return 0
}

// Covers reports whether the table has a row of a package with the same root as the method's
// package. The root is the first part of the name, such as android.
func (t *Table) Covers(m name.Method) bool {
	root, _, _ := strings.Cut(m.Scope, ".")
	return m.Lang == name.JVM && t.roots[root]
}
