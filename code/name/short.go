package name

import "strings"

// Short returns what developers call the method: TextView.setText, (*conn).serve,
// Monitor::Wait. It is never empty where the label is not.
func (m Method) Short() string {
	switch {
	case m.short != "":
		return m.short
	case m.Type == "":
		return m.Name
	}
	return m.Type + "." + m.Name
}

// Owner returns what stands in the short name before the method's own name and the
// mark that parts the two: TextView, (*conn), Monitor. It is empty where the short
// name has no more than the name.
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

// Place returns where the method is declared, as the language writes it: the full
// name of its class, java.util.Map$Entry or art::Monitor, else its scope.
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

// Package returns what the method is listed under: its scope, or the file of native code
// where that is known. It is empty where neither is.
func (m Method) Package() string {
	if (m.Lang == Native || m.Lang == CPP) && m.Module != "" {
		return lastOf(m.Module, "/")
	}
	return m.Scope
}

// Apart names methods so that they can be told apart. A method has its short name
// where no other label has it, else that with the parameters, as in
// TextView.setText(CharSequence, int), else that with the scope too, else its label.
// Methods with equal labels have equal names. The result is in the order of methods.
func Apart(methods []Method) []string {
	labels, names := make([]string, len(methods)), make([]string, len(methods))
	for i, m := range methods {
		labels[i], names[i] = m.Label(), m.Short()
	}
	for _, longer := range []func(m Method) string{Method.withParameters, Method.withScope, Method.Label} {
		bearer := make(map[string]string, len(names)) // a name's label
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

// withParameters is the short name and the parameters, those of the JVM with the
// last names of their types.
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

// withScope is withParameters after the scope, or with the file behind it where
// the scope is a file.
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
		// The short name begins with the end of the scope, here and in C++.
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "/")) + named
	case (m.Lang == CPP || m.Lang == Rust) && m.Type == "":
		return strings.TrimSuffix(m.Scope, lastOf(m.Scope, "::")) + named
	case m.Lang == CPP || m.Lang == Rust:
		return m.Scope + "::" + named
	}
	return m.Scope + "." + named
}
