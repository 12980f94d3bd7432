package analysis

import (
	"time"

	"github.com/diffprof/diffprof/name"
)

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
