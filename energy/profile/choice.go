package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Choice is the power of a running core. It is chosen from the powers in a profile, which may
// have dozens of them.
type Choice struct {
	// Power is the power of a running core.
	Power units.Power
	// Source describes the choice on one line. An example is "120 mA (15 CPU + 5 cluster + 100
	// core) at 1500 MHz, the middle one of 5 steps of cluster 1, the fastest of 2, times 3.7 V".
	Source string
	// Warnings describe problems of the chosen power.
	Warnings []trace.Warning
}

// CPU chooses the power of a running core at a battery voltage, rounded down to a microwatt.
// Voltage 0 means units.DefaultVoltage.
//
// A recording states neither the cluster nor the frequency of a thread, so a rule is needed. CPU
// takes the cluster with the fastest step, and the middle step of this cluster. If two steps are in
// the middle, it takes the lower one. The reasons are as follows. The threads in an app's recording
// usually serve the screen of the app, and the scheduler keeps such threads on fast cores while
// they are busy. The frequency governor seldom keeps a core at the lowest or the highest frequency.
// Steps without a current do not count.
//
// The profile's currents for the cluster and for the whole CPU are added, as in Android's battery
// statistics. If several cores run, they share these currents, so the sum is an upper bound.
func (p *Profile) CPU(v units.Voltage) Choice {
	if v == 0 {
		v = units.DefaultVoltage
	}
	pick := p.choose()
	total := pick.total()
	volts := strconv.FormatFloat(float64(v)/float64(units.Volt), 'f', -1, 64)
	choice := Choice{
		Power:  total.Power(v),
		Source: fmt.Sprintf("%s%s, times %s V", p.prefix, pick, volts),
	}
	if total < placeholder {
		choice.Warnings = []trace.Warning{{
			Code: "placeholder-profile",
			Message: fmt.Sprintf("the power profile gives a running CPU %s mA, which is a placeholder, not a measurement: "+
				"shares and ranks hold, amounts do not", total.Milliamperes()),
		}}
	}
	return choice
}

// placeholder is less than the current of any core. A smaller current is a placeholder: Android's
// template has 0.1 mA everywhere, and emulators and some vendors ship this template.
const placeholder = units.Milliampere

// A chosenStep is the chosen step with its position in the profile.
type chosenStep struct {
	Step
	base, own units.Current
	// among is the number of steps from which the step was chosen.
	among int
	// cluster is nil if the profile has no clusters.
	cluster *Cluster
	// clusters is the number of clusters.
	clusters int
}

func (k chosenStep) total() units.Current { return k.base + k.own + k.Core }

// String describes the pick.
func (k chosenStep) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s mA", k.total().Milliamperes())
	if k.base > 0 || k.own > 0 {
		fmt.Fprintf(&b, " (%s CPU + %s %s + %s core)", k.base.Milliamperes(), k.own.Milliamperes(), k.cluster.Kind, k.Core.Milliamperes())
	}
	if k.Frequency > 0 {
		fmt.Fprintf(&b, " at %s MHz", strconv.FormatFloat(float64(k.Frequency)/float64(units.Megahertz), 'f', -1, 64))
	}
	if k.among > 1 {
		fmt.Fprintf(&b, ", the middle one of %d steps", k.among)
	} else {
		b.WriteString(", the only step")
	}
	switch {
	case k.clusters > 1 && k.Frequency > 0:
		fmt.Fprintf(&b, " of %s %d, the fastest of %d", k.cluster.Kind, k.cluster.Number, k.clusters)
	case k.clusters > 1:
		fmt.Fprintf(&b, " of %s %d, whose top step draws most of %d", k.cluster.Kind, k.cluster.Number, k.clusters)
	}
	return b.String()
}

// choose applies the rule of [Profile.CPU].
func (p *Profile) choose() chosenStep {
	if len(p.Clusters) == 0 {
		s, n := middle(p.Steps)
		return chosenStep{Step: s, among: n}
	}
	best := &p.Clusters[0]
	for i := range p.Clusters {
		if c := &p.Clusters[i]; cmp.Or(cmp.Compare(c.top().Frequency, best.top().Frequency), cmp.Compare(c.top().Core, best.top().Core)) > 0 {
			best = c
		}
	}
	s, n := middle(best.Steps)
	return chosenStep{Step: s, base: p.Base, own: best.Own, among: n, cluster: best, clusters: len(p.Clusters)}
}

// running returns the steps with a current, sorted by speed. Some profiles list the steps from fast
// to slow.
func running(steps []Step) []Step {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.Core == 0 })
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.Frequency, b.Frequency) })
	return steps
}

// middle returns the middle step and the number of steps. If there are two middle steps, it returns
// the lower of them.
func middle(steps []Step) (Step, int) {
	steps = running(steps)
	if len(steps) == 0 {
		return Step{}, 0
	}
	return steps[(len(steps)-1)/2], len(steps)
}

// top returns the cluster's fastest step.
func (c Cluster) top() Step {
	steps := running(c.Steps)
	if len(steps) == 0 {
		return Step{}
	}
	return steps[len(steps)-1]
}
