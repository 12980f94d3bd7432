// Package android has the names of Android's own methods, and call trees of these methods, for
// generating traces. framework.txt has the names, and tasks.txt has fragments of call trees.
package android

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed framework.txt
	frameworkText string
	//go:embed tasks.txt
	tasksText string
)

// Labels returns the labels in framework.txt, keyed by the short names that outlines use. The
// caller must not change the map. A duplicate name panics, because the file is embedded in the
// program.
var Labels = sync.OnceValue(func() map[string]string {
	labels := make(map[string]string)
	pkg := ""
	for line := range strings.SplitSeq(frameworkText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		i := strings.IndexByte(line, '(')
		if i < 0 {
			pkg = line
			continue
		}
		short, method := line[:i], line
		if key, overload, ok := strings.Cut(line, "="); ok {
			class, _, _ := strings.Cut(key, ".")
			short, method = key, class+"."+overload
		}
		if _, twice := labels[short]; twice {
			panic(fmt.Sprintf("framework.txt has %s twice", short))
		}
		labels[short] = pkg + "." + method
	}
	return labels
})

// Fragment returns the outline of a fragment in tasks.txt. It returns false if there is no fragment
// with that name.
func Fragment(name string) (string, bool) {
	text, ok := fragments()[name]
	return text, ok
}

// Fragments returns the names of the fragments, sorted.
func Fragments() []string { return slices.Sorted(maps.Keys(fragments())) }

var fragments = sync.OnceValue(func() map[string]string { return Sections(tasksText) })

// Sections splits a text into sections, which begin with lines "@NAME". It leaves out empty lines,
// comments beginning with #, and the text before the first section.
func Sections(text string) map[string]string {
	sections := make(map[string]string)
	name := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "@"):
			name = line[1:]
		case line == "" || line[0] == '#' || name == "":
		default:
			sections[name] += line + "\n"
		}
	}
	return sections
}
