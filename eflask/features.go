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
	fLeafAround
	fCallback
	fRarity
	fAlone
	fUnique
	fHere
	fElsewhere
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
	fLeafAround: "how much else the callbacks of such a pair have in common",
	fCallback:   "the callbacks have one name",
	fRarity:     "how rare the F-method is among tasks",
	fAlone:      "neither callback has another task",
	fUnique:     "how few tasks of the F-method have no counterpart",
	fHere:       "how many other tasks of the callbacks are each other's counterparts",
	fElsewhere:  "how many have their counterparts in other callbacks",
}

// FeatureNames returns what the features are, in their order.
func FeatureNames() []string { return featureNames[:] }

// weights are those of a logistic regression: go run ./tools/truth -weights fits them to
// the pairs that Candidates lists for generated runs whose truth is known.
var weights = Features{
	fBias:       -14.7885,
	fSame:       1.4261,
	fName:       3.2677,
	fAround:     6.1967,
	fConflict:   -3.2109,
	fBelow:      5.0052,
	fLeaf:       3.4659,
	fLeafAround: 0.4928,
	fCallback:   3.1955,
	fRarity:     5.9497,
	fAlone:      4.8846,
	fUnique:     1.5800,
	fHere:       1.1932,
	fElsewhere:  0.4952,
}

// Likelihood is the logistic function of the features under some weights.
func (f *Features) Likelihood(weights *Features) float64 {
	z := 0.0
	for i, x := range f {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}
