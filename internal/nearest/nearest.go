// Package nearest suggests what somebody may have meant by a misspelt name.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length in bytes of the longest text that is taken for a name.
const longest = 100

// Name returns the one of names that is closest to what was written, the first of
// equals, or nothing where none is close: half of the letters, at most three, may be
// wrong, and case counts nothing.
func Name(written string, names []string) string {
	if len(written) > longest {
		return ""
	}
	best, least := "", min(3, len(written)/2)+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(written), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}
