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
	fBias:       -11.7334,
	fSame:       -1.6487,
	fName:       3.1917,
	fAround:     1.1859,
	fConflict:   -4.8838,
	fBelow:      4.7076,
	fLeaf:       3.6880,
	fCallback:   3.7652,
	fRarity:     5.4292,
	fAlone:      5.5847,
	fUnique:     1.6013,
	fElsewhere:  -0.4123,
	fMatched:    2.1036,
	fSameAround: 9.3598,
	fDelegate:   4.0500,
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
