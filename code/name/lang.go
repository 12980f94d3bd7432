package name

import (
	"slices"
	"strings"
)

// Lang is the language, or the runtime, that a method's name is written for.
type Lang uint8

// The languages.
const (
	Unknown Lang = iota
	// JVM is Java, Kotlin and what else runs on a Java virtual machine or on ART.
	JVM
	Go
	Rust
	// CPP is C++.
	CPP
	DotNet
	Python
	JavaScript
	// Native is C, the kernel's code, and symbols that say no more than a name.
	Native
	// Slice is no language: a program gave a part of its work this name, which may be any
	// text.
	Slice
	languages // is their number
)

// String returns the language in lower case, as reports have it; Unknown is empty.
func (l Lang) String() string {
	if l >= languages {
		return ""
	}
	return [languages]string{"", "jvm", "go", "rust", "cpp", "dotnet", "python", "javascript", "native", "slice"}[l]
}

// forms says by which form a text shows its language. The first form that fits
// decides. Each takes time linear in the text.
var forms = [...]struct {
	lang Lang
	fits func(text string) bool
}{
	{Python, isPython},
	{JavaScript, isJavaScript},
	{Rust, isRust},
	{JVM, isJVM},
	{DotNet, isDotNet},
	{Go, isGo},
	{CPP, isCPP},
	{Native, isNative},
}

// parsers take the texts of languages other than the JVM's apart.
var parsers = [languages]func(text string) Method{
	Go: parseGo, Rust: parseRust, CPP: parseCPP, DotNet: parseDotNet,
	Python: parsePython, JavaScript: parseJavaScript, Native: parseNative,
}

// detect returns the language that a text shows, Unknown where several may have
// written it.
func detect(text string) Lang {
	for _, f := range forms {
		if f.fits(text) {
			return f.lang
		}
	}
	return Unknown
}

// candidates lists the languages that may have written a text whose form shows none,
// the likeliest first.
func candidates(text string) []Lang {
	path, _, called := strings.Cut(text, "(")
	switch {
	case strings.Contains(path, "::"):
		return []Lang{CPP, Rust}
	case isDotted(path) && !called:
		return []Lang{JVM, Go, DotNet, Python, JavaScript}
	case isDotted(path):
		return []Lang{Unknown, DotNet}
	case strings.Count(path, ":") == 1 && !called:
		return []Lang{Unknown, Python}
	}
	return []Lang{Unknown}
}

// candidates lists the languages that may have written a frame whose form shows none. What
// a linker put into a library or a program has dots of its own, as in $x.5 and read.cfi_jt,
// or those of Go.
func (f frame) candidates() []Lang {
	list := candidates(f.symbol)
	if f.linked() && slices.Contains(list, JVM) {
		return []Lang{Native, Go}
	}
	return list
}

// A Census reads the texts of one recording, most of whose names are of few
// languages. The zero Census has read nothing. It is for one goroutine.
type Census struct {
	seen [languages]int
}

// Read returns the method that a text names. It is not sure of a text that several
// languages may have written, such as time.Sleep: ask [Census.Settle] once all
// texts are read.
func (c *Census) Read(text string) (m Method, sure bool) {
	f := split(text, Unknown)
	lang := detect(f.symbol)
	if lang == JVM && f.linked() {
		lang = Native
	}
	if lang == Unknown {
		list := f.candidates()
		return f.method(list[0]), len(list) == 1
	}
	c.seen[lang]++
	return f.method(lang), true
}

// Settle returns the method of a text that Read was not sure of. Of the languages
// that may have written it, it takes the one that most texts read are in.
func (c *Census) Settle(text string) Method {
	f := split(text, Unknown)
	list := f.candidates()
	best, most := list[0], c.seen[list[0]]
	if best == Native {
		most = 0 // symbols without dots, such as the kernel's, say nothing of these
	}
	for _, lang := range list[1:] {
		if c.seen[lang] > most {
			best, most = lang, c.seen[lang]
		}
	}
	return f.method(best)
}
