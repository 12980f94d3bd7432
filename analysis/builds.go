package analysis

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/diffprof/diffprof/repeats"
)

// A BuildSource says where the noise between builds comes from.
type BuildSource string

// The sources.
const (
	// BuildsAssumed is the default, repeats.DefaultBuilds.
	BuildsAssumed BuildSource = "assumed"
	// BuildsStated means that the user stated the noise: see Options.Builds.
	BuildsStated BuildSource = "setting"
	// BuildsEqual means that equal builds were recorded: see Options.EqualBuilds.
	BuildsEqual BuildSource = "equal-builds"
	// BuildsCounted means that energies are numbers of calls times costs. How a build lays out its
	// code does not change them, so there is no noise between builds.
	BuildsCounted BuildSource = "counts"
	// BuildsHistory means that the entries of a history were compared.
	BuildsHistory BuildSource = "history"
)

// BuildNoise is the noise between builds of one program, as relative standard deviations. For
// example, two builds lay out the same code differently and so use different energy.
type BuildNoise struct {
	// Total is the noise of the total. Rows is the noise of a row.
	Total, Rows float64
	Source      BuildSource
	// Count is the number of comparisons or history entries that the noise was computed from. It is
	// 0 for other sources.
	Count int
}

// buildNoise returns the noise between builds, as the options select it.
func (s *setup) buildNoise(ctx context.Context) (BuildNoise, error) {
	o := &s.options
	switch {
	case o.Builds > 0:
		return BuildNoise{o.Builds, o.Builds, BuildsStated, 0}, nil
	case len(o.EqualBuilds) > 0:
		var studies []repeats.EqualBuilds
		for _, folder := range o.EqualBuilds {
			equal, err := s.equalBuilds(ctx, folder)
			if err != nil {
				return BuildNoise{}, fmt.Errorf("recordings of equal builds in %s: %w", folder, err)
			}
			studies = append(studies, equal)
		}
		total, rows := repeats.BetweenBuilds(studies)
		return BuildNoise{total, rows, BuildsEqual, len(studies)}, nil
	case o.HistoryBuilds != nil:
		entries, found := o.HistoryBuilds()
		if found && len(entries) >= repeats.FewestEntries {
			total := repeats.BetweenEntries(entries)
			return BuildNoise{total, max(total, repeats.DefaultBuilds), BuildsHistory, len(entries)}, nil
		}
	}
	return BuildNoise{repeats.DefaultBuilds, repeats.DefaultBuilds, BuildsAssumed, 0}, nil
}

// equalBuilds compares the two sides of a folder that diffprof record --aa has written.
func (s *setup) equalBuilds(ctx context.Context, folder string) (repeats.EqualBuilds, error) {
	o := s.options
	o.Subject = Side{Path: filepath.Join(folder, "subject"), Process: o.Subject.Process, Mapping: o.Subject.Mapping}
	o.Reference = Side{Path: filepath.Join(folder, "reference"), Process: o.Subject.Process, Mapping: o.Subject.Mapping}
	o.EqualBuilds, o.HistoryBuilds, o.Builds, o.Progress = nil, nil, repeats.DefaultBuilds, nil
	r, err := Compare(ctx, o)
	if err != nil {
		return repeats.EqualBuilds{}, err
	}
	if r.Repeats == nil {
		return repeats.EqualBuilds{}, fmt.Errorf("each side needs %d runs or more: diffprof record --aa --repeat 5 makes them", repeats.LeastRuns)
	}
	return repeats.EqualBuilds{
		Conditions: r.Chance.Study.Conditions, Rows: r.Chance.table.pairs(),
		Total: repeats.Pair{Subject: totals(r.Subject.Runs), Reference: totals(r.Reference.Runs)},
	}, nil
}
