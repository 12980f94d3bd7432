package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/eflask"
)

//go:embed testdata/judged.txt
var judgedText string

// A judged is a pair of tasks of real runs that a person has judged.
type judged struct {
	// fit means that the pair may be used to fit weights.
	fit bool
	// apps says whether the two runs show one app, similar apps, or unlike apps.
	apps string
	// exact means that the paths are equal.
	exact                       bool
	subject, reference, verdict string
	// likelihood is the likelihood of the pair by its features alone. It is 1 for equal paths.
	likelihood float64
	traits     eflask.Traits
	// different means that the framework methods differ by more than their parameters, and that the
	// matching does not pair them.
	different bool
}

// judgedTraits is the number of traits in a row of the file. The other traits follow from the
// likelihood by features.
const judgedTraits = 11

// judgedPairs reads testdata/judged.txt. Each row has these words:
//
//   - the use of the pair;
//   - the two runs, and the verdict;
//   - how the pair was found, and its likelihood by features;
//   - whether the apps are unlike;
//   - the traits;
//   - for people, the callback, the framework method, and a caller on each side.
func judgedPairs() ([]judged, error) {
	var out []judged
	for row := range strings.Lines(judgedText) {
		words := strings.Fields(row)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		j := judged{}
		if len(words) < 10+judgedTraits {
			return nil, fmt.Errorf("judged.txt: a row of %d words, fewer than %d: %s", len(words), 10+judgedTraits, row)
		}
		j.fit, j.apps, j.subject, j.reference, j.verdict = words[0] == "fit", words[6], words[1], words[2], words[3]
		j.exact = words[4] == "exact"
		var err error
		if j.likelihood, err = strconv.ParseFloat(words[5], 64); err != nil {
			return nil, fmt.Errorf("judged.txt: %w", err)
		}
		for i := range judgedTraits {
			if j.traits[i], err = strconv.ParseFloat(words[7+i], 64); err != nil {
				return nil, fmt.Errorf("judged.txt: %w", err)
			}
		}
		if !j.exact {
			j.traits.Weighed(j.likelihood)
		}
		if a, b, two := strings.Cut(words[7+judgedTraits], "|"); two && words[4] == "likeness" {
			j.different = a[strings.LastIndexByte(a, '>')+1:] != b[strings.LastIndexByte(b, '>')+1:]
		}
		out = append(out, j)
	}
	return out, nil
}

// says returns the likelihood that diffprof shows for the pair.
func (j *judged) says() float64 {
	switch {
	case j.apps == "unlike":
		return j.traits.Likelihood()
	case j.equalPaths():
		return j.traits.Similar()
	case j.doubted():
		return min(j.likelihood, 0.5)
	case j.otherCallers():
		return min(j.likelihood, eflask.OtherCallers(j.traits.Leaf()))
	}
	return j.likelihood
}

// otherCallers reports whether the two runs are samples of one app, and no method of the app calls
// both tasks.
func (j *judged) otherCallers() bool {
	return j.apps == "one" && j.traits[0] != 0 && !j.traits.SameCaller()
}

// doubted reports whether diffprof shows the pair only as a possible counterpart, even if the pair
// is likely by its features.
func (j *judged) doubted() bool {
	return j.different && (j.apps == "similar" || j.otherCallers())
}

// equalPaths reports whether the paths are equal, but this is not enough because the apps are only
// similar. Runs with many common methods have no traits, because their equal paths are enough.
func (j *judged) equalPaths() bool { return j.apps == "similar" && j.exact && j.traits[0] != 0 }

// matched reports whether the pair counts as matched.
func (j *judged) matched() bool {
	switch {
	case j.doubted():
		return false
	case j.equalPaths(), j.apps == "one" && j.exact:
		return true
	case j.apps == "unlike":
		return j.says() >= 0.8
	}
	return j.likelihood >= 0.8
}

// right reports whether the person judged that the two tasks do the same.
func (j *judged) right() bool { return j.verdict == "right" }
