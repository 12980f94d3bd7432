package model

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// A CPU has the power of a processor for the frequencies and idle states of its cores.
type CPU struct {
	// Base is the power that is added while any core is running.
	Base     units.Power
	Clusters []Cluster
	Source   string
	Line     int
}

// Running returns the power of a running core, with a description. It is for recordings that state
// neither core nor frequency. As in profile.Profile.CPU, it chooses the cluster with the fastest
// point, and the middle frequency of this cluster. If two frequencies are in the middle, it chooses
// the lower frequency. The power includes the shared power of the cluster and of all cores.
func (c *CPU) Running() (units.Power, string) {
	best := &c.Clusters[0]
	for i := range c.Clusters {
		if top := c.Clusters[i].top(); top > best.top() {
			best = &c.Clusters[i]
		}
	}
	// Several points may have the same frequency. The first of them is for the slowest other clock.
	points := slices.CompactFunc(slices.Clone(best.Points), func(a, b Point) bool { return a.Frequency == b.Frequency })
	p := points[(len(points)-1)/2]
	sum := c.Base + p.Shared + p.Active
	text := write(int64(sum), outPowers)
	if c.Base > 0 || p.Shared > 0 {
		text += fmt.Sprintf(" (%s CPU + %s cluster + %s core)", write(int64(c.Base), outPowers), write(int64(p.Shared), outPowers), write(int64(p.Active), outPowers))
	}
	which := "the only frequency"
	if len(points) > 1 {
		which = fmt.Sprintf("the middle one of %d frequencies", len(points))
	}
	return sum, fmt.Sprintf("%s at %v, %s of %s", text, p.Frequency, which, best.Name)
}

// top returns the cluster's highest frequency.
func (c *Cluster) top() units.Frequency { return c.Points[len(c.Points)-1].Frequency }

// A Cluster is a group of cores that share a frequency.
type Cluster struct {
	Name string
	// Cores are the numbers of its cores. The first core has the number that Linux gives to the
	// cluster's frequency policy.
	Cores []int
	// Points are sorted by frequency, then by the other policy on which they depend, then by the
	// frequency of that policy.
	Points []Point
	// Wake has a time in nanoseconds for each core, in the order of Cores. The core uses active
	// power for this time before the recording shows that it left its deepest idle state. Wake is
	// nil if unknown.
	Wake []int64
	// Rails are path.Match patterns for the names of the tracks that measure the cluster.
	Rails  []string
	Source string
	Line   int
}

// Point returns the operating point nearest to a frequency. If two points are equally near, it
// takes the lower one. It returns nil if the cluster has no points.
//
// If points depend on other clocks, frequencyOf must return the current frequency of a policy, or 0
// if no core of the policy runs. Among the points nearest to these frequencies, Point returns the
// one with the highest shared power, because the fastest clock determines the shared clock. If no
// other clock runs, Point returns the point for the slowest clock.
func (c *Cluster) Point(own units.Frequency, frequencyOf func(policy int) units.Frequency) *Point {
	var at *Point
	for i := range c.Points {
		if p := &c.Points[i]; at == nil || distance(p.Frequency, own) < distance(at.Frequency, own) {
			at = p
		}
	}
	if at == nil || at.DepPolicy < 0 {
		return at
	}
	first, last := c.at(at.Frequency)
	slowest := &c.Points[first]
	var most *Point
	for i := first; i < last; {
		near := &c.Points[i]
		present := frequencyOf(near.DepPolicy)
		for ; i < last && c.Points[i].DepPolicy == near.DepPolicy; i++ {
			p := &c.Points[i]
			if distance(p.DepFrequency, present) < distance(near.DepFrequency, present) {
				near = p
			}
			if p.DepFrequency < slowest.DepFrequency {
				slowest = p
			}
		}
		if present > 0 && (most == nil || near.Shared > most.Shared) {
			most = near
		}
	}
	if most == nil {
		return slowest
	}
	return most
}

// at returns the range of the points with frequency f.
func (c *Cluster) at(f units.Frequency) (first, last int) {
	first = slices.IndexFunc(c.Points, func(p Point) bool { return p.Frequency == f })
	for last = first; last < len(c.Points) && c.Points[last].Frequency == f; last++ {
	}
	return first, last
}

// distance returns |a - b|.
func distance(a, b units.Frequency) units.Frequency { return max(a-b, b-a) }

// A Point is an operating point of a cluster.
type Point struct {
	Frequency units.Frequency
	// DepPolicy is the policy of another clock on which the power of the cluster depends. It is -1
	// if there is none. DepFrequency is the frequency of that clock. The shared clock of a device
	// is policy 255.
	DepPolicy    int
	DepFrequency units.Frequency
	// Shared is the additional power unless all cores of the cluster are in their deepest idle
	// state.
	Shared units.Power
	// Active is the power of each running core.
	Active units.Power
	// Idle has the power of a core in each idle state, the lightest state first. In deeper states
	// than these, a core uses no power.
	Idle []units.Power
	Line int
}
