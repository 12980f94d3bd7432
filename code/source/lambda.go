package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// lambda finds the body of a lambda by the name its method has. Where the
// recording has a line, the line counts for more than the number, which depends
// on the compiler.
func (q *query) lambda(made madeName, sig signature) []hit {
	all := q.members(func(m *outline.Member) bool {
		return (m.Kind == outline.Lambda || m.Kind == outline.Reference) && q.lambdaOf(m, made.base)
	})
	if len(all) == 0 {
		// Named after something else, as a nested one is by old compilers.
		all = q.members(func(m *outline.Member) bool { return m.Kind == outline.Lambda })
		if len(all) == 0 {
			return nil
		}
	}
	if made.depth > 1 {
		if nested := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return q.lambdaDepth(c) != made.depth }); len(nested) > 0 {
			all = nested
		}
	}
	if sig.known {
		// Captured variables come before a lambda's own parameters.
		if fit := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return !fitsEnd(q.Members[c].Params, sig.params) }); len(fit) > 0 {
			// But the line counts for more.
			if q.line == 0 || q.newer || len(q.onLine(fit)) > 0 || len(q.onLine(all)) == 0 {
				all = fit
			}
		}
	}
	numbered := slices.IndexFunc(all, func(c int32) bool { return int(q.Members[c].Number) == made.number })
	if q.line > 0 && !q.newer {
		if begin := slices.DeleteFunc(slices.Clone(all), func(c int32) bool { return int(q.Members[c].First) != q.line-1 }); len(begin) > 0 {
			if numbered >= 0 && slices.Contains(begin, all[numbered]) {
				return []hit{q.at(all[numbered], Exact)}
			}
			return q.choose(begin, signature{}, nil)
		}
		if on := q.onLine(all); len(on) > 0 {
			return q.choose(on, signature{}, nil)
		}
	}
	if numbered >= 0 {
		return []hit{q.at(all[numbered], Exact)}
	}
	return q.choose(all, signature{}, nil)
}

// fitsEnd tells whether parameters can be the last of a descriptor's.
func fitsEnd(params, all []string) bool {
	return len(params) <= len(all) && mismatches(params, all[len(all)-len(params):]) == 0
}

// lambdaOf tells whether a lambda is in the code that a name means.
func (q *query) lambdaOf(m *outline.Member, name string) bool {
	for m.Parent != outline.None {
		m = &q.Members[m.Parent]
		switch {
		case m.Name == name && name != "" && m.Kind != outline.Initializer,
			m.Kind != outline.Lambda && m.Kind != outline.Reference && q.Kotlin && m.Name == name,
			name == "<init>" && !m.Static && (m.Kind == outline.Initializer || m.Kind == outline.Constructor),
			name == "<clinit>" && m.Static && m.Kind == outline.Initializer,
			// javac 8 names lambdas in lambdas after nothing.
			name == "null" && m.Kind == outline.Lambda:
			return true
		}
	}
	return false
}

// lambdaDepth counts the lambdas around a member, itself included.
func (q *query) lambdaDepth(member int32) int {
	n := 0
	for c := member; c != outline.None; c = q.Members[c].Parent {
		if q.Members[c].Kind == outline.Lambda {
			n++
		}
	}
	return n
}

// lambdaClass finds the lambda behind a class that was made for one. Its name does
// not tell which of the class's lambdas, so the line and the number of parameters
// have to; failing that, the class around them is the answer.
func (q *query) lambdaClass() []hit {
	all := q.members(func(m *outline.Member) bool { return m.Kind == outline.Lambda })
	if q.line > 0 && !q.newer {
		if on := q.onLine(all); len(on) == 1 {
			return []hit{q.at(on[0], Caused)}
		}
	}
	if q.sig.known {
		all = slices.DeleteFunc(all, func(c int32) bool { return len(q.Members[c].Params) != len(q.sig.params) })
	}
	references := q.hasReferences()
	if len(all) == 1 && !references {
		return []hit{q.at(all[0], Caused)}
	}
	hits := q.whole(Enclosing)
	hits[0].lambdas = true
	return hits
}

// hasReferences tells whether the type has method references, of which such
// classes are made as well.
func (q *query) hasReferences() bool {
	for i := range q.Sites {
		if s := &q.Sites[i]; s.Kind == outline.Ref && q.Members[s.Owner].Type == q.typ {
			return true
		}
	}
	return false
}

// nested finds the method of a class whose name goes on behind that of a type: a
// lambda, an object or a local class that was named after what is around it.
func (q *query) nested() []hit {
	if q.made == madeOther {
		return q.whole(Enclosing)
	}
	if !q.Kotlin {
		if hits := q.anonymousByLine(); len(hits) > 0 {
			return hits
		}
		if q.name == "<clinit>" && len(q.rest) == 1 && allDigits(q.rest[0]) {
			// The tables that javac makes for a switch.
			return q.whole(Enclosing)
		}
		return nil
	}
	path := q.Types[q.typ].Name + "$" + strings.Join(q.rest, "$")
	around := q.rest[0]
	under := q.Types[q.typ].Name + "$" + around
	all := q.all(func(m *outline.Member) bool {
		return (m.Kind == outline.Lambda || m.Kind == outline.Reference) && (m.Path == under || strings.HasPrefix(m.Path, under+"$"))
	})
	if q.line > 0 && !q.newer {
		on := q.onLine(all)
		exact := slices.IndexFunc(on, func(c int32) bool { return q.Members[c].Path == path })
		switch {
		case exact >= 0:
			return []hit{q.at(on[exact], Exact)}
		case len(on) == 1:
			return []hit{q.at(on[0], Exact)}
		}
		if hits := q.anonymousByLine(); len(hits) > 0 {
			return hits
		}
		if len(on) > 1 {
			return q.choose(on, signature{}, nil)
		}
	} else if i := slices.IndexFunc(all, func(c int32) bool { return q.Members[c].Path == path }); i >= 0 {
		return []hit{q.at(all[i], Exact)}
	}
	// The class of a suspended function's state calls the function itself.
	functions := q.members(func(m *outline.Member) bool {
		return m.Name == around && m.Parent == outline.None && (m.Kind == outline.Method || m.Kind == outline.Property || m.Kind == outline.Getter)
	})
	if len(functions) > 0 {
		suspended := slices.DeleteFunc(slices.Clone(functions), func(c int32) bool { return !q.Members[c].Suspend })
		if q.name == "invokeSuspend" && len(suspended) > 0 {
			return caused(q.choose(suspended, signature{}, nil))
		}
		hits := q.choose(functions, signature{}, nil)
		for i := range hits {
			hits[i].reason = Enclosing
		}
		return hits
	}
	if len(all) > 0 || allDigits(around) {
		return q.whole(Enclosing)
	}
	return nil
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// all yields the members of the whole file that a function accepts.
func (q *query) all(accept func(m *outline.Member) bool) []int32 {
	var out []int32
	for i := range q.Members {
		if accept(&q.Members[i]) {
			out = append(out, int32(i))
		}
	}
	return out
}

// anonymousByLine finds the method in the anonymous and local types of the file's
// same outer type by the line, for where numbers do not agree.
func (q *query) anonymousByLine() []hit {
	if q.line <= 0 || q.newer {
		return nil
	}
	outer := q.typ
	for outer != outline.None && q.Types[outer].Local {
		outer = q.Types[outer].Outer
	}
	var best []hit
	for i := range q.Types {
		t := &q.Types[i]
		if t.Kind != outline.Anonymous || !t.Extent.HasLine(q.line) || !q.within(int32(i), outer) {
			continue
		}
		inner := *q
		inner.typ, inner.rest = int32(i), nil
		hits := inner.method(q.name, q.sig)
		if len(hits) > 0 && hits[0].reason == Exact {
			best = hits
		}
	}
	return best
}

// within tells whether a type is in another.
func (q *query) within(typ, outer int32) bool {
	for ; typ != outline.None; typ = q.Types[typ].Outer {
		if typ == outer {
			return true
		}
	}
	return false
}
