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

// A Choice is the figure that was taken from a profile, where it may hold dozens.
type Choice struct {
	// Power is what a running core drains.
	Power units.Power
	// Source says in words which figure it is, on one line, such as "120 mA (15
	// CPU + 5 cluster + 100 core) at 1500 MHz, the middle one of 5 steps of cluster
	// 1, the fastest of 2, times 3.7 V".
	Source string
	// Warnings tell what is wrong with the figure.
	Warnings []trace.Warning
}

// CPU chooses the power of a running core at a battery's voltage, 0 being
// units.DefaultVoltage, rounded down to a microwatt.
//
// A recording tells neither the cluster nor the frequency that a thread had, so a
// rule decides: of the cluster with the fastest step, the middle step, the lower
// one of two. The threads that an app is traced for are those of its screen, which
// the scheduler keeps on fast cores while they are busy; the frequency governor
// seldom holds them at either end of the range. Steps without a current do not
// count. What the profile states beside the core for its cluster and for all of
// the CPU is added, as Android's battery statistics do for an app's time; where
// several cores run at once, they share it, and the sum is an upper bound.
func (p *Profile) CPU(v units.Voltage) Choice {
	if v == 0 {
		v = units.DefaultVoltage
	}
	pick := p.choose()
	total := pick.total()
	volts := strconv.FormatFloat(float64(v)/float64(units.Volt), 'f', -1, 64)
	choice := Choice{
		Power:  total.At(v),
		Source: fmt.Sprintf("%s%s, times %s V", p.prefix, pick, volts),
	}
	if total < placeholder {
		choice.Warnings = []trace.Warning{{
			Code: "placeholder-profile",
			Message: fmt.Sprintf("the power profile gives a running CPU %s mA, which is a placeholder and no measurement: "+
				"shares and ranks hold, amounts do not", total.Milliamperes()),
		}}
	}
	return choice
}

// placeholder is below what any core draws. Android's template, which emulators
// and careless vendors ship, has 0.1 mA everywhere.
const placeholder = units.Milliampere

// A pick is a step and where it was found.
type pick struct {
	Step
	base, own units.Current
	// among is how many steps there were to choose from.
	among int
	// cluster is nil where the profile has none.
	cluster *Cluster
	// clusters is how many there were.
	clusters int
}

func (k pick) total() units.Current { return k.base + k.own + k.Core }

// String says what was picked.
func (k pick) String() string {
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
func (p *Profile) choose() pick {
	if len(p.Clusters) == 0 {
		s, n := middle(p.Steps)
		return pick{Step: s, among: n}
	}
	best := &p.Clusters[0]
	for i := range p.Clusters {
		if c := &p.Clusters[i]; cmp.Or(cmp.Compare(c.top().Frequency, best.top().Frequency), cmp.Compare(c.top().Core, best.top().Core)) > 0 {
			best = c
		}
	}
	s, n := middle(best.Steps)
	return pick{Step: s, base: p.Base, own: best.Own, among: n, cluster: best, clusters: len(p.Clusters)}
}

// running returns the steps with a current in the order of their speeds; some
// profiles list them downwards.
func running(steps []Step) []Step {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.Core == 0 })
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.Frequency, b.Frequency) })
	return steps
}

// middle returns the middle step, the lower one of two, and how many there are.
func middle(steps []Step) (Step, int) {
	steps = running(steps)
	if len(steps) == 0 {
		return Step{}, 0
	}
	return steps[(len(steps)-1)/2], len(steps)
}

// top is the cluster's fastest step.
func (c Cluster) top() Step {
	steps := running(c.Steps)
	if len(steps) == 0 {
		return Step{}
	}
	return steps[len(steps)-1]
}
