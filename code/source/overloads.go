package source

import (
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/name"
)

// declare finds the callee's declaration in the sources, and its overloads.
func (c *callee) declare(m name.Method) {
	if len(c.index.types[c.class]) == 0 {
		c.declareUsual()
		return
	}
	found, _ := c.index.find(m.At("", 0), time.Time{})
	if len(found) == 0 || slices.ContainsFunc(found, func(h match) bool { return !h.declares(&found[0]) }) {
		return
	}
	h := &found[0]
	c.declared, c.declaredIn = &h.Members[h.member], h.entry
	c.setter = c.declared.Kind == outline.Setter || c.declared.Kind == outline.Property && len(c.sig.params) > len(c.declared.Params)
	c.file = h.Types[h.typ].Kind == outline.Facade
	for i := range h.Members {
		d := &h.Members[i]
		if d == c.declared || d.Type != c.declared.Type || d.Kind != c.declared.Kind || d.Name != c.declared.Name || d.Parent != c.declared.Parent {
			continue
		}
		o := overload{required: len(d.Params) - d.Defaults, varargs: d.Varargs}
		for _, p := range d.Params {
			o.params = append(o.params, c.resolveIn(h.entry, d.Type, p))
		}
		if d.Extension {
			o.params, o.required = o.params[1:], o.required-1
		}
		if o.varargs {
			o.required = min(o.required, len(o.params)-1)
		}
		c.others = append(c.others, o)
	}
}

// declares reports whether two answers are members with the same declaration, for example in two
// flavors of an app.
func (h *match) declares(other *match) bool {
	if h.member == outline.None || other.member == outline.None || h.reason == Enclosing || h.reason == Ambiguous {
		return false
	}
	a, b := &h.Members[h.member], &other.Members[other.member]
	return a.Kind != outline.Lambda && a.Name == b.Name && a.Extension == b.Extension && len(a.Params) == len(b.Params)
}

// usualOverloads are methods of the Java and Android libraries with overloads for many types, such
// as append. The overloads differ in their last parameter, or in all parameters.
var usualOverloads = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq("append insert print println valueOf put putExtra abs max min value write") {
		m[name] = true
	}
	return m
}()

// usualParams are the types of the parameters in which such overloads differ. A String[] is passed
// as an Object[].
var usualParams = []string{"boolean", "char", "int", "long", "float", "double", "java.lang.Object", "java.lang.String", "java.lang.CharSequence"}

// acceptsObjects are classes whose methods accept strings and numbers as objects. In other classes,
// a parameter of type Object may be generic.
var acceptsObjects = map[string]bool{
	"java.lang.StringBuilder": true, "java.lang.StringBuffer": true, "java.lang.String": true,
	"java.io.PrintStream": true, "java.io.PrintWriter": true, "java.util.Arrays": true,
}

// declareUsual adds the usual overloads of a library method with the callee's name.
func (c *callee) declareUsual() {
	params := c.sig.params
	if len(params) == 0 || !usualOverloads[c.name] && c.class != "java.util.Arrays" {
		return
	}
	vary := len(params) - 1
	if c.class == "java.util.Arrays" {
		vary = 0
	}
	elem, array := strings.CutSuffix(params[vary], "[]")
	if !slices.Contains(usualParams, elem) || elem == "java.lang.Object" && !acceptsObjects[c.class] {
		return
	}
	all := !slices.ContainsFunc(params, func(p string) bool { return p != params[0] })
	for _, other := range usualParams {
		if other == elem || array && strings.HasPrefix(other, "java.lang.") && other != "java.lang.Object" {
			continue
		}
		if array {
			other += "[]"
		}
		o := overload{params: slices.Clone(params), required: len(params)}
		for i := range o.params {
			if all || i == vary {
				o.params[i] = other
			}
		}
		c.others = append(c.others, o)
	}
}
