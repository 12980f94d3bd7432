package stacks

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// mostFiles is the largest number of files that a message lists.
const mostFiles = 3

// WithoutName describes frames without a function name. frames has their numbers, by the path of
// their file. WithoutName returns the sum, and a list of the files with the largest numbers.
func WithoutName(frames map[string]int64) (sum int64, files string) {
	paths := slices.SortedFunc(maps.Keys(frames), func(a, b string) int {
		return cmp.Or(cmp.Compare(frames[b], frames[a]), strings.Compare(a, b))
	})
	var names []string
	for i, file := range paths {
		sum += frames[file]
		switch {
		case i < mostFiles:
			names = append(names, path.Base(file))
		case i == mostFiles:
			names = append(names, fmt.Sprintf("%d more", len(paths)-i))
		}
	}
	return sum, strings.Join(names, ", ")
}

// Few joins the first problems of a list, and counts the others.
func Few(problems []string) string {
	if more := len(problems) - mostFiles; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(problems[:mostFiles], "; "), more)
	}
	return strings.Join(problems, "; ")
}
