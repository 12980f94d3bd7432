package words

import (
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// Moved says that a task is called from another callback: "moved from *.onStart to *.onResume". If
// only some calls moved, it adds their energy in the reference. It returns "" if nothing moved.
func Moved(r *analysis.Result, task int, s Scale) string {
	t := &r.Tasks[task]
	var parts []string
	if t.Found == eflask.Moved {
		parts = append(parts, "moved "+callbacks(r, t.Node, t.Peer))
	}
	if len(t.In) > 0 {
		all := units.Energy(0)
		for _, x := range t.In {
			all += x.SubjectEnergy
		}
		moved := "a part moved "
		if all >= t.Energy {
			moved = "moved "
		}
		parts = append(parts, moved+callbacks(r, t.Node, most(t.In).Reference)+", "+s.Energy(sum(t.In))+" in the reference")
	}
	if len(t.Out) > 0 {
		parts = append(parts, "a part of the reference's task moved "+callbacks(r, most(t.Out).Subject, t.Peer)+", "+s.Energy(sum(t.Out))+" in the reference")
	}
	if e := t.Inside; e > 0 {
		parts = append(parts, "moved calls inside it use "+s.Energy(e)+" in the reference")
	} else if e < 0 {
		parts = append(parts, "calls that moved away use "+s.Energy(-e)+" of the reference's task")
	}
	return strings.Join(parts, "; ")
}

// callbacks names where a call moved from, and where to.
func callbacks(r *analysis.Result, v, w int32) string {
	here, there := eflask.Callbacks(r.Subject.Tree, r.Reference.Tree, v, w)
	labels := r.Subject.Tree.Labels
	if here == there {
		return "to another call of " + labels.Method(here).Short()
	}
	return "from " + labels.Method(there).Short() + " to " + labels.Method(here).Short()
}

// most returns the shift (a group of moved calls) with the most energy.
func most(shifts []eflask.Shift) eflask.Shift {
	best := shifts[0]
	for _, s := range shifts[1:] {
		if s.Energy > best.Energy {
			best = s
		}
	}
	return best
}

// sum returns the total energy of shifts.
func sum(shifts []eflask.Shift) units.Energy {
	all := units.Energy(0)
	for _, s := range shifts {
		all += s.Energy
	}
	return all
}
