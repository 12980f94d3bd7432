package eflask

import "math"

// Traits are the inputs of the likelihood of a pair between unlike apps. All are between 0 and
// about 1. The last one, about the features, is between -1 and 1.
type Traits [len(traitNames)]float64

// The traits.
const (
	tBias = iota
	tShape
	tCallers
	tPlumbing
	tRarity
	tAround
	tBelow
	tLeaf
	tMerged
	tDepth
	tSuper
	tWeighed
	tAlone
)

// traitNames describes the traits, in their order.
var traitNames = [...]string{
	tBias:     "1",
	tShape:    "how much of the tasks of the two runs has equal paths",
	tCallers:  "how many of the app's methods that call the F-method are the same",
	tPlumbing: "every app uses the F-method",
	tRarity:   "how rare the F-method is among tasks",
	tAround:   "how much else the callbacks have in common",
	tBelow:    "how much the subtrees have in common",
	tLeaf:     "neither has a subtree",
	tMerged:   "how many methods of the app the callbacks stand for",
	tDepth:    "how many methods lead to the callbacks",
	tSuper:    "the callbacks have the name of the F-method, which they override",
	tWeighed:  "the paths are not equal",
	tAlone:    "the likelihood of the pair by the features alone",
}

// TraitNames returns the descriptions of the traits, in their order.
func TraitNames() []string { return traitNames[:] }

// trustWeights are fitted by logistic regression: go run ./tools/truth -weights. The data are pairs
// of generated runs of unlike apps, and pairs of real runs that a person judged.
var trustWeights = Traits{
	tBias:     1.6521,
	tShape:    0.3688,
	tCallers:  3.0553,
	tPlumbing: -2.2954,
	tRarity:   -2.5204,
	tAround:   2.0664,
	tBelow:    1.8094,
	tLeaf:     -1.3291,
	tMerged:   -2.6476,
	tDepth:    0.7047,
	tSuper:    3.9786,
	tWeighed:  -2.3258,
	tAlone:    2.5934,
}

// similarWeights are for tasks with equal paths in runs of similar apps. They use only five traits.
// go run ./tools/truth -weights fits them to pairs of real runs that a person judged.
var similarWeights = Traits{
	tBias:     0.8094,
	tCallers:  1.2094,
	tPlumbing: -1.1640,
	tSuper:    0.8455,
	tLeaf:     -0.8790,
}

// SimilarTraits returns the indices of the traits that are used between similar apps.
func SimilarTraits() []int { return []int{tBias, tCallers, tPlumbing, tSuper, tLeaf} }

// Similar returns the stated likelihood of two tasks with equal paths in runs of similar apps, at
// most EqualPaths.
func (t *Traits) Similar() float64 { return min(EqualPaths, t.Trust(&similarWeights)) }

// Weighed adds the traits of a pair whose paths differ. alone is its likelihood by the features.
func (t *Traits) Weighed(alone float64) {
	alone = min(max(alone, leastAlone), 1-leastAlone)
	t[tWeighed], t[tAlone] = 1, math.Log(alone/(1-alone))/math.Log((1-leastAlone)/leastAlone)
}

// Weighed clamps likelihoods to the range from leastAlone to 1-leastAlone.
const leastAlone = 0.001

// Trust applies the logistic function to the weighted sum of the traits.
func (t *Traits) Trust(weights *Traits) float64 {
	z := 0.0
	for i, x := range t {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// Likelihood returns the likelihood that two tasks with these traits do the same.
func (t *Traits) Likelihood() float64 { return t.Trust(&trustWeights) }

// SameCaller reports whether a method of the app calls both tasks.
func (t *Traits) SameCaller() bool { return t[tCallers] > 0 }

// Leaf reports whether neither task calls anything.
func (t *Traits) Leaf() bool { return t[tLeaf] > 0 }
