package words

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
)

// CodeKind names what a row of app code is about.
func CodeKind(k appcode.Kind) string {
	if k == appcode.Callback {
		return "callback"
	}
	return "method"
}

// CodeMatch says how the counterpart of app code was found; empty for the same method.
func CodeMatch(m appcode.Match) string {
	switch m {
	case appcode.Signature:
		return "with other parameters"
	case appcode.Moved:
		return "the same name in another class"
	case appcode.Tasks:
		return "a callback, half of whose tasks are the same"
	case appcode.Alike:
		return "under another name, of the same shape"
	}
	return ""
}

// The parts of what a run drains outside of tasks, as people read them.
const (
	OutsideAppCode  = "the app's own code"
	OutsideRecorder = "recording the run"
	OutsideWaiting  = "waiting"
	OutsideToplevel = "outside of any method"
)

// OutsideSystem is the part that is neither the app's nor of the others; untold says that
// nothing tells own code.
func OutsideSystem(untold bool) string {
	if untold {
		return "code of no known owner"
	}
	return "the system by itself"
}

// AppCode says in one sentence what the app's own code uses itself, and what it uses in the
// reference. Of a callback it names the method that uses most, with that method's own figure.
func AppCode(r *analysis.Result, row int, s Scale) string {
	c := &r.AppCode.Rows[row]
	said := c.Method.Short() + " itself"
	_, reference := sideNames(r)
	if c.Peer == nil {
		said += fmt.Sprintf(" uses %s (%s of the run)", s.Energy(c.Energy), Share(c.Energy, r.Subject.Energy))
		if n := Times(r.Subject.Trace.Calls, c.Calls); n != "" {
			said += ", " + n
		}
	} else {
		said += fmt.Sprintf(": %s here, %s in %s", s.Energy(c.Energy), s.Energy(c.Peer.Energy), reference)
		if c.Peer.Energy > 0 {
			said += fmt.Sprintf(" (%s)", ratio(float64(c.Energy)/float64(c.Peer.Energy)))
		}
	}
	if method, own := finding.Named(r, c); c.Kind == appcode.Callback && own > 0 {
		said += fmt.Sprintf(", most in %s, %s", method.Short(), s.Energy(own))
	}
	switch {
	case c.Peer != nil:
	case r.AppCode.OneApp:
		said += "; " + reference + " does not call it"
	default:
		said += "; no counterpart found in " + reference
	}
	return said
}
