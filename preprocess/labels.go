package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/name"
)

// Labels is the label table that the trees of a pair share, with the cost function γ. It lists the
// labels of both trees in the order of their texts. It is immutable and safe for concurrent use.
type Labels struct {
	texts   []string
	methods []name.Method
	// related lists, for each label, the other labels with γ = 0, in ascending order. It is nil for
	// nearly all labels.
	related [][]LabelID
}

// Len returns the number of labels. IDs are 0 to Len()-1.
func (l *Labels) Len() int { return len(l.texts) }

// Text returns a label's text, such as *.onClick(Landroid/view/View;)V.
func (l *Labels) Text(id LabelID) string { return l.texts[id] }

// Method returns the method of a label, without file and line. For a callback, the class may be "*"
// (see the app step).
func (l *Labels) Method(id LabelID) name.Method { return l.methods[id] }

// Related returns the other labels with γ = 0 to id: the same method in a superclass or subclass
// (DiffProf, Section 3.5). The relation is symmetric but not transitive. IDs are in ascending
// order. The caller must not modify the slice.
func (l *Labels) Related(id LabelID) []LabelID { return l.related[id] }

// Gamma returns γ of DiffProf, Section 3.4.3: the cost of changing one label to the other. It is 0
// for equal and related labels, and 1 otherwise.
func (l *Labels) Gamma(a, b LabelID) int {
	if a == b {
		return 0
	}
	// The relation is symmetric, so the shorter list suffices. Methods of Object have thousands of
	// related labels, but each of those has only a few.
	if len(l.related[a]) > len(l.related[b]) {
		a, b = b, a
	}
	if _, ok := slices.BinarySearch(l.related[a], b); ok {
		return 0
	}
	return 1
}
