package eflask

// This file sets Evidence.Stated, the likelihoods for reports. The matching does not depend on
// them.

// differentMethods is the largest stated likelihood of two different methods that the matching does
// not pair. The fit has 27 such pairs of two apps. People judged one of them to be right.
const differentMethods = 0.5

// otherCallers and otherCallersOfLeaf are likelihoods for tasks of one method in sampled runs of
// one app, if no method of the app calls that method in both runs. otherCallersOfLeaf is for
// methods that call nothing. go run ./tools/truth -weights fits them to pairs that a person judged.
const (
	otherCallers       = 0.38
	otherCallersOfLeaf = 0.15
)

// OtherCallers returns the stated likelihood of tasks of one method in sampled runs of one app, if
// no method of the app calls it in both runs. leaf is true if neither task calls anything.
func OtherCallers(leaf bool) float64 {
	if leaf {
		return otherCallersOfLeaf
	}
	return otherCallers
}

// state sets the stated likelihoods. It lowers those of pairs that people judged to be right less
// often than generated runs suggest. It is called after all tasks are paired.
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

// different reports whether a pair has two methods that differ by more than their parameters,
// without evidence from the matching.
func (c *Counterpart) different() bool {
	return c.Found == Likeness && c.Evidence.Name < overload
}

// carriedTwice reports whether both the callees and the other calls in the callbacks are evidence
// for a pair. Judged pairs of different methods between similar apps have at most a tenth of the
// other calls in common, and all of them are wrong.
func (e *Evidence) carriedTwice() bool {
	return e.strong() && e.Below >= carried && e.Around >= carried
}

// doubt removes a pair from the matched pairs and limits its stated likelihood. Reports then show
// it as a possible counterpart.
func (e *Evidence) doubt() { e.Stated, e.Doubted = min(e.Says(), differentMethods), true }

// sampled reports whether the runs have many of the app's methods in common, and at least one run
// does not count calls. Such a run has only some of the callers of a method.
func (t *trust) sampled() bool {
	if BothCount(t.subject.tree, t.reference.tree) {
		return false
	}
	if t.seen == nil {
		t.names = t.number()
	}
	return t.names >= oneApp
}

// callersKnown reports whether callers of both tasks have names that identify them.
func (t *trust) callersKnown(i, j int32) bool {
	_, least := t.countCallers(i, j)
	return least > 0
}

// callersDiffer reports whether the callers of both tasks are known, and no caller is the same.
func (t *trust) callersDiffer(i, j int32) bool {
	both, least := t.countCallers(i, j)
	return both == 0 && least > 0
}

// stateCallers lowers the stated likelihood of two tasks in runs of one app whose callers differ.
// Tasks of one method still count as matched, because a task is the sum over all callers.
func (t *trust) stateCallers(i, j int32) {
	switch e := &t.found[i].Evidence; {
	case t.found[i].different():
		e.doubt()
	case e.Likelihood != Unknown:
		e.Stated, e.OtherCallers = min(e.Says(), OtherCallers(t.subject.leaf[i] && t.reference.leaf[j])), true
	}
}
