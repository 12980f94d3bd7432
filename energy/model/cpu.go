package model

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// A CPU says what a processor draws by the frequencies and idle states of its cores.
type CPU struct {
	// Base flows while any core runs.
	Base     units.Power
	Clusters []Cluster
	Source   string
	Line     int
}

// Running returns what a running core draws, where a recording tells neither the core nor its
// frequency, and says which figure it is. The rule is that of profile.Profile.CPU: of the
// cluster with the fastest point, the middle one of its frequencies, the lower of two, with
// what its cores and all cores share.
func (c *CPU) Running() (units.Power, string) {
	best := &c.Clusters[0]
	for i := range c.Clusters {
		if top := c.Clusters[i].top(); top > best.top() {
			best = &c.Clusters[i]
		}
	}
	// Of points of one frequency the first one is for the slowest of the other clocks.
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

// top is the cluster's highest frequency.
func (c *Cluster) top() units.Frequency { return c.Points[len(c.Points)-1].Frequency }

// A Cluster is some cores that share a frequency.
type Cluster struct {
	Name string
	// Cores are the numbers of its cores. The first one is the number that Linux gives to
	// the cluster's frequency policy.
	Cores []int
	// Points are in the order of their frequencies, of the policies that they depend on, and
	// of the frequencies of those.
	Points []Point
	// Rails are patterns, as of path.Match, of the names of tracks that measure what the
	// cluster drains.
	Rails  []string
	Source string
	Line   int
}

// Point returns the operating point at a frequency of the cluster's own, or at the nearest
// one, the lower of two, where the cluster has no points for it. It returns nil if the
// cluster has no points at all.
//
// Where points depend on other clocks, of returns the present frequency of a policy that
// any core runs in, and 0 for the others. Of the points nearest to these the one counts
// whose shared power is highest, since the fastest clock sets that of what cores share;
// where no other clock runs, the one for the slowest.
func (c *Cluster) Point(own units.Frequency, of func(policy int) units.Frequency) *Point {
	var at *Point
	for i := range c.Points {
		if p := &c.Points[i]; at == nil || distance(p.Frequency, own) < distance(at.Frequency, own) {
			at = p
		}
	}
	if at == nil || at.Beside < 0 {
		return at
	}
	first, last := c.at(at.Frequency)
	slowest := &c.Points[first]
	var most *Point
	for i := first; i < last; {
		near := &c.Points[i]
		present := of(near.Beside)
		for ; i < last && c.Points[i].Beside == near.Beside; i++ {
			p := &c.Points[i]
			if distance(p.With, present) < distance(near.With, present) {
				near = p
			}
			if p.With < slowest.With {
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

// at returns the range of the points of a frequency.
func (c *Cluster) at(f units.Frequency) (first, last int) {
	first = slices.IndexFunc(c.Points, func(p Point) bool { return p.Frequency == f })
	for last = first; last < len(c.Points) && c.Points[last].Frequency == f; last++ {
	}
	return first, last
}

// distance is how far two frequencies are apart.
func distance(a, b units.Frequency) units.Frequency { return max(a-b, b-a) }

// A Point is an operating point of a cluster.
type Point struct {
	Frequency units.Frequency
	// Beside is set where what the cluster draws depends on another clock as well, at
	// its frequency With. It is the number of that clock's policy, -1 if there is none.
	// A device has the clock of what its cores share as policy 255.
	Beside int
	With   units.Frequency
	// Shared flows while any core of the cluster is not in its deepest idle state.
	Shared units.Power
	// Active is what each core draws that runs.
	Active units.Power
	// Idle is what each core draws in each idle state, the lightest first. The core draws
	// nothing in states that are deeper.
	Idle []units.Power
	Line int
}
