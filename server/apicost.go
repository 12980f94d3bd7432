package server

import (
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// lensAPI is the kind of lens for the cost of a called API, by a table of API costs.
const lensAPI = "api"

// apiOf returns the called API of a task. It returns nil if the run has no table, or if the table
// has no cost for the API.
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

// apiFigure describes the API at a call, with the number of calls and their cost.
func apiFigure(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale())
}

// apiSentence is apiFigure with the calls of the whole run.
func apiSentence(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return "API costs: " + words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale()) +
		"; in the whole run " + words.APICalls("", a.Calls, a.Each.Energy(), a.Energy, snap.Scale())
}
