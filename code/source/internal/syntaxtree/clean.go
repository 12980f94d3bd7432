package syntaxtree

import "bytes"

// clean appends the source in a form of the same length that the grammar accepts. In both
// languages, carriage returns and zero bytes become spaces. In Kotlin, clean makes these changes
// outside of strings and comments:
//
//   - Annotations are blanked, except for those that give names to compiled code. The grammar
//     takes some annotations, together with the functions after them, for expressions.
//   - `fun` of `fun interface` is blanked.
//   - `by x` is blanked if a class or object delegates an interface and has a body. The grammar
//     would take the body for a lambda that is passed to x.
//   - The qualifiers of a receiver's type in a function type are blanked.
//   - A space before a closing brace becomes a line end. The grammar requires a line end after the
//     last declaration of a body.
//   - The line end before a line that begins with `in` or an opening parenthesis becomes a semicolon, if
//     a statement can end there. The grammar would otherwise continue the line before.
//   - Line ends before `constructor` in a class header, and before `as`, become spaces. The grammar
//     would otherwise end the declaration or the expression there.
//   - `=` becomes `+` in an assignment to a property of a call's result. The grammar rejects such
//     an assignment. [Assigns] recognizes the resulting sum.
//   - `..<` becomes `..`, and binary numbers become hexadecimal numbers.
func clean(to []byte, lang Language, source []byte) []byte {
	start := len(to)
	to = append(to, source...)
	text := to[start:]
	if bytes.IndexByte(text, '\r') >= 0 || bytes.IndexByte(text, 0) >= 0 {
		for i, b := range text {
			if b == '\r' || b == 0 {
				text[i] = ' '
			}
		}
	}
	if lang == Kotlin {
		k := kotlinCleaner{text: text, by: -1}
		k.run()
	}
	return to
}
