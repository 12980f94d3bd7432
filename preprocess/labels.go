package preprocess

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// Labels is the table of labels that the trees of a pair share, and γ over it.
// It is built by one goroutine and then safe for concurrent use.
type Labels struct {
	texts   []string
	methods []trace.Method
	ids     map[string]LabelID
	// related lists, for each label, the labels that γ makes equal to it, in
	// ascending order and without itself. Nil for nearly all.
	related map[LabelID][]LabelID
}

// Len is the number of labels; ids run from 0 to Len()-1.
func (l *Labels) Len() int { return len(l.texts) }

// Text returns a label's text, such as *.onClick(Landroid/view/View;)V.
func (l *Labels) Text(id LabelID) string { return l.texts[id] }

// Method returns what a label names. A callback that lost its class has Class "*".
func (l *Labels) Method(id LabelID) trace.Method { return l.methods[id] }

// Related returns the labels that cost nothing to turn into id, without id
// itself: the same method of a superclass or subclass (DiffProf, Section 3.5). The
// relation is symmetric but not transitive. The caller must not change the slice.
func (l *Labels) Related(id LabelID) []LabelID { return l.related[id] }

// Gamma is γ of DiffProf, Section 3.4.3: the cost of turning one label into the
// other, 0 for equal and related labels, else 1.
func (l *Labels) Gamma(a, b LabelID) int {
	if a == b {
		return 0
	}
	for _, r := range l.related[a] {
		if r == b {
			return 0
		}
	}
	return 1
}

// String describes the table for debugging.
func (l *Labels) String() string {
	return fmt.Sprintf("%d labels, %d of them with relatives", len(l.texts), len(l.related))
}
