package machine

import (
	"fmt"
	"strings"
)

// A Policy determines to which operations the energy of tails and shared states is attributed
// (eprof, Sections 4.1 and 6.1).
type Policy uint8

// The policies.
const (
	// LastTrigger attributes a tail to the last operation that ended before the tail.
	LastTrigger Policy = iota
	// FirstTrigger attributes all tails to the operation that took the component out of its
	// base state.
	FirstTrigger
	// SplitTime attributes energy to the code that runs at the same time. A machine does not know
	// which code runs, so its intervals have no shares.
	SplitTime
	// Utilisation is a linear model. The energy is the busy time multiplied by the power of the
	// state, plus the energy of bytes and packets. Ramps take no time, and tails use no energy.
	Utilisation
)

var policies = [...]string{
	LastTrigger: "last-trigger", FirstTrigger: "first-trigger", SplitTime: "split-time", Utilisation: "utilisation",
}

// Policies returns the names of all policies. The default is first.
func Policies() []string { return append([]string(nil), policies[:]...) }

// ParsePolicy parses the name of a policy.
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
