package name

import "strings"

// Short returns what developers call the method, TextView.setText: its type without
// the scope, and its name.
func (m Method) Short() string {
	if m.Type == "" {
		return m.Name
	}
	return m.Type + "." + m.Name
}

// Apart names methods so that they can be told apart: by the short name where no
// other label has it, else with the parameters, as in
// TextView.setText(CharSequence, int), else by the label. Methods with equal labels
// have equal names. The result is in the order of methods.
func Apart(methods []Method) []string {
	labels, names := make([]string, len(methods)), make([]string, len(methods))
	for i, m := range methods {
		labels[i], names[i] = m.Label(), m.Short()
	}
	for _, longer := range []func(i int) string{
		func(i int) string { return withParameters(methods[i], labels[i]) },
		func(i int) string { return labels[i] },
	} {
		bearer := make(map[string]string, len(names)) // a name's label
		shared := make(map[string]bool)
		for i, name := range names {
			if label, ok := bearer[name]; ok && label != labels[i] {
				shared[name] = true
			}
			bearer[name] = labels[i]
		}
		for i, name := range names {
			if shared[name] {
				names[i] = longer(i)
			}
		}
	}
	return names
}

// withParameters is the short name and the last names of the parameters' types; the
// label if the signature is no descriptor.
func withParameters(m Method, label string) string {
	params, _, ok := ParseDescriptor(m.Signature)
	if !ok {
		return label
	}
	for i, p := range params {
		if at := strings.LastIndexAny(p, ".$"); at < len(p)-1 {
			params[i] = p[at+1:]
		}
	}
	return m.Short() + "(" + strings.Join(params, ", ") + ")"
}
