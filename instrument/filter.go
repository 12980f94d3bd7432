package instrument

import (
	"strings"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
)

// A Filter is a set of packages and classes. A nil Filter is empty.
type Filter struct {
	packages *platform.Packages
	classes  map[string]bool
}

// NewFilter returns the filter for a list of packages, such as com.mine.*, and classes, such as
// com.mine.Feed. A class includes the classes nested in it.
func NewFilter(list []string) (*Filter, error) {
	if len(list) == 0 {
		return nil, nil
	}
	f := &Filter{classes: make(map[string]bool)}
	var packages []string
	for _, text := range list {
		f.classes[text] = true
		if !strings.Contains(text, "$") { // packages do not have such names
			packages = append(packages, text)
		}
	}
	var err error
	f.packages, err = platform.NewPackages(packages)
	return f, err
}

// has reports whether the filter contains a method of a class. The class name has dots.
func (f *Filter) has(class string, m name.Method) bool {
	if f.packages.Has(m) || f.classes[class] {
		return true
	}
	for i := strings.LastIndexByte(class, '$'); i > 0; i = strings.LastIndexByte(class[:i], '$') {
		if f.classes[class[:i]] {
			return true
		}
	}
	return false
}
