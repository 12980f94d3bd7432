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

// A PowerModel says by what the components of a device were charged.
type PowerModel struct {
	// Name is the model's, Title says in a line which device it is, Source where its
	// figures come from.
	Name, Title, Source string
	Policy              machine.Policy
}

// String says the model and the policy in words.
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
	case model.IsReady(o.PowerModel):
		s.device, err = model.Ready(o.PowerModel)
	default:
		err = s.readTable(ctx, o.PowerModel, "power model", func(r io.Reader) (err error) {
			s.device, err = model.Read(r)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; the ready models are %s", err, strings.Join(model.ReadyNames(), ", "))
		}
	}
	if err == nil && s.device != nil && o.PowerProfile == "" {
		s.powerByModel()
	}
	return err
}

// powerByModel takes the power of a running core and the battery's capacity from the power
// model, as far as it has them, where the user names no power profile.
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
	if power < units.Milliampere.At(d.Voltage) {
		s.power.Warnings = []trace.Warning{{
			Code:    "placeholder-profile",
			Message: "the power model gives a running CPU less than 1 mA, which is a placeholder and no measurement: shares and ranks hold, amounts do not",
		}}
	}
}

// readTable reads a file that is a table of the kind named.
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

// powerModel says by what components were charged, nil if none were.
func (s *setup) powerModel(charged []energy.Component) *PowerModel {
	if charged == nil || s.device == nil {
		return nil
	}
	d := s.device
	return &PowerModel{d.Name, d.Title, d.Source, s.options.Policy}
}

// uncharged returns a notice of what a run asked of components that nobody charges, since no
// power model was given; nil if it asked for nothing, or a power model would charge nothing.
func (s *setup) uncharged(tr *trace.Trace, tree *cct.Tree, asked []energy.Asked) *trace.Warning {
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
	return &trace.Warning{Code: "processor-only", Message: fmt.Sprintf(
		"the energy is the processor's alone, and the run also asked for %s; --power-model charges the components, such as --power-model %s",
		strings.Join(components, ", "), model.ReadyNames()[0])}
}

// triggered calls add for each context that is a trigger, with its number of calls where calls
// are counted. As in package energy, a call inside of one that asks for the same is a part
// of it.
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
	// around has for each node the nearest node at or above it that is a trigger, -1 for none.
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

// drainedBy returns components with what a tree says that they drained: one whose energies
// were scaled, or the mean of several.
func drainedBy(tree *cct.Tree, components []energy.Component) []energy.Component {
	out := make([]energy.Component, len(components))
	for i, c := range components {
		part := func(p trace.Part) units.Energy {
			return units.Energy(tree.All(cct.Root, cct.Key{What: cct.Energy, Account: c.Account + trace.AccountID(p)}))
		}
		out[i] = c.With(part(trace.Use), part(trace.Tail), part(trace.Rest))
	}
	return out
}

// unsplit takes the splits by calls from tasks of which a tail is more than a tenth of the
// energy in either run. A tail lasts as long after one call as after ten in a row, so that it
// has no cost a call.
func (r *Result) unsplit() {
	tails := [2]func(int32) units.Energy{tailsOf(&r.Subject), tailsOf(&r.Reference)}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Split != nil && (tails[0](t.Node) > t.Energy/10 || tails[1](t.Peer) > t.PeerEnergy/10) {
			t.Split = nil
		}
	}
}

// tailsOf returns what adds up the tails in a node of a run's tree with all below it.
func tailsOf(in *Input) func(node int32) units.Energy {
	var keys []cct.Key
	for i, a := range in.Trace.Accounts {
		if a.Part == trace.Tail {
			keys = append(keys, cct.Key{What: cct.Energy, Account: trace.AccountID(i)})
		}
	}
	return func(node int32) (sum units.Energy) {
		for _, key := range keys {
			sum += units.Energy(in.Tree.All(node, key))
		}
		return sum
	}
}
