package server

import (
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// lensAPI is the kind of lens that shows the energy cost of API calls, from a table of API costs.
const lensAPI = "api"

// apiOf looks up the framework method that a task calls in the run's table of API costs. It returns
// nil if there is no table, or no entry for the method.
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

// apiFigure returns a lens text: the API called at a place, the number of calls, and their cost. It
// returns "" if the API has no known cost.
func apiFigure(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale())
}

// apiSentence returns the sentence for the hover. It also has the API's total for the whole run.
func apiSentence(snap *workspace.Snapshot, part *place.Part) string {
	a := apiOf(snap, part.Task)
	if a == nil {
		return ""
	}
	return "API costs: " + words.APICalls(a.Method.Short(), part.Calls, a.Each.Energy(), a.Each.Times(part.Calls).Energy(), snap.Scale()) +
		"; in the whole run " + words.APICalls("", a.Calls, a.Each.Energy(), a.Energy, snap.Scale())
}
