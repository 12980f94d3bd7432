// Package nearest suggests the name that a user probably meant, for a misspelled name.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length of the longest text that is compared with names, in bytes.
const longest = 100

// shortest is the length of the shortest prefix of a name that is accepted, in bytes.
const shortest = 3

// Name returns the name that is closest to the written text. If several are equally close, it
// returns the first. At most half of the letters, and at most three, may be wrong. Case is ignored.
// If no name is that close, Name returns the first name that is a prefix of the text or has the
// text as a prefix, or else "".
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

// Choice returns a hint with the possible names. It also suggests the name that was probably meant
// if two thirds of the letters are right, or all of them in another order. That is stricter than
// Name, because all names are listed anyway.
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
