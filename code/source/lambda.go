package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// lambda finds the body of a lambda by the name of its method. If the recording has a line, the
// line takes precedence over the number in the name, because numbering depends on the compiler.
// home is the class with the method.
func (q *query) lambda(synthetic syntheticName, sig signature, home outline.Home) []match {
	all := q.all(func(m *outline.Member) bool {
		return (m.Kind == outline.Lambda || m.Kind == outline.Reference) && (home.Lambda != outline.None || q.lambdaOf(m, synthetic.base))
	})
	numbers := q.Numbers(callees{q.index})
	all = slices.DeleteFunc(all, func(c int32) bool { return numbers.Home(c) != home })
	elsewhere := len(all) == 0 && home.Lambda == outline.None
	if elsewhere {
		// Old compilers name nested lambdas differently. Without a line number, the name may
		// mean any lambda, because the method in the name may no longer exist.
		all = q.members(func(m *outline.Member) bool { return m.Kind == outline.Lambda })
	}
	if len(all) == 0 {
		return nil
	}
	if synthetic.depth > 1 {
		if nested := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return q.lambdaDepth(c, home) != synthetic.depth }); len(nested) > 0 {
			all = nested
		}
	}
	if sig.known {
		// Captured variables come before a lambda's own parameters.
		if fit := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return !q.fitsEnd(q.Members[c].Params, sig.params) }); len(fit) > 0 {
			// The line takes precedence over the parameters.
			if q.line == 0 || q.fileNewer || len(q.onLine(fit)) > 0 || len(q.onLine(all)) == 0 {
				all = fit
			}
		}
	}
	numbered := slices.IndexFunc(all, func(c int32) bool { return q.isNumbered(c, synthetic, numbers) })
	if q.line > 0 && !q.fileNewer {
		if begin := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return int(q.Members[c].First) != q.line-1 }); len(begin) > 0 {
			if numbered >= 0 && slices.Contains(begin, all[numbered]) {
				return []match{q.at(all[numbered], Exact)}
			}
			return q.bestFit(begin, signature{}, nil)
		}
		if on := q.onLine(all); len(on) > 0 {
			return q.bestFit(on, signature{}, nil)
		}
	}
	switch {
	case elsewhere:
		return q.oneOf(all)
	case numbered >= 0:
		return []match{q.at(all[numbered], Exact)}
	case len(all) == 1:
		return []match{q.at(all[0], Exact)}
	}
	return q.oneOf(all)
}

// isNumbered reports whether a lambda and its enclosing lambdas have the numbers in the name.
func (q *query) isNumbered(lambda int32, name syntheticName, numbers *outline.Numbers) bool {
	if len(name.around) == 0 {
		return !q.Kotlin && numbers.Number(lambda) == name.number
	}
	for _, number := range slices.Backward(name.around) {
		for lambda != outline.None && q.Members[lambda].Kind != outline.Lambda {
			lambda = q.Members[lambda].Parent
		}
		if lambda == outline.None || numbers.Number(lambda) != number {
			return false
		}
		lambda = q.Members[lambda].Parent
	}
	return true
}

// oneOf returns the innermost code that contains all given lambdas: a member, or else the type. The
// method is one of the lambdas, but it is unknown which.
func (q *query) oneOf(lambdas []int32) []match {
	around := q.outermost(lambdas[0])
	for _, l := range lambdas {
		if q.outermost(l) != around || q.Members[around].Kind == outline.Lambda {
			answers := q.wholeType(Enclosing)
			answers[0].code = lambdaCode
			return answers
		}
	}
	return []match{{entry: q.entry, typ: q.Members[around].Type, member: around, reason: Enclosing, code: lambdaCode}}
}

// outermost returns the outermost member that contains a member.
func (q *query) outermost(member int32) int32 {
	for q.Members[member].Parent != outline.None {
		member = q.Members[member].Parent
	}
	return member
}

// fitsEnd reports whether the types in all end with the types in params.
func (q *query) fitsEnd(params, all []string) bool {
	return len(params) <= len(all) && q.index.mismatches(params, all[len(all)-len(params):]) == 0
}

// lambdaOf reports whether the lambda m is inside a member with the given name. The name is the one
// that compilers use in the names of lambda methods.
func (q *query) lambdaOf(m *outline.Member, name string) bool {
	for m.Parent != outline.None {
		m = &q.Members[m.Parent]
		switch {
		case m.Name == name && name != "" && m.Kind != outline.Initializer,
			m.Kind != outline.Lambda && m.Kind != outline.Reference && q.Kotlin && m.Name == name,
			name == "<init>" && !m.Static && (m.Kind == outline.Initializer || m.Kind == outline.Constructor),
			name == "<clinit>" && m.Static && m.Kind == outline.Initializer,
			// The lambda is in the arguments of an enum constant.
			name == "<init>" && q.Kotlin && m.Static && m.Kind == outline.Initializer,
			// javac 8 uses the name "null" for a lambda inside a lambda.
			name == "null" && m.Kind == outline.Lambda:
			return true
		}
	}
	return false
}

// lambdaDepth counts the nested lambdas around a member, up to the class home. If the member is a
// lambda, it counts, too.
func (q *query) lambdaDepth(member int32, home outline.Home) int {
	n := 0
	for c := member; c != outline.None && c != home.Lambda; c = q.Members[c].Parent {
		if q.Members[c].Kind == outline.Lambda {
			n++
		}
	}
	return n
}

// lambdaClass finds the lambda for which a class was generated. The class's name does not identify
// the lambda, so the line and the number of parameters decide. If several lambdas remain, the
// answer is the type that contains them.
func (q *query) lambdaClass() []match {
	all := q.members(func(m *outline.Member) bool { return m.Kind == outline.Lambda })
	if q.line > 0 && !q.fileNewer {
		if on := q.onLine(all); len(on) == 1 {
			return []match{q.at(on[0], Generated)}
		}
	}
	if q.sig.known {
		all = slices.DeleteFunc(all, func(c int32) bool { return len(q.Members[c].Params) != len(q.sig.params) })
	}
	references := q.hasReferences()
	if len(all) == 1 && !references {
		return []match{q.at(all[0], Generated)}
	}
	answers := q.wholeType(Enclosing)
	answers[0].code = lambdaCode
	return answers
}

// hasReferences reports whether the type has method references. The compiler generates lambda
// classes for them, too.
func (q *query) hasReferences() bool {
	for i := range q.Sites {
		if s := &q.Sites[i]; s.Kind == outline.Ref && q.Members[s.Owner].Type == q.typ {
			return true
		}
	}
	return false
}

// nested finds a method of a generated class, such as Foo$bar$1. Kotlin names the classes of
// lambdas, objects and local classes after the enclosing code.
func (q *query) nested() []match {
	if q.synthetic == syntheticOther {
		return q.wholeType(Enclosing)
	}
	if !q.Kotlin {
		if answers := q.anonymousByLine(); len(answers) > 0 {
			return answers
		}
		if q.name == "<clinit>" && len(q.rest) == 1 && allDigits(q.rest[0]) {
			// The class has the tables that javac generates for a switch.
			return q.wholeType(Enclosing)
		}
		return nil
	}
	path := q.Types[q.typ].Name + "$" + strings.Join(q.rest, "$")
	if name, ok := parseKotlinLambda(q.name); ok {
		// The class belongs to a suspending lambda, and the method to a lambda inside it.
		if i := slices.IndexFunc(q.Members, func(m outline.Member) bool { return m.Path == path && m.Kind == outline.Lambda }); i >= 0 {
			return q.lambda(name, q.sig, outline.Home{Type: q.Members[i].Type, Lambda: int32(i)})
		}
	}
	around := q.rest[0]
	under := q.Types[q.typ].Name + "$" + around
	all := q.all(func(m *outline.Member) bool {
		return (m.Kind == outline.Lambda || m.Kind == outline.Reference) && (m.Path == under || strings.HasPrefix(m.Path, under+"$"))
	})
	if q.line > 0 && !q.fileNewer {
		on := q.onLine(all)
		exact := slices.IndexFunc(on, func(c int32) bool { return q.Members[c].Path == path })
		switch {
		case exact >= 0:
			return []match{q.at(on[exact], Exact)}
		case len(on) == 1:
			return []match{q.at(on[0], Exact)}
		}
		if answers := q.anonymousByLine(); len(answers) > 0 {
			return answers
		}
		if len(on) > 1 {
			return q.bestFit(on, signature{}, nil)
		}
	} else if i := slices.IndexFunc(all, func(c int32) bool { return q.Members[c].Path == path }); i >= 0 {
		return []match{q.at(all[i], Exact)}
	}
	if answers := q.function(around); len(answers) > 0 {
		return answers
	}
	if len(all) > 0 || allDigits(around) {
		return q.wholeType(Enclosing)
	}
	return nil
}

// function finds the function whose name is part of the name of a generated class. The class holds
// the state of a suspend function, or belongs to a lambda.
func (q *query) function(name string) []match {
	functions := q.members(func(m *outline.Member) bool {
		return m.Name == name && m.Parent == outline.None && (m.Kind == outline.Method || m.Kind == outline.Property || m.Kind == outline.Getter)
	})
	suspended := slices.DeleteFunc(slices.Clone(functions), func(c int32) bool { return !q.Members[c].Suspend })
	if q.name == "invokeSuspend" && len(suspended) > 0 && slices.Equal(q.rest[1:], []string{"1"}) {
		// The class holds the state of the function. Its method calls the function.
		return generated(q.bestFit(suspended, signature{}, nil))
	}
	answers := q.bestFit(functions, signature{}, nil)
	for i := range answers {
		answers[i].reason, answers[i].code = Enclosing, lambdaCode
	}
	return answers
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// all returns the members of the whole file for which accept returns true.
func (q *query) all(accept func(m *outline.Member) bool) []int32 {
	var out []int32
	for i := range q.Members {
		if accept(&q.Members[i]) {
			out = append(out, int32(i))
		}
	}
	return out
}

// anonymousByLine finds the method by its line in an anonymous type. It serves compilers that
// number anonymous types differently. It searches the nearest enclosing type that is not local.
func (q *query) anonymousByLine() []match {
	if q.line <= 0 || q.fileNewer {
		return nil
	}
	outer := q.typ
	for outer != outline.None && q.Types[outer].Local {
		outer = q.Types[outer].Outer
	}
	var best []match
	for i := range q.Types {
		t := &q.Types[i]
		if t.Kind != outline.Anonymous || !t.Extent.HasLine(q.line) || !q.within(int32(i), outer) {
			continue
		}
		inner := *q
		inner.typ, inner.rest = int32(i), nil
		answers := inner.method(q.name, q.sig)
		if len(answers) > 0 && answers[0].reason == Exact {
			best = answers
		}
	}
	return best
}

// within reports whether the types are equal or the first is nested in the second.
func (e *entry) within(typ, outer int32) bool {
	for ; typ != outline.None; typ = e.Types[typ].Outer {
		if typ == outer {
			return true
		}
	}
	return false
}
