package eflask

import "math"

// Features are what the likelihood of a pair of tasks is computed from. All lie
// between 0 and about 1.
type Features [len(featureNames)]float64

// The features.
const (
	fBias = iota
	fSame
	fName
	fAround
	fConflict
	fBelow
	fLeaf
	fCallback
	fRarity
	fAlone
	fUnique
	fElsewhere
	fMatched
	fSameAround
	fDelegate
)

// featureNames say what the features are, in their order.
var featureNames = [...]string{
	fBias:       "1",
	fSame:       "one F-method, or related ones",
	fName:       "how alike the F-methods' names are",
	fAround:     "how much else the callbacks have in common",
	fConflict:   "the most that either callback has in common with another one",
	fBelow:      "how much the subtrees have in common",
	fLeaf:       "neither has a subtree",
	fCallback:   "the callbacks have one name",
	fRarity:     "how rare the F-method is among tasks",
	fAlone:      "neither callback has another task, and the names are alike",
	fUnique:     "how few tasks of the F-method have no counterpart",
	fElsewhere:  "how many other tasks of the callbacks have their counterparts elsewhere",
	fMatched:    "the matching pairs the F-methods",
	fSameAround: "how much else the callbacks have in common, of one F-method",
	fDelegate:   "the matching pairs one F-method with a call inside of the other",
}

// FeatureNames returns what the features are, in their order.
func FeatureNames() []string { return featureNames[:] }

// weights are those of a logistic regression: go run ./tools/truth -weights fits them to
// the pairs that Candidates lists for generated runs whose truth is known.
var weights = Features{
	fBias:       -12.9611,
	fSame:       -2.4831,
	fName:       3.5306,
	fAround:     2.5102,
	fConflict:   -6.7143,
	fBelow:      5.6049,
	fLeaf:       4.3196,
	fCallback:   3.3575,
	fRarity:     6.6892,
	fAlone:      7.3386,
	fUnique:     1.4309,
	fElsewhere:  0.3801,
	fMatched:    2.1644,
	fSameAround: 10.4353,
	fDelegate:   4.3558,
}

// Likelihood is the logistic function of the features under some weights.
func (f *Features) Likelihood(weights *Features) float64 {
	z := 0.0
	for i, x := range f {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// most is the largest likelihood that features of two different F-methods can have, of
// which it is not known how alike their names are and how much they have in common below.
// It relies on the signs of three weights.
func (f Features) most(alone, leaf bool) float64 {
	f[fName] = 1
	if alone {
		f[fAlone] = 1
	}
	if !leaf {
		f[fBelow] = 1
	}
	return f.Likelihood(&weights)
}
