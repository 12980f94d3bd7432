package source

import (
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// Costs of passing an argument to a parameter. Like the compiler, the matching prefers the overload
// with the least total cost. The order is roughly: the same type, a wider type, a boxed type.
const (
	sameCost = 0
	// widerCost is the cost of each step to a wider primitive type, and of passing an object as one
	// of its supertypes.
	widerCost = 1
	// objectCost is the cost of passing an object as java.lang.Object.
	objectCost = 4
	boxedCost  = 10
	// varargsCost is the cost of arguments that the compiler packs into a varargs array.
	varargsCost = 100
	// noCost marks an argument that cannot be passed.
	noCost = 1 << 16
)

// An overload is one of the methods that a call by name can refer to.
type overload struct {
	// params has the binary names of the parameter types, without the receiver of an extension.
	params []string
	// required is the least number of arguments that a call must have.
	required int
	varargs  bool
}

// argumentRank ranks a call site by how well its arguments fit the callee.
func (c *callee) argumentRank(h *match, s *outline.Site) int {
	if d := c.declared; c.defaults && d != nil && h.Kotlin && !d.Varargs {
		// A call that has all arguments uses no default values.
		count := int(s.Count)
		if d.Extension {
			count++
		}
		if count >= len(d.Params) {
			return otherCount
		}
	}
	if !c.sig.known {
		return 0
	}
	own := c.asCalled(h, s)
	if !own.takes(s) {
		return otherCount
	}
	cost := c.cost(h, s, own)
	if cost >= noCost {
		return otherArgs
	}
	rank := 0
	for _, o := range c.others {
		if !o.takes(s) {
			continue
		}
		switch other := c.cost(h, s, o); {
		case other < cost:
			return otherArgs
		case other == cost:
			// The known argument types fit this overload and the callee equally well.
			rank = unknownArgs
		}
	}
	return rank
}

// asCalled returns the callee as the source calls it: without the parameters that the compiler
// adds. Its parameters correspond to the arguments of the site.
func (c *callee) asCalled(h *match, s *outline.Site) overload {
	o := overload{params: c.sig.params}
	defaults := false
	if n := len(o.params); n > 0 && c.name == "<init>" {
		if defaults = strings.HasSuffix(o.params[n-1], "DefaultConstructorMarker"); defaults || isMarker(o.params[n-1]) {
			// The last parameter exists only to distinguish constructors. The bit masks of default
			// values precede it.
			o.params = o.params[:n-1]
			if d := c.declared; d != nil {
				o.params = o.params[:min(len(o.params), len(d.Params)+c.added())]
			}
		}
	} else if n > 0 && h.Kotlin && o.params[n-1] == "kotlin.coroutines.Continuation" {
		o.params = o.params[:n-1]
	}
	if d := c.declared; d != nil {
		if c.name == "<init>" {
			// The compiler adds parameters at the front: an outer instance, or the name and ordinal
			// of an enum constant.
			o.params = o.params[min(len(o.params), c.added()):]
		} else if d.Extension && h.Kotlin && len(o.params) > 0 {
			o.params = o.params[1:]
		}
		o.varargs, o.required = d.Varargs, len(o.params)-d.Defaults
		if o.varargs {
			o.required = min(o.required, len(o.params)-1)
		}
		return o
	}
	count := int(s.Count)
	switch receiver := h.Names[s.Receiver]; {
	case c.name == "<init>" && len(o.params) == 2 && c.index.kindOf(c.class) == outline.Enum:
		o.params = nil
	case len(o.params) != count+1:
	case h.Kotlin && c.ofFile() && (receiver != "" || s.Kind == outline.Call):
		o.params = o.params[1:]
	case h.Kotlin && primitives[o.params[0]] == c.class:
		// This is a static method of a boxed class. The call is on a primitive value.
		o.params = o.params[1:]
	case c.name == "<init>" && s.Kind != outline.Super && strings.HasPrefix(c.class, o.params[0]+"$"):
		// The constructor of an inner class takes the outer instance.
		o.params = o.params[1:]
	}
	if defaults {
		return o
	}
	o.required = len(o.params)
	if o.varargs = o.required > 0 && strings.HasSuffix(o.params[o.required-1], "[]"); o.varargs {
		o.required--
	}
	return o
}

// isMarker reports whether javac generated the type of a parameter, such as Outer$1, only to
// distinguish constructors.
func isMarker(param string) bool {
	i := strings.LastIndexByte(param, '$')
	return i >= 0 && allDigits(param[i+1:])
}

// added returns the number of parameters that the compiler inserts before the declared parameters
// of a constructor.
func (c *callee) added() int {
	t := &c.declaredIn.Types[c.declared.Type]
	params := c.sig.params
	switch {
	case t.Kind == outline.Enum && len(params) >= 2 && params[0] == "java.lang.String" && params[1] == "int":
		return 2
	case t.Inner && t.Outer != outline.None && len(params) > len(c.declared.Params) && sameType(c.declaredIn.Types[t.Outer].Name, params[0]):
		return 1
	}
	return 0
}

// takes reports whether the overload can be called with the number of arguments at the site.
func (o overload) takes(s *outline.Site) bool {
	count := int(s.Count)
	return count >= o.required && (count <= len(o.params) || o.varargs) || s.Spread()
}

// cost returns the cost of passing a site's arguments to an overload.
func (c *callee) cost(h *match, s *outline.Site, o overload) int {
	last, total := len(o.params)-1, 0
	for i := range min(int(s.Count), outline.MaxArgs) {
		param := ""
		switch {
		case s.Spread() && i >= last, i > last && !o.varargs:
			return total
		case i < last, i == last && !o.varargs:
			param = o.params[i]
		case i == last && int(s.Count) == len(o.params) && (s.Arg(i) == outline.Array || s.Arg(i) == outline.Unknown):
			param = o.params[i]
		default:
			param = strings.TrimSuffix(o.params[last], "[]")
			total = max(total, varargsCost)
		}
		if total += c.argumentCost(h, s, i, param); total >= noCost {
			return noCost
		}
	}
	return total
}

// argumentCost returns the cost of passing argument i of the site to a parameter of type param.
func (c *callee) argumentCost(h *match, s *outline.Site, i int, param string) int {
	typ := h.ArgType(s, i)
	if boxed := primitives[typ]; boxed != "" {
		return primitiveCost(typ, param)
	}
	switch s.Arg(i) {
	case outline.String:
		return c.objectCost("java.lang.String", param)
	case outline.Int:
		cost := primitiveCost("int", param)
		if h.Kotlin && cost >= noCost && kotlinLiteral[param] {
			return boxedCost
		}
		return cost
	case outline.Long:
		return primitiveCost("long", param)
	case outline.Float:
		return primitiveCost("double", param)
	case outline.Char:
		return primitiveCost("char", param)
	case outline.Bool:
		return primitiveCost("boolean", param)
	case outline.Null:
		if primitives[param] != "" {
			return noCost
		}
		return sameCost
	case outline.Array:
		return arrayCost(typ, param)
	case outline.Function:
		if primitives[param] != "" || param == "java.lang.String" || param == "java.lang.CharSequence" || strings.HasSuffix(param, "[]") {
			return noCost
		}
		return sameCost
	}
	if typ == "" {
		if s.Arg(i) == outline.Instance && (primitives[param] != "" || param == "java.lang.String" || strings.HasSuffix(param, "[]")) {
			return noCost
		}
		return sameCost
	}
	name := c.resolve(h, typ)
	switch {
	case name == "" && s.Arg(i) == outline.Instance && (primitives[param] != "" || param == "java.lang.String" || strings.HasSuffix(param, "[]")):
		return noCost
	case name == "", c.index.isValue(name):
		return sameCost
	case primitives[name] != "":
		return primitiveCost(name, param)
	case strings.HasSuffix(name, "[]"):
		return arrayCost(name, param)
	}
	return c.objectCost(name, param)
}

// primitives maps Java's primitive types to their boxed classes.
var primitives = map[string]string{
	"int": "java.lang.Integer", "long": "java.lang.Long", "short": "java.lang.Short", "byte": "java.lang.Byte",
	"char": "java.lang.Character", "boolean": "java.lang.Boolean", "float": "java.lang.Float", "double": "java.lang.Double",
}

// kotlinLiteral has the types, besides Int, that a Kotlin integer literal can have.
var kotlinLiteral = map[string]bool{"byte": true, "short": true, "java.lang.Long": true, "java.lang.Short": true, "java.lang.Byte": true}

// widening lists the primitive types in widening order.
var widening = []string{"byte", "short", "int", "long", "float", "double"}

// primitiveCost returns the cost of passing a value of primitive type typ.
func primitiveCost(typ, param string) int {
	switch {
	case typ == param:
		return sameCost
	case param == primitives[typ]:
		return boxedCost
	case isBroad(param):
		if param == "java.lang.Number" && (typ == "char" || typ == "boolean") {
			return noCost
		}
		return boxedCost + objectCost
	}
	from, to := -1, -1
	for i, t := range widening {
		if t == typ || typ == "char" && t == "short" {
			from = i
		}
		if t == param {
			to = i
		}
	}
	if from < 0 || to <= from {
		return noCost
	}
	return (to - from) * widerCost
}

// isBroad reports whether a type is a supertype of a boxed class.
func isBroad(param string) bool {
	switch param {
	case "java.lang.Object", "java.lang.Comparable", "java.io.Serializable", "java.lang.Number":
		return true
	}
	return false
}

// arrayCost returns the cost of passing an array. typ is "" if the array's type is unknown.
func arrayCost(typ, param string) int {
	elem, array := strings.CutSuffix(param, "[]")
	switch {
	case !array && param != "java.lang.Object":
		return noCost
	case !array:
		return objectCost
	case typ == "":
		return sameCost
	}
	typ = strings.TrimSuffix(typ, "[]")
	if (primitives[typ] != "" || primitives[elem] != "") && typ != elem {
		return noCost
	}
	return sameCost
}

// objectCost returns the cost of passing an object of class name.
func (c *callee) objectCost(name, param string) int {
	switch {
	case name == param, name == "java.lang.Object":
		return sameCost
	case param == "java.lang.Object":
		return objectCost
	case primitives[param] != "":
		if name == primitives[param] {
			return boxedCost
		}
		return noCost
	case strings.HasSuffix(param, "[]"):
		return noCost
	}
	r := c.index.resolver(c.table)
	switch {
	case r.subtype(name, param):
		return widerCost
	case r.subtype(param, name):
		// A type test before the call may have narrowed the variable to the parameter's class.
		return sameCost
	case len(c.index.types[param]) > 0 || r.closed(name):
		return noCost
	}
	return sameCost
}

// closed reports whether all supertypes of a class are known.
func (x *resolver) closed(name string) bool {
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		refs := x.types[queue[0]]
		if len(refs) == 0 && !x.known(queue[0]) || !x.step() {
			return false
		}
		for _, r := range refs {
			t := &r.Types[r.typ]
			for _, written := range append([]string{t.Super}, t.Interfaces...) {
				if written == "" {
					continue
				}
				super := x.resolve(r.entry, r.typ, written)
				if super == "" {
					return false
				}
				queue = append(queue, super)
			}
		}
	}
	return true
}

// isValue reports whether a class is one of Kotlin's value classes.
func (x *Index) isValue(name string) bool {
	refs := x.types[name]
	return len(refs) > 0 && refs[0].Types[refs[0].typ].Value
}
