package fleet

import (
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
)

// The kinds of references.
const (
	OtherVersion     = "version"
	WithoutCondition = "condition"
	SimilarApp       = "app"
	OtherDevice      = "device"
)

// A Suggestion states what to record of an app, and with which reference to compare the recording.
type Suggestion struct {
	Claim *claim.Claim
	// Version is the version to record. It is empty if the fleet has no versions.
	Version string
	// Kind is OtherVersion, WithoutCondition, SimilarApp or OtherDevice. It is empty if the fleet
	// has no suitable reference. Against is the name of the other version or of the other app.
	// Later reports whether the other version is newer. Off is the condition that must not hold for
	// the reference.
	Kind    string
	Against string
	Later   bool
	Off     claim.Condition
	// Devices has the hashes of clients on which the app has a bug, the largest excess first. It is
	// set for an app that is not a hog.
	Devices []string
	// Less is the excess of the reference.
	Less Drain
	// Missing lists the data that the samples lack.
	Missing []string
}

// Suggest returns what to record to find out why an app uses much energy. It chooses the version
// and the conditions with the largest excess. The reference is the first of these that exists: the
// last earlier version with a smaller excess, the first later version with a smaller excess, the
// same app without a condition, or the similar app with the smallest excess. If an app has bugs on
// single devices, the suggestion is to record it on one of these and on another device. The
// suggestion is nil if fewer than five clients ran the app.
func (f *Fleet) Suggest(app string, similar []string) (*Suggestion, error) {
	c, split, err := f.claim(app)
	if err != nil || c == nil {
		return nil, err
	}
	s := &Suggestion{Claim: c}
	if !c.Drains() {
		s.miss("%s is neither a hog nor a bug on any device: nothing to record", app)
		return s, nil
	}
	if !c.Hog {
		for _, b := range f.bugsOf(app) {
			s.Devices = append(s.Devices, b.Client)
		}
		s.Kind, s.Less = OtherDevice, split.under(nil)
		return s, nil
	}
	at := split.under(c.Where)
	if math.IsNaN(at.Excess) {
		at = c.Drain // Only the worst apps have trees.
	}
	if !s.againstVersion() && !s.againstCondition(split, at) {
		f.againstApp(s, at, similar)
	}
	return s, nil
}

// againstVersion chooses the version to record. The reference is the last earlier version with a
// smaller excess. If there is none, it is the first later version with a smaller excess.
func (s *Suggestion) againstVersion() bool {
	all := s.Claim.Versions
	if len(all) == 0 {
		s.miss("the samples name no versions of the app")
		return false
	}
	version := newest(s.Claim)
	if version < 0 {
		s.miss("no version of the app ran on enough devices to judge it alone")
		return false
	}
	s.Version = all[version].Name
	cheaper := func(v claim.Version) bool { return v.Enough && all[version].Apart(v.Drain) }
	before, after := all[version+1:], slices.Clone(all[:version])
	slices.Reverse(after)
	for later, side := range [][]claim.Version{before, after} {
		if i := slices.IndexFunc(side, cheaper); i >= 0 {
			s.Kind, s.Against, s.Later, s.Less = OtherVersion, side[i].Name, later == 1, side[i].Drain
			return true
		}
	}
	few := 0
	for _, v := range before {
		if !v.Enough {
			few++
		}
	}
	switch {
	case len(before) == 0:
		s.miss("the samples have no version before %s", s.Version)
	case few > 0:
		s.miss("%[2]d of the versions before %[1]s ran on too few devices, and the other versions do not use less", s.Version, few)
	default:
		s.miss("no version before %s uses less", s.Version)
	}
	return false
}

// againstCondition chooses a reference in which one condition does not hold. It prefers a condition
// that a user can change. Otherwise it chooses a device with another system, on which one condition
// does not hold.
func (s *Suggestion) againstCondition(node *split, at Drain) bool {
	for _, another := range []bool{false, true} {
		for _, c := range s.Claim.Where {
			_, can := actionable[c.Feature]
			if c.Feature == Version || (c.Feature == samples.System) != another || !can && c.Feature != samples.Screen {
				continue
			}
			off := c
			off.Not = !c.Not
			if less := node.under(append(scope(s.Claim.Where, c.Feature), off)); at.Apart(less) {
				s.Kind, s.Off, s.Less = WithoutCondition, off, less
				return true
			}
		}
	}
	s.miss("it does not use less under any condition that a user can change")
	return false
}

// againstApp chooses, among the similar apps, the app with the smallest excess as the reference.
func (f *Fleet) againstApp(s *Suggestion, at Drain, similar []string) {
	if len(similar) == 0 {
		s.miss("no similar apps were named")
		return
	}
	for _, app := range similar {
		d := f.alone(app)
		switch {
		case math.IsNaN(d.Excess):
			s.miss("%s ran on too few devices to judge it", app)
		case !at.Apart(d):
			s.miss("%s does not use less", app)
		case s.Kind == "" || d.Excess < s.Less.Excess:
			s.Kind, s.Against, s.Less = SimilarApp, app, d
		}
	}
}

func (s *Suggestion) miss(format string, args ...any) {
	s.Missing = append(s.Missing, fmt.Sprintf(format, args...))
}
