package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Bundles are the active periods of a run's components (eprof, Section 8).
type Bundles struct {
	// Energy is the sum over List. Measured energy is divided by scaling a component's modelled
	// energy with one factor.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// List is sorted by energy, the largest first.
	List []Bundle `json:"list"`
	// Findings are about wasted energy, sorted by saving.
	Findings []Waste `json:"findings"`
	// Unseen counts the tails and the holds (times kept on) that were too many to list.
	Unseen int64 `json:"unseen"`
}

// A Bundle is one active period of a component, or several periods with the same calls. Times are
// in nanoseconds. Begin and End count from the beginning of the trace.
type Bundle struct {
	Component string `json:"component"`
	Count     int64  `json:"count"`
	// Begin and End are the times of the first period. Time is the total duration of all periods.
	Begin   int64        `json:"beginNS"`
	End     int64        `json:"endNS"`
	Time    int64        `json:"timeNS"`
	Longest int64        `json:"longestNS"`
	Energy  units.Energy `json:"energyNJ"`
	Share   float64      `json:"share"`
	Use     units.Energy `json:"useNJ"`
	Tail    units.Energy `json:"tailNJ"`
	// Waits counts the tails that a further operation cut short. Waited is their total duration.
	Waits  int64 `json:"waits"`
	Waited int64 `json:"waitedNS"`
	// Rests counts the periods that began from idle.
	Rests        int64 `json:"rests"`
	ShortestRest int64 `json:"shortestRestNS"`
	LongestRest  int64 `json:"longestRestNS"`
	// BatchedEnergy is what the operations would use in one batch. It is nil if unknown.
	BatchedEnergy *units.Energy `json:"togetherNJ"`
	// Others is set for an entry that sums up different bundles, because there were too many.
	Others bool `json:"others"`
	// CountReason and LengthReason explain why there are many periods, and why they are long. They
	// may be empty.
	CountReason  string        `json:"whyMany"`
	LengthReason string        `json:"whyLong"`
	States       []BundleState `json:"states"`
}

// A BundleState is one power state of the component. States have the order of the power model.
type BundleState struct {
	Name string `json:"name"`
	// Kind is "ramp", "productive", "tail" or "on".
	Kind   string       `json:"kind"`
	Visits int64        `json:"visits"`
	Time   int64        `json:"timeNS"`
	Energy units.Energy `json:"energyNJ"`
	// Drivers are the calls that caused the state or pay for its energy, sorted by energy.
	Drivers []BundleDriver `json:"drivers"`
	// Routines are the methods that ran longest while the component was in the state.
	Routines []BundleRoutine `json:"routines"`
}

// A BundleDriver is a call that used the component.
type BundleDriver struct {
	// Path is the call path, outermost first, or empty if unknown. Method is the innermost app
	// method on the path.
	Path       []string     `json:"path"`
	Method     string       `json:"method"`
	Operations int64        `json:"operations"`
	Bytes      int64        `json:"bytes"`
	Verbs      []string     `json:"verbs"`
	Energy     units.Energy `json:"energyNJ"`
}

// A BundleRoutine is a method and the time that it ran.
type BundleRoutine struct {
	Method string `json:"method"`
	Time   int64  `json:"timeNS"`
}

// A Waste is energy that a component used without need.
type Waste struct {
	ID string `json:"id"`
	// Code is "held-wakelock", "left-on", "avoidable-tail" or "io-per-iteration".
	Code      string `json:"code"`
	Component string `json:"component"`
	// Caveat weakens the finding. "unfinished": the use lasted until the recording ended. "model":
	// it depends on assumed figures of the power model. Without a caveat, it counts as a failure.
	Caveat string `json:"caveat"`
	// Method is the app method to look at. Path is its call path, outermost first.
	Method string       `json:"method"`
	Path   []string     `json:"path"`
	Energy units.Energy `json:"energyNJ"`
	// Saving is the most that could be saved.
	Saving      units.Energy `json:"savingNJ"`
	SavingShare float64      `json:"savingShare"`
	// Bundles are indices into Bundles.List, sorted by saving. It is empty for a component that was
	// never switched off. Bundle is the first index, or nil.
	Bundle  *int   `json:"bundle"`
	Bundles []int  `json:"bundles"`
	Message string `json:"message"`
}

// NewBundles describes the bundles of a run, or returns nil if it has none. It adds their methods
// to the parameter methods.
func NewBundles(in *analysis.Input, methods Methods) *Bundles {
	if in.Bundles == nil {
		return nil
	}
	m := bundler{in, methods, in.Tree.Source.Methods}
	b := &Bundles{List: []Bundle{}, Findings: []Waste{}, Unseen: in.Bundles.Unseen}
	order := make([]int, len(in.Bundles.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(in.Bundles.List[y].Energy, in.Bundles.List[x].Energy) })
	place := make([]int, len(order))
	for at, i := range order {
		place[i] = at
		b.List = append(b.List, m.bundle(i))
		b.Energy += in.Bundles.List[i].Energy
	}
	b.Share = units.Share(b.Energy, in.Energy)
	for _, w := range finding.Wastes(in) {
		b.Findings = append(b.Findings, m.waste(&w, place))
	}
	return b
}

// A bundler makes the Bundles of a run.
type bundler struct {
	in    *analysis.Input
	named Methods
	all   []name.Method
}

func (m bundler) bundle(i int) Bundle {
	b := &m.in.Bundles.List[i]
	out := Bundle{
		Component: b.Component, Count: b.Count, Begin: b.Begin, End: b.End, Time: int64(b.Time), Longest: int64(b.Longest),
		Energy: b.Energy, Share: units.Share(b.Energy, m.in.Energy), Use: b.Use, Tail: b.Tail, Waits: b.Waits, Waited: int64(b.Waited),
		Rests: b.Rests, ShortestRest: int64(b.ShortestRest), LongestRest: int64(b.LongestRest), Others: b.Others, States: []BundleState{},
	}
	if b.Replayed {
		out.BatchedEnergy = &b.Drafted
	}
	var ran []string
	for at, s := range b.States {
		state := BundleState{Name: s.Name, Kind: s.Kind.String(), Visits: s.Visits, Time: int64(s.Time), Energy: s.Energy, Drivers: []BundleDriver{}, Routines: []BundleRoutine{}}
		for _, d := range s.Drivers {
			path, method := m.path(d.Context)
			verbs := []string{}
			for _, v := range d.Verbs {
				verbs = append(verbs, v.String())
			}
			state.Drivers = append(state.Drivers, BundleDriver{path, method, d.Operations, d.Bytes, verbs, d.Energy})
		}
		for _, r := range m.in.Bundles.Ran[i][at] {
			m.named.add(m.all[r.Method])
			state.Routines = append(state.Routines, BundleRoutine{m.all[r.Method].Label(), int64(r.Time)})
			ran = append(ran, m.all[r.Method].Short())
		}
		out.States = append(out.States, state)
	}
	out.CountReason, out.LengthReason = words.CountReason(b), words.LengthReason(b, ran)
	return out
}

// path returns the labels of a call path, and the label of the innermost app method on it.
func (m bundler) path(c bundle.Context) (path []string, method string) {
	path = []string{}
	own := -1
	for i, id := range m.in.Bundles.Paths[c] {
		m.named.add(m.all[id])
		path = append(path, m.all[id].Label())
		if m.in.Own.Is(trace.MethodID(id)) {
			own = i
		}
	}
	if own < 0 {
		own = len(path) - 1
	}
	if own >= 0 {
		method = path[own]
	}
	return path, method
}

func (m bundler) waste(w *finding.Waste, place []int) Waste {
	out := Waste{
		ID: w.ID, Code: string(w.Code), Component: w.Component, Caveat: string(w.Caveat), Path: []string{}, Bundles: []int{}, Energy: w.Energy,
		Saving: w.Saving.Most, SavingShare: units.Share(w.Saving.Most, m.in.Energy), Message: words.Waste(w, m.in),
	}
	for _, method := range w.Path {
		m.named.add(method)
		out.Path = append(out.Path, method.Label())
	}
	if len(w.Path) > 0 {
		out.Method = w.Method.Label()
	}
	for n, i := range w.Bundles {
		if n == 0 {
			out.Bundle = &place[i]
		}
		out.Bundles = append(out.Bundles, place[i])
	}
	return out
}
