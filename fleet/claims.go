package fleet

import (
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// A condition is named if the app drains so many times as much on one side of it as on the other.
// Less is no reason to record under it. Strata of a feature that is held the same, such as the
// screen, overstate: see judgeWithin.
const matters, mattersWithin = 1.25, 2

// Claim returns what the fleet says of an app; nil if fewer than five clients ran it.
func (f *Fleet) Claim(app string) (*claim.Claim, error) {
	c, _, err := f.claim(app)
	return c, err
}

// A split is an app's drain by conditions.
type split struct {
	f         *Fleet
	grower    *tree.Grower
	cells     []tree.Cell
	reference float64 // what is drained without the app
}

// claim returns a claim with what it was made of.
func (f *Fleet) claim(app string) (*claim.Claim, *split, error) {
	hogs, err := f.Hogs()
	if err != nil || !f.Ran(app) {
		return nil, nil, err
	}
	c := &claim.Claim{App: app, Clients: f.Sums.Get(sums.Key("ran", app))[0].Int64()}
	_, few, _ := f.Judged()
	c.Judged = !slices.Contains(few, app)
	for i := range hogs {
		if hogs[i].App == app || slices.Contains(hogs[i].Like, app) {
			c.Hog, c.Drain = true, hogs[i].Drain
			c.Like = slices.DeleteFunc(append([]string{hogs[i].App}, hogs[i].Like...), func(name string) bool { return name == app })
		}
	}
	bugs, _ := f.Bugs()
	for _, b := range bugs {
		if b.App == app {
			c.Bugs++
		}
	}
	s := &split{f, f.grower(), f.cells(app), c.Reference}
	if len(s.cells) > 0 {
		root := s.grower.Grow(s.cells)
		c.Where, c.At = s.worst(root)
		c.At = adjusted(c.At, s.excess(root.Drain), c.Drain)
		c.Versions = s.versions(root, c.Where)
	}
	return c, s, nil
}

// excess is what a node of a tree drains more than is drained without the app.
func (s *split) excess(d tree.Drain) Drain {
	if !d.Known() {
		return Drain{Excess: math.NaN(), Half: math.Inf(1)}
	}
	e := Drain{Excess: d.Mean, Half: d.Half, Reference: s.reference}
	if s.f.Method == Paper {
		e.Excess -= s.reference
	}
	return e
}

// worst follows a tree to where the app drains the most, as long as conditions matter.
func (s *split) worst(root *tree.Node) ([]claim.Condition, Drain) {
	n := root
	for n.With != nil {
		more, less := n.With, n.Without
		if less.Drain.Mean > more.Drain.Mean {
			more, less = less, more
		}
		most, least := s.excess(more.Drain), s.excess(less.Drain)
		times := matters
		if slices.Contains(s.f.Within, more.Path[len(more.Path)-1].Feature) {
			times = mattersWithin
		}
		if most.Excess < times*max(0, least.Excess) || most.Least() <= 0 {
			break
		}
		n = more
	}
	var where []claim.Condition
	for _, c := range n.Path {
		if c.Not {
			c = positive(n, c)
		}
		if c.Value != otherValue && !slices.Contains(where, c) {
			where = append(where, c)
		}
	}
	return where, s.excess(n.Drain)
}

// adjusted is what an app drains under conditions, as far as strata overstate it: by the part that
// all of it, by itself, is more than what it drains beside the other hogs. The interval reaches
// over both, as that of judgeWithin does.
func adjusted(at, whole, beside Drain) Drain {
	part := beside.Excess / whole.Excess
	if !(part > 0 && part < 1) {
		return at
	}
	smaller := at.Excess * part
	return Drain{Excess: smaller, Half: at.Excess - smaller + at.Half, Reference: at.Reference}
}

// positive states a condition that a value is not as the one value that is left, if there is one.
func positive(n *tree.Node, c claim.Condition) claim.Condition {
	if values := n.Values(c.Feature); len(values) == 1 {
		return claim.Condition{Feature: c.Feature, Value: values[0]}
	}
	return c
}

// versions are what the versions of an app drain where it drains the most, the newest first.
func (s *split) versions(root *tree.Node, where []claim.Condition) (all []claim.Version) {
	for _, name := range root.Values(Version) {
		d := s.under(append(scope(where, Version), claim.Condition{Feature: Version, Value: name}))
		all = append(all, claim.Version{Name: name, Drain: d, Enough: !math.IsNaN(d.Excess)})
	}
	slices.SortStableFunc(all, func(a, b claim.Version) int { return compareVersions(b.Name, a.Name) })
	return all
}

// under is what an app drains under some conditions; NaN where too few clients tell.
func (s *split) under(all []claim.Condition) Drain { return s.excess(s.grower.Under(s.cells, all)) }

// scope are conditions without those on a feature.
func scope(all []claim.Condition, without string) []claim.Condition {
	return slices.DeleteFunc(slices.Clone(all), func(c claim.Condition) bool { return c.Feature == without })
}

// Kinds of references.
const (
	EarlierVersion   = "version"
	WithoutCondition = "condition"
	SimilarApp       = "app"
)

// A Suggestion is what to record of an app, and against what.
type Suggestion struct {
	Claim *claim.Claim
	// Version is the one to record; empty where the fleet names none.
	Version string
	// Kind is EarlierVersion, WithoutCondition or SimilarApp, or empty where the fleet does not say
	// what to compare with. Against is the version's or the app's name. Off is the condition
	// that does not hold in the reference.
	Kind    string
	Against string
	Off     claim.Condition
	// Less is what the reference drains.
	Less Drain
	// Missing says what the samples lack to say more.
	Missing []string
}

// Suggest says what to record of an app to find out why it drains: the version and the conditions
// under which it drains the most, against the last version without that, the same without a
// condition, or the leanest of similar apps, in this order. It is nil if fewer than five clients ran the app.
func (f *Fleet) Suggest(app string, similar []string) (*Suggestion, error) {
	c, split, err := f.claim(app)
	if err != nil || c == nil {
		return nil, err
	}
	s := &Suggestion{Claim: c}
	if !c.Drains() {
		s.miss("%s is no hog and a bug on no device: there is nothing to look for", app)
		return s, nil
	}
	at := split.under(c.Where)
	if math.IsNaN(at.Excess) {
		at = c.Drain // there are no trees of apps beyond the worst
	}
	if !s.againstVersion() && !s.againstCondition(split, at) {
		f.againstApp(s, at, similar)
	}
	return s, nil
}

// againstVersion chooses the version to record, and the last one before it that drains less.
func (s *Suggestion) againstVersion() bool {
	all := s.Claim.Versions
	if len(all) == 0 {
		s.miss("the samples name no versions of the app")
		return false
	}
	of := slices.IndexFunc(all, func(v claim.Version) bool {
		return v.Enough && holds(s.Claim.Where, claim.Condition{Feature: Version, Value: v.Name})
	})
	if of < 0 {
		s.miss("no version of the app ran on enough devices to be judged by itself")
		return false
	}
	s.Version = all[of].Name
	few := 0
	for _, v := range all[of+1:] {
		switch {
		case !v.Enough:
			few++
		case all[of].Apart(v.Drain):
			s.Kind, s.Against, s.Less = EarlierVersion, v.Name, v.Drain
			return true
		}
	}
	switch {
	case of+1 == len(all):
		s.miss("no version before %s ran", s.Version)
	case few > 0:
		s.miss("of the versions before %s, %d ran on too few devices, and the others do not drain less", s.Version, few)
	default:
		s.miss("no version before %s drains less", s.Version)
	}
	return false
}

// holds says whether conditions allow a value of a feature.
func holds(where []claim.Condition, value claim.Condition) bool {
	return !slices.ContainsFunc(where, func(c claim.Condition) bool {
		return c.Feature == value.Feature && (c.Value == value.Value) == c.Not
	})
}

// againstCondition compares with the same under which a condition does not hold that can be
// brought about.
func (s *Suggestion) againstCondition(of *split, at Drain) bool {
	for _, c := range s.Claim.Where {
		_, can := actionable[c.Feature]
		if c.Feature == Version || c.Feature == samples.System || !can && c.Feature != samples.Screen {
			continue
		}
		off := c
		off.Not = !c.Not
		if less := of.under(append(scope(s.Claim.Where, c.Feature), off)); at.Apart(less) {
			s.Kind, s.Off, s.Less = WithoutCondition, off, less
			return true
		}
	}
	s.miss("no condition that can be switched off makes it drain less")
	return false
}

// againstApp compares with the leanest of some apps.
func (f *Fleet) againstApp(s *Suggestion, at Drain, similar []string) {
	if len(similar) == 0 {
		s.miss("no similar apps were named")
		return
	}
	for _, app := range similar {
		d := f.alone(app)
		switch {
		case math.IsNaN(d.Excess):
			s.miss("%s ran on too few devices to be judged", app)
		case !at.Apart(d):
			s.miss("%s does not drain less", app)
		case s.Kind == "" || d.Excess < s.Less.Excess:
			s.Kind, s.Against, s.Less = SimilarApp, app, d
		}
	}
}

// alone is what an app drains: as a hog, or by itself; NaN where too few clients tell.
func (f *Fleet) alone(app string) Drain {
	for _, h := range f.judge().hogs {
		if h.App == app {
			return h.Drain
		}
	}
	if f.Method == Paper && f.Sums.Get(sums.Key("ran", app))[0].Int64() >= MinGroup {
		d := distOf(f.Sums.Get(sums.Key("dist", app)))
		all := distOf(f.Sums.Get(sums.Key("dist", "")))
		return Drain{Excess: d.Mean() - all.Mean(), Half: d.Error(f.H), Reference: all.Mean()}
	}
	c := within.ContrastOf(f.Sums.Get(sums.Key("app", app)))
	if c.Clients.Int64() < int64(f.MinClients) {
		return Drain{Excess: math.NaN(), Half: math.Inf(1)}
	}
	e := c.Estimate()
	return Drain{Excess: e.Excess, Half: e.Half(0.95)}
}

func (s *Suggestion) miss(format string, args ...any) {
	s.Missing = append(s.Missing, fmt.Sprintf(format, args...))
}
