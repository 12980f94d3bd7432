package syntaxtree

import "bytes"

// A kotlinCleaner changes Kotlin code as clean describes. It recognizes only the tokens that it
// needs: strings with their templates, comments, words and brackets.
type kotlinCleaner struct {
	text []byte
	// open has the open brackets, the innermost last. '"' is a template expression in a string, and
	// 't' a template expression in a raw string.
	open []byte
	// header is set from `class`, `object` or `interface` up to the body. depth is the number of
	// open brackets at the start of the header.
	header bool
	depth  int
	// by is the offset of the delegation (`by …`) in the header, or -1.
	by int
	// fun is the offset of the last token if that token is `fun`, or -1.
	fun int
	// last is the end of the last token that is not a comment. first is the first word of the
	// current line.
	last  int
	first string
}

func (k *kotlinCleaner) run() {
	k.fun = -1
	for i := 0; i < len(k.text); {
		c := k.text[i]
		comment := c == '/' && i+1 < len(k.text) && (k.text[i+1] == '/' || k.text[i+1] == '*')
		i = k.token(i)
		if c != ' ' && c != '\t' && c != '\n' && !comment {
			k.last = i
		}
	}
}

// token handles the token at i and returns the position after it.
func (k *kotlinCleaner) token(i int) int {
	t := k.text
	switch c := t[i]; {
	case c == ' ' || c == '\t':
		return i + 1
	case c == '\n':
		if k.header && len(k.open) == k.depth && !k.joinConstructor(i) && k.headerEnds(i) {
			k.endHeader(false, i)
		}
		k.lineEnd(i)
		k.first = ""
		return i + 1
	case c == '/' && i+1 < len(t) && t[i+1] == '/':
		if n := bytes.IndexByte(t[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(t)
	case c == '/' && i+1 < len(t) && t[i+1] == '*':
		return skipComment(t, i)
	case c == '"':
		if bytes.HasPrefix(t[i:], []byte(`"""`)) {
			return k.text3(i + 3)
		}
		return k.text1(i + 1)
	case c == '\'':
		return skipChar(t, i)
	case c == '`':
		if n := bytes.IndexAny(t[i+1:], "`\n"); n >= 0 {
			return i + n + 2
		}
		return len(t)
	case isWord(c):
		end := i + 1
		for end < len(t) && isWord(t[end]) {
			end++
		}
		k.word(i, end)
		return end
	}
	return k.punctuation(i)
}

func (k *kotlinCleaner) punctuation(i int) int {
	t := k.text
	k.fun = -1
	switch c := t[i]; c {
	case '(', '[':
		k.open = append(k.open, c)
	case ')', ']':
		k.close()
	case ',':
		if k.header && len(k.open) == k.depth {
			k.by = -1
		}
	case ';':
		k.endHeader(false, i)
	case '=':
		// The value of a function or a property follows, so the class header has ended.
		if k.header && len(k.open) == k.depth {
			k.endHeader(false, i)
		}
		k.assignment(i)
	case '{':
		if k.header && len(k.open) == k.depth {
			k.endHeader(true, i)
		}
		k.open = append(k.open, c)
	case '}':
		if i > 0 && t[i-1] == ' ' {
			t[i-1] = '\n'
		}
		if k.header && len(k.open) <= k.depth {
			k.endHeader(false, i)
		}
		switch k.close() {
		case '"':
			return k.text1(i + 1)
		case 't':
			return k.text3(i + 1)
		}
	case '.':
		switch {
		case bytes.HasPrefix(t[i:], []byte("..<")):
			t[i+2] = ' '
			return i + 3
		case i+1 < len(t) && t[i+1] == '(':
			k.receiverType(i)
		}
	case '@':
		return k.annotation(i)
	}
	return i + 1
}

func (k *kotlinCleaner) word(i, end int) {
	fun := k.fun
	k.fun = -1
	if k.first == "" {
		k.first = string(k.text[i:min(end, i+maxKeyword)])
	}
	switch string(k.text[i:min(end, i+maxKeyword)]) {
	case "fun":
		k.fun = i
	case "interface":
		if fun >= 0 {
			copy(k.text[fun:], "   ")
		}
		k.startHeader()
	case "class":
		// `class` in X::class begins no header.
		if i == 0 || k.text[i-1] != ':' {
			k.startHeader()
		}
	case "object":
		k.startHeader()
	case "by":
		if k.header && len(k.open) == k.depth && k.by < 0 {
			k.by = i
		}
	}
	if c := k.text[i]; c == '0' && end > i+2 && (k.text[i+1] == 'b' || k.text[i+1] == 'B') {
		k.text[i+1] = 'x'
	}
}

func (k *kotlinCleaner) startHeader() {
	k.header, k.depth, k.by = true, len(k.open), -1
}

// endHeader ends a header at i. body reports whether a body begins there.
func (k *kotlinCleaner) endHeader(body bool, i int) {
	if body && k.header && k.by >= 0 {
		for j := k.by; j < i; j++ {
			if k.text[j] != '\n' {
				k.text[j] = ' '
			}
		}
	}
	k.header, k.by = false, -1
}

// headerEnds reports whether a header cannot continue after the line end at i.
func (k *kotlinCleaner) headerEnds(i int) bool {
	before := bytes.TrimRight(k.text[:i], " \t")
	if len(before) > 0 && (before[len(before)-1] == ':' || before[len(before)-1] == ',') {
		return false
	}
	// The search is bounded, so that a file of empty lines is not read many times.
	rest := bytes.TrimLeft(k.text[i:min(i+lookahead, len(k.text))], " \t\n")
	if len(rest) == 0 {
		return true
	}
	return !bytes.ContainsRune([]byte(":{,(."), rune(rest[0])) && !bytes.HasPrefix(rest, []byte("by ")) &&
		!bytes.HasPrefix(rest, []byte("where ")) && !bytes.HasPrefix(rest, []byte("//")) && !bytes.HasPrefix(rest, []byte("/*"))
}

// lineEnd handles the line end at i. It becomes a space if the next line begins with `as`. It becomes
// a semicolon if the next line begins with `in` or a parenthesis, and a statement can end at i.
func (k *kotlinCleaner) lineEnd(i int) {
	if len(k.open) > 0 && k.open[len(k.open)-1] != '{' {
		return
	}
	rest := bytes.TrimLeft(k.text[i+1:], " \t")
	switch {
	case bytes.HasPrefix(rest, []byte("as ")) || bytes.HasPrefix(rest, []byte("as? ")):
		k.text[i] = ' '
	case k.header || !k.statementEnds():
	case bytes.HasPrefix(rest, []byte("(")), bytes.HasPrefix(rest, []byte("in")) && len(rest) > 2 && !isLetter(rest[2]):
		k.text[i] = ';'
	}
}

// maxKeyword is a number of bytes. All keywords are shorter.
const maxKeyword = 12

// statementEnds reports whether the last token can end a statement.
func (k *kotlinCleaner) statementEnds() bool {
	switch k.first {
	case "if", "while", "for", "else", "fun", "when", "catch":
		return false
	}
	before := k.text[:k.last]
	if len(before) == 0 {
		return false
	}
	switch c := before[len(before)-1]; {
	case c == ')' || c == ']' || c == '}' || c == '"' || c == '\'' || c == '`':
		return true
	case !isWord(c):
		return false
	}
	start := len(before)
	for start > 0 && len(before)-start < maxKeyword && isWord(before[start-1]) {
		start--
	}
	switch string(before[start:]) {
	case "return", "throw", "else", "in", "is", "as", "by", "do", "constructor", "get", "set":
		return false
	}
	return true
}

func (k *kotlinCleaner) close() byte {
	if len(k.open) == 0 {
		return 0
	}
	last := k.open[len(k.open)-1]
	k.open = k.open[:len(k.open)-1]
	return last
}

// text1 skips the rest of a string from i, up to its end or to the next template.
func (k *kotlinCleaner) text1(i int) int {
	for ; i < len(k.text); i++ {
		switch k.text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		case '$':
			if i+1 < len(k.text) && k.text[i+1] == '{' {
				k.open = append(k.open, '"')
				return i + 2
			}
		}
	}
	return len(k.text)
}

// text3 does the same as text1, for raw strings.
func (k *kotlinCleaner) text3(i int) int {
	for ; i < len(k.text); i++ {
		switch {
		case bytes.HasPrefix(k.text[i:], []byte(`"""`)):
			for i += 3; i < len(k.text) && k.text[i] == '"'; {
				i++
			}
			return i
		case bytes.HasPrefix(k.text[i:], []byte("${")):
			k.open = append(k.open, 't')
			return i + 2
		}
	}
	return len(k.text)
}

// skipComment returns the position after the comment at i. Comments may be nested.
func skipComment(t []byte, i int) int {
	depth := 0
	for ; i+1 < len(t); i++ {
		switch {
		case t[i] == '/' && t[i+1] == '*':
			depth++
			i++
		case t[i] == '*' && t[i+1] == '/':
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(t)
}

func skipChar(t []byte, i int) int {
	for j := i + 1; j < len(t) && j < i+12; j++ {
		switch t[j] {
		case '\\':
			j++
		case '\'':
			return j + 1
		case '\n':
			return i + 1
		}
	}
	return i + 1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }
