package eflask

import (
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestOtherCallersLowerTheStatedLikelihood checks sampled runs of one app: tasks without a common
// caller are less likely than tasks with one. They still count as matched, unless their methods
// differ.
func TestOtherCallersLowerTheStatedLikelihood(t *testing.T) {
	const rest = " android/L(app/Rest.run(android/S.append android/S.close) app/Rest.call(android/S.append android/S.size)" +
		" app/Rest.load(android/S.append android/S.find))"
	for _, c := range []struct {
		name, subject, reference string
		counted                  bool
		stated                   float64 // 0 means the likelihood by the features
		sure                     bool
	}{
		{"one caller", "app/Alpha.one(android/Q.ask)", "app/Alpha.one(android/Q.ask)", false, 0, true},
		{"other callers of a leaf", "app/Alpha.one(android/Q.ask)", "app/Beta.two(android/Q.ask)", false, otherCallersOfLeaf, true},
		{"other callers", "app/Alpha.one(android/Q.ask(android/X.line))", "app/Beta.two(android/Q.ask(android/X.line))", false, otherCallers, true},
		{"a shared caller among others", "app/Alpha.one(android/Q.ask) app/Beta.two(android/Q.ask)", "app/Beta.two(android/Q.ask) app/Gamma.three(android/Q.ask)", false, 0, true},
		{"other callers in runs with counted calls", "app/Alpha.one(android/Q.ask)", "app/Beta.two(android/Q.ask)", true, 0, true},
		{"a caller without a telling name", "app/Alpha.one(android/Q.ask)", "app/a.a(android/Q.ask)", false, 0, true},
		{"different methods with one caller", "app/Alpha.one(android/V.setTextNow(android/V.setText(android/X.line)))", "app/Alpha.one(android/V.setText)", false, 0, true},
		{"different methods with other callers", "app/Alpha.one(android/V.setTextNow(android/V.setText(android/X.line)))", "app/Beta.two(android/V.setText)", false, differentMethods, false},
	} {
		s, r := apps("android/L(app/Main.run("+c.subject+"))"+rest, "android/L(app/Main.run("+c.reference+"))"+rest)
		if c.counted {
			s.Source.Counted, r.Source.Counted = trace.CountedCalls, trace.CountedCalls
		}
		found := false
		for _, p := range Counterparts(s, r, match(t, s, r, 0, Options{}), false) {
			if f := s.Labels.Method(s.Nodes[p.Subject].Label).Name; f != "ask" && f != "setTextNow" {
				continue
			}
			found = true
			if p.Evidence.Stated != c.stated || p.Evidence.Sure() != c.sure {
				t.Errorf("%s: stated %v, sure %v; want %v, %v; %+v", c.name, p.Evidence.Stated, p.Evidence.Sure(), c.stated, c.sure, p)
			}
		}
		if !found {
			t.Errorf("%s: no counterpart", c.name)
		}
	}
}
