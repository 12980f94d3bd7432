package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// next returns the first stage without sums, or "".
func (f *Fleet) next() string {
	for _, name := range f.Stages() {
		if f.Sums.Get(sums.Key("stage", name)) == (sums.Row{}) {
			return name
		}
	}
	return ""
}

// Add adds the sums of a stage over all clients.
func (f *Fleet) Add(name string, t *sums.Table) {
	f.Sums.Merge(t)
	f.Sums.Add(sums.Key("stage", name), 1)
	// The count depends on the number of shares, so it is set to 1.
	f.Sums.EachUnsorted("unread", func(_ []string, r *sums.Row) { *r = sums.Row{sums.Of(1)} })
	if name == "apps" || name == "rates" {
		f.hideRare()
		f.likely, f.common = nil, commonApps{}
	}
	if name != "detail" && name != "trees" {
		f.judged = nil // Hogs depend on all other sums.
	}
	if f.next() == "" {
		f.hide()
		f.judged = nil // Hogs depend on their trees.
	}
}

// fits returns an error if the samples are not suitable for the stage.
func (f *Fleet) fits(name string, set *samples.Set) error {
	if next := f.next(); name != next {
		if next == "" {
			return fmt.Errorf("all stages are done")
		}
		return fmt.Errorf("stage %s: the sums of stage %s are missing: give the state of that stage with --state", name, next)
	}
	if name == f.Stages()[0] {
		f.mark = set.Mark
	}
	if f.mark != set.Mark {
		return errors.New("the client hashes use another key than the earlier stages: give the same --key")
	}
	if features := slices.Sorted(slices.Values(set.Features)); !slices.Equal(features, f.Features) {
		return fmt.Errorf("the samples have the features %s, but the earlier stages had %s: give the same columns, --feature and --map", strings.Join(features, ", "), strings.Join(f.Features, ", "))
	}
	return nil
}

// Share returns the sums of one stage over the clients in set. They may be a part of all clients.
// The fleet must have the sums of all earlier stages over all clients. progress may be nil.
func (f *Fleet) Share(ctx context.Context, set *samples.Set, name string, progress func(done, total int)) (*sums.Table, error) {
	return f.share(ctx, set, name, false, progress)
}

// share is like Share. The parameter all means that the set has all clients of the fleet.
func (f *Fleet) share(ctx context.Context, set *samples.Set, name string, all bool, progress func(done, total int)) (*sums.Table, error) {
	make, err := f.maker(name, set)
	if err != nil {
		return nil, err
	}
	if err := f.fits(name, set); err != nil {
		return nil, err
	}
	var stages []stage
	var works []*pairs.Work
	err = set.EachParallel(ctx, f.Workers, func() func(*samples.Client) {
		s, w := make(), &pairs.Work{Options: f.strata(set)}
		w.OnlyWithin = name == "trees"
		if c, ok := s.(appSelector); ok {
			w.Only = c.selects
		}
		stages, works = append(stages, s), append(works, w)
		return func(c *samples.Client) {
			w.Load(c)
			s.add(c, w)
		}
	}, progress)
	if err != nil {
		return nil, err
	}
	whole := sums.New()
	if joined, ok := stages[0].(wholeStage); ok && all {
		for _, s := range stages[1:] {
			joined.join(s)
		}
		joined.whole(f, whole)
	} else {
		for _, s := range stages {
			s.rows(whole)
		}
	}
	if name == f.Stages()[0] {
		for _, w := range works {
			writeUnpaired(whole, w)
		}
		for what, n := range set.Counts() {
			whole.Add(sums.Key("left", what), n)
		}
		for _, column := range set.Unused {
			whole.Add(sums.Key("unread", column), 1)
		}
		if set.RareApps > 0 {
			whole.Add(sums.Key("hidden", ""), set.RareApps, set.RareApps)
		}
	}
	return whole, nil
}

// replaceSeparators replaces the separators of keys and columns, so that the options fit into a
// key. unmark restores them.
var replaceSeparators = strings.NewReplacer("\t", "\x1e", "\x1f", "\x1d")
var restoreSeparators = strings.NewReplacer("\x1e", "\t", "\x1d", "\x1f")

// WriteShare writes the sums of a stage over some clients. One row has the options of the fleet.
// The outputs of several shares can be added up by key, for Merge.
func (f *Fleet) WriteShare(w io.Writer, name string, t *sums.Table) error {
	t.Add(sums.Key("share", name, replaceSeparators.Replace(f.head())), 1)
	return t.Write(w)
}

// Merge adds the sums of a stage to a fleet, and returns the fleet. t is the sum of the shares that
// WriteShare wrote. state is the fleet after the earlier stages, or nil for the first stage.
func Merge(state *Fleet, t *sums.Table) (*Fleet, error) {
	var stage, head string
	shares := 0
	t.Take("share", func(rest []string, _ *sums.Row) {
		shares++
		if len(rest) == 2 {
			stage, head = rest[0], restoreSeparators.Replace(rest[1])
		}
	})
	if head == "" {
		return nil, errors.New("this is not an output of fleet partial")
	}
	if shares > 1 {
		return nil, errors.New("the sums come from different stages or different flags: use the same command for all of them")
	}
	f, err := parseHead(head)
	if err != nil {
		return nil, err
	}
	if state != nil {
		if f.head() != state.head() {
			return nil, errors.New("the sums and the state were made with different flags: use the same flags for both")
		}
		f = state
	}
	if next := f.next(); next != stage {
		if next == "" {
			return nil, errors.New("the state already has the sums of all stages")
		}
		return nil, fmt.Errorf("the sums belong to stage %s, but the next stage is %s: give the --state with all earlier stages", stage, next)
	}
	f.Add(stage, t)
	return f, nil
}
