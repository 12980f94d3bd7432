package bundle

import (
	"testing"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
)

// TestScripts checks the timeline of a script. It has the first ramp and the work, but no later ramps.
// Operations keep their duration.
func TestScripts(t *testing.T) {
	var s script
	s.begin()
	s.work(model.Ramp, 5)
	s.work(model.Productive, 0)
	s.work(model.Ramp, 2)
	if s.now != 7 || s.ramp != 7 || s.worked {
		t.Errorf("after the ramps: %+v", s)
	}
	s.add(machine.Operation{Verb: trace.OpSend, Begin: 100, End: 130, Owner: 3}, 100)
	s.work(model.Productive, 10)
	s.work(model.Ramp, 100)
	s.add(machine.Operation{Verb: trace.OpOpen, Begin: 200, End: -1, Owner: 3}, 200)
	s.add(machine.Operation{Verb: trace.OpSend, Begin: 200, End: 150, Owner: 3}, 200)
	if s.now != 17 || s.ramp != 7 || !s.worked || s.more {
		t.Errorf("after the work: %+v", s)
	}
	for i, want := range [][2]int64{{7, 37}, {17, -1}, {17, 17}} {
		if o := s.operations[i]; o.Begin != want[0] || o.End != want[1] || o.Owner != machine.NoOwner {
			t.Errorf("operation %d is %+v, want it from %d to %d", i, o, want[0], want[1])
		}
	}
	for len(s.operations) < maxReplayed {
		s.operations = append(s.operations, machine.Operation{})
	}
	s.add(machine.Operation{}, 0)
	if !s.more || len(s.operations) != maxReplayed {
		t.Errorf("%d operations, more %v", len(s.operations), s.more)
	}
	if s.begin(); len(s.operations) != 0 || s.more || s.now != 0 {
		t.Errorf("a new script is %+v", s)
	}
}
