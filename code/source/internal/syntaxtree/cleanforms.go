package syntaxtree

import (
	"bytes"
	"regexp"
)

// lookahead is the maximum number of bytes that the functions below read around a position. Without
// it, they could read a text many times.
const lookahead = 400

// constructorAhead matches the text from the line end after a class's name to the keyword of its
// constructor.
var constructorAhead = regexp.MustCompile(`^\s*(?:@[\w.:]+(?:\([^()]*\))?\s+|(?:private|internal|protected|public)\s+)*constructor\b`)

// joinConstructor joins the lines of a class header, from i to its constructor. It returns false if
// no constructor follows.
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

// blank replaces each occurrence of a character by a space. If the character is 0, it replaces all
// characters except line ends.
func blank(text []byte, only byte) {
	for i, c := range text {
		if c == only || only == 0 && c != '\n' {
			text[i] = ' '
		}
	}
}

// annotation blanks the annotation that begins at i. If the @ belongs to a label instead, it does
// nothing. It returns the next position to read.
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

// maxArguments is the maximum length in bytes of an annotation's arguments.
const maxArguments = 4 << 10

// balanced returns the position after the bracket that closes the bracket at i, or -1.
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

// qualified matches a qualified name at the end of a text.
var qualified = regexp.MustCompile(`(?:\w+\.)+(\w+)$`)

// receiverType blanks the qualifiers of the type name before the dot at i, as in a.b.Foo.(). An
// expression cannot have a parenthesis after a dot, so the name is a type.
func (k *kotlinCleaner) receiverType(i int) {
	window := k.text[max(0, i-lookahead/4):i]
	if found := qualified.FindSubmatchIndex(window); found != nil {
		blank(window[found[0]:found[2]], 0)
	}
}

// ofCall reports whether a text ends with a property of a call's result, such as f(x).a?.b. It is
// called for every assignment, so it reads as few bytes as possible.
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

// assignment turns the assignment at i into a sum if it is a statement that sets a property of a
// call's result.
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

// Assigns reports whether the operator of a sum was an assignment in the source. The grammar
// rejects some assignments, and clean turns them into sums.
func Assigns(operator Node) bool { return operator.Kind() == "+" && operator.Text() == "=" }
