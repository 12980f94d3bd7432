package trace

import "github.com/diffprof/diffprof/code/name"

// Short is what developers call the method of a label, TextView.setText: its class
// without the package, and its name.
func Short(label string) string {
	return name.Parse(label, name.JVM).Short()
}

// Names names labels so that they can be told apart: the short name where no other
// has it, else with the parameters, as in TextView.setText(CharSequence, int), else
// the label itself.
func Names(labels []string) map[string]string {
	methods := make([]name.Method, len(labels))
	for i, l := range labels {
		methods[i] = name.Parse(l, name.JVM)
	}
	names := make(map[string]string, len(labels))
	for i, n := range name.Apart(methods) {
		names[labels[i]] = n
	}
	return names
}
