package fleet

import (
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
)

// The kinds of comparison.
const (
	OtherVersion     = "version"
	WithoutCondition = "condition"
	SimilarApp       = "app"
	OtherDevice      = "device"
)

// A Suggestion is which app and version to record, and what to compare the recording with. The
// other recording is called the reference.
type Suggestion struct {
	Claim *claim.Claim
	// Version is the version to record. It is empty if the fleet has no versions.
	Version string
	// Kind is OtherVersion, WithoutCondition, SimilarApp or OtherDevice. It is empty if there is no
	// suitable reference. Against is the name of the other version or the other app. Later means
	// that the other version is newer. Without is the condition that the reference must satisfy.
	Kind    string
	Against string
	Later   bool
	Without claim.Condition
	// Devices has the hashes of the clients on which the app has a bug. The largest excess is
	// first. It is empty for a hog.
	Devices []string
	// Less is the excess of the reference, or of the app in the whole fleet for OtherDevice.
	Less Drain
	// Missing lists reasons why a comparison is not possible.
	Missing []string
}

// Suggest returns what to record to find out why an app uses much energy. For a hog, it suggests
// the version and the conditions with the largest excess. The reference is the first of these that
// exists:
//
//  1. the last earlier version that uses less
//  2. the first later version that uses less
//  3. the same app without one of the conditions, if it then uses less
//  4. the similar app with the smallest excess, if it uses less
//
// If the app only has bugs, the reference is another device. The suggestion is nil if fewer than
// five clients ran the app.
func (f *Fleet) Suggest(app string, similar []string) (*Suggestion, error) {
	c, split, err := f.claim(app)
	if err != nil || c == nil {
		return nil, err
	}
	s := &Suggestion{Claim: c}
	if !c.Drains() {
		s.addMissing("%s is neither a hog nor a bug on any device: nothing to record", app)
		return s, nil
	}
	if !c.Hog {
		for _, b := range f.bugsOf(app) {
			s.Devices = append(s.Devices, b.Client)
		}
		s.Kind, s.Less = OtherDevice, split.under(nil)
		return s, nil
	}
	at := split.under(c.Conditions)
	if math.IsNaN(at.Excess) {
		at = c.Drain // Only the worst apps have trees.
	}
	if !s.againstVersion() && !s.againstCondition(split, at) {
		f.againstApp(s, at, similar)
	}
	return s, nil
}

// againstVersion chooses the version to record. The reference is the last earlier version that uses
// less, or otherwise the first later version that uses less.
func (s *Suggestion) againstVersion() bool {
	all := s.Claim.Versions
	if len(all) == 0 {
		s.addMissing("the samples name no versions of the app")
		return false
	}
	version := newest(s.Claim)
	if version < 0 {
		s.addMissing("no version of the app ran on enough devices to judge it alone")
		return false
	}
	s.Version = all[version].Name
	cheaper := func(v claim.Version) bool { return v.Enough && all[version].Exceeds(v.Drain) }
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
		s.addMissing("the samples have no version before %s", s.Version)
	case few > 0:
		s.addMissing("%[2]d of the versions before %[1]s ran on too few devices, and the other versions do not use less", s.Version, few)
	default:
		s.addMissing("no version before %s uses less", s.Version)
	}
	return false
}

// againstCondition chooses a reference under other conditions, such as another network. A device
// with another system version is the last choice.
func (s *Suggestion) againstCondition(node *split, at Drain) bool {
	for _, another := range []bool{false, true} {
		for _, c := range s.Claim.Conditions {
			_, can := actionable[c.Feature]
			if c.Feature == Version || (c.Feature == samples.System) != another || !can && c.Feature != samples.Screen {
				continue
			}
			off := c
			off.Not = !c.Not
			if less := node.under(append(scope(s.Claim.Conditions, c.Feature), off)); at.Exceeds(less) {
				s.Kind, s.Without, s.Less = WithoutCondition, off, less
				return true
			}
		}
	}
	s.addMissing("it does not use less under any condition that a user can change")
	return false
}

// againstApp chooses the similar app with the smallest excess as the reference.
func (f *Fleet) againstApp(s *Suggestion, at Drain, similar []string) {
	if len(similar) == 0 {
		s.addMissing("no similar apps were named")
		return
	}
	for _, app := range similar {
		d := f.ownExcess(app)
		switch {
		case math.IsNaN(d.Excess):
			s.addMissing("%s ran on too few devices to judge it", app)
		case !at.Exceeds(d):
			s.addMissing("%s does not use less", app)
		case s.Kind == "" || d.Excess < s.Less.Excess:
			s.Kind, s.Against, s.Less = SimilarApp, app, d
		}
	}
}

func (s *Suggestion) addMissing(format string, args ...any) {
	s.Missing = append(s.Missing, fmt.Sprintf(format, args...))
}
