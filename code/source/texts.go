package source

import "github.com/diffprof/diffprof/code/source/internal/outline"

// textRank ranks a string concatenation. Compilers turn it into calls of StringBuilder's methods.
func (c *callee) textRank(h *match, s *outline.Site) int {
	if c.class != "java.lang.StringBuilder" {
		return never
	}
	if c.name != "append" || !c.sig.known || len(c.sig.params) != 1 {
		return implied
	}
	rank := never
	if s.Count > outline.MaxArgs {
		rank = implied + unknownType
	}
	for i := range min(int(s.Count), outline.MaxArgs) {
		switch param := c.appendedAs(h, s, i); param {
		case c.sig.params[0]:
			return implied
		case "":
			rank = implied + unknownType
		}
	}
	return rank
}

// appendedAs returns the parameter type of the StringBuilder.append that the compiler calls for
// operand i. It returns "" if unknown.
func (c *callee) appendedAs(h *match, s *outline.Site, i int) string {
	const object = "java.lang.Object"
	typ := h.ArgType(s, i)
	if typ != "" && primitives[typ] == "" {
		typ = c.resolve(h, typ)
	}
	switch typ {
	case "byte", "short":
		return "int"
	case "java.lang.String":
		return typ
	case "", object, "java.lang.CharSequence", "java.lang.Comparable":
	default:
		if primitives[typ] != "" {
			return typ
		}
		return object
	}
	switch s.Arg(i) {
	case outline.String:
		return "java.lang.String"
	case outline.Char:
		return "char"
	case outline.Int:
		return "int"
	case outline.Long:
		return "long"
	case outline.Bool:
		return "boolean"
	case outline.Float:
		return "double"
	case outline.Unknown:
		return ""
	}
	return object
}
