package strace

import (
	"bytes"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
)

// A kind is the kind of a line.
type kind uint8

const (
	// isOther is a line to skip, such as a dump of data or a message of strace.
	isOther  kind = iota
	isSignal      // a signal, perhaps followed by a stack
	isCall        // a complete call
	isBegin       // a call up to <unfinished ...>
	isEnd         // a call from <... resumed> on
	isExit        // the end of a thread
	isFrame       // a frame of the stack of the call above
)

// A line is a parsed line of the log. Its byte slices are parts of the line's text.
type line struct {
	kind kind
	// thread is 0 if the line does not state the thread. called is the thread's name, which strace
	// prints with --decode-pids=comm.
	thread int64
	called []byte
	moment moment
	// name, args and result are the parts of a call that this line has. took is the duration of the
	// call, or -1 if unknown.
	name, args, result []byte
	took               int64
	frame              frame
}

// read parses a line without its line break.
func (l *line) read(text []byte) {
	*l = line{took: -1}
	if rest, ok := bytes.CutPrefix(text, []byte(" > ")); ok {
		l.kind = isFrame
		l.frame.read(rest)
		return
	}
	rest := l.prefix(text)
	switch {
	case bytes.HasPrefix(rest, []byte("--- ")):
		l.kind = isSignal
	case bytes.HasPrefix(rest, []byte("+++ ")):
		// A thread that calls execve gets the number of its process's first thread. The line
		// "superseded" then names that number, so it does not end a thread.
		if !bytes.HasPrefix(rest, []byte("+++ superseded")) {
			l.kind = isExit
		}
	case bytes.HasPrefix(rest, []byte("<... ")):
		l.resumed(rest[len("<... "):])
	default:
		l.call(rest)
	}
}

// prefix parses the thread and the time at the start of a line, and returns the rest of the line.
func (l *line) prefix(text []byte) []byte {
	rest := bytes.TrimLeft(text, " \t")
	if inside, ok := bytes.CutPrefix(rest, []byte("[pid")); ok {
		if number, after, ok := bytes.Cut(inside, []byte("] ")); ok && l.task(bytes.TrimSpace(number)) {
			rest = after
		}
	} else if w, after := cutWord(rest); !isSince1970(w) && l.task(w) {
		rest = after
	}
	return l.moment.read(rest)
}

// isSince1970 reports whether a word is a time in whole seconds since 1970. Thread numbers are
// smaller.
func isSince1970(word []byte) bool {
	n, ok := number(word)
	return ok && n >= 1e9
}

// task parses the number of a thread, and the name of the thread if the line states it.
func (l *line) task(word []byte) bool {
	id, called, named := bytes.Cut(word, []byte("<"))
	n, ok := number(id)
	if !ok || n >= again || named && !bytes.HasSuffix(called, []byte(">")) {
		return false
	}
	l.thread, l.called = n, bytes.TrimSuffix(called, []byte(">"))
	return true
}

// call parses a call, or the first part of a call.
func (l *line) call(text []byte) {
	open := bytes.IndexByte(text, '(')
	if open <= 0 || !isName(text[:open]) {
		return
	}
	l.name = text[:open]
	rest := text[open+1:]
	for _, cut := range []string{"<unfinished ...>", "<detached ...>"} {
		if args, ok := bytes.CutSuffix(rest, []byte(cut)); ok {
			l.kind, l.args = isBegin, bytes.TrimRight(args, " ")
			return
		}
	}
	if l.ends(rest) {
		l.kind = isCall
	}
}

// resumed parses the second part of a call. text begins with the name of the call.
func (l *line) resumed(text []byte) {
	name, rest, ok := bytes.Cut(text, []byte(" resumed>"))
	if ok && isName(name) && l.ends(rest) {
		l.kind, l.name = isEnd, name
	}
}

// ends parses the end of a call. text may start anywhere within the arguments. Data in the
// arguments may look like a result, so the last match is used.
func (l *line) ends(text []byte) bool {
	text = bytes.TrimRight(text, " ")
	if n := len(text); n > 0 && text[n-1] == '>' {
		if i := bytes.LastIndexByte(text, '<'); i >= 0 {
			if took, ok := seconds(text[i+1 : n-1]); ok {
				l.took, text = took, bytes.TrimRight(text[:i], " ")
			}
		}
	}
	for end := len(text); ; {
		i := bytes.LastIndex(text[:end], []byte(" = "))
		if i < 0 {
			return false
		}
		if args := bytes.TrimRight(text[:i], " "); bytes.HasSuffix(args, []byte(")")) {
			l.args, l.result = args[:len(args)-1], text[i+len(" = "):]
			return true
		}
		end = i + 1
	}
}

// isName reports whether a text may be the name of a system call.
func isName(text []byte) bool {
	for i, c := range text {
		if !('a' <= c && c <= 'z' || c == '_' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return len(text) > 0 && len(text) < 64
}

// A scale is the zero point of the times in a log.
type scale uint8

const (
	noScale   scale = iota
	sinceLast       // Times count from the previous line, as with -r.
	ofDay           // Times count from midnight, as with -t and -tt.
	since1970       // Times count from 1970, as with -ttt.
)

// A moment is a time in a log, in nanoseconds on a scale.
type moment struct {
	scale scale
	at    int64
}

// read parses the time at the start of a text, and returns the rest of the text.
func (m *moment) read(text []byte) []byte {
	w, rest := cutWord(text)
	if at, ok := timeOfDay(w); ok {
		*m = moment{ofDay, at}
	} else if at, ok := seconds(w); ok {
		*m = moment{since1970, at}
		if at < 1e9*int64(time.Second) {
			m.scale = sinceLast
		}
	} else if n, ok := number(w); ok && n >= 1e9 && n < 1e10 {
		*m = moment{since1970, n * int64(time.Second)}
	} else {
		return text
	}
	// If the log also has absolute times, the relative time of -r is in parentheses.
	if inside, ok := bytes.CutPrefix(rest, []byte("(+")); ok {
		if _, after, ok := bytes.Cut(inside, []byte(") ")); ok {
			rest = after
		}
	}
	return rest
}

// timeOfDay parses a time such as 11:41:55, with or without a fraction.
func timeOfDay(word []byte) (int64, bool) {
	if len(word) < len("00:00:00") || word[2] != ':' || word[5] != ':' {
		return 0, false
	}
	h, okH := number(word[:2])
	m, okM := number(word[3:5])
	s, okS := number(word[6:8])
	at := ((h*60+m)*60 + s) * int64(time.Second)
	if len(word) == len("00:00:00") {
		return at, okH && okM && okS
	}
	fraction, ok := seconds(append([]byte("0"), word[8:]...))
	return at + fraction, okH && okM && okS && ok
}

// seconds parses seconds with a fraction, and returns them in nanoseconds.
func seconds(word []byte) (int64, bool) {
	whole, fraction, ok := bytes.Cut(word, []byte("."))
	if !ok || len(fraction) > 9 {
		return 0, false
	}
	s, okS := number(whole)
	f, okF := number(fraction)
	for range 9 - len(fraction) {
		f *= 10
	}
	return s*int64(time.Second) + f, okS && okF && s < 9e9
}

// number parses an integer of up to 18 digits.
func number(word []byte) (int64, bool) {
	if len(word) == 0 || len(word) > 18 {
		return 0, false
	}
	n := int64(0)
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// cutWord splits a text after its first word and the spaces that follow it.
func cutWord(text []byte) (word, rest []byte) {
	text = bytes.TrimLeft(text, " ")
	i := bytes.IndexByte(text, ' ')
	if i < 0 {
		return text, nil
	}
	return text[:i], bytes.TrimLeft(text[i:], " ")
}

// A frame is a parsed line of a stack, such as file(symbol+0x1f) [0x2a3b]. The file and the symbol
// may be empty.
type frame struct {
	file, symbol []byte
	// address is the address within the file.
	address uint64
}

// read parses a frame.
func (f *frame) read(text []byte) {
	*f = frame{}
	i := bytes.LastIndex(text, []byte(" ["))
	if i < 0 {
		return
	}
	code := text[:i]
	address, _, _ := bytes.Cut(text[i+2:], []byte("]"))
	f.address, _ = stacks.Hexadecimal(bytes.TrimPrefix(address, []byte("0x")))
	if !bytes.HasSuffix(code, []byte(")")) {
		return
	}
	code = code[:len(code)-1]
	if plus := bytes.LastIndex(code, []byte("+0x")); plus >= 0 {
		// Symbols of C++ functions may contain parentheses. The file therefore ends at the opening
		// parenthesis that matches the last closing one.
		if open := opening(code[:plus]); open >= 0 {
			f.file, f.symbol = code[:open], code[open+1:plus]
		}
		behind, ok := stacks.Hexadecimal(code[plus+len("+0x"):])
		if !ok || behind >= farthest || behind >= nearest && isLoader(f.file) {
			f.symbol = nil
		}
		return
	}
	f.file = bytes.TrimSuffix(code, []byte("("))
}

// isLoader reports whether a file is the dynamic loader.
func isLoader(file []byte) bool {
	name := file[bytes.LastIndexByte(file, '/')+1:]
	return bytes.HasPrefix(name, []byte("ld-")) || bytes.HasPrefix(name, []byte("ld.so")) || bytes.HasPrefix(name, []byte("linker"))
}

// opening returns the index of the last parenthesis that is opened and not closed.
func opening(text []byte) int {
	open := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			open--
		case '(':
			if open++; open > 0 {
				return i
			}
		}
	}
	return -1
}
