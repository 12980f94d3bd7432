package name

import "strings"

// Short returns the name that developers use for the method, such as TextView.setText,
// (*conn).serve or Monitor::Wait. It is empty only if the label is empty.
func (m Method) Short() string {
	switch {
	case m.short != "":
		return m.short + m.lineSuffix()
	case m.Type == "":
		return m.Name + m.lineSuffix()
	}
	return m.Type + "." + m.Name + m.lineSuffix()
}

// Owner returns the part of the short name before the method's own name and the separator, such as
// TextView, (*conn) or Monitor. It is empty if the short name has no such part.
func (m Method) Owner() string {
	if m.short == "" {
		return m.Type
	}
	head, ok := strings.CutSuffix(m.short, m.Name)
	if !ok {
		return ""
	}
	return strings.TrimRight(head, ".:")
}

// Place returns the full name of the method's class in the notation of the language, such as
// java.util.Map$Entry or art::Monitor. For a method without a class, it returns the scope.
func (m Method) Place() string {
	switch {
	case m.Type == "":
		return m.Scope
	case m.Scope == "":
		return m.Owner()
	case m.Lang == CPP || m.Lang == Rust:
		return m.Scope + "::" + m.Owner()
	}
	return m.Scope + "." + m.Owner()
}

// Package returns the heading for the method in lists: its scope, or the file of native code if it
// is known. It is empty if both are unknown.
func (m Method) Package() string {
	if (m.Lang == Native || m.Lang == CPP) && m.Module != "" {
		return lastOf(m.Module, "/")
	}
	return m.Scope
}

// DistinctNames returns names that distinguish the methods, in their order. Methods with equal
// labels have equal names. A name is the first of these that no other label has:
//
//  1. the short name;
//  2. with the parameters, as in TextView.setText(CharSequence, int);
//  3. with the parameters and the scope;
//  4. the label.
func DistinctNames(methods []Method) []string {
	labels, names := make([]string, len(methods)), make([]string, len(methods))
	for i, m := range methods {
		labels[i], names[i] = m.Label(), m.Short()
	}
	for _, longer := range []func(m Method) string{Method.withParameters, Method.withScope, Method.Label} {
		bearer := make(map[string]string, len(names)) // the label that has each name
		shared := make(map[string]bool)
		for i, name := range names {
			if label, ok := bearer[name]; ok && label != labels[i] {
				shared[name] = true
			}
			bearer[name] = labels[i]
		}
		if len(shared) == 0 {
			break
		}
		for i, name := range names {
			if shared[name] {
				names[i] = longer(methods[i])
			}
		}
	}
	return names
}

// withParameters returns the short name with the parameters. JVM types are shortened to their last
// name.
func (m Method) withParameters() string {
	if m.Lang != JVM {
		return m.Short() + m.Signature
	}
	params, _, ok := ParseDescriptor(m.Signature)
	if !ok {
		return m.Short()
	}
	for i, p := range params {
		if at := strings.LastIndexAny(p, ".$"); at < len(p)-1 {
			params[i] = p[at+1:]
		}
	}
	return m.Short() + "(" + strings.Join(params, ", ") + ")"
}

// withScope returns the name with its parameters and the scope. The scope comes first unless it is
// a file.
func (m Method) withScope() string {
	named := m.withParameters()
	switch {
	case m.Scope == "":
		return named
	case m.Lang == Python || m.Lang == JavaScript:
		if m.File != "" {
			return named + " (" + m.File + ")"
		}
		return named + " (" + m.Scope + ")"
	case m.Lang == Go && m.Type == "":
		// In Go, C++ and Rust, the short name already begins with the last part of the scope.
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "/")) + named
	case (m.Lang == CPP || m.Lang == Rust) && m.Type == "":
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "::")) + named
	case m.Lang == CPP || m.Lang == Rust:
		return m.Scope + "::" + named
	}
	return m.Scope + "." + named
}

// Find returns the indices of the methods that match a user's text. The first form that any method
// has decides: the label, the label without the signature, or the short name.
func Find(methods []Method, text string) []int {
	for _, named := range []func(Method) string{
		Method.Label,
		func(m Method) string { return strings.TrimSuffix(m.Label(), m.Signature) },
		Method.Short,
	} {
		var found []int
		for i, m := range methods {
			if named(m) == text {
				found = append(found, i)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}
