package syntaxtree

import (
	"bytes"
	"regexp"
)

// lookahead is how far around a place the forms below are looked for, in bytes, so
// that no text is read over and over.
const lookahead = 400

// constructorAhead is what may be between a class's name and its constructor, from
// a line end on.
var constructorAhead = regexp.MustCompile(`^\s*(?:@[\w.:]+(?:\([^()]*\))?\s+|(?:private|internal|protected|public)\s+)*constructor\b`)

// joinConstructor puts a constructor that begins on a later line on the line of
// the class, and tells whether there is one.
func (k *kotlinCleaner) joinConstructor(i int) bool {
	window := k.text[i:min(i+lookahead, len(k.text))]
	if rest := bytes.TrimLeft(window, " \t\n"); len(rest) == 0 || bytes.IndexByte([]byte("@cpi"), rest[0]) < 0 {
		return false
	}
	found := constructorAhead.FindIndex(window)
	if found == nil {
		return false
	}
	blank(window[:found[1]-len("constructor")], '\n')
	return true
}

// blank replaces characters by spaces: the given one or, if that is 0, all but
// line ends.
func blank(text []byte, only byte) {
	for i, c := range text {
		if c == only || only == 0 && c != '\n' {
			text[i] = ' '
		}
	}
}

// annotation blanks the annotation that begins at i, unless the sign is part of a
// label, and returns where to go on.
func (k *kotlinCleaner) annotation(i int) int {
	t := k.text
	if i > 0 && (isWord(t[i-1]) || t[i-1] == '`' || t[i-1] == '"') {
		return i + 1
	}
	end := i + 1
	for end < len(t) && (isWord(t[end]) || t[end] == '.' && end+1 < len(t) && isWord(t[end+1]) || t[end] == ':' && end+1 < len(t) && (isWord(t[end+1]) || t[end+1] == '[')) {
		end++
	}
	name := t[i:end]
	if bytes.HasPrefix(name, []byte("@file:")) || bytes.HasSuffix(name, []byte("JvmName")) || bytes.HasSuffix(name, []byte("JvmStatic")) {
		return end
	}
	if end < len(t) && (t[end] == '(' && end > i+1 || t[end] == '[') {
		closing := k.balanced(end)
		if closing < 0 {
			return end
		}
		end = closing
	}
	if end == i+1 {
		return end
	}
	blank(t[i:end], 0)
	return end
}

// maxArguments bounds the arguments of an annotation, in bytes.
const maxArguments = 4 << 10

// balanced returns the place behind the bracket that closes the one at i, or -1.
func (k *kotlinCleaner) balanced(i int) int {
	t := k.text[:min(len(k.text), i+maxArguments)]
	depth := 0
	for ; i < len(t); i++ {
		switch t[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if bytes.HasPrefix(t[i:], []byte(`"""`)) {
				n := bytes.Index(t[i+3:], []byte(`"""`))
				if n < 0 {
					return -1
				}
				i += n + 5
				continue
			}
			for i++; i < len(t) && t[i] != '"' && t[i] != '\n'; i++ {
				if t[i] == '\\' {
					i++
				}
			}
		case '\'':
			i = skipChar(t, i) - 1
		}
	}
	return -1
}

// qualified is a qualified name at the end of a text.
var qualified = regexp.MustCompile(`(?:\w+\.)+(\w+)$`)

// receiverType keeps only the last part of the name before the dot at i, which
// ends the receiver of a function type: no expression has a parenthesis behind a
// dot.
func (k *kotlinCleaner) receiverType(i int) {
	window := k.text[max(0, i-lookahead/4):i]
	if found := qualified.FindSubmatchIndex(window); found != nil {
		blank(window[found[0]:found[2]], 0)
	}
}

// ofCall tells whether a text ends with a property of a call's result, as in
// f(x).a?.b. It looks back no further than it must, since it is asked at every
// assignment.
func ofCall(t []byte) bool {
	t = t[max(0, len(t)-lookahead):]
	for {
		t = bytes.TrimRight(t, " \t\n")
		t = bytes.TrimSuffix(t, []byte("!!"))
		name := len(t)
		for name > 0 && (isWord(t[name-1]) || t[name-1] == '`') {
			name--
		}
		if name == len(t) {
			return false
		}
		t = bytes.TrimRight(t[:name], " \t\n")
		if !bytes.HasSuffix(t, []byte(".")) {
			return false
		}
		t = bytes.TrimRight(bytes.TrimSuffix(t[:len(t)-1], []byte("?")), " \t\n")
		t = bytes.TrimSuffix(t, []byte("!!"))
		if len(t) > 0 && (t[len(t)-1] == ')' || t[len(t)-1] == '}') {
			return true
		}
	}
}

// assignment makes a sum of the assignment at i, if it sets a property of a call's
// result as a statement.
func (k *kotlinCleaner) assignment(i int) {
	t := k.text
	if len(k.open) > 0 && k.open[len(k.open)-1] != '{' || i == 0 || i+1 >= len(t) || t[i+1] == '=' || t[i+1] == '>' {
		return
	}
	augmented := bytes.IndexByte([]byte("+-*/%"), t[i-1]) >= 0
	if !augmented && bytes.IndexByte([]byte("=!<>"), t[i-1]) >= 0 {
		return
	}
	end := i
	if augmented {
		end--
	}
	if !ofCall(t[:end]) {
		return
	}
	if t[i] = '+'; augmented {
		t[i] = ' '
	}
}

// Assigns tells whether the operator of a sum stands for an assignment, which the
// grammar would not have known.
func Assigns(operator Node) bool { return operator.Kind() == "+" && operator.Text() == "=" }
