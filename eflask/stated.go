package eflask

// This file sets the likelihoods that reports state. The matching does not depend on them.

// differentMethods is the largest likelihood that is stated for two different methods that the matching
// does not pair. The fit has 27 such pairs of two apps. Judges found one of them right.
const differentMethods = 0.5

// otherCallers and otherCallersOfLeaf are likelihoods for tasks of one method in sampled runs of one
// app, if no method of the app calls that method in both runs. otherCallersOfLeaf is for methods
// that call nothing. go run ./tools/truth -weights fits them to pairs that a person judged.
const (
	otherCallers       = 0.38
	otherCallersOfLeaf = 0.15
)

// OtherCallers returns the likelihood that is stated for tasks of one method in sampled runs of one
// app, if no method of the app calls it in both runs. leaf means that neither task calls anything.
func OtherCallers(leaf bool) float64 {
	if leaf {
		return otherCallersOfLeaf
	}
	return otherCallers
}

// state corrects the likelihoods that reports state. It lowers the likelihoods of pairs that people
// judged right less often than generated runs suggest. It is called after all tasks are paired.
func (t *trust) state() {
	switch {
	case t.unlike(): // The likelihood was fitted to judged pairs.
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

// different reports whether two methods differ by more than their parameters, and the matching has no
// evidence for them.
func (c *Counterpart) different() bool {
	return c.Found == Likeness && c.Evidence.Name < overload
}

// carriedTwice reports whether both the callees and the other calls in the callbacks carry a pair. The
// judged pairs of different methods between similar apps have at most a tenth of the other calls in common,
// and all of them are wrong.
func (e *Evidence) carriedTwice() bool {
	return e.strong() && e.Below >= carried && e.Around >= carried
}

// doubt excludes a pair from the matched pairs and limits its stated likelihood. Reports then show it
// as perhaps.
func (e *Evidence) doubt() { e.Stated, e.Doubted = min(e.Says(), differentMethods), true }

// sampled reports whether the runs share many of the app's methods, and a run does not count calls. Such
// a run shows only some of the callers of a method.
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

// stateCallers lowers the likelihood of two tasks in runs of one app whose callers differ. Tasks of
// one method count as matched all the same, because a task is the sum over all callers.
func (t *trust) stateCallers(i, j int32) {
	switch e := &t.found[i].Evidence; {
	case t.found[i].different():
		e.doubt()
	case e.Likelihood != Unknown:
		e.Stated, e.OtherCallers = min(e.Says(), OtherCallers(t.subject.leaf[i] && t.reference.leaf[j])), true
	}
}
