package eflask

import "math"

// Features are the inputs of the likelihood of a pair of tasks. All are between 0 and about 1.
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
	fWay
)

// featureNames describes the features, in their order.
var featureNames = [...]string{
	fBias:       "1",
	fSame:       "one F-method, or related ones",
	fName:       "how alike the F-methods' names are",
	fAround:     "how much else the callbacks have in common",
	fConflict:   "the largest part that either callback has in common with a third callback",
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
	fWay:        "how much of the ways to the callbacks is the same",
}

// FeatureNames returns the descriptions of the features, in their order.
func FeatureNames() []string { return featureNames[:] }

// weights are fitted by logistic regression to generated runs with known counterparts: go run
// ./tools/truth -weights fits them to the result of Candidates.
var weights = Features{
	fBias:       -13.7286,
	fSame:       -2.3390,
	fName:       3.8316,
	fAround:     2.6728,
	fConflict:   -6.3396,
	fBelow:      6.1114,
	fLeaf:       4.6347,
	fCallback:   2.3263,
	fRarity:     5.4579,
	fAlone:      7.1609,
	fUnique:     1.6700,
	fElsewhere:  0.5782,
	fMatched:    1.8005,
	fSameAround: 10.1669,
	fDelegate:   1.8332,
	fWay:        2.3297,
}

// Likelihood applies the logistic function to the weighted sum of the features.
func (f *Features) Likelihood(weights *Features) float64 {
	z := 0.0
	for i, x := range f {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// most returns upper bounds of the features of two different F-methods. It is used before their
// names, paths and callees are compared, which is slow. It relies on the signs of four weights.
func (f Features) most(alone, leaf bool) Features {
	f[fName], f[fWay] = overload, 1
	if alone {
		f[fAlone] = 1
	}
	if !leaf {
		f[fBelow] = 1
	}
	return f
}

// Alone returns the likelihood by the features alone, without traits.
func (f *Features) Alone() float64 { return f.Likelihood(&weights) }

// Likely reports whether the features alone make a pair at least a possible counterpart.
func (f *Features) Likely() bool { return f.Likelihood(&weights) >= leastLikely }
