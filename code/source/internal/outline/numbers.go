package outline

import (
	"cmp"
	"slices"
)

// A Home is the class that has the method generated for a lambda.
type Home struct {
	// If Lambda is None, the class is Type. Otherwise it is the class that the compiler generates
	// for the enclosing lambda Lambda.
	Type, Lambda int32
}

// Numbers has the numbers that compilers give to the methods generated for lambdas.
type Numbers struct {
	// homes and numbers are indexed by member. Lambdas have a number, and so do method references
	// that the compiler turns into lambdas. The number of other members is -1.
	homes   []Home
	numbers []int32
}

// Home returns the class that has the method generated for a lambda.
func (n *Numbers) Home(member int32) Home { return n.homes[member] }

// Number returns a lambda's number within its home, or -1.
func (n *Numbers) Number(member int32) int { return int(n.numbers[member]) }

// Callees describes how functions use their lambda arguments. The lambdas of an inline function run
// in its caller. The lambdas of a crossinline function are called from a class inside it. A nil
// Callees describes no functions.
type Callees interface {
	Inline(function string) bool
	Crossinline(function string) bool
}

// Numbers numbers the lambdas of each class in the order in which they end.
//
// For some lambdas, Kotlin generates classes instead of methods: for suspending lambdas, and for
// lambdas inside lambdas that are called from a class. Kotlin puts the initial values of a
// companion's properties into the enclosing class, after that class's own members. If an enum
// constant has a body, its initial values are in the class of the constant. The source does not
// show whether a reference that is passed to an inline function has a number. Later lambdas in the
// same class therefore have no known numbers.
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

// moved returns 1 if the compiler puts a member into another class than its type, and else 0.
func (n *Numbers) moved(f *File, member int32) int {
	if n.homes[member].Type != f.Members[member].Type {
		return 1
	}
	return 0
}

// home returns a member's home. known must have the homes of the enclosing members.
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

// inCrossinline reports whether m is directly inside a lambda that a class calls.
func (f *File) inCrossinline(m *Member, callees Callees) bool {
	if m.Parent == None {
		return false
	}
	parent := &f.Members[m.Parent]
	return f.Kotlin && parent.Kind == Lambda && parent.PassedTo != "" && callees != nil && callees.Crossinline(parent.PassedTo)
}
