package words

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
)

// CodeKind names the kind of a row of app code.
func CodeKind(row *appcode.Row) string {
	switch {
	case row.Kind == appcode.Callback:
		return "callback"
	case row.Method.IsSlice():
		return "slice"
	}
	return "method"
}

// CodeMatch states how the counterpart of app code was found. It returns "" for the same method.
func CodeMatch(m appcode.Match) string {
	switch m {
	case appcode.Signature:
		return "with other parameters"
	case appcode.Moved:
		return "the same name in another class"
	case appcode.Tasks:
		return "a callback with at least half of its tasks in common"
	case appcode.Alike:
		return "under another name, with the same structure"
	}
	return ""
}

// The names of the parts of a run's energy outside of tasks.
const (
	OutsideAppCode  = "the app's own code"
	OutsideRecorder = "recording the run"
	OutsideWaiting  = "waiting"
	OutsideToplevel = "outside of any method"
)

// OutsideSystem names the part that the system uses. If untold is set, the app's own code is unknown
// and is included in this part.
func OutsideSystem(untold bool) string {
	if untold {
		return "code of unknown owner"
	}
	return "the system's own work"
}

// AppCode compares the energy of a piece of the app's own code in both runs, without callees. For a
// callback, it also names the method that uses the most.
func AppCode(r *analysis.Result, row int, s Scale) string {
	c := &r.AppCode.Rows[row]
	text := c.Method.Short() + " itself"
	_, reference := sideNames(r)
	if c.Peer == nil {
		text += fmt.Sprintf(" uses %s (%s of the run)", s.Energy(c.Energy), Share(c.Energy, r.Subject.Energy))
		if n := Times(r.Subject.Trace.Calls, c.Calls); n != "" {
			text += ", " + n
		}
	} else {
		text += fmt.Sprintf(": %s here, %s in %s", measuredOrNone(&r.Subject, c.Energy, s), measuredOrNone(&r.Reference, c.Peer.Energy, s), reference)
		text += compared(c.Energy, c.Peer.Energy)
	}
	if method, own := finding.RowMethod(r, c); c.Kind == appcode.Callback && own > 0 {
		text += fmt.Sprintf(", most in %s, %s", method.Short(), s.Energy(own))
	}
	switch {
	case c.Peer != nil:
	case r.AppCode.OneApp && r.Reference.Trace.Calls == trace.CountedCalls:
		text += "; " + reference + " does not call it"
	case r.AppCode.OneApp:
		// A call may end between two samples, and a compiler may have inlined it.
		text += "; " + reference + " does not show it"
	default:
		text += "; no counterpart found in " + reference
	}
	return text
}
