package machine

import (
	"fmt"
	"strings"
)

// A Policy says whose the energy of a component is while nobody uses it (eprof, Section 4.1
// and 6.1).
type Policy uint8

// The policies.
const (
	// LastTrigger gives a tail to the operation that ended last before it.
	LastTrigger Policy = iota
	// FirstTrigger gives all tails to the operation that took the component out of its
	// base state.
	FirstTrigger
	// SplitTime gives energy to what runs while it is drained. A machine does not know what
	// runs, so that its stays have no shares.
	SplitTime
	// Utilisation is a linear model: busy time times the power of the state, and what bytes
	// and packets add. Ramps take no time, and tails drain nothing.
	Utilisation
)

var policies = [...]string{
	LastTrigger: "last-trigger", FirstTrigger: "first-trigger", SplitTime: "split-time", Utilisation: "utilisation",
}

// Policies returns the names of all policies, the default first.
func Policies() []string { return append([]string(nil), policies[:]...) }

// ParsePolicy reads the name of a policy.
func ParsePolicy(s string) (Policy, error) {
	for i, name := range policies {
		if s == name {
			return Policy(i), nil
		}
	}
	return 0, fmt.Errorf("unknown policy %q: use one of %s", s, strings.Join(policies[:], ", "))
}

// String returns the policy's name, such as "last-trigger".
func (p Policy) String() string {
	if int(p) >= len(policies) {
		return "unknown"
	}
	return policies[p]
}
