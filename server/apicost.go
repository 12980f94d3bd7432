package server

import (
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// lensAPI is the kind of lens that shows the energy cost of API calls, from a table of API costs.
const lensAPI = "api"

// apiOf returns the entry for the F-method of a task in the run's API costs. It returns nil if the
// run has no table of API costs, or if the table does not list the F-method.
func apiOf(snap *workspace.Snapshot, task int) *apicost.API {
	costs := snap.Set.Result.Subject.APICosts
	if costs == nil || costs.Bill == nil {
		return nil
	}
	label := snap.Set.Tasks()[task].Callee.Label()
	for i := range costs.Bill.APIs {
		if a := &costs.Bill.APIs[i]; a.Method.Label() == label {
			return a
		}
	}
	return nil
}

// apiFigure describes the API that a place calls, with the number and the cost of its calls there.
func apiFigure(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale())
}

// apiSentence is like apiFigure, and adds the number and the cost of the API's calls in the whole
// run.
func apiSentence(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return "API costs: " + words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale()) +
		"; in the whole run " + words.APICalls("", a.Calls, a.Each.Energy(), a.Energy, snap.Scale())
}
