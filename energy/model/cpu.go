package model

import "github.com/diffprof/diffprof/units"

// A CPU says what a processor draws by the frequencies and idle states of its cores.
type CPU struct {
	// Base flows while any core runs.
	Base     units.Power
	Clusters []Cluster
	Source   string
	Line     int
}

// A Cluster is some cores that share a frequency.
type Cluster struct {
	Name string
	// Cores are the numbers of its cores. The first one is the number that Linux gives to
	// the cluster's frequency policy.
	Cores []int
	// Points are in the order of their frequencies. Of points with one frequency, each is
	// for another frequency of another cluster.
	Points []Point
	Source string
	Line   int
}

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
