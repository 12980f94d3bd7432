package model

import (
	"path"
	"slices"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// places has the positions of a component's parts in the model file.
type places struct{ states, transitions, work []table.Value }

// check reports errors in the combination of a component's parts. Each part is already known to be
// valid. It moves the base state to the front.
func (c *Component) check(v table.Value, at places) {
	base := c.checkStates(v, at.states)
	if base < 0 {
		return
	}
	before := v.Problems()
	c.checkTransitions(at)
	if v.Problems() == before {
		c.checkPaths(base, at)
	}
	c.checkWork(at.work)
	c.checkTails(at.states)
	c.baseFirst(base)
}

// checkTails reports tails with a greater power than any state in which the component works.
func (c *Component) checkTails(at []table.Value) {
	most, working := units.Power(0), ""
	for _, s := range c.States {
		if p := max(s.Power, s.Powers.Most) + 100*s.PerLevel; (s.Kind == Productive || s.Kind == On) && (working == "" || p > most) {
			most, working = p, s.Name
		}
	}
	for i, s := range c.States {
		if s.Kind == Tail && working != "" && s.Power > most {
			at[i].Fail("the tail draws more than the component at work (%s); one of the two is wrong", working)
		}
	}
}

// checkStates returns the index of the base state. It returns -1 if there is no base state, or
// several.
func (c *Component) checkStates(v table.Value, at []table.Value) int {
	base := -1
	for i, s := range c.States {
		switch {
		case s.Kind != Base:
		case base >= 0:
			at[i].Fail("the component has two base states, %s on line %d is the other", c.States[base].Name, at[base].Line())
			return -1
		default:
			base = i
		}
	}
	if base < 0 {
		v.Fail("the component has no base state: add the idle state, with kind: base")
	}
	return base
}

// checkTransitions reports transitions that can never be taken, and transitions whose kind does not
// fit their state. It also reports states that never end.
func (c *Component) checkTransitions(at places) {
	// ends reports for each state whether it ends without an operation.
	ends := make([]bool, len(c.States))
	// first maps a state and a cause to the first transition with this cause. A cause is an
	// operation, a timeout, or that no operation is active.
	type cause struct {
		from int
		verb trace.Verb
		kind string
	}
	first := map[cause]int{}
	for i, t := range c.Transitions {
		from, v := c.States[t.From], at.transitions[i]
		causes := []cause{{from: t.From, kind: "after"}}
		switch {
		case len(t.On) > 0:
			causes = nil
			for _, verb := range t.On {
				causes = append(causes, cause{t.From, verb, "on"})
			}
		case t.Idle:
			causes[0].kind = "idle"
			if from.Kind != Productive && from.Kind != On {
				v.Fail("nothing is active in a %s state; give it a transition after a time", from.Kind)
			}
		case from.Kind == Base:
			v.Fail("only an operation ends the base state")
		case from.Kind == On:
			v.Fail("a state that is on lasts until everything is released; give it a transition with when: idle")
		}
		ends[t.From] = ends[t.From] || len(t.On) == 0
		for _, cause := range causes {
			before, taken := first[cause]
			switch {
			case !taken:
				first[cause] = i
			case cause.kind != "on":
				v.Fail("%s already ends by the transition on line %d", from.Name, at.transitions[before].Line())
			case c.Transitions[before].MinBytes <= t.MinBytes:
				v.Fail("it is never taken on %s, because the transition on line %d comes first", cause.verb, at.transitions[before].Line())
			}
		}
	}
	for i, s := range c.States {
		if s.Kind != Base && !ends[i] {
			at.states[i].Fail("nothing ends the state: it needs a transition after a time or, if it is productive or on, when: idle")
		}
	}
}

// checkPaths reports states that the component cannot reach from the base state, and cycles of
// transitions without operations.
func (c *Component) checkPaths(base int, at places) {
	reached := make([]bool, len(c.States))
	reached[base] = true
	for open := []int{base}; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		for _, t := range c.Transitions {
			if t.From == s && !reached[t.To] {
				reached[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	for i := range c.States {
		if !reached[i] {
			at.states[i].Fail("the state cannot be reached: no transitions lead to it from %s", c.States[base].Name)
		}
	}
	// The loop follows the transitions that need no operation, from each state. A state has at most
	// two such transitions. A path without a cycle has at most as many steps as there are states.
	for i, t := range c.Transitions {
		if len(t.On) == 0 && c.returns(t.To, t.From) {
			at.transitions[i].Fail("the transitions repeat a cycle of states from %s without an operation", c.States[t.From].Name)
			return
		}
	}
}

// returns reports whether a component can get from one state to another without an operation.
func (c *Component) returns(from, to int) bool {
	seen := make([]bool, len(c.States))
	seen[from] = true
	for open := []int{from}; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if s == to {
			return true
		}
		for _, t := range c.Transitions {
			if t.From == s && len(t.On) == 0 && !seen[t.To] {
				seen[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	return false
}

// checkWork reports entries of Work whose operations have no transition, and several entries for
// one operation.
func (c *Component) checkWork(at []table.Value) {
	var seen []trace.Verb
	for i, w := range c.Work {
		if len(w.On) == 0 {
			at[i].Fail("no operation does the work: give some, such as on: [send, receive]")
		}
		for _, verb := range w.On {
			switch {
			case slices.Contains(seen, verb):
				at[i].Fail("the work of %s is given twice", verb)
			case !c.Uses(verb):
				at[i].Fail("no transition is taken on %s", verb)
			case w.Latency > 0 && (verb == trace.OpReceive || verb == trace.OpRead):
				at[i].Fail("a %s has no latency: it waits for its data before the work begins", verb)
			}
			seen = append(seen, verb)
		}
	}
}

// baseFirst moves the base state to the front.
func (c *Component) baseFirst(base int) {
	s := c.States[base]
	copy(c.States[1:base+1], c.States[:base])
	c.States[0] = s
	moved := func(i int) int {
		switch {
		case i == base:
			return 0
		case i < base:
			return i + 1
		}
		return i
	}
	for i := range c.Transitions {
		t := &c.Transitions[i]
		t.From, t.To = moved(t.From), moved(t.To)
	}
}

// isPattern reports whether path.Match accepts a pattern.
func isPattern(text string) bool {
	_, err := path.Match(text, "")
	return err == nil
}
