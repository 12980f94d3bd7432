// Package nearest suggests the name that a misspelt one was meant to be.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length in bytes of the longest text that can be a name.
const longest = 100

// shortest is the length in bytes of the shortest beginning that can stand for a name.
const shortest = 3

// Name returns the name that is closest to the written text; of equally close names
// the first. Up to half of the letters may be wrong, at most three, and case does not
// count. If no name is that close, it returns the first name that begins with the
// text or that the text begins with, else the empty string.
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

// Choice tells a reader which names there are, and which of them the written text was likely meant
// to be: unlike Name it wants two thirds of the letters right, or all of them in another order, since
// all names are listed anyway.
func Choice(written string, names []string) string {
	choice := "use one of " + strings.Join(names, ", ")
	near := Name(written, names)
	a, b := strings.ToLower(written), strings.ToLower(near)
	if near == "" || !strings.HasPrefix(a, b) && !sameLetters(a, b) && 3*levenshtein.ComputeDistance(a, b) > max(len(a), len(b)) {
		return choice
	}
	return choice + "; did you mean " + near + "?"
}

// sameLetters reports whether two texts differ only in the order of their letters.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
