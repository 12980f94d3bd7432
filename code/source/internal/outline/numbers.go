package outline

import (
	"cmp"
	"slices"
)

// A Home identifies the class with a lambda's method, such as Foo for lambda$onCreate$0 in Foo.
type Home struct {
	// If Lambda is None, the class is Type. Otherwise the compiler generated the class for an
	// enclosing lambda, which is the member Lambda.
	Type, Lambda int32
}

// Numbers has the numbers of lambdas, such as 0 for a method lambda$onCreate$0.
type Numbers struct {
	// homes and numbers are indexed by member. Only lambdas, and method references that the
	// compiler turns into lambdas, have numbers. Other members have -1.
	homes   []Home
	numbers []int32
}

// Home returns the class with a lambda's method.
func (n *Numbers) Home(member int32) Home { return n.homes[member] }

// Number returns a lambda's number within its home, or -1.
func (n *Numbers) Number(member int32) int { return int(n.numbers[member]) }

// Callees describes how functions use their lambda arguments. A nil Callees describes no functions.
//
//   - An inline function runs the lambda in its caller.
//   - A crossinline function has a class of its own, which calls the lambda.
type Callees interface {
	Inline(function string) bool
	Crossinline(function string) bool
}

// Numbers numbers the lambdas of each class in the order in which they end. Kotlin has exceptions:
//
//   - A suspending lambda has a class instead of a method, so it has no number. The same holds for
//     a lambda inside the argument of a crossinline function.
//   - The initial values of a companion's properties belong to the enclosing class. Their lambdas
//     come after its own.
//   - The initial values of an enum constant with a body belong to the class of the constant.
//   - It is unknown whether a method reference has a number if it is passed to an inline function.
//     It and later lambdas in the same class have no known numbers.
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

// moved returns 1 for a member that the compiler puts into another class than its type, or else 0.
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

// inCrossinline reports whether m is directly inside a lambda argument of a crossinline function.
func (f *File) inCrossinline(m *Member, callees Callees) bool {
	if m.Parent == None {
		return false
	}
	parent := &f.Members[m.Parent]
	return f.Kotlin && parent.Kind == Lambda && parent.PassedTo != "" && callees != nil && callees.Crossinline(parent.PassedTo)
}
