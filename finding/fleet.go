package finding

import (
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// A Suspicion tests a fleet's claim about the subject's app on two runs of the app. For example,
// measurements on many users' devices may show that the app uses too much battery.
//
// It says whether the two runs confirm the claim, and which tasks may be the cause. It changes no
// energy.
type Suspicion struct {
	Claim *claim.Claim
	// Components may cause the app's excess. For example, "gps" is listed if the excess is largest
	// while location is on.
	Components []string
	// Battery is the energy of a full battery. 0 means unknown.
	Battery units.Energy
	// Fleet is the additional power of the app in the fleet. Runs is the additional power of the
	// subject over the reference. Each is valid only if its Known field is true.
	Fleet, Runs PowerRange
	Agreement   Agreement
	// suspects maps nodes of the subject's tree to suspect tasks.
	suspects map[int32]Suspect
}

// A PowerRange is a power with its bounds. The bounds are valid only if Bounded is true.
type PowerRange struct {
	Known, Bounded     bool
	Power, Least, Most units.Power
}

// An Agreement says whether two runs show the excess that a fleet measured.
type Agreement string

// The agreements. Those from NoFigure on are reasons why the agreement is unknown.
const (
	Agrees        Agreement = "agrees"
	ShowsMore     Agreement = "more"
	ShowsLess     Agreement = "less"
	NoFigure      Agreement = "no-figure"      // the fleet has no figure of the app
	NoBattery     Agreement = "no-battery"     // the energy of a full battery is unknown
	NoDuration    Agreement = "no-duration"    // the length of a run is unknown
	TooShort      Agreement = "too-short"      // a run is shorter than minRunTime
	NoEnergy      Agreement = "no-energy"      // a run states no energy
	TooNoisy      Agreement = "too-noisy"      // the variation between repeated runs is too large
	NoSuchAccount Agreement = "no-component"   // the runs have no account of the components
	ProcessorOnly Agreement = "processor-only" // the runs have processor energy only, and show less
)

// minRunTime is the length of the shortest run whose power is compared with a fleet's. Fleets
// measure over minutes.
const minRunTime = 5 * time.Second

// Known reports whether the agreement is known.
func (a Agreement) Known() bool { return a == Agrees || a == ShowsMore || a == ShowsLess }

// A Suspect says why a task may be the cause of a fleet's claim. Either the task has energy of a
// component, or it calls a method that uses the component.
type Suspect struct {
	Component string
	// Energy is the component's energy in the task without inner tasks. It is valid only if Charged
	// is true. Charged is false if the run has no energy by component.
	Energy  units.Energy
	Charged bool
	// Method is a callee of the task that uses the component. It is set only if Charged is false.
	Method string
}

// Suspect returns the reason why a task is suspect.
func (s *Suspicion) Suspect(t *eflask.Task) (Suspect, bool) {
	if s == nil {
		return Suspect{}, false
	}
	suspect, ok := s.suspects[t.Node]
	return suspect, ok
}

// Suspect reports whether a task of a set is suspect.
func (s *Set) Suspect(task int) bool {
	_, is := s.Suspicion.Suspect(&s.Result.Tasks[task])
	return is
}

// SuspectsFirst returns r with the suspect tasks first.
func (s *Suspicion) SuspectsFirst(r *analysis.Result) *analysis.Result {
	if s == nil {
		return r
	}
	out := *r
	out.Tasks = slices.Clone(r.Tasks)
	slices.SortStableFunc(out.Tasks, func(a, b eflask.Task) int {
		_, here := s.Suspect(&a)
		_, there := s.Suspect(&b)
		switch {
		case here == there:
			return 0
		case here:
			return -1
		}
		return 1
	})
	return &out
}

// Len returns the number of suspect tasks.
func (s *Suspicion) Len() int { return len(s.suspects) }

// NewSuspicion tests a fleet's claim on a comparison. battery is the charge of a full battery. 0
// means the charge in the power model or the power profile.
func NewSuspicion(r *analysis.Result, c *claim.Claim, battery units.Charge) (*Suspicion, error) {
	s := &Suspicion{Claim: c, Battery: battery.Energy(r.Voltage)}
	if c.Drains() {
		s.Components = c.Components()
	}
	if s.Battery == 0 {
		s.Battery = max(r.Subject.Battery, r.Reference.Battery)
	}
	table, err := trigger.BuiltIn()
	if err != nil {
		return nil, err
	}
	ledger := NewLedger(&r.Subject)
	for _, component := range s.Components {
		if drained(ledger, component) {
			s.addCharged(r, ledger, component)
		} else {
			s.addAsking(r, table, component)
		}
	}
	s.compare(r)
	return s, nil
}

// drained reports whether a component used energy in a run.
func drained(l *Ledger, component string) bool {
	return slices.ContainsFunc(l.Run(), func(c Component) bool { return c.Name == component })
}

// add marks the task at a node as suspect, unless the task is already marked.
func (s *Suspicion) add(node int32, suspect Suspect) {
	if s.suspects == nil {
		s.suspects = map[int32]Suspect{}
	}
	if _, ok := s.suspects[node]; !ok {
		s.suspects[node] = suspect
	}
}

// addCharged adds the tasks that have energy of a component outside their inner tasks.
func (s *Suspicion) addCharged(r *analysis.Result, l *Ledger, component string) {
	own := make([]units.Energy, len(r.Tasks))
	outer := Outer(r)
	for i := range r.Tasks {
		for _, c := range l.Node(&r.Subject.Tree.Measures, r.Tasks[i].Node) {
			if c.Name == component {
				own[i] += c.Energy()
				if outer[i] >= 0 {
					own[outer[i]] -= c.Energy()
				}
			}
		}
	}
	for i, e := range own {
		if e > 0 {
			s.add(r.Tasks[i].Node, Suspect{Component: component, Energy: e, Charged: true})
		}
	}
}

// addAsking adds the tasks that make a call that uses a component. Calls of inner tasks do not
// count.
func (s *Suspicion) addAsking(r *analysis.Result, table *trigger.Table, component string) {
	tree := r.Subject.Tree
	asks := make([]*trigger.Trigger, len(tree.Source.Methods))
	for m, method := range tree.Source.Methods {
		t := table.Find(method)
		if t != nil && (t.Component == component || t.Component == "network" && (component == "cellular" || component == "wifi")) {
			asks[m] = t
		}
	}
	in := make([]int32, len(tree.Nodes)) // the innermost task at or above each node
	task := make(map[int32]bool, len(r.Tasks))
	for i := range r.Tasks {
		task[r.Tasks[i].Node] = true
	}
	for v := range tree.Nodes {
		in[v] = -1
		if task[int32(v)] {
			in[v] = int32(v)
		} else if parent := tree.Nodes[v].Parent; parent >= 0 {
			in[v] = in[parent]
		}
		if in[v] < 0 {
			continue
		}
		for _, o := range tree.Originals(int32(v)) {
			if m := tree.Source.Nodes[o].Method; m >= 0 && asks[m] != nil {
				s.add(in[v], Suspect{Component: component, Method: asks[m].Method})
			}
		}
	}
}

// compare compares the fleet's claim with the power of the runs.
func (s *Suspicion) compare(r *analysis.Result) {
	worst := s.Claim.Worst()
	power := func(percent float64) units.Power {
		// One microwatt is one nanojoule per millisecond.
		return units.Power(percent / 100 * float64(s.Battery) / 1000)
	}
	if s.Battery > 0 {
		s.Fleet = PowerRange{Known: true, Bounded: true, Power: power(worst.Excess), Least: power(worst.Least()), Most: power(worst.Most())}
	}
	s.Runs = excessPower(r)
	s.Agreement = s.agreement(r)
}

func (s *Suspicion) agreement(r *analysis.Result) Agreement {
	worst := s.Claim.Worst()
	switch {
	case worst.Excess == 0 || worst.Half != worst.Half: // Half is NaN
		return NoFigure
	case s.Battery == 0:
		return NoBattery
	case r.Subject.Trace.Unstated || r.Reference.Trace.Unstated || r.Subject.Energy == 0 || r.Reference.Energy == 0:
		return NoEnergy
	case !s.Runs.Known:
		return NoDuration
	}
	if r.Subject.Trace.Elapsed < minRunTime || r.Reference.Trace.Elapsed < minRunTime {
		return TooShort
	}
	least, most := s.Runs.Power, s.Runs.Power
	if s.Runs.Bounded {
		least, most = s.Runs.Least, s.Runs.Most
	}
	here, there := NewLedger(&r.Subject), NewLedger(&r.Reference)
	switch {
	case least > s.Fleet.Most:
		return ShowsMore
	case s.Runs.Bounded && least <= 0 && most >= s.Fleet.Least:
		return TooNoisy
	case most >= s.Fleet.Least:
		return Agrees
	case !here.HasComponents() || !there.HasComponents():
		return ProcessorOnly
	case slices.ContainsFunc(s.Components, func(c string) bool { return !drained(here, c) }):
		return NoSuchAccount
	}
	return ShowsLess
}

// excessPower returns the subject's additional power over the reference, with bounds from the
// variation between repeated runs.
func excessPower(r *analysis.Result) PowerRange {
	subject, reference := powers(&r.Subject), powers(&r.Reference)
	if subject == nil || reference == nil {
		return PowerRange{}
	}
	mean := func(all []float64) (sum float64) {
		for _, p := range all {
			sum += p / float64(len(all))
		}
		return sum
	}
	found := PowerRange{Known: true, Power: units.Power(mean(subject) - mean(reference))}
	if min(len(subject), len(reference)) >= repeats.LeastRuns {
		i := repeats.Judge([]repeats.Pair{{Subject: subject, Reference: reference}}).Tasks[0].Interval
		found.Bounded, found.Least, found.Most = true, units.Power(i.Least), units.Power(i.Most)
	}
	return found
}

// powers returns the power of each run of an input in microwatts, before scaling. It is nil if the
// length of a run is unknown.
func powers(in *analysis.Input) []float64 {
	all := in.Runs
	if len(all) == 0 {
		all = []analysis.Run{{Energy: in.Energy, Scale: in.Scale, Elapsed: in.Trace.Elapsed}}
	}
	var found []float64
	for _, run := range all {
		if run.Elapsed <= 0 {
			return nil
		}
		found = append(found, float64(run.Energy)/run.Scale.Factor()/(float64(run.Elapsed)/1e6))
	}
	return found
}

// Apps returns the names that a fleet may use for a run's app: the names of its processes, and its
// own packages with their parent packages.
func Apps(in *analysis.Input) []string {
	var all []string
	add := func(name string) {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for id := range in.Trace.Threads {
		if in.Trace.Threads[id].Events > 0 && len(in.Trace.Processes) > 0 {
			// A service in its own process is named like com.example.app:sync.
			process, _, _ := strings.Cut(in.Trace.Processes[in.Trace.Threads[id].Process].Name, ":")
			add(process)
		}
	}
	for _, p := range in.Own.Packages {
		for strings.Contains(p, ".") {
			add(p)
			p = p[:strings.LastIndexByte(p, '.')]
		}
	}
	return all
}
