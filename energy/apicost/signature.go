package apicost

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/diffprof/diffprof/name"
)

// constructor is the name of constructors.
const constructor = "<init>"

// A signature identifies the methods that a row is about. Nested classes are separated by dots, as
// in sources, because tables do not show where the package name ends.
type signature struct {
	class, name string
	// params are the types of the parameters, separated by commas. all is set if the row is about
	// all overloads.
	params string
	all    bool
}

// place returns the class and the name.
func (s *signature) place() string { return s.class + "." + s.name }

// key returns the text that identifies the signature.
func (s *signature) key() string {
	if s.all {
		return s.place()
	}
	return s.place() + "(" + s.params + ")"
}

// errSignature explains what a signature looks like.
var errSignature = errors.New("is not a method such as android.widget.Toast.show() or android.widget.Toast.show()V")

// parseSignature reads a method. It has one of these forms:
//
//	android.view.View.setTag(int#java.lang.Object)---   the table that Orka used
//	android.view.View.setTag(int, java.lang.Object)     as in sources
//	android.view.View.setTag(ILjava/lang/Object;)V      with the JVM's descriptor
//	android.view.View.setTag                            all overloads
//
// A constructor is named after its class or <init>.
func parseSignature(text string) (signature, error) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "---"))
	path, rest, parameters := strings.Cut(text, "(")
	s, ok := parsePath(strings.ReplaceAll(path, "$", "."))
	if !ok {
		return s, errSignature
	}
	if !parameters {
		s.all = true
		return s, nil
	}
	inside, result, closed := strings.Cut(rest, ")")
	if !closed {
		return s, errSignature
	}
	var types []string
	switch {
	case result != "":
		if types, _, ok = name.ParseDescriptor("(" + rest); !ok {
			return s, errSignature
		}
	case strings.TrimSpace(inside) != "":
		types = splitTypes(inside)
	}
	for i, t := range types {
		if types[i], ok = plainType(t); !ok {
			return s, errSignature
		}
	}
	s.params = strings.Join(types, ",")
	return s, nil
}

// splitTypes splits a list of types at each # and at each comma that is not inside type arguments.
func splitTypes(text string) []string {
	depth := 0
	return strings.FieldsFunc(strings.ReplaceAll(text, ", ", ","), func(r rune) bool {
		switch r {
		case '<':
			depth++
		case '>':
			depth--
		}
		return depth == 0 && (r == '#' || r == ',')
	})
}

// plainType returns a type without type arguments. Signatures are compared in this form.
func plainType(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if from := strings.IndexByte(text, '<'); from >= 0 {
		to := strings.LastIndexByte(text, '>')
		if to < from {
			return "", false
		}
		text = text[:from] + text[to+1:]
	}
	text = strings.ReplaceAll(text, "$", ".")
	if element, ok := strings.CutSuffix(text, "..."); ok {
		text = element + "[]"
	}
	element := text
	for strings.HasSuffix(element, "[]") {
		element = strings.TrimSuffix(element, "[]")
	}
	return text, !slices.ContainsFunc(strings.Split(element, "."), func(part string) bool { return !isIdentifier(part) })
}

// parsePath splits a path into class and name.
func parsePath(path string) (s signature, ok bool) {
	parts := strings.Split(strings.TrimSpace(path), ".")
	last := len(parts) - 1
	if last < 1 || slices.ContainsFunc(parts[:last], func(part string) bool { return !isIdentifier(part) }) || parts[last] != constructor && !isIdentifier(parts[last]) {
		return s, false
	}
	// A constructor repeats the simple names of its class: a.b.Outer.Inner.Outer.Inner, or
	// a.b.Outer.Inner.Inner.
	first := slices.IndexFunc(parts, func(part string) bool { return unicode.IsUpper([]rune(part)[0]) })
	if n := len(parts) - first; first >= 0 && n%2 == 0 && slices.Equal(parts[first:first+n/2], parts[first+n/2:]) {
		return signature{class: strings.Join(parts[:first+n/2], "."), name: constructor}, true
	}
	s = signature{class: strings.Join(parts[:last], "."), name: parts[last]}
	if parts[last] == parts[last-1] && unicode.IsUpper([]rune(parts[last])[0]) {
		s.name = constructor
	}
	return s, true
}

// isIdentifier reports whether a text is one part of a name.
func isIdentifier(part string) bool {
	if part == "" {
		return false
	}
	for i, r := range part {
		if !unicode.IsLetter(r) && r != '_' && r != '-' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return true
}

// signatureOf returns the signature of a method of a run.
func signatureOf(m name.Method) signature {
	s := signature{class: strings.ReplaceAll(m.Class(), "$", "."), name: m.Name}
	types, _, ok := name.ParseDescriptor(m.Signature)
	if s.all = !ok; ok {
		for i, t := range types {
			types[i] = strings.ReplaceAll(t, "$", ".")
		}
		s.params = strings.Join(types, ",")
	}
	return s
}
