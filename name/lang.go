package name

import (
	"slices"
	"strings"
)

// Lang is the language or runtime of a method's name.
type Lang uint8

// The languages.
const (
	Unknown Lang = iota
	// JVM is Java, Kotlin and other languages of the Java virtual machine or ART.
	JVM
	Go
	Rust
	// CPP is C++.
	CPP
	DotNet
	Python
	JavaScript
	// Native is C, the kernel, and symbols without structure.
	Native
	// Slice is not a language: a program named a part of its work. The name may be any text.
	Slice
	languages // number of languages
)

// String returns the language in lower case, as in reports. Unknown is empty.
func (l Lang) String() string {
	if l >= languages {
		return ""
	}
	return [languages]string{"", "jvm", "go", "rust", "cpp", "dotnet", "python", "javascript", "native", "slice"}[l]
}

// forms lists the forms that show a language. The first match decides. Each takes time linear
// in the text.
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

// parsers split the texts of languages other than the JVM's.
var parsers = [languages]func(text string) Method{
	Go: parseGo, Rust: parseRust, CPP: parseCPP, DotNet: parseDotNet,
	Python: parsePython, JavaScript: parseJavaScript, Native: parseNative,
}

// detect returns the language that the form of a text shows, or Unknown if several languages
// have that form.
func detect(text string) Lang {
	for _, f := range forms {
		if f.fits(text) {
			return f.lang
		}
	}
	return Unknown
}

// candidates lists the possible languages of a text whose form does not decide, the likeliest
// first.
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

// candidates lists the possible languages of a frame whose form does not decide. Symbols in a
// library or program contain the dots of linkers, as in $x.5 and read.cfi_jt, or of Go.
func (f frame) candidates() []Lang {
	list := candidates(f.symbol)
	if f.linked() && slices.Contains(list, JVM) {
		return []Lang{Native, Go}
	}
	return list
}

// A Census parses the names of one recording, most of which come from few languages. The zero
// Census is ready to use. It is not safe for concurrent use.
type Census struct {
	seen [languages]int
}

// Read parses a name. It is not sure of a text that several languages could have written, such
// as time.Sleep. Call [Census.Settle] for such texts once all texts are read.
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

// Settle parses a text that Read was not sure of. It uses the candidate language with the most
// texts so far.
func (c *Census) Settle(text string) Method {
	f := split(text, Unknown)
	list := f.candidates()
	best, most := list[0], c.seen[list[0]]
	if best == Native {
		most = 0 // symbols without dots, such as the kernel's, are no evidence for these
	}
	for _, lang := range list[1:] {
		if c.seen[lang] > most {
			best, most = lang, c.seen[lang]
		}
	}
	return f.method(best)
}
