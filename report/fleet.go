package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Fleet is what a fleet of devices shows about the subject's app, compared with the two runs.
type Fleet struct {
	App string `json:"app"`
	// Hog is set if the app uses more on all devices. Bugs counts the single devices on which it
	// uses more.
	Hog  bool `json:"hog"`
	Bugs int  `json:"clientsWithBugs"`
	// Clients is the number of devices that ran the app.
	Clients int64 `json:"clients"`
	// When are the conditions under which the app's excess is largest, such as "network lte". The
	// figures below are for these conditions.
	When    []string `json:"when"`
	Excess  float64  `json:"excessPercentPerSecond"`
	Half    float64  `json:"halfIntervalPercentPerSecond"`
	Minutes *float64 `json:"minutesOfCharge"`
	// Like are the apps that the fleet cannot distinguish from this one.
	Like []string `json:"cannotBeToldFrom"`
	// Components are the components that these conditions concern.
	Components []string `json:"components"`
	// Battery is the energy of a full battery, 0 if unknown.
	Battery units.Energy `json:"batteryNJ"`
	// Power is how much more the app uses in the fleet. Recorded is how much more the subject uses
	// than the reference. They are nil if unknown.
	Power    *ExcessPower `json:"power"`
	Recorded *ExcessPower `json:"recorded"`
	// Agreement says whether the runs agree with the fleet: "agrees", "more" or "less". If they
	// cannot be compared, it is the reason: "no-figure", "no-battery", "no-duration", "too-short",
	// "no-energy", "too-noisy", "no-component" or "processor-only".
	Agreement string `json:"agreement"`
	// Suspects counts the suspect tasks.
	Suspects int `json:"suspects"`
	// Figure and Message state the result in words.
	Figure  string `json:"figure"`
	Message string `json:"message"`
}

// ExcessPower is a power in microwatts with its bounds. The bounds are nil if each side has one run.
type ExcessPower struct {
	Power units.Power  `json:"microwatts"`
	Least *units.Power `json:"leastMicrowatts"`
	Most  *units.Power `json:"mostMicrowatts"`
}

// A Suspect explains why a task may cause the excess that a fleet shows.
type Suspect struct {
	Component string `json:"component"`
	// Energy is the component's energy in the task, without tasks inside it. It is nil if the run
	// has no energy by component. Method is then a call that uses the component.
	Energy *units.Energy `json:"energyNJ"`
	Method string        `json:"method"`
	// Message states the reason in words.
	Message string `json:"message"`
}

// SuspectOf returns a text with the suspicion and the fleet's figures, or "" if s is nil. It is for
// outputs that do not show the fleet elsewhere.
func (r *Report) SuspectOf(s *Suspect) string {
	if s == nil {
		return ""
	}
	return words.SuspectOf(s.Message, r.Fleet.App, r.Fleet.Figure)
}

// NewSuspect explains why a task is suspect. It returns nil if the task is not.
func NewSuspect(s *finding.Suspicion, r *analysis.Result, t *eflask.Task) *Suspect {
	found, ok := s.Suspect(t)
	if !ok {
		return nil
	}
	made := &Suspect{Component: found.Component, Method: found.Method, Message: words.Suspect(found, words.ScalePerFigure(r.Unit(nil), r.Voltage))}
	if found.Charged {
		made.Energy = &found.Energy
	}
	return made
}

func newFleet(s *finding.Suspicion, r *analysis.Result) *Fleet {
	c := s.Claim
	worst := c.Worst()
	f := &Fleet{
		App: c.App, Hog: c.Hog, Bugs: c.Bugs, Clients: c.Clients, When: Conditions(c), Excess: number(worst.Excess), Half: number(worst.Half),
		Like: append([]string{}, c.Confounded...), Components: append([]string{}, s.Components...), Battery: s.Battery, Power: excessPower(s.Fleet), Recorded: excessPower(s.Runs),
		Agreement: string(s.Agreement), Suspects: s.Len(), Figure: words.Fleet(c), Message: words.Suspicion(s, r),
	}
	if worst.Reference > 0 {
		minutes, _, _ := worst.Minutes()
		f.Minutes = &minutes
	}
	return f
}

// Suspects reports whether tasks of the report are suspect. Suspect tasks come first.
func (r *Report) Suspects() bool { return len(r.Tasks) > 0 && r.Tasks[0].Suspect != nil }

// Conditions formats the conditions of a fleet's claim, such as "network lte".
func Conditions(c *claim.Claim) []string {
	list := []string{}
	for _, w := range c.Conditions {
		list = append(list, w.String())
	}
	return list
}

// number returns x, or 0 if x is not finite, which JSON cannot represent.
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
