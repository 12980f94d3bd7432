package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Fleet is a fleet's figures for the subject's app, compared with the two runs.
type Fleet struct {
	App string `json:"app"`
	// Hog says whether the app drains wherever it runs, Bugs on how many devices alone.
	Hog  bool `json:"hog"`
	Bugs int  `json:"clientsWithBugs"`
	// Clients is how many devices ran it.
	Clients int64 `json:"clients"`
	// When are the conditions under which it drains the most; the figures are of those.
	When    []string `json:"when"`
	Excess  float64  `json:"excessPercentPerSecond"`
	Half    float64  `json:"halfIntervalPercentPerSecond"`
	Minutes *float64 `json:"minutesOfCharge"`
	// Like has the apps that the fleet cannot distinguish from it.
	Like []string `json:"cannotBeToldFrom"`
	// Components are those that the conditions are about.
	Components []string `json:"components"`
	// Battery is what a full battery holds, 0 if unknown.
	Battery units.Energy `json:"batteryNJ"`
	// Power is by how much more power the app drains a battery, Recorded how much more the subject
	// draws than the reference; nil where that is not known.
	Power    *ExcessPower `json:"power"`
	Recorded *ExcessPower `json:"recorded"`
	// Agreement is "agrees", "more" or "less", as the runs show it, or says why nothing can be told:
	// "no-figure", "no-battery", "no-duration", "too-short",
	// "no-energy", "too-noisy", "no-component" or "processor-only".
	Agreement string `json:"agreement"`
	// Suspects counts the tasks that may be why.
	Suspects int `json:"suspects"`
	// Figure and Message say it to people.
	Figure  string `json:"figure"`
	Message string `json:"message"`
}

// ExcessPower is a power in microwatts with its bounds, which are nil for one run on each side.
type ExcessPower struct {
	Power units.Power  `json:"microwatts"`
	Least *units.Power `json:"leastMicrowatts"`
	Most  *units.Power `json:"mostMicrowatts"`
}

// A Suspect says why a task may be what a fleet saw.
type Suspect struct {
	Component string `json:"component"`
	// Energy is what the component drained for the task without the tasks inside it; nil where the
	// run's accounts do not tell. Method is then a call that asks something of the component.
	Energy *units.Energy `json:"energyNJ"`
	Method string        `json:"method"`
	// Message says it to people.
	Message string `json:"message"`
}

// SuspectOf says why a task of the report is suspect and what the fleet saw, for where nothing else
// says that. It is empty where the task is not suspect.
func (r *Report) SuspectOf(s *Suspect) string {
	if s == nil {
		return ""
	}
	return words.SuspectOf(s.Message, r.Fleet.App, r.Fleet.Figure)
}

// NewSuspect says why a task of a comparison is suspect; nil if it is not.
func NewSuspect(s *finding.Suspicion, r *analysis.Result, t *eflask.Task) *Suspect {
	of, ok := s.Of(t)
	if !ok {
		return nil
	}
	made := &Suspect{Component: of.Component, Method: of.Method, Message: words.Suspect(of, words.Each(r.Unit(nil), r.Voltage))}
	if of.Charged {
		made.Energy = &of.Energy
	}
	return made
}

func newFleet(s *finding.Suspicion, r *analysis.Result) *Fleet {
	c := s.Claim
	worst := c.Worst()
	f := &Fleet{
		App: c.App, Hog: c.Hog, Bugs: c.Bugs, Clients: c.Clients, When: Conditions(c), Excess: number(worst.Excess), Half: number(worst.Half),
		Like: append([]string{}, c.Like...), Components: append([]string{}, s.Components...), Battery: s.Battery, Power: excessPower(s.Fleet), Recorded: excessPower(s.Runs),
		Agreement: string(s.Agreement), Suspects: s.Len(), Figure: words.Fleet(c), Message: words.Suspicion(s, r),
	}
	if worst.Reference > 0 {
		minutes, _, _ := worst.Minutes()
		f.Minutes = &minutes
	}
	return f
}

// Suspects reports whether tasks of the report are suspect. Suspects come first.
func (r *Report) Suspects() bool { return len(r.Tasks) > 0 && r.Tasks[0].Suspect != nil }

// Conditions writes the conditions of a claim.
func Conditions(c *claim.Claim) []string {
	list := []string{}
	for _, w := range c.Where {
		list = append(list, w.String())
	}
	return list
}

// number is a number that JSON can have.
func number(x float64) float64 {
	if x != x || x-x != 0 {
		return 0
	}
	return x
}

func excessPower(p finding.PowerRange) *ExcessPower {
	if !p.Known {
		return nil
	}
	made := &ExcessPower{Power: p.Power}
	if p.Bounded {
		made.Least, made.Most = &p.Least, &p.Most
	}
	return made
}
