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
	// Native is for C, the kernel, and symbols without structure.
	Native
	// Slice is for trace slices, such as the sections of android.os.Trace. The program itself named
	// them, with any text.
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

// forms recognizes the languages by the form of a text. The first match decides. Each test takes
// time linear in the length of the text.
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

// parsers has the parser of each language except the JVM.
var parsers = [languages]func(text string) Method{
	Go: parseGo, Rust: parseRust, CPP: parseCPP, DotNet: parseDotNet,
	Python: parsePython, JavaScript: parseJavaScript, Native: parseNative,
}

// detect returns the language whose names have the form of the text. If several languages have this
// form, it returns Unknown.
func detect(text string) Lang {
	for _, f := range forms {
		if f.fits(text) {
			return f.lang
		}
	}
	return Unknown
}

// candidates lists the languages that may have written a text that detect does not recognize. The
// likeliest comes first.
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

// candidates is like the function candidates, for a frame. Dots in the symbols of a library or
// program come from linkers, as in $x.5 and read.cfi_jt, or from Go.
func (f frame) candidates() []Lang {
	list := candidates(f.symbol)
	if f.linked() && slices.Contains(list, JVM) {
		return []Lang{Native, Go}
	}
	return list
}

// A Detector parses the names of one recording, and counts their languages. The counts decide for
// names that several languages may have written. The zero Detector is ready to use. It is not safe
// for concurrent use.
type Detector struct {
	seen [languages]int
}

// Parse parses a name. sure is false for a text that several languages may have written, such as
// time.Sleep. For such texts, call [Detector.Resolve] after all texts were read.
func (c *Detector) Parse(text string) (m Method, sure bool) {
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

// Resolve parses a text for which Parse was not sure. It chooses the candidate language with the
// most texts so far.
func (c *Detector) Resolve(text string) Method {
	f := split(text, Unknown)
	list := f.candidates()
	best, most := list[0], c.seen[list[0]]
	if best == Native {
		most = 0 // a symbol without dots, such as the kernel's, may be in any of these languages
	}
	for _, lang := range list[1:] {
		if c.seen[lang] > most {
			best, most = lang, c.seen[lang]
		}
	}
	return f.method(best)
}
