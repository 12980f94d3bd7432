package analysis

import (
	"os"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// maxCalls is the largest number of calls for which Called returns a place in the code. If a method
// calls a task more often, editors show the task at the method's name.
const maxCalls = 3

// Called returns the place at which the method caller calls the method callee: the file, and the
// line from 1. If there is no such call, if it is ambiguous, or if callee is empty, the place is
// the declaration of caller. Editors show a task at this place.
func (in *Input) Called(caller, callee name.Method) (path string, line int, ok bool) {
	for _, index := range in.indexes {
		if callee.Name != "" {
			if calls := index.Calls(caller, callee, time.Time{}); len(calls) > 0 && len(calls) <= maxCalls {
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

// Declared returns the place at which Options.Sources declare a method: the file, and the line from
// 1. For a method that the compiler made, it is the code from which it was made. Editors show the
// method at this place.
func (in *Input) Declared(m name.Method) (path string, line int, ok bool) {
	for _, index := range in.indexes {
		if found, _ := index.Find(m, time.Time{}); len(found) > 0 {
			return found[0].Path, int(found[0].Range.Start.Line) + 1, true
		}
	}
	return "", 0, false
}

// A Stretch is a part of a source file. Lines count from 1. Doubt says why it perhaps differs from
// the recorded code. The text follows the method's name in messages. It is empty if there is no
// doubt.
type Stretch struct {
	Path        string
	First, Last int
	Doubt       string
}

// Text returns the declaration of a method in Options.Sources.
func (in *Input) Text(m name.Method) (s Stretch, ok bool) {
	var recorded time.Time
	if info, err := os.Stat(in.Path); err == nil {
		recorded = info.ModTime()
	}
	for _, index := range in.indexes {
		if found, reason := index.Find(m, recorded); len(found) > 0 {
			at := found[0]
			s := Stretch{Path: at.Path, First: int(at.Body.Start.Line) + 1, Last: int(at.Body.End.Line) + 1}
			if reason != source.Exact {
				s.Doubt = reason.String()
			}
			return s, true
		}
	}
	return Stretch{}, false
}

// TopLevel returns the top-level class around the class of a method.
func TopLevel(m name.Method) string { return source.TopLevel(m.Class()) }
