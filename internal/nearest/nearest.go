// Package nearest suggests what somebody may have meant by a misspelt name.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length in bytes of the longest text that is taken for a name.
const longest = 100

// shortest is the length in bytes of the shortest beginning of a name that is taken
// for the name.
const shortest = 3

// Name returns the one of names that is closest to what was written, the first of
// equals. Half of the letters may be wrong, at most three, and case does not count.
// If no name is that close, it returns the first that is the beginning of what was
// written or begins with it; if there is none, the empty string.
func Name(written string, names []string) string {
	if len(written) > longest {
		return ""
	}
	written = strings.ToLower(written)
	best, least := "", min(3, len(written)/2)+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(written, strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best != "" {
		return best
	}
	for _, name := range names {
		lower := strings.ToLower(name)
		if min(len(written), len(lower)) >= shortest && (strings.HasPrefix(lower, written) || strings.HasPrefix(written, lower)) {
			return name
		}
	}
	return ""
}
