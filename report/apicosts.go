package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// An APICharge describes how a run got its energy from a table of API costs (joules per call).
type APICharge struct {
	// Table is the file. Rows counts its rows, and Unknown the rows without a cost. Packages are
	// the table's top-level packages, such as "android".
	Table    string   `json:"table"`
	Rows     int      `json:"rows"`
	Unknown  int      `json:"unknownRows"`
	Packages []string `json:"packages"`
	// Compat is the rule for looking up a call in the table, or "" for the default rule.
	Compat string `json:"compat"`
	// Calls counts the app's calls into these packages, over all runs. Costed counts those with a
	// cost, and Guessed those with a guessed cost. Share is Costed divided by Calls. Elsewhere
	// counts the app's calls into other framework packages.
	Calls     int64   `json:"calls"`
	Costed    int64   `json:"costed"`
	Guessed   int64   `json:"guessed"`
	Share     float64 `json:"share"`
	Elsewhere int64   `json:"elsewhere"`
	// Message states these figures in words.
	Message string `json:"message"`
}

func newAPICharge(c *analysis.APICosts) *APICharge {
	if c == nil {
		return nil
	}
	made := &APICharge{
		Table: c.Path, Rows: c.Rows, Unknown: c.Unknown, Packages: append([]string{}, c.Roots...), Compat: c.Compat,
		Calls: c.Calls, Costed: c.Costed, Guessed: c.Guessed, Elsewhere: c.Elsewhere,
		Message: words.APICosts(c.Costed, c.Calls, c.Guessed, c.Packages()),
	}
	if c.Calls > 0 {
		made.Share = float64(c.Costed) / float64(c.Calls)
	}
	return made
}

// An APIBill lists the costs of a run's framework calls, by caller and by callee, as Orka does. The
// energies of Routines and of APIs have the same sum, also for several runs.
type APIBill struct {
	// Routines are the app's methods that make these calls, sorted by average.
	Routines []APIRoutine `json:"routines"`
	// APIs are the called methods, sorted by energy. Missing are the called methods without a cost,
	// sorted by calls.
	APIs    []APICost    `json:"apis"`
	Missing []APIMissing `json:"missing"`
	// Joules is the exact sum of the costs as a decimal number.
	Joules string `json:"joules"`
	// Runs is the number of runs over which all figures are summed.
	Runs int `json:"runs"`
}

// An APIRoutine is an app method that calls framework methods with a cost.
type APIRoutine struct {
	Method string `json:"method"`
	// Calls counts the calls of the method. It is 0 if the only call began before the recording.
	Calls int64 `json:"calls"`
	// Energy is rounded. Joules is the same energy as an exact decimal number.
	Energy units.Energy `json:"energyNJ"`
	Joules string       `json:"joules"`
	// Average is the energy per call of the method. AverageJoules is the same, rounded to a
	// picojoule.
	Average       units.Energy `json:"averageNJ"`
	AverageJoules string       `json:"averageJoules"`
	Share         float64      `json:"share"`
	// Guess is the guessed energy of the calls without a cost. No other field includes it.
	Guess units.Energy `json:"guessNJ"`
}

// An APICost is a called framework method that has a cost.
type APICost struct {
	Method string `json:"method"`
	Calls  int64  `json:"calls"`
	// Each is the cost of a call. EachJoules is the same cost as an exact decimal number.
	Each       units.Energy `json:"eachNJ"`
	EachJoules string       `json:"eachJoules"`
	Energy     units.Energy `json:"energyNJ"`
	Joules     string       `json:"joules"`
	Share      float64      `json:"share"`
}

// An APIMissing is a called framework method that has no cost.
type APIMissing struct {
	Method string `json:"method"`
	// Reason is "not-listed", "other-overload" or "no-cost".
	Reason string `json:"reason"`
	Calls  int64  `json:"calls"`
	// Each is the guessed cost of a call, 0 if there is none. Energy is the guessed energy.
	Each   units.Energy `json:"guessEachNJ"`
	Energy units.Energy `json:"guessNJ"`
}

// newAPIBill returns a run's bill, or nil if it has none. It adds the methods in the bill to
// methods.
func newAPIBill(in *analysis.Input, methods Methods) *APIBill {
	c := in.APICosts
	if c == nil || c.Bill == nil {
		return nil
	}
	made := &APIBill{Routines: []APIRoutine{}, APIs: []APICost{}, Missing: []APIMissing{}, Runs: c.Runs}
	var total units.Energy
	var exact apicost.Amount
	for i := range c.Bill.APIs {
		total += c.Bill.APIs[i].Energy
		exact = exact.Plus(c.Bill.APIs[i].Exact)
	}
	made.Joules = exact.Joules()
	label := func(m name.Method) string {
		methods.add(m)
		return m.Label()
	}
	for _, r := range c.Bill.Routines {
		made.Routines = append(made.Routines, APIRoutine{
			label(r.Method), r.Calls, r.Energy, r.Exact.Joules(), r.Average.Energy(), r.Average.Joules(), units.Share(r.Energy, total), r.Guess,
		})
	}
	for _, a := range c.Bill.APIs {
		made.APIs = append(made.APIs, APICost{
			label(a.Method), a.Calls, a.Each.Energy(), a.Each.Joules(), a.Energy, a.Exact.Joules(), units.Share(a.Energy, total),
		})
	}
	for _, m := range c.Bill.Missing {
		made.Missing = append(made.Missing, APIMissing{label(m.Method), m.Why.String(), m.Calls, m.Each.Energy(), m.Energy})
	}
	return made
}

// An Activity is a use of the phone, such as playing a video, that empties a full battery in a
// known time.
type Activity struct {
	Name string `json:"name"`
	// Hours is the time in which the activity empties a full battery.
	Hours float64 `json:"hours"`
	// Minutes is the time in which the activity uses as much energy as the run.
	Minutes float64 `json:"minutes"`
}

// newActivities sets the Minutes of activities. share is the share of a full battery that the run
// used.
func newActivities(share float64, given []Activity) []Activity {
	var list []Activity
	for _, a := range given {
		a.Minutes = share * a.Hours * 60
		list = append(list, a)
	}
	return list
}
