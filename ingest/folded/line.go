package folded

import (
	"bytes"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Some writers add the line of the sample to a frame, in these forms:
//
//	load (app/feed.py:12)      py-spy
//	load - app/feed.rb:12      rbspy
//	feed.py:load:12            Python's profiling.sampling, Austin
//	com/mine/Feed.load:12      async-profiler's jfrconv --lines
//	com.mine.Feed.load:12_[j]  the same with --dot, and with a mark for the kind of code
//	com.mine.Feed.load(I)V:12  any writer of names with descriptors
//
// Other numbers at the end of a frame are not lines of samples. In load feed.js:12:3, as JavaScript
// engines write it, 12 is the first line of the function. A number may also be a port, an address
// or a part of a C++ name.

// cutLine splits a frame into its function and the line of the sample, or 0 if the frame has no
// line. room is a buffer for the function, which is returned for the next call.
func cutLine(frame, room []byte) (function []byte, line int32, _ []byte) {
	n := len(frame)
	if n < 4 || bytes.LastIndexByte(frame, ':') < 0 {
		return frame, 0, room
	}
	mark := 0
	if frame[n-1] == ']' && frame[n-3] == '[' && frame[n-4] == '_' {
		mark = len("_[j]")
	}
	closed := mark == 0 && frame[n-1] == ')'
	if closed {
		mark = 1
	}
	body, end := frame[:n-mark], frame[n-mark:]
	colon := bytes.LastIndexByte(body, ':')
	if colon <= 0 {
		return frame, 0, room
	}
	line, ok := lineNumber(body[colon+1:])
	if !ok || !isLined(string(body[:colon]), closed, mark > 1) {
		return frame, 0, room
	}
	if mark == 0 {
		return body[:colon], line, room
	}
	room = append(append(room[:0], body[:colon]...), end...)
	return room, line, room
}

// isElapsed reports whether py-spy or rbspy wrote a frame with a line. Both sample elapsed time.
// They leave out threads that seem idle, but not reliably, so some samples are of sleeping threads.
func isElapsed(frame []byte) bool {
	return frame[len(frame)-1] == ')' || bytes.Contains(frame, []byte(" - "))
}

// isLined reports whether the number after text is the line of the sample. closed is set if a
// closing parenthesis follows the number. marked is set if a mark such as _[j] follows it.
func isLined(text string, closed, marked bool) bool {
	if closed {
		open := strings.LastIndex(text, " (")
		return open > 0 && isPython(text[open+len(" ("):])
	}
	if function, path, ok := strings.Cut(text, " - "); ok && !marked {
		return function != "" && (strings.HasSuffix(path, ".rb") || strings.HasPrefix(path, "<internal:"))
	}
	if path, function, ok := strings.Cut(text, ":"); ok {
		return !marked && function != "" && !strings.Contains(function, ":") && isPython(path)
	}
	return isJava(text)
}

// isPython reports whether path is a Python file, or Python's name for code without a file.
func isPython(path string) bool {
	return strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyx") ||
		strings.HasPrefix(path, "<") && strings.HasSuffix(path, ">")
}

// isJava reports whether text is a class and a method as async-profiler writes them. With dots
// between packages, the simple name of the class must begin with a capital letter. Otherwise the
// text may be a host or a file.
func isJava(text string) bool {
	if open := strings.IndexByte(text, '('); open > 0 && name.DescriptorLen([]byte(text[open:])) == len(text)-open {
		text = text[:open]
	}
	if strings.ContainsAny(text, " :()*`\"") {
		return false
	}
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 || dot == len(text)-1 {
		return false
	}
	class, method := text[:dot], text[dot+1:]
	if method != "<init>" && method != "<clinit>" && strings.ContainsAny(method, "/<>[]+") || isDigit(method[0]) {
		return false
	}
	if strings.Contains(class, "/") {
		return !extensions[method] && class[0] != '/'
	}
	simple := class[strings.LastIndexByte(class, '.')+1:]
	return simple != "" && 'A' <= simple[0] && simple[0] <= 'Z' && !extensions[method]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// extensions are the extensions of source and binary files. They show that lib/main.c:12 is a line
// of a file, and not of a method c.
var extensions = set("S asm c cc cpp cs cxx dart dex dll dylib erl ex exe go h hpp hs html hxx jar java js jsx kt kts lua m mjs ml mm o odex php pl pm py rb rs s scala so swift ts tsx vdex")

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// lineNumber parses a line number: digits without a leading zero.
func lineNumber(text []byte) (int32, bool) {
	if len(text) == 0 || len(text) > 7 || text[0] == '0' {
		return 0, false
	}
	n := int32(0)
	for _, c := range text {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int32(c-'0')
	}
	return n, true
}
