package syntaxtree

import "bytes"

// clean appends the source in a form that the grammar accepts, of the same length. In both
// languages carriage returns and zeros become spaces. In Kotlin, outside of strings and
// comments:
//
//   - annotations are blanked, except those that give names to compiled code: the
//     grammar takes some annotations for expressions, together with the functions after them;
//   - `fun` of `fun interface` is blanked;
//   - `by x` is blanked if a class or object delegates an interface and has a body,
//     since the grammar takes the body for a lambda that is passed to x;
//   - the qualifiers of a receiver's type in a function type are blanked;
//   - a space before a closing brace becomes a line end, since the grammar wants
//     one after the last declaration of a body;
//   - the line end before a line that begins with `in` or `!in`, or with an opening
//     parenthesis, becomes a semicolon if a statement can end there, since the
//     grammar would continue the line before;
//   - line ends before `constructor` in a class header, and before `as`, become
//     spaces, since there the grammar ends too early;
//   - `=` becomes `+` in an assignment to a property of a call's result, which the
//     grammar rejects ([Assigns] recognises such a sum);
//   - `..<` becomes `..`, and binary numbers hexadecimal ones.
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
