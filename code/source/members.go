package source

import (
	"cmp"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// memberOf returns the type of a field or property, or the result type of a method. If owner is
// empty, it searches the enclosing types.
func (x *resolver) memberOf(e *entry, typ int32, owner, member string, depth int) string {
	if depth > 8 {
		return ""
	}
	if owner != "" {
		class := x.resolveUp(e, typ, owner, depth+1)
		if class != "" {
			for _, r := range x.types[class] {
				if found := x.inherited(r.entry, r.typ, member, depth+1); found != "" {
					return found
				}
			}
		}
		if returnsOwner[member] && acceptsObjects[class] {
			return class
		}
		return outline.UsualTypes[member]
	}
	for t := typ; t != outline.None; t = e.Types[t].Outer {
		if found := x.inherited(e, t, member, depth+1); found != "" {
			return found
		}
	}
	return ""
}

// returnsOwner are the methods of string builders that return the builder.
var returnsOwner = map[string]bool{"append()": true, "insert()": true, "reverse()": true, "delete()": true, "deleteCharAt()": true, "replace()": true}

// inherited does the same as memberOf, for a type and its supertypes.
func (x *resolver) inherited(e *entry, typ int32, member string, depth int) string {
	if depth > 8 || !x.step() {
		return ""
	}
	name, called := strings.CutSuffix(member, "()")
	result, found := "", false
	for i := range e.Members {
		m := &e.Members[i]
		if m.Type != typ || m.Name != name || m.Parent != outline.None || (m.Kind == outline.Method) != called || m.Kind == outline.Getter || m.Kind == outline.Setter {
			continue
		}
		typ := cmp.Or(m.Result, m.Inferred)
		if found && typ != result {
			return ""
		}
		result, found = typ, true
	}
	if found {
		return x.resolveUp(e, typ, result, depth+1)
	}
	t := &e.Types[typ]
	for _, written := range append([]string{t.Super}, t.Interfaces...) {
		if written == "" {
			continue
		}
		super := x.resolveUp(e, typ, written, depth+1)
		for _, r := range x.types[super] {
			if r.entry == e && r.typ == typ {
				continue
			}
			if found := x.inherited(r.entry, r.typ, member, depth+1); found != "" {
				return found
			}
		}
	}
	return ""
}
