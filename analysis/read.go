package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// Read reads and preprocesses one input: Options.Subject with its repeats.
func Read(ctx context.Context, o Options) (*Input, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	in, err := ReadFile(ctx, o)
	if err != nil {
		return nil, err
	}
	if why := in.nothing(); why != "" {
		return nil, fmt.Errorf("%s has no energy: %s", in.Path, why)
	}
	return in, nil
}

// ReadFile reads one recording like [Read]. It does not expand patterns in the path. It returns an
// *ingest.FolderError for a folder of runs. For a recording without energy it adds a warning.
//
// If o.PowerModel names several power models, separated by commas, the result is the run under the
// first model. Input.OtherModels has the run under each of the other models.
func ReadFile(ctx context.Context, o Options) (*Input, error) {
	models := strings.Split(o.PowerModel, ",")
	var read []*Input
	for _, name := range models {
		o.PowerModel = strings.TrimSpace(name)
		in, err := readWithModel(ctx, o, nil)
		if err != nil {
			return nil, err
		}
		read = append(read, in)
	}
	in := read[0]
	if in.OtherModels, in.Compared = read[1:], len(models) > 1; in.Compared || in.Bundles == nil || !in.guessed() {
		return in, nil
	}
	other, err := readWithModel(ctx, o, withOtherRadio)
	if other != nil {
		in.OtherModels = []*Input{other}
	}
	return in, err
}

// guessed reports whether the recording leaves open which component served some of its operations.
func (in *Input) guessed() bool {
	return slices.ContainsFunc(in.Components, func(c energy.Component) bool { return c.Served != "" && c.Tail > 0 })
}

// withOtherRadio returns a copy of the device that uses its other radio for the network, or nil if
// it has no other radio.
func withOtherRadio(d *model.Device) *model.Device {
	const network = "network"
	c := d.Serving(network)
	if c == nil {
		return nil
	}
	other := map[string]string{"cellular": "wifi", "wifi": "cellular"}[c.Name]
	if d.Component(other) == nil {
		return nil
	}
	out := *d
	out.Name, out.Services = d.Name+" over "+other, []model.Service{{Name: network, Component: other}}
	for _, s := range d.Services {
		if s.Name != network {
			out.Services = append(out.Services, s)
		}
	}
	return &out
}

// readWithModel reads a run with the power model of o, or with change(model) if change is not nil.
// It returns nil if change returns nil.
func readWithModel(ctx context.Context, o Options, change func(*model.Device) *model.Device) (*Input, error) {
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	if change != nil {
		if s.device = change(s.device); s.device == nil {
			return nil, nil
		}
	}
	subject := s.options.sides()[:1]
	runs, err := s.read(ctx, subject)
	if err != nil {
		return nil, err
	}
	if err := s.normalize(runs); err != nil {
		return nil, err
	}
	in, tree, err := join(subject[0], runs[0])
	if err != nil {
		return nil, err
	}
	folders(in)
	s.setPlatform([]*Input{in}, tree)
	in.Rules, in.indexes = s.rules(), s.indexes
	if o.Unprocessed {
		in.Rules.Steps = preprocess.Steps{}
		in.Tree = preprocess.Unchanged(tree, s.preprocess)
	} else {
		in.Tree = preprocess.One(tree, s.preprocess)
	}
	s.setOwners(in, 0)
	if err := s.readSites(ctx, in); err != nil {
		return nil, err
	}
	if in.signalsAlone() {
		in.Trace.Warnings = append(in.Trace.Warnings, trace.Warning{Code: "signals-alone",
			Message: "the recording has measurements but no calls: give it with --with, together with a recording of calls or stacks"})
	}
	if why := in.nothing(); why != "" {
		in.Trace.Warnings = append(in.Trace.Warnings, trace.Warning{Code: "no-energy", Message: "the recording has no energy: " + why})
	}
	in.Trace.Warnings = slices.Concat(in.Trace.Warnings, s.warnings, s.unmatchedOptions(in))
	return in, nil
}

// retrace returns the tree with the source names of its methods.
func retrace(t *cct.Tree, original func(name.Method) name.Method) *cct.Tree {
	out := *t
	out.Methods = make([]name.Method, len(t.Methods))
	for i, m := range t.Methods {
		out.Methods[i] = original(m)
	}
	return &out
}
