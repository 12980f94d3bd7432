package report

import (
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
)

// originals returns the recorded methods that were merged into a node.
func originals(tree *preprocess.Tree, node int32) (methods []name.Method) {
	for _, o := range tree.Originals(node) {
		if m := recorded(tree.Source, o); !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	return methods
}

// locate sets the lines on which the app's own method makes the calls. If a library is in between,
// these are the calls of the library.
func (p *Place) locate(in *analysis.Input, from finding.Origin, called []name.Method) {
	if from.Called.Name != "" {
		called = []name.Method{from.Called}
	}
	for _, callee := range called {
		file, lines := in.CallLines(from.Own, callee)
		if len(lines) == 0 {
			continue
		}
		if p.File == "" {
			p.File = file
		}
		if p.File == file {
			p.CallLines = append(p.CallLines, lines...)
		}
	}
	slices.Sort(p.CallLines)
	p.CallLines = slices.Compact(p.CallLines)
}
