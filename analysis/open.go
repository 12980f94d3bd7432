package analysis

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// opened is an open recording with its additional files and the source of its energies.
type opened struct {
	path, mapping string
	file          *ingest.File
	names         *mapping.Map // nil without a mapping file
	places        []align.Place
	measured      *energy.Measuring
	metered       *energy.Metered
	charged       *metered.Charged // nil unless samples share a measured energy
	rails         *energy.Rails    // nil if the power model uses no measurement
	closers       []func() error
}

// openRun opens a run of a side. number is its index among all runs. The caller must close it even
// after an error.
func (s *setup) openRun(ctx context.Context, number int, path string, side side, mapped func() (*mapping.Map, error)) (o opened, err error) {
	o.path, o.mapping = path, side.Mapping
	if o.names, err = mapped(); err != nil {
		return o, err
	}
	run, err := s.recording(ctx, &o, number, side)
	if err != nil {
		return o, err
	}
	o.measured = energy.Measure(run)
	if o.rails, err = s.rails(ctx, o.file, run, len(side.With) > 0); err != nil {
		return o, err
	}
	o.metered = energy.Meter(energy.Frequency(o.measured, o.rails), energy.Options{
		CPU: s.power.Power, ThreadClock: o.file.Format().ThreadClock,
		Device: s.device, Triggers: s.triggers, Policy: s.options.Policy, Bundles: s.options.Bundles, Rails: o.rails,
	})
	if s.options.MeterLines && len(side.Repeats) == 0 && (len(side.With) > 0 || carriesSignals(o.file)) {
		o.charged = metered.Charge(o.metered, run)
	}
	return o, nil
}

// recording opens the recording of a run, merged with the recordings of Side.With.
func (s *setup) recording(ctx context.Context, o *opened, number int, side side) (run trace.Recording, err error) {
	how := s.options.Ingest
	how.Flows, how.Voltage, how.Progress = side.Flows, s.options.Voltage, s.bytes(number)
	how.Process = cmp.Or(side.Process, how.Process)
	how.Triggers = s.triggers
	if o.file, err = ingest.Open(ctx, o.path, how); err != nil {
		return nil, err
	}
	o.closers = append(o.closers, o.file.Close)
	run, places, closeSides, err := s.joinSignals(ctx, o.file, side.With)
	o.places, o.closers = places, append(o.closers, closeSides)
	return run, err
}

// close closes all files of a run.
func (o *opened) close() error {
	var errs []error
	for _, f := range o.closers {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// input describes a run whose events have been read. tree may be nil. It also returns the function
// that restores the source names of methods, or nil without a mapping.
func (s *setup) input(o *opened, tr *trace.Trace, tree *cct.Tree) (*Input, func(name.Method) name.Method) {
	tr.Events -= o.metered.InsertedEvents() // the result must count only the recording's own events
	in := &Input{
		Path: o.path, Trace: tr, CPU: tr.CPU(),
		Size: o.file.Size(), Compression: o.file.Compression(), Tracks: o.measured.Tracks(), Aligned: o.places,
		Components: o.metered.Components(), Model: s.powerModel(o.metered.Components()), Battery: s.battery,
	}
	if in.Model != nil && s.device.Battery > 0 {
		in.Battery = s.device.Battery
	}
	if tree != nil {
		in.Energy = tree.Energy.Total()
		if o.rails != nil {
			in.Rails = newRails(o.rails, tr.Accounts, tree)
		}
		if w := s.uncharged(tr, tree, o.measured.OperationCounts()); w != nil && s.costs == nil {
			tr.Warnings = append(tr.Warnings, *w)
		}
	}
	if o.charged != nil && o.charged.Result != nil {
		in.Meter, in.meterDoubt = o.charged.Result, o.charged.Deviation
	}
	if in.sharesMeter() {
		// The measured energy of samples replaces the energy from power models.
		in.Components, in.Model, in.Rails = nil, nil, nil
		tr.Warnings = slices.DeleteFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == energy.Unclocked })
	}
	var by func(name.Method) name.Method
	if o.names != nil {
		by, in.Mapping = original(o.names, o.mapping, tr, s.platform)
	}
	if tr.Energy != trace.Given && !in.sharesMeter() && s.costs == nil {
		in.PowerSource = s.powerSource(tr.Energy, in.Model)
		tr.Warnings = append(tr.Warnings, s.power.Warnings...)
	}
	return in, by
}

// powerSource returns Input.PowerSource. energy is the provenance of the run's energy. The
// parameter by is the power model of its components, or nil.
func (s *setup) powerSource(energy trace.Provenance, by *PowerModel) string {
	source := s.power.Source
	if energy == trace.Modelled || energy == trace.Scaled {
		source = "the processor by the frequencies of its cores"
	}
	if by != nil {
		source += "; " + by.String()
	}
	return source
}
