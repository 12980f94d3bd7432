package stacks

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxFiles limits the files or problems that a message lists.
const maxFiles = 3

// WithoutName summarizes the frames without a function name for a message. The map frames has the
// number of such frames by file path. WithoutName returns the total, and the names of the files
// with most such frames.
func WithoutName(frames map[string]int64) (sum int64, files string) {
	paths := slices.SortedFunc(maps.Keys(frames), func(a, b string) int {
		return cmp.Or(cmp.Compare(frames[b], frames[a]), strings.Compare(a, b))
	})
	var names []string
	for i, file := range paths {
		sum += frames[file]
		switch {
		case i < maxFiles:
			names = append(names, path.Base(file))
		case i == maxFiles:
			names = append(names, fmt.Sprintf("%d more", len(paths)-i))
		}
	}
	return sum, strings.Join(names, ", ")
}

// ListProblems lists problems for a message. For example, it returns "a; b; c and 2 more" for five
// problems.
func ListProblems(problems []string) string {
	if more := len(problems) - maxFiles; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(problems[:maxFiles], "; "), more)
	}
	return strings.Join(problems, "; ")
}
