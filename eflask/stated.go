package eflask

// This file sets Evidence.Stated, the likelihood that users see. The matching does not depend on
// it.

// differentMethods limits the stated likelihood of two different methods that the matching does not
// pair. The fit has 27 such pairs of two apps. People judged one of them to be right.
const differentMethods = 0.5

// Stated likelihoods of two tasks with the same method but no common caller in the app, in sampled
// runs of one app. otherCallersOfLeaf is for methods that call nothing. go run ./tools/truth
// -weights fits them to pairs that a person judged.
const (
	otherCallers       = 0.38
	otherCallersOfLeaf = 0.15
)

// OtherCallers returns the stated likelihood of two tasks with the same method but no common caller
// in the app, in sampled runs of one app. leaf is true if neither task calls anything.
func OtherCallers(leaf bool) float64 {
	if leaf {
		return otherCallersOfLeaf
	}
	return otherCallers
}

// state sets the stated likelihoods, after all tasks are paired. It lowers those of pairs that
// people judged to be right less often than generated runs suggest.
func (t *trust) state() {
	switch {
	case t.unlike(): // Likelihood was already fitted to judged pairs
	case t.similar():
		for i, j := range t.subject.peer {
			if c := &t.found[i]; j >= 0 && c.different() && !c.Evidence.carriedTwice() {
				c.Evidence.doubt()
			}
		}
	case t.sampled():
		for i, j := range t.subject.peer {
			if j >= 0 && t.callersDiffer(int32(i), j) {
				t.stateCallers(int32(i), j)
			}
		}
	}
}

// different reports whether a pair has methods that differ in name or class, and the matching does
// not support it.
func (c *Counterpart) different() bool {
	return c.Found == Likeness && c.Evidence.Name < overload
}

// carriedTwice reports whether two kinds of evidence support a pair: the callees, and the other
// calls in the callbacks. Judged pairs of different methods between similar apps have at most a
// tenth of the other calls in common, and all of them are wrong.
func (e *Evidence) carriedTwice() bool {
	return e.strong() && e.Below >= carried && e.Around >= carried
}

// doubt makes a pair a merely possible counterpart: it no longer counts as matched, and its stated
// likelihood is limited.
func (e *Evidence) doubt() { e.Stated, e.Doubted = min(e.Says(), differentMethods), true }

// sampled reports whether the runs share many app methods and at least one does not count calls.
// Such a run shows only some of the callers of a method.
func (t *trust) sampled() bool {
	if BothCount(t.subject.tree, t.reference.tree) {
		return false
	}
	if t.seen == nil {
		t.names = t.number()
	}
	return t.names >= oneApp
}

// callersKnown reports whether both tasks have callers whose names identify them.
func (t *trust) callersKnown(i, j int32) bool {
	_, least := t.countCallers(i, j)
	return least > 0
}

// callersDiffer reports whether the callers of both tasks are known, and no caller is the same.
func (t *trust) callersDiffer(i, j int32) bool {
	both, least := t.countCallers(i, j)
	return both == 0 && least > 0
}

// stateCallers lowers the stated likelihood of two tasks whose callers differ, in sampled runs of
// one app. Tasks of one method still count as matched, because a task is the sum over all callers.
func (t *trust) stateCallers(i, j int32) {
	switch e := &t.found[i].Evidence; {
	case t.found[i].different():
		e.doubt()
	case e.Likelihood != Unknown:
		e.Stated, e.OtherCallers = min(e.Says(), OtherCallers(t.subject.leaf[i] && t.reference.leaf[j])), true
	}
}
