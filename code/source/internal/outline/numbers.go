package outline

import (
	"cmp"
	"slices"
)

// A Home is the class with the method that the compiler generates for a lambda.
type Home struct {
	// Lambda is the lambda for which the compiler generates a separate class. It is None if the
	// class is the class of Type.
	Type, Lambda int32
}

// Numbers has the numbers that compilers give to methods generated for lambdas.
type Numbers struct {
	// homes and numbers are indexed by member. Only lambdas, and method references that javac
	// turns into lambdas, have a number. Other members have -1.
	homes   []Home
	numbers []int32
}

// Home returns the class that has the method of a lambda.
func (n *Numbers) Home(member int32) Home { return n.homes[member] }

// Number returns a lambda's number within its home, or -1.
func (n *Numbers) Number(member int32) int { return int(n.numbers[member]) }

// Callees describes how functions use their lambda arguments. An inline function runs them in its
// caller. A crossinline function calls them from a class. A nil Callees knows no function.
type Callees interface {
	Inline(function string) bool
	Crossinline(function string) bool
}

// Numbers numbers the lambdas of each class in the order in which they end.
//
// For some lambdas, Kotlin generates classes instead of methods. These are suspending lambdas, and
// lambdas in lambdas that are called from a class. It puts the initial values of a companion's
// properties into the enclosing class, after that class's own members. If a constant of an enum has
// a body, Kotlin puts its initial values into the class of the constant. The text does not show
// whether an inlined reference has a number. The lambdas after it therefore have no known numbers.
func (f *File) Numbers(callees Callees) *Numbers {
	n := &Numbers{make([]Home, len(f.Members)), make([]int32, len(f.Members))}
	var order []int32
	for i := range f.Members {
		m := &f.Members[i]
		n.numbers[i], n.homes[i] = -1, f.home(int32(i), n.homes, callees)
		if m.Kind == Lambda && !m.Suspend && !f.inCrossinline(m, callees) ||
			m.Kind == Reference && (m.Counted || f.Kotlin && m.PassedTo != "" && callees != nil && callees.Inline(m.PassedTo)) {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(n.moved(f, x), n.moved(f, y)), cmp.Compare(f.Members[x].Extent.End, f.Members[y].Extent.End))
	})
	count, unsure := map[Home]int32{}, map[Home]bool{}
	for _, i := range order {
		home := n.homes[i]
		if m := &f.Members[i]; m.Kind == Reference && !m.Counted {
			unsure[home] = true
		}
		if !unsure[home] {
			n.numbers[i] = count[home]
		}
		count[home]++
	}
	return n
}

// moved returns 1 for a member that the compiler puts into another class than the class of its
// type.
func (n *Numbers) moved(f *File, member int32) int {
	if n.homes[member].Type != f.Members[member].Type {
		return 1
	}
	return 0
}

// home returns a member's home. The homes of enclosing members must be known.
func (f *File) home(member int32, known []Home, callees Callees) Home {
	m := &f.Members[member]
	if m.Parent == None || f.Members[m.Parent].Type != m.Type {
		return Home{f.initialHome(member), None}
	}
	if parent := &f.Members[m.Parent]; parent.Kind == Lambda && (parent.Suspend || f.inCrossinline(parent, callees)) {
		return Home{m.Type, m.Parent}
	}
	return known[m.Parent]
}

func (f *File) initialHome(member int32) int32 {
	m := &f.Members[member]
	if !f.Kotlin || m.Kind != Property && m.Kind != Initializer {
		return m.Type
	}
	if t := &f.Types[m.Type]; t.Kind == Companion {
		return t.Outer
	}
	if f.Types[m.Type].Kind == Enum && m.Name != "" {
		name := f.Types[m.Type].Name + "$" + m.Name
		if i := slices.IndexFunc(f.Types, func(t Type) bool { return t.Owner == member && t.Name == name }); i >= 0 {
			return int32(i)
		}
	}
	return m.Type
}

// inCrossinline reports whether a lambda is inside another lambda that a class calls.
func (f *File) inCrossinline(m *Member, callees Callees) bool {
	if m.Parent == None {
		return false
	}
	parent := &f.Members[m.Parent]
	return f.Kotlin && parent.Kind == Lambda && parent.PassedTo != "" && callees != nil && callees.Crossinline(parent.PassedTo)
}
