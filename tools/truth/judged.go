package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/eflask"
)

//go:embed testdata/judged.txt
var judgedText string

// A judged is a pair of tasks in real runs with a person's verdict.
type judged struct {
	// fit reports that the pair may be used for fitting weights.
	fit bool
	// unlike reports that the two runs come from different apps.
	unlike bool
	// exact reports that the paths are equal.
	exact                       bool
	subject, reference, verdict string
	// likelihood is the likelihood by the pair's features alone. It is 1 for equal paths.
	likelihood float64
	traits     eflask.Traits
}

// judgedPairs reads testdata/judged.txt. Each row has the purpose of the pair, the two runs,
// the verdict, how the pair was found, its likelihood by its features, whether the apps differ,
// and its traits. For people, it also has the callback, the F-method, and a caller in each run.
func judgedPairs() ([]judged, error) {
	var out []judged
	for row := range strings.Lines(judgedText) {
		words := strings.Fields(row)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		j := judged{}
		if len(words) != 10+len(j.traits) {
			return nil, fmt.Errorf("judged.txt: a row of %d words, not %d: %s", len(words), 10+len(j.traits), row)
		}
		j.fit, j.unlike, j.subject, j.reference, j.verdict = words[0] == "fit", words[6] == "unlike", words[1], words[2], words[3]
		j.exact = words[4] == "exact"
		var err error
		if j.likelihood, err = strconv.ParseFloat(words[5], 64); err != nil {
			return nil, fmt.Errorf("judged.txt: %w", err)
		}
		for i := range j.traits {
			if j.traits[i], err = strconv.ParseFloat(words[7+i], 64); err != nil {
				return nil, fmt.Errorf("judged.txt: %w", err)
			}
		}
		out = append(out, j)
	}
	return out, nil
}

// stated returns diffprof's likelihood that the pair is right.
func (j *judged) stated() float64 {
	if !j.unlike || !j.exact && !j.plumbing() {
		return j.likelihood
	}
	return j.likelihood * j.traits.Likelihood()
}

// plumbing reports whether both F-methods are used by every app.
func (j *judged) plumbing() bool {
	i := slices.Index(eflask.TraitNames(), "the F-method is one that every app uses")
	return j.traits[i] == 1
}

// right reports whether the two tasks do the same job.
func (j *judged) right() bool { return j.verdict == "right" }
