package name

import "strings"

// Short returns the name that developers use for the method, such as TextView.setText,
// (*conn).serve or Monitor::Wait. It is empty only if the label is.
func (m Method) Short() string {
	switch {
	case m.short != "":
		return m.short + m.lineSuffix()
	case m.Type == "":
		return m.Name + m.lineSuffix()
	}
	return m.Type + "." + m.Name + m.lineSuffix()
}

// Owner returns the part of the short name before the method's own name and its separator, such as
// TextView, (*conn) or Monitor. It is empty if the short name is only the method's own name.
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

// Place returns where the method is declared. This is the full name of its class in the notation of
// the language, such as java.util.Map$Entry or art::Monitor. For a method without a class, it is
// the scope.
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

// Package returns the group under which lists show the method. This is its scope, or the file of
// native code if it is known. It is empty if neither is known.
func (m Method) Package() string {
	if (m.Lang == Native || m.Lang == CPP) && m.Module != "" {
		return lastOf(m.Module, "/")
	}
	return m.Scope
}

// Apart returns distinct names for methods. It returns the short name of a method if no other label
// has the same short name. Otherwise it adds the parameters, as in TextView.setText(CharSequence,
// int). If necessary it also adds the scope, and as a last resort it returns the label. Methods
// with equal labels have equal names. The result is in the order of methods.
func Apart(methods []Method) []string {
	labels, names := make([]string, len(methods)), make([]string, len(methods))
	for i, m := range methods {
		labels[i], names[i] = m.Label(), m.Short()
	}
	for _, longer := range []func(m Method) string{Method.withParameters, Method.withScope, Method.Label} {
		bearer := make(map[string]string, len(names)) // bearer maps a name to the label that has it.
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

// withParameters returns the short name with the parameters. It shortens types of the JVM to their
// last name.
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

// withScope returns the name with its parameters and the scope. The scope comes first, unless it is
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
		// In this language and in C++, the short name begins with the end of the scope.
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "/")) + named
	case (m.Lang == CPP || m.Lang == Rust) && m.Type == "":
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "::")) + named
	case m.Lang == CPP || m.Lang == Rust:
		return m.Scope + "::" + named
	}
	return m.Scope + "." + named
}

// Find returns the indices of the methods that a user means by a text: the methods with this label. If
// there are none, it returns the methods with this label without the signature, or else the methods
// with this short name.
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
