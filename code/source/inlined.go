package source

import (
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// An inlinedClass is a class that kotlinc copies into the caller of an inline function. kotlinc
// does so for classes of the function that call its lambda argument. For example,
// Foo$bar$$inlined$map$1$2 belongs to the first call of map in Foo.bar.
type inlinedClass struct {
	// function is the inline function, such as map. number counts the classes that were copied for
	// its calls, from 1.
	function string
	number   int
	// lambda is set for a lambda or an object inside the lambda argument. Only Kotlin before 1.5
	// has such names, as in Foo$bar$$inlined$apply$lambda$1.
	lambda bool
}

// cutInlined splits the name of an inlined class into the enclosing code and the inlined class. In
// such names, "special" represents code outside of functions.
func cutInlined(name string) (around string, c inlinedClass) {
	const mark = "$$inlined$"
	i := strings.LastIndex(name, mark)
	if i <= 0 {
		return name, inlinedClass{}
	}
	around = name[:i]
	for _, special := range []string{"$$special", "$special"} {
		around = strings.TrimSuffix(around, special)
	}
	c.function, c.number = "", 0
	for part := range strings.SplitSeq(name[i+len(mark):], "$") {
		n, err := strconv.Atoi(part)
		switch {
		case c.function == "":
			c.function = part
		case err == nil && c.number == 0:
			c.number = n
		case part == "lambda":
			c.lambda = true
		}
	}
	return around, c
}

// inlinedCode finds the lambda that an inlined class calls.
func (q *query) inlinedCode() []match {
	around := strings.Join(append([]string{q.Types[q.typ].Name}, q.rest...), "$")
	special := len(q.rest) == 0
	passed := q.all(func(m *outline.Member) bool {
		return m.Kind == outline.Lambda && m.PassedTo == q.inlined.function &&
			(special && m.Type == q.typ && q.isSpecial(m) || !special && (m.Path == around || strings.HasPrefix(m.Path, around+"$")))
	})
	if q.line > 0 && !q.fileNewer {
		under := q.all(func(m *outline.Member) bool {
			return m.Kind == outline.Lambda && strings.HasPrefix(m.Path, around+"$") && !q.index.inlines(m.PassedTo)
		})
		if on := q.onLine(under); len(on) > 0 {
			return q.bestFit(on, signature{}, nil)
		}
	}
	switch i := (q.inlined.number - 1) / q.index.classesOf(q.inlined.function); {
	case q.inlined.lambda && len(passed) > 0:
		// The number counts only classes that capture variables of the enclosing code. It is
		// unknown which lambdas capture any.
		answers := q.oneOf(passed)
		answers[0].code = noCode
		return answers
	case i >= 0 && i < len(passed):
		return []match{q.at(passed[i], Generated)}
	}
	if len(passed) > 0 {
		return q.oneOf(passed)
	}
	if !special {
		if answers := q.function(q.rest[0]); len(answers) > 0 {
			return answers
		}
	}
	return q.wholeType(Enclosing)
}

// isSpecial reports whether a member is inside a property, an initializer or a constructor of its
// class.
func (q *query) isSpecial(m *outline.Member) bool {
	for m.Parent != outline.None {
		m = &q.Members[m.Parent]
	}
	return m.Kind == outline.Property || m.Kind == outline.Initializer || m.Kind == outline.Constructor
}

// inlines reports whether a function of Kotlin's library or of the sources is inline.
func (x *Index) inlines(function string) bool {
	return inlineFunctions[function] || x.inline[function].count > 0
}

// An inlineFunction has sums over all inline functions with the same name: their number (count),
// the classes that the compiler generates in them, and those with a crossinline parameter.
type inlineFunction struct{ count, classes, crossinline int }

func (f inlineFunction) plus(o inlineFunction, sign int) inlineFunction {
	return inlineFunction{f.count + sign*o.count, f.classes + sign*o.classes, f.crossinline + sign*o.crossinline}
}

// inlineFunction returns the counts for one function. classes is the number of objects and lambdas
// in it that the compiler turns into classes.
func (e *entry) inlineFunction(member int32) inlineFunction {
	f := inlineFunction{count: 1}
	if e.Members[member].Crossinline {
		f.crossinline = 1
	}
	for i := range e.Types {
		if t := &e.Types[i]; t.Kind == outline.Anonymous && t.Owner == member {
			f.classes++
		}
	}
	for i := range e.Members {
		if m := &e.Members[i]; m.Kind == outline.Lambda && m.Parent == member && !inlineFunctions[m.PassedTo] {
			f.classes++
		}
	}
	return f
}

// crossinlineFunctions are functions of Kotlin's libraries with a crossinline parameter: they call
// it from a class inside them.
var crossinlineFunctions = map[string]bool{
	"sortedBy": true, "sortedByDescending": true, "sortBy": true, "sortByDescending": true, "compareBy": true,
	"compareByDescending": true, "thenBy": true, "thenByDescending": true, "maxWith": true, "groupingBy": true,
	"observable": true, "vetoable": true, "Sequence": true, "Iterable": true, "unsafeFlow": true, "transform": true,
	"doOnLayout": true, "doOnNextLayout": true, "doOnPreDraw": true, "doAfterTextChanged": true, "doOnTextChanged": true,
	"postDelayed": true, "doOnEnd": true, "doOnStart": true, "timerTask": true,
}

// callees tells an outline how functions use their lambda arguments.
type callees struct{ index *Index }

func (c callees) Inline(function string) bool { return c.index.inlines(function) }

func (c callees) Crossinline(function string) bool {
	return crossinlineFunctions[function] || c.index.inline[function].crossinline > 0
}

// classesOf returns the number of classes that each call of an inline function generates. If
// functions with the same name differ, it is their mean. It is at least 1.
func (x *Index) classesOf(function string) int {
	if f := x.inline[function]; f.classes > f.count {
		return f.classes / f.count
	}
	return 1
}
