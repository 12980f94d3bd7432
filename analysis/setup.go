package analysis

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/internal/memory"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// setup has the options with all defaults, and everything that is read before the recordings.
type setup struct {
	// options have no zero fields that mean a default.
	options  Options
	platform *platform.Platform
	power    profile.Choice
	// battery is the energy of a full battery by the power profile, 0 if unknown.
	battery units.Energy
	// device models the components. nil means that only the processor's energy is computed.
	device   *model.Device
	triggers *trigger.Table
	// costs is the table of API costs, nil if there is none.
	costs      *apicost.Table
	preprocess preprocess.Options
	warnings   []trace.Warning
	// evidence says which packages are the app's own. listed has the packages in each side's
	// mapping.
	evidence platform.Evidence
	// hashing requests the hashes of recordings.
	hashing bool
	// indexes are the indexes of the source folders.
	indexes []*source.Index
	listed  [2][]string

	// mu guards the bytes read of each run, and serializes calls of Progress.
	mu          sync.Mutex
	done, total []int64
}

// Platform returns the platform with the packages that the options name. It does not read the class
// path.
func Platform(o Options) (*platform.Platform, error) {
	table, err := classes.BuiltIn()
	if err != nil {
		return nil, err
	}
	rules := platform.Rules{App: o.AppPackages, Framework: o.FrameworkPackages, Own: o.OwnPackages}
	if ofSlices := name.OfSlice("").Package(); o.SliceTasks && !slices.Contains(slices.Concat(o.AppPackages, o.OwnPackages, o.FrameworkPackages), ofSlices) {
		rules.Framework = append(slices.Clone(rules.Framework), ofSlices)
	}
	return platform.New(rules, table)
}

func newSetup(ctx context.Context, o Options) (*setup, error) {
	if o.Alpha < PaperAlpha {
		return nil, fmt.Errorf("α is %d: it must not be negative", o.Alpha)
	}
	if o.Voltage == 0 {
		o.Voltage = units.DefaultVoltage
	}
	switch {
	case o.MaxMemory == 0:
		// Trees and matchings need most of the memory. The last quarter is for everything else.
		o.MaxMemory = memory.Free() / 4 * 3
	case o.MaxMemory < 0:
		o.MaxMemory = math.MaxInt64
	}
	if o.Merge == nil {
		steps := preprocess.AllSteps()
		o.Merge = &steps
	}
	s := &setup{options: o}

	known, err := Platform(o)
	if err != nil {
		return nil, err
	}
	for _, path := range o.Classpath {
		found, damaged, err := classes.ReadPath(ctx, path, classes.Limits{})
		if err != nil {
			return nil, fmt.Errorf("reading the class path: %w", err)
		}
		for _, d := range damaged {
			s.warnings = append(s.warnings, trace.Warning{Code: "damaged-classes", Message: d.Error()})
		}
		if len(found) == 0 {
			s.warnings = append(s.warnings, trace.Warning{Code: "no-classes", Message: fmt.Sprintf("the class path %s holds no classes", path)})
		}
		known = known.With(found...)
	}
	declared, err := s.readSources(ctx)
	if err != nil {
		return nil, err
	}
	declared = append(declared, o.Classes...)
	s.evidence.Sources = packagesOf(declared, func(c classes.Class) string { return c.Name })
	if s.evidence.Manifest, err = s.readManifests(known); err != nil {
		return nil, err
	}
	s.platform = known.With(declared...).Declaring(s.evidence.Sources)
	s.preprocess = preprocess.Options{Steps: *o.Merge, Platform: s.platform}
	if err := s.readPower(ctx, o.PowerProfile); err != nil {
		return nil, err
	}
	if err := s.readCosts(ctx); err != nil {
		return nil, err
	}
	return s, s.readModel(ctx)
}

// maxCapacity is larger than the capacity of any phone's battery, in milliampere-hours.
const maxCapacity = 1_000_000

// readPower reads the power profile.
func (s *setup) readPower(ctx context.Context, path string) error {
	p := profile.Generic()
	if path != "" {
		err := s.readTable(ctx, path, "power profile", func(r io.Reader) (err error) {
			p, err = profile.Read(r)
			return err
		})
		if err != nil {
			return err
		}
	}
	s.power = p.CPU(s.options.Voltage)
	// Without a capacity, reports do not show the battery. No energy depends on it.
	if capacity, err := p.Numbers("battery.capacity", 1, maxCapacity); err == nil && len(capacity) > 0 && capacity[0] > 0 {
		s.battery = (units.Charge(capacity[0]) * units.MilliampereHour).Energy(s.options.Voltage)
	}
	return nil
}

// readMapping reads the mapping of the input with index i. It returns nil if there is none.
func (s *setup) readMapping(ctx context.Context, i int, path string) (*mapping.Map, error) {
	if path == "" {
		return nil, nil
	}
	names, err := readMapping(ctx, path, s.options.Ingest.MaxExpanded)
	if err != nil {
		return nil, err
	}
	s.listed[i] = packagesOf(names.Classes(), func(class string) string { return class })
	return names, nil
}

// readRun reads a run of a side. number is its index among all runs.
func (s *setup) readRun(ctx context.Context, number, all int, path string, side side, mapped func() (*mapping.Map, error)) (r reading, err error) {
	o, err := s.openRun(ctx, number, path, side, mapped)
	defer o.close()
	if err != nil {
		return r, err
	}
	tree, tr, known, split, err := s.build(ctx, &o, all)
	if err != nil {
		return r, s.explainTree(err)
	}
	in, by := s.input(&o, tr, tree)
	in.Known = known
	switch {
	case split != nil:
		if in.Energy > 0 {
			in.sampleShare = split.Each / float64(in.Energy)
			in.together, in.lineErrors = split.Together, split.Errors
			if cpu := tr.CPU(); cpu > 0 {
				in.unsampled = min(float64(tr.Unsampled)/float64(cpu), 1)
			}
			if split.Unsure > 0 {
				tr.Warnings = append(tr.Warnings, unsureLines(split.Unsure))
			}
		}
		if tree, err = s.resolveLines(ctx, &o, in, tree, by); err != nil {
			return r, err
		}
	case by != nil:
		tree = retrace(tree, by)
	}
	if tree, err = s.chargeCalls(ctx, &o, in, tree); err != nil {
		return r, err
	}
	if in.Bundles, err = s.bundles(ctx, &o, tree.Methods); err != nil {
		return r, err
	}
	r.in, r.tree = in, tree
	if s.hashing {
		r.content, err = o.file.Content(ctx)
	}
	return r, err
}

// build builds the tree of a run. split is not nil if the run is divided by source line.
func (s *setup) build(ctx context.Context, o *opened, all int) (tree *cct.Tree, tr *trace.Trace, known lines.Coverage, split *lines.Recording, err error) {
	run := trace.Recording(o.metered)
	if o.charged != nil {
		run = o.charged
	}
	counter := lines.Count(run)
	if !s.options.Lines {
		counter.Until = s.options.LinesIfKnown
		tree, tr, err = cct.Build(ctx, counter, s.treeLimits(all))
		if !counter.Found {
			return tree, tr, counter.Known, nil, err
		}
		counter.Until = false
	}
	split = lines.Split(counter)
	tree, tr, err = buildByLine(ctx, split, s.treeLimits(all))
	return tree, tr, counter.Known, split, err
}

// rules returns the rules by which the inputs are preprocessed.
func (s *setup) rules() Rules {
	o := &s.options
	return Rules{o.SettingsFile, s.preprocess.Steps, o.AppPackages, o.FrameworkPackages, o.OwnPackages, o.Manifests, o.Sources}
}

// progress reports the progress of a stage.
func (s *setup) progress(stage string, done, total int64) {
	if s.options.Progress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Progress(stage, done, total)
}

// bytes returns a function that receives the number of bytes read of the run with index i. The
// function reports the sum over all runs.
func (s *setup) bytes(i int) func(done, total int64) {
	return func(done, total int64) {
		if s.options.Progress == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done[i], s.total[i] = done, total
		done, total = 0, 0
		for k := range s.done {
			done, total = done+s.done[k], total+s.total[k]
		}
		s.options.Progress("reading", done, total)
	}
}
