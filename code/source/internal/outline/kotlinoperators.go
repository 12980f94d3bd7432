package outline

import (
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

func (k *kotlin) assignment(n syntaxtree.Node) {
	left := n.First()
	var operator, value syntaxtree.Node
	for c := left.Next(); c.Exists(); c = c.Next() {
		if c.Named() {
			value = c
		} else {
			operator = c
		}
	}
	augmented := operator.Kind() != "="
	written := k.argument(value)
	target := left
	if left.Kind() == "directly_assignable_expression" {
		target = left.First()
	}
	last := left.Last()
	switch {
	case left.Kind() == "directly_assignable_expression" && target.Next().Exists():
		// The left side consists of an expression and its suffixes.
		k.walk(target)
		object := target
		for c := target.Next(); c.Exists(); c = c.Next() {
			if c.Kind() != "navigation_suffix" {
				k.children(c)
				if c == last {
					k.addSite(call{kind: Implied, at: c.First(), name: "set"})
				}
				object = syntaxtree.Node{}
				continue
			}
			name := c.Child("simple_identifier")
			s := call{at: name, name: unquote(name.Text()), receiver: k.receiver(object)}
			if object = (syntaxtree.Node{}); c != last || augmented {
				s.kind = Read
				k.addSite(s)
			}
			if c == last {
				s.kind, s.args = Write, []argument{written}
				k.addSite(s)
			}
		}
	case target.Kind() == "simple_identifier":
		if augmented {
			k.identifier(target, Read)
		}
		k.identifier(target, Write, written)
	default:
		k.walk(target)
	}
	if augmented {
		if names := operatorNames[strings.TrimSuffix(operator.Kind(), "=")]; len(names) > 0 {
			changed := receiver{}
			if target.Kind() == "simple_identifier" && !target.Next().Exists() {
				changed = k.receiver(target)
			}
			k.addSite(call{kind: Implied, at: operator, name: names[0] + "Assign", receiver: changed})
			k.addSite(call{kind: Implied, at: operator, name: names[0], receiver: changed})
		}
	}
	k.walk(value)
}

// operatorNames maps operators to the names of the functions that they call.
var operatorNames = map[string][]string{
	"+": {"plus"}, "-": {"minus"}, "*": {"times"}, "/": {"div"}, "%": {"rem"}, "..": {"rangeTo"},
	"<": {"compareTo"}, ">": {"compareTo"}, "<=": {"compareTo"}, ">=": {"compareTo"},
	"==": {"equals"}, "!=": {"equals"}, "in": {"contains"}, "!in": {"contains"},
}

// operator reads a chain of operations. It does not recurse into left operands.
func (k *kotlin) operator(n syntaxtree.Node) {
	var chain []syntaxtree.Node
	for isOperation(n.Kind()) {
		chain = append(chain, n)
		n = n.First()
	}
	assigns := syntaxtree.Assigns(innermostOperator(chain))
	if assigns && n.Kind() == "navigation_expression" {
		k.navigation(n, Write, k.argument(chain[len(chain)-1].Last()))
		last := chain[len(chain)-1].Last()
		k.walk(last)
		chain = chain[:len(chain)-1]
	} else if n.Named() {
		k.walk(n)
	}
	text := false
	for i := len(chain) - 1; i >= 0; i-- {
		at := chain[i]
		first := at.First()
		if at.Kind() == "infix_expression" {
			name := first.Next()
			right := name.Next()
			args := []argument{k.argument(right)}
			k.walk(right)
			k.addSite(call{kind: Call, at: name, whole: at, name: k.imported(unquote(name.Text())), receiver: k.receiver(first), args: args})
			continue
		}
		var operator syntaxtree.Node
		for c := first; c.Exists(); c = c.Next() {
			switch {
			case c.Kind() == "indexing_suffix":
				k.children(c)
				k.addSite(call{kind: Implied, at: c.First(), name: "get", receiver: k.receiver(first)})
			case !c.Named():
				operator = c
			case c != first:
				k.walk(c)
			}
		}
		if at.Kind() == "additive_expression" && operator.Kind() == "+" {
			text = text || first.Kind() == "string_literal" || at.Last().Kind() == "string_literal"
			if text && (i == 0 || chain[i-1].Kind() != "additive_expression") && !k.constantSum(chain, i) {
				k.concatenation(operator, k.operands(chain, i))
			}
		}
		if !text && !k.primitiveOperands(first, at.Last()) {
			for _, name := range operatorNames[operator.Kind()] {
				c := call{kind: Implied, at: operator, name: name}
				if name != "equals" && name != "contains" && name != "rangeTo" {
					c.receiver = k.receiver(first)
				}
				k.addSite(c)
			}
		}
	}
}

// primitiveOperands reports whether an operator calls no function, because an operand is a number,
// a character, a boolean or null.
func (k *kotlin) primitiveOperands(left, right syntaxtree.Node) bool {
	for _, n := range []syntaxtree.Node{left, right} {
		if a := k.argument(n); a.primitive() != "" || a.kind == Null {
			return true
		}
	}
	return false
}

// constantSum reports whether all operands of a sum are constants.
func (k *kotlin) constantSum(chain []syntaxtree.Node, last int) bool {
	for i := len(chain) - 1; i >= last; i-- {
		if !k.constant(chain[i].Last()) || i == len(chain)-1 && !k.constant(chain[i].First()) {
			return false
		}
	}
	return true
}

// operands returns the kinds and types of the operands of a concatenation such as a + b + c. chain
// has its operations, the innermost last. Only those from chain[last] on are read.
func (k *kotlin) operands(chain []syntaxtree.Node, last int) []argument {
	var kinds []argument
	for i := len(chain) - 1; i >= last; i-- {
		if len(kinds) == 0 {
			kinds = append(kinds, k.pieces(chain[i].First())...)
		}
		kinds = append(kinds, k.pieces(chain[i].Last())...)
	}
	return kinds
}

// pieces returns the kinds and types of the values that an operand appends to a concatenation:
//
//   - for a string template, the kind and type of each part,
//   - for a part that is a single constant character, a character,
//   - for other operands, one value.
func (k *kotlin) pieces(n syntaxtree.Node) []argument {
	if n.Kind() != "string_literal" {
		return []argument{k.argument(n)}
	}
	var kinds []argument
	for c := n.First(); c.Exists() && len(kinds) <= MaxArgs; c = c.Next() {
		switch c.Kind() {
		case "string_content":
			if c.End() == c.Start()+1 {
				kinds = append(kinds, argument{kind: Char})
			} else {
				kinds = append(kinds, argument{kind: String})
			}
		case "interpolated_identifier":
			kinds = append(kinds, k.argument(c))
		case "interpolated_expression":
			kinds = append(kinds, k.argument(c.First()))
		}
	}
	return kinds
}

// innermostOperator returns the operator of the last operation in the chain.
func innermostOperator(chain []syntaxtree.Node) syntaxtree.Node {
	for c := chain[len(chain)-1].First(); c.Exists(); c = c.Next() {
		if !c.Named() {
			return c
		}
	}
	return syntaxtree.Node{}
}

func isOperation(kind string) bool {
	switch kind {
	case "infix_expression", "additive_expression", "multiplicative_expression", "range_expression",
		"comparison_expression", "equality_expression", "check_expression", "indexing_expression",
		"prefix_expression", "postfix_expression":
		return true
	}
	return false
}

// isRange reports whether an expression is a range of numbers, judging by its text. The compiler
// turns a loop over a range into counting, without calls.
func isRange(n syntaxtree.Node) bool {
	switch n.Kind() {
	case "range_expression":
		return true
	case "infix_expression":
		switch n.First().Next().Text() {
		case "until", "downTo", "step":
			return true
		}
	case "navigation_expression":
		return n.Last().Last().Text() == "indices"
	case "parenthesized_expression":
		return isRange(n.First())
	}
	return false
}

func (k *kotlin) forStatement(n syntaxtree.Node) {
	mark := len(k.scope)
	variable := n.Child("variable_declaration", "multi_variable_declaration")
	in := n.Child("in")
	values := in.Next()
	k.walk(values)
	if !isRange(values) {
		for _, name := range []string{"iterator", "hasNext", "next"} {
			k.addSite(call{kind: Implied, at: in, name: name})
		}
	}
	if variable.Kind() == "multi_variable_declaration" {
		for c := variable.First(); c.Exists(); c = c.Next() {
			k.bind(unquote(c.Child("simple_identifier").Text()), k.declaredType(c))
		}
	} else {
		k.bind(unquote(variable.Child("simple_identifier").Text()), k.declaredType(variable))
	}
	for c := in.Next().Next(); c.Exists(); c = c.Next() {
		k.walk(c)
	}
	k.scope = k.scope[:mark]
}
