// Package name represents the names of methods.
//
// A [Method] is a method's name in parts. Readers of recordings make Methods, with [Parse] if
// their format has a single text for a name. All later stages and renderings use the parts.
// Only patterns written by users are parsed later.
//
// A method has two texts. Its label, [Method.Label], identifies it in comparisons. Its short
// name, [Method.Short], is the name that developers use, and [Apart] makes the short names of
// several methods distinct.
//
// All values are immutable, and all functions are safe for concurrent use. No text is an error:
// a text of unknown form is the name of a method without scope or type.
package name

import (
	"cmp"
	"iter"
	"strings"
)

// A Method is the name of a method, a function or a symbol in a recording. Methods are
// comparable. Unknown parts are empty.
type Method struct {
	// Scope is the package or the namespace in the notation of the language: java.util,
	// net/http, core::ops.
	Scope string
	// Type is the class or the receiver's type. A nested class of the JVM follows its outer
	// class and $.
	Type string
	// Name is the method's own name, such as <init> or operator().
	Name string
	// Signature is the JVM's descriptor, such as (I)V, or the text of the parameters or of the
	// type arguments.
	Signature string
	// Mark is the profiler's mark for how the code ran, including the underscore: _[j]
	// compiled, _[i] inlined, _[k] in the kernel. It is part of the label.
	Mark string
	// Module is the library, binary or script that contains the code.
	Module string
	// File is the source file's name without folders.
	File string
	// Line is the line of the method's first instruction, 0 if unknown.
	Line int
	Lang Lang

	// label and short are set in languages other than the JVM's, where they cannot be derived
	// from the parts.
	label, short string
}

// OfClass returns a method of the JVM. The class has dots between packages and $ before nested
// classes. A method without a class is a native function.
func OfClass(class, method, descriptor string) Method {
	m := Method{Name: method, Signature: descriptor}
	if class == "" {
		return m
	}
	m.Lang = JVM
	m.Scope, m.Type = splitClass(class)
	return m
}

// sliceScope is the scope of slices.
const sliceScope = "slice"

// OfSlice returns the method for a slice, a part of its work that a program named.
func OfSlice(text string) Method {
	return Method{Scope: sliceScope, Name: text, Lang: Slice, label: text, short: text}
}

// OfProcess returns the method for a process that contains slices. It is compared and shown as
// text, whatever the name of the process.
func OfProcess(text, process string) Method {
	return Method{Scope: cmp.Or(process, "process"), Name: text, Lang: Slice, label: text, short: text}
}

// Process reports whether the method was made by OfProcess.
func (m Method) Process() bool { return m.Lang == Slice && m.Scope != sliceScope }

// In returns the method of the same name and signature in another class of the JVM.
func (m Method) In(class string) Method {
	m.Scope, m.Type = splitClass(class)
	return m
}

// anyType is the type of a callback.
const anyType = "*"

// Callback returns the common name of all methods that override the same method: *.onClick with
// the signature. A function without a type overrides nothing and is returned unchanged.
func (m Method) Callback() Method {
	if m.Type == "" {
		return m
	}
	return Method{Type: anyType, Name: m.Name, Signature: m.Signature, Mark: m.Mark, Lang: m.Lang}
}

// IsCallback reports whether the method was made by Callback.
func (m Method) IsCallback() bool { return m.Scope == "" && m.Type == anyType }

// At returns the method at another source position.
func (m Method) At(file string, line int) Method {
	m.File, m.Line = file, line
	return m
}

// Classes yields the class of a JVM method and its enclosing classes, the innermost first:
// Map$Entry, then Map.
func (m Method) Classes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for class := m.Class(); class != "" && m.Lang == JVM && yield(class); {
			// A name may begin with a dollar sign: the text before it must be a class.
			at := strings.LastIndexByte(class, '$')
			if at <= 0 || class[at-1] == '.' || class[at-1] == '$' {
				return
			}
			class = class[:at]
		}
	}
}

// Class returns the full name of the type, such as java.util.Map$Entry. It is empty if there is
// no type.
func (m Method) Class() string {
	if m.Scope == "" || m.Type == "" {
		return m.Type
	}
	return m.Scope + "." + m.Type
}

// Label returns the text that identifies a method in comparisons. For the JVM it is
// package.Class.method with the descriptor, as in
// java.lang.String.valueOf(I)Ljava/lang/String;. For other languages it is the text that was
// parsed, with ` between a library and a symbol.
func (m Method) Label() string {
	switch {
	case m.label != "":
		return m.label
	case m.Type == "":
		return m.Name + m.Signature + m.Mark
	case m.Scope == "":
		return m.Type + "." + m.Name + m.Signature + m.Mark
	}
	return m.Scope + "." + m.Type + "." + m.Name + m.Signature + m.Mark
}

// splitClass splits the full name of a class at the last dot, unless the dot is at the start or
// end of the name. The suffix of a hidden class's name differs between runs and is removed: the
// address in Main$$Lambda/0x0000000800c03000, the number in Main$$Lambda$1/2136288211 and in
// LambdaForm$MH/266272063.
func splitClass(class string) (scope, typ string) {
	for {
		at := strings.LastIndexAny(class, "/+.")
		if at <= 0 || !isHiddenMark(class[:at], class[at+1:]) {
			break
		}
		class = class[:at]
	}
	if i := strings.LastIndexByte(class, '.'); i > 0 && i < len(class)-1 {
		return class[:i], class[i+1:]
	}
	return "", class
}

// isHiddenMark reports whether mark is the suffix that the JVM adds to the name of a hidden
// class.
func isHiddenMark(class, mark string) bool {
	if address, ok := strings.CutPrefix(mark, "0x"); ok {
		return isHex(address)
	}
	return (strings.Contains(class, "$$Lambda") || strings.Contains(class, "LambdaForm$")) && mark != "" && strings.Trim(mark, "0123456789") == ""
}

// isHex reports whether s consists of hexadecimal digits.
func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return s != ""
}
