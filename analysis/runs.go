package analysis

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Run is one of the several runs of an Input.
type Run struct {
	Path string
	// Energy is the energy of the run, scaled by Scale.
	Energy units.Energy
	Scale  *Scale
	// Elapsed is trace.Trace.Elapsed.
	Elapsed time.Duration
	// Outlying is set if the run differs much from the others: see repeats.Outlying.
	Outlying bool
	// Lines are Input.StoredLines.
	Lines []StoredLine

	starts starts
}

// OutlyingCode is the code of warnings about outlying runs.
const OutlyingCode = "outlying-run"

// A side is one of the two inputs. Flows and With are allowed only for a single run.
type side struct {
	Side
	name string
	// paths are the paths of its runs, at least one.
	paths []string
}

// sides returns the inputs that the options name.
func (o *Options) sides() []side {
	named := func(s Side, name string) side { return side{s, name, append([]string{s.Path}, s.Repeats...)} }
	return []side{named(o.Subject, "subject"), named(o.Reference, "reference")}
}

// check returns an error if a side has several runs and an option that requires a single run.
func (s *side) check() error {
	switch {
	case len(s.paths) == 1:
	case s.Flows != "":
		return fmt.Errorf("the hand-overs %s belong to one run, but the %s has %d runs: put a file of hand-overs next to each run, as FILE.flows", s.Flows, s.name, len(s.paths))
	case len(s.With) > 0:
		return fmt.Errorf("%s was measured during one run, but the %s has %d runs: compare one run per side", s.With[0], s.name, len(s.paths))
	}
	return nil
}

// A reading is the result of reading one run.
type reading struct {
	in   *Input
	tree *cct.Tree
	// content is the hash of the recording if setup.hashing is set.
	content [32]byte
}

// read reads the runs of the inputs and builds their trees. It reads as many runs concurrently as
// there are processors, and at least one per input. An error stops the reads of later runs. read
// returns the first error in the order of the runs.
func (s *setup) read(ctx context.Context, sides []side) ([][]reading, error) {
	all := 0
	runs := make([][]reading, len(sides))
	for i := range sides {
		var err error
		if sides[i].paths, err = StoredRuns(ctx, s.options.Store, sides[i].paths); err != nil {
			return nil, err
		}
		if err := sides[i].check(); err != nil {
			return nil, err
		}
		all += len(sides[i].paths)
		runs[i] = make([]reading, len(sides[i].paths))
	}
	s.done, s.total = make([]int64, all), make([]int64, all)
	errs := make([]error, all)
	// An error ends only the later runs, so that the same error is returned each time.
	ends := make([]context.CancelFunc, all)
	contexts := make([]context.Context, all)
	for n := range ends {
		contexts[n], ends[n] = context.WithCancel(ctx)
		defer ends[n]()
	}
	var wg sync.WaitGroup
	free := make(chan struct{}, max(len(sides), runtime.GOMAXPROCS(0)))
	number := 0
	for i := range sides {
		names := sync.OnceValues(func() (*mapping.Map, error) { return s.readMapping(ctx, i, sides[i].Mapping) })
		for k, path := range sides[i].paths {
			n := number
			number++
			wg.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				var err error
				if NamesStored(path) {
					runs[i][k], err = s.loadStored(contexts[n], i, path, sides[i])
				} else {
					runs[i][k], err = s.readRun(contexts[n], n, all, path, sides[i], names)
				}
				if errs[n] = err; err != nil {
					for _, end := range ends[n+1:] {
						end()
					}
				}
			})
		}
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// join makes one input from the runs of a side: the only run, or the mean of several.
func join(s side, runs []reading) (*Input, *cct.Tree, error) {
	if len(runs) == 1 {
		return runs[0].in, runs[0].tree, nil
	}
	trees := make([]*cct.Tree, len(runs))
	for k, r := range runs {
		if err := checkComparable(s, runs[0].in, r.in); err != nil {
			return nil, nil, err
		}
		// The thread list of a mean is the concatenation of the lists of all runs.
		tree := *r.tree
		tree.ThreadEnergy = append(slices.Clone(tree.ThreadEnergy), make([]units.Energy, len(r.in.Trace.Threads)-len(tree.ThreadEnergy))...)
		trees[k] = &tree
	}
	tree, err := cct.Mean(trees...)
	if err != nil {
		return nil, nil, fmt.Errorf("averaging the runs of the %s: %w", s.name, err)
	}
	joined := *runs[0].in
	joined.Trace, joined.Energy = joinTraces(runs), tree.Energy.Total()
	joined.Trace.Methods = tree.Methods
	joined.APICosts = joinCosts(runs)
	joined.StoredLines = nil
	joined.Size, joined.CPU, joined.Tracks, joined.Rails, joined.Scale, joined.Bundles = 0, 0, nil, nil, nil, nil
	if joined.Components != nil {
		components := make([][]energy.Component, len(runs))
		for k, r := range runs {
			components[k] = r.in.Components
		}
		joined.Components = componentsIn(tree, energy.Mean(components...))
	}
	errors := make([]lines.Errors, len(runs))
	for k, r := range runs {
		errors[k] = r.in.lineErrors
	}
	joined.lineErrors = lines.Mean(errors)
	joined.Known = lines.Coverage{}
	var drained, recorded float64
	totals := make([]float64, len(runs))
	for k, r := range runs {
		joined.Size += r.in.Size
		joined.Known = joined.Known.Plus(r.in.Known)
		joined.sampleShare = max(joined.sampleShare, r.in.sampleShare)
		joined.together = max(joined.together, r.in.together)
		joined.unsampled = max(joined.unsampled, r.in.unsampled)
		joined.CPU += r.in.CPU / time.Duration(len(runs))
		joined.Runs = append(joined.Runs, Run{Path: r.in.Path, Energy: r.in.Energy, Scale: r.in.Scale, Elapsed: r.in.Trace.Elapsed, Lines: r.in.StoredLines, starts: startsOf(r.in)})
		totals[k] = float64(r.in.Energy)
		drained += totals[k]
		recorded += totals[k] / r.in.Scale.Factor()
		if r.in.Scale != nil {
			joined.Scale = r.in.Scale
		}
	}
	if joined.Scale != nil {
		joined.Scale = &Scale{Times: int64(drained), Of: int64(recorded), By: joined.Scale.By}
	}
	joined.Trace.Warnings = append(joined.Trace.Warnings, copies(runs)...)
	for _, k := range repeats.Outlying(totals) {
		joined.Runs[k].Outlying = true
		joined.Trace.Warnings = append(joined.Trace.Warnings, trace.Warning{Code: OutlyingCode, Message: fmt.Sprintf(
			"the run %s used %s times the energy of the median run: it is far from the others (%s), but still counts",
			joined.Runs[k].Path, units.Fixed(totals[k]/repeats.Median(totals), 2), repeats.OutlyingRule)})
	}
	return &joined, tree, nil
}

// copies warns about two runs with the same energy, processor time and number of events. One is
// probably a copy, which makes the variation between runs look smaller than it is.
func copies(runs []reading) []trace.Warning {
	var found []trace.Warning
	for k, r := range runs {
		first := slices.IndexFunc(runs[:k], func(o reading) bool {
			return r.in.Energy > 0 && r.in.Scale == nil && o.in.Energy == r.in.Energy && o.in.CPU == r.in.CPU && o.in.Trace.Events == r.in.Trace.Events
		})
		if first >= 0 {
			found = append(found, trace.Warning{Code: "equal-runs", Message: fmt.Sprintf(
				"the runs %s and %s have the same number of events and the same energy: if one is a copy, leave it out, because copies hide how much runs vary",
				runs[first].in.Path, r.in.Path)})
		}
	}
	return found
}

// checkComparable returns an error if a mean of two runs of a side would have no meaning.
func checkComparable(s side, first, other *Input) error {
	a, b := first.Trace, other.Trace
	for _, c := range []struct {
		what   string
		differ bool
	}{
		{"formats", a.Format != b.Format}, {"sources of energy", a.Energy != b.Energy || a.Unstated != b.Unstated}, {"units", a.Weight != b.Weight}, {"modes of the processor", a.Mode != b.Mode},
		{"sources of power", first.PowerSource != other.PowerSource},
		{"clocks", a.Clock != b.Clock}, {"charged parts of the device", !slices.Equal(a.Accounts, b.Accounts)},
	} {
		if c.differ {
			return fmt.Errorf("%s and %s are runs of the %s and have different %s: only runs that were recorded in the same way can be averaged", first.Path, other.Path, s.name, c.what)
		}
	}
	return nil
}

// joinTraces merges the traces of repeated runs without their events. It sums counts and averages
// lengths. It keeps one warning per code.
func joinTraces(runs []reading) *trace.Trace {
	out := *runs[0].in.Trace
	out.Threads, out.Processes, out.Warnings = nil, nil, nil
	out.Timeline, out.Tracks, out.Events, out.Elapsed = nil, nil, 0, 0
	out.Uncertain = 0
	out.Dependencies = make(map[string]string)
	kinds := make(map[string]int)
	for _, r := range runs {
		t := r.in.Trace
		for _, thread := range t.Threads {
			thread.Process += len(out.Processes)
			out.Threads = append(out.Threads, thread)
		}
		out.Processes = append(out.Processes, t.Processes...)
		maps.Copy(out.Dependencies, t.Dependencies)
		out.Unlisted = max(out.Unlisted, t.Unlisted)
		out.Events += t.Events
		out.Elapsed += t.Elapsed / time.Duration(len(runs))
		out.Overflow = out.Overflow || t.Overflow
		out.Calls = min(out.Calls, t.Calls)
		out.Uncertain += t.Uncertain / units.Energy(len(runs))
		for _, w := range t.Warnings {
			if kinds[w.Code]++; kinds[w.Code] == 1 {
				out.Warnings = append(out.Warnings, w)
			}
		}
	}
	for i := range out.Warnings {
		if n := kinds[out.Warnings[i].Code]; n > 1 {
			out.Warnings[i].Message += fmt.Sprintf(" (one of %d warnings of this kind in %d runs)", n, len(runs))
		}
	}
	return &out
}

// folders sets the path of each input with several runs to the folder of its runs. It changes
// nothing if the runs of an input are in several folders, or if both inputs are in one.
func folders(inputs ...*Input) {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = filepath.Dir(in.Path)
		for _, run := range in.Runs {
			if filepath.Dir(run.Path) != names[i] {
				return
			}
		}
	}
	if len(names) > 1 && names[0] == names[1] {
		return
	}
	for i, in := range inputs {
		if in.Runs != nil && names[i] != "." {
			in.Path = names[i]
		}
	}
}
