// Package name represents the names of methods.
//
// A [Method] is a method's name in parts. Decoders make Methods. They use [Parse] if their format
// has a single text for a name. All later stages and all outputs use the parts. After decoding,
// only patterns that users write are parsed.
//
// A method has two texts. Its label, [Method.Label], identifies it in comparisons. Its short name,
// [Method.Short], is the name that developers use. [DistinctNames] makes the short names of several
// methods distinct.
//
// All values are immutable, and all functions are safe for concurrent use. Any text can be parsed:
// a text of unknown form becomes the name of a method without scope or type.
package name

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
)

// A Method is the name of a method, a function or a symbol in a recording. Methods are
// comparable. Unknown parts are empty.
type Method struct {
	// Scope is the package or namespace in the notation of the language, such as java.util,
	// net/http or core::ops.
	Scope string
	// Type is the class, or the type of the receiver. For a nested class of the JVM, it is the
	// outer class, $ and the nested class.
	Type string
	// Name is the method's own name, such as <init> or operator().
	Name string
	// Signature is the JVM's descriptor, such as (I)V. For other languages, it is the text of the
	// parameters or of the type arguments.
	Signature string
	// Mark is the suffix with which a profiler marks how the code ran, including its underscore:
	// _[j] for compiled, _[i] for inlined, _[k] for kernel code. It is part of the label.
	Mark string
	// Module is the library, binary or script that contains the code.
	Module string
	// File is the source file's name without folders.
	File string
	// Line is the line of the method's first instruction. It is 0 if unknown.
	Line int
	// On is a source line, if the Method represents only this line of the method (see OnLine). A
	// negative number is a position in DEX code (see AtUnit). 0 is the whole method.
	On   int32
	Lang Lang

	// label and short are empty for the JVM, where they follow from the parts.
	label, short string
}

// OfClass returns a method of the JVM. class has dots between packages, and $ before nested
// classes. If class is empty, the method is a native function.
func OfClass(class, method, descriptor string) Method {
	m := Method{Name: method, Signature: descriptor}
	if class == "" {
		return m
	}
	m.Lang = JVM
	m.Scope, m.Type = splitClass(class)
	return m
}

const sliceScope = "slice"

// OfSlice returns the method for a trace slice with this text. See Slice.
func OfSlice(text string) Method {
	return Method{Scope: sliceScope, Name: text, Lang: Slice, label: text, short: text}
}

// OfProcess returns the method for a process whose slices were recorded. text is shown to users,
// and identifies the method in comparisons. process is the name of the process.
func OfProcess(text, process string) Method {
	return Method{Scope: cmp.Or(process, "process"), Name: text, Lang: Slice, label: text, short: text}
}

// IsSlice reports whether OfSlice made the method.
func (m Method) IsSlice() bool { return m.Lang == Slice && m.Scope == sliceScope }

// Process reports whether OfProcess made the method.
func (m Method) Process() bool { return m.Lang == Slice && m.Scope != sliceScope }

// In returns the JVM method with the same name and signature in another class.
func (m Method) In(class string) Method {
	m.Scope, m.Type = splitClass(class)
	return m
}

// anyType is the Type of a Method that Callback returns.
const anyType = "*"

// Callback returns the method for all overriding methods with the same name and signature, such as
// *.onClick(Landroid/view/View;)V. A function without a type overrides nothing, so Callback returns
// it unchanged.
func (m Method) Callback() Method {
	if m.Type == "" {
		return m
	}
	return Method{Type: anyType, Name: m.Name, Signature: m.Signature, Mark: m.Mark, Lang: m.Lang}
}

// IsCallback reports whether Callback made the method.
func (m Method) IsCallback() bool { return m.Scope == "" && m.Type == anyType }

// At returns the method, declared at another file and line.
func (m Method) At(file string, line int) Method {
	m.File, m.Line = file, line
	return m
}

// OnLine returns the part of the method on one source line, from 1. Its label and its short name
// end in a colon and the line. OnLine(0) is the whole method.
func (m Method) OnLine(line int32) Method {
	m.On = max(line, 0)
	return m
}

// AtUnit returns the part of the method at a position in its DEX code, in units of 16 bits from 0.
func (m Method) AtUnit(unit int32) Method {
	m.On = ^unit
	return m
}

// Unit returns the argument of AtUnit. ok is false if AtUnit did not make the method.
func (m Method) Unit() (unit int32, ok bool) { return ^m.On, m.On < 0 }

// lineSuffix returns the end of the label of OnLine and AtUnit, or "" for a whole method.
func (m Method) lineSuffix() string {
	switch {
	case m.On > 0:
		return ":" + strconv.Itoa(int(m.On))
	case m.On < 0:
		return "+" + strconv.Itoa(int(^m.On))
	}
	return ""
}

// Classes yields the class of a JVM method and then its enclosing classes, from the inside out:
// Map$Entry, then Map.
func (m Method) Classes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for class := m.Class(); class != "" && m.Lang == JVM && yield(class); {
			// A class name may itself begin with a dollar sign. A dollar sign separates classes
			// only if a class name precedes it.
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

// Label returns the text that identifies a method in comparisons. For the JVM, the label is
// package.Class.method with the descriptor, as in java.lang.String.valueOf(I)Ljava/lang/String;.
// For other languages, the label is the text that was parsed, with ` between a library and a
// symbol.
func (m Method) Label() string {
	switch {
	case m.label != "":
		return m.label + m.lineSuffix()
	case m.Type == "":
		return m.Name + m.Signature + m.Mark + m.lineSuffix()
	case m.Scope == "":
		return m.Type + "." + m.Name + m.Signature + m.Mark + m.lineSuffix()
	}
	return m.Scope + "." + m.Type + "." + m.Name + m.Signature + m.Mark + m.lineSuffix()
}

// splitClass splits the full name of a class at the last dot. A dot at the start or end of the name
// does not count. It also removes what the JVM adds to the names of hidden classes, because it
// differs between runs: the address in Main$$Lambda/0x0000000800c03000, and the number in
// Main$$Lambda$1/2136288211 and LambdaForm$MH/266272063.
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
