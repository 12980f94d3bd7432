package analysis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// A PowerModel identifies the power model that a run's component energies come from.
type PowerModel struct {
	// Name is the model's name. Title names the device in one line. Source is the source of the
	// figures.
	Name, Title, Source string
	Policy              machine.Policy
}

// String describes the model and the policy.
func (m *PowerModel) String() string {
	title := m.Name
	if m.Title != "" {
		title += " (" + m.Title + ")"
	}
	return fmt.Sprintf("components by the power model %s, policy %s", title, m.Policy)
}

// readModel reads the power model and the triggers.
func (s *setup) readModel(ctx context.Context) error {
	o := &s.options
	var err error
	if s.triggers, err = trigger.BuiltIn(); err != nil {
		return err
	}
	if o.Triggers != "" {
		err := s.readTable(ctx, o.Triggers, "triggers", func(r io.Reader) error {
			more, err := trigger.Read(r)
			if err == nil {
				s.triggers = s.triggers.With(more)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	switch {
	case o.PowerModel == "":
	case strings.Contains(o.PowerModel, ","):
		return errors.New("several power models are for diffprof profile; give one")
	case model.IsReady(o.PowerModel):
		s.device, err = model.Ready(o.PowerModel)
	default:
		err = s.readTable(ctx, o.PowerModel, "power model", func(r io.Reader) (err error) {
			s.device, err = model.Read(r)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; the built-in models are %s", err, strings.Join(model.ReadyNames(), ", "))
		}
	}
	if err == nil && s.device != nil && o.PowerProfile == "" {
		s.powerByModel()
	}
	return err
}

// powerByModel takes the power of a running core and the battery's capacity from the power model,
// if the model has them. It must not be called if the user names a power profile.
func (s *setup) powerByModel() {
	d := s.device
	if d.Battery > 0 {
		s.battery = d.Battery
	}
	if d.CPU == nil {
		return
	}
	power, source := d.CPU.Running()
	s.power = profile.Choice{Power: power, Source: "the power model's " + source}
	if power < units.Milliampere.Power(d.Voltage) {
		s.power.Warnings = []trace.Warning{{
			Code:    "placeholder-profile",
			Message: "the power model gives a running CPU less than 1 mA, which is a placeholder, not a measurement: shares and ranks are right, amounts are not",
		}}
	}
}

// readTable reads the file of a table. The parameter what names the table in errors.
func (s *setup) readTable(ctx context.Context, path, what string, read func(io.Reader) error) error {
	f, err := ingest.OpenSide(ctx, path, s.options.Ingest.MaxExpanded)
	if err != nil {
		return fmt.Errorf("reading the %s: %w", what, err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return inFile(path, err)
	}
	return nil
}

// powerModel describes the power model, or returns nil if the run has no components.
func (s *setup) powerModel(charged []energy.Component) *PowerModel {
	if charged == nil || s.device == nil {
		return nil
	}
	d := s.device
	return &PowerModel{d.Name, d.Title, d.Source, s.options.Policy}
}

// uncharged returns a warning about components that the run uses but whose energy is missing,
// because no power model was given. It returns nil if a power model would add no energy.
func (s *setup) uncharged(tr *trace.Trace, tree *cct.Tree, asked []energy.OperationCount) *trace.Warning {
	if s.device != nil || !tr.Energy.Added() || tr.Clock&trace.WallClock == 0 {
		return nil
	}
	counts := make(map[string]int64)
	var components []string
	add := func(component string, n int64) {
		if _, ok := counts[component]; !ok {
			components = append(components, component)
		}
		counts[component] += n
	}
	for _, a := range asked {
		add(a.Component, a.Operations)
	}
	s.triggered(tree, add)
	if len(components) == 0 {
		return nil
	}
	slices.Sort(components)
	for i, c := range components {
		if n := counts[c]; n > 0 {
			components[i] = fmt.Sprintf("%s (%s)", c, count(n, "operation"))
		}
	}
	return &trace.Warning{Code: ProcessorOnly, Message: fmt.Sprintf(
		"the energy is of the processor only, but the run also uses %s; add that energy with --power-model, such as --power-model %s",
		strings.Join(components, ", "), model.ReadyNames()[0])}
}

// triggered finds the calls that use a component. It passes each context of such a call to the
// function add. n is the number of its calls, if calls are counted. A call inside another call that
// uses the same component is part of the outer call, as in package energy.
func (s *setup) triggered(tree *cct.Tree, add func(component string, n int64)) {
	kinds := make([]*trigger.Trigger, len(tree.Methods))
	any := false
	for i, m := range tree.Methods {
		kinds[i] = s.triggers.Find(m)
		any = any || kinds[i] != nil
	}
	if !any {
		return
	}
	// around has the nearest triggering node at or above each node, or -1.
	around := make([]int32, len(tree.Nodes))
	around[cct.Root] = -1
	for i := range tree.Nodes[1:] {
		node := int32(i + 1)
		n := &tree.Nodes[node]
		around[node] = around[n.Parent]
		t := kinds[n.Method]
		if t == nil {
			continue
		}
		inside := false
		for up := around[node]; up >= 0; up = around[tree.Nodes[up].Parent] {
			outer := kinds[tree.Nodes[up].Method]
			inside = inside || outer.Component == t.Component || outer.Moves() && t.Moves()
		}
		around[node] = node
		if inside {
			continue
		}
		calls := int64(0)
		if tree.Counted == trace.CountedCalls {
			calls = tree.Calls.Self(node) + tree.Recursive.Self(node)
		}
		add(t.Component, calls)
	}
}

// componentsIn returns components with their energies in tree, which was scaled or averaged.
func componentsIn(tree *cct.Tree, components []energy.Component) []energy.Component {
	out := make([]energy.Component, len(components))
	for i, c := range components {
		part := func(p trace.Part) units.Energy {
			return units.Energy(tree.All(cct.Root, cct.Key{Quantity: cct.Energy, Account: c.Account + trace.AccountID(p)}))
		}
		out[i] = c.With(part(trace.Use), part(trace.Tail), part(trace.Rest))
	}
	return out
}

// removeSplits removes Task.Split from tasks that have more than a tenth of their energy in tails
// in either run. A Split divides a saving into calls and energy per call. A tail has no energy per
// call: it is as long after one call as after ten successive calls.
func (r *Result) removeSplits() {
	tails := [2]func(int32) units.Energy{tailEnergy(&r.Subject), tailEnergy(&r.Reference)}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Split != nil && (tails[0](t.Node) > t.Energy/10 || tails[1](t.Peer) > t.PeerEnergy/10) {
			t.Split = nil
		}
	}
}

// tailEnergy returns a function that returns the tail energy in the subtree of a node.
func tailEnergy(in *Input) func(node int32) units.Energy {
	var keys []cct.Key
	for i, a := range in.Trace.Accounts {
		if a.Part == trace.Tail {
			keys = append(keys, cct.Key{Quantity: cct.Energy, Account: trace.AccountID(i)})
		}
	}
	return func(node int32) (sum units.Energy) {
		for _, key := range keys {
			sum += units.Energy(in.Tree.All(node, key))
		}
		return sum
	}
}
