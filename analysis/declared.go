package analysis

import (
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// mostCalls is the largest number of calls at which Called returns a call. Editors show a method with
// more calls of a task at its name, too.
const mostCalls = 3

// Called returns where the code of a method calls another: the file, and the line from 1. If there
// is no such call, if too many may be it, or if the callee is empty, it returns where the method is declared. These are the
// places at which editors show a task.
func (in *Input) Called(caller, callee name.Method) (path string, line int, ok bool) {
	for _, index := range in.indexes {
		if callee.Name != "" {
			if calls := index.Calls(caller, callee, time.Time{}); len(calls) > 0 && len(calls) <= mostCalls {
				return calls[0].Path, int(calls[0].Range.Start.Line) + 1, true
			}
		}
		if path, line, ok := in.Declared(caller); ok {
			return path, line, true
		}
		if _, reason := index.Find(caller, time.Time{}); reason == source.NoMethod {
			return in.Declared(name.OfClass(caller.Class(), "", "").At(caller.File, 0))
		}
	}
	return "", 0, false
}

// Declared returns where Options.Sources declare a method, or have the code that the compiler made
// it from: the file, and the line from 1. These are the places that editors show.
func (in *Input) Declared(m name.Method) (path string, line int, ok bool) {
	for _, index := range in.indexes {
		if found, _ := index.Find(m, time.Time{}); len(found) > 0 {
			return found[0].Path, int(found[0].Range.Start.Line) + 1, true
		}
	}
	return "", 0, false
}
