package syntaxtree

import "bytes"

// clean appends the source as the grammar can take it, of the same length. In
// both languages carriage returns and zeros become spaces. In Kotlin, outside of
// strings and comments:
//
//   - annotations are blanked, but for those that name what is compiled: the
//     grammar takes some for expressions, and the functions behind them too;
//   - `fun` of `fun interface` is blanked;
//   - so is `by x` where a class or object delegates an interface and a body
//     follows, since the grammar takes that body for a lambda passed to x;
//   - so are the qualifiers of a receiver's type in a function type;
//   - a space before a closing brace becomes a line end, since the grammar wants
//     one after the last declaration of a body;
//   - the line end before a line that begins with `in` or `!in`, or with an opening
//     parenthesis, becomes a semicolon if a statement can end there, since the
//     grammar continues the line before;
//   - line ends before `constructor` in a class header, and before `as`, become
//     spaces, since there the grammar ends too early;
//   - `=` becomes `+` where the property of a call's result is set, which the
//     grammar does not know ([Assigns] tells such a sum from others);
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
