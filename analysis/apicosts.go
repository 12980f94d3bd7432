package analysis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// OrkaCompat is the value of Options.APICompat that looks up costs as Orka did.
const OrkaCompat = "orka2016"

// APICostsCode is the code of the warning about calls without a cost.
const APICostsCode = "api-costs"

// APICosts describes how a table of API costs (energies per call) was applied to a run.
type APICosts struct {
	// Path is the file of the table. Rows counts its rows, and Unknown the rows without a cost.
	// Roots are the first components of the package names in the table, such as android.
	Path          string
	Rows, Unknown int
	Roots         []string
	// Guess and Compat are the options.
	Guess  bool
	Compat string
	// Runs is the number of runs. The numbers of calls below are sums over these runs.
	Runs int
	// Calls counts the app's calls into the packages that the table covers. Costed counts those
	// with a cost, and Guessed those with a guessed cost. Elsewhere counts the app's calls into
	// other framework packages.
	Calls, Costed, Guessed, Elsewhere int64
	// Bill lists the methods with costs. It is nil for stored runs and scaled runs.
	Bill *apicost.Bill `json:"-"`
}

// readCosts reads the table of API costs.
func (s *setup) readCosts(ctx context.Context) error {
	o := &s.options
	switch {
	case o.APICosts == "" && (o.APIGuess || o.APICompat != ""):
		return errors.New("--api-guess and --compat need a table of API costs: give it with --api-costs")
	case o.APICosts == "":
		return nil
	case o.PowerModel != "":
		return errors.New("--api-costs and --power-model are two sources of energy: give one of them")
	case o.APIGuess && o.APICompat != "":
		return fmt.Errorf("--compat %s makes no guesses: leave out --api-guess", o.APICompat)
	}
	table, err := ReadAPICosts(ctx, *o)
	if err != nil {
		return err
	}
	if table.Unknown() == len(table.Rows) {
		return &syntax.Error{File: o.APICosts, Offset: -1, Err: fmt.Errorf("the table lists %d methods and no costs", len(table.Rows)),
			Hint: "a list such as redAPIS.json is for diffprof api-costs check"}
	}
	s.costs = table
	return nil
}

// ReadAPICosts reads the table of Options.APICosts.
func ReadAPICosts(ctx context.Context, o Options) (*apicost.Table, error) {
	s := setup{options: o}
	var table *apicost.Table
	err := s.readTable(ctx, o.APICosts, "table of API costs", func(r io.Reader) (err error) {
		table, err = apicost.Read(r)
		return err
	})
	return table, err
}

// charging returns the options by which a run's calls get their costs.
func (s *setup) charging(tree *cct.Tree) apicost.Options {
	return apicost.Options{
		Table: s.costs, Guess: s.options.APIGuess, Orka: s.options.APICompat == OrkaCompat,
		Platform: s.platform.Running(platform.Run{Methods: tree.Methods, Calls: tree.Edges()}),
	}
}

// chargeCalls replaces the energy of a run by the costs of its calls. It does nothing without a
// table.
func (s *setup) chargeCalls(ctx context.Context, o *opened, in *Input, tree *cct.Tree) (*cct.Tree, error) {
	if s.costs == nil {
		return tree, nil
	}
	how := s.charging(tree)
	charged, bill, err := apicost.Charge(tree, how)
	if errors.Is(err, apicost.ErrNotCounted) {
		return nil, notCounted(in)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	if how.Orka {
		if bill.Routines, err = s.orkaRoutines(ctx, o, tree, how); err != nil {
			return nil, err
		}
	}
	in.APICosts = &APICosts{
		Path: s.options.APICosts, Rows: len(s.costs.Rows), Unknown: s.costs.Unknown(), Roots: s.costs.Roots(), Guess: how.Guess, Compat: s.options.APICompat,
		Runs: 1, Calls: bill.Calls, Costed: bill.Costed, Guessed: bill.Guessed, Elsewhere: bill.Elsewhere, Bill: bill,
	}
	in.Energy, in.PowerSource = charged.Energy.Total(), "the table of API costs "+filepath.Base(s.options.APICosts)
	in.Components, in.Model, in.Rails, in.Battery = nil, nil, nil, s.battery
	tr := in.Trace
	tr.Energy, tr.Uncertain, tr.Unstated, tr.Accounts = trace.APICost, 0, false, how.Accounts()
	tr.Warnings = append(tr.Warnings, in.APICosts.warnings()...)
	return charged, nil
}

// notCounted returns the error of a run whose calls were not counted.
func notCounted(in *Input) error {
	why := "counts no calls"
	if in.Trace.Calls == trace.EstimatedCalls {
		why = "is sampled, so it only estimates calls"
	}
	return fmt.Errorf("%s %s, and API costs need every call: record with diffprof record --sampling off, with am profile start without --sampling, "+
		"or with Debug.startMethodTracing in the app", in.Path, why)
}

// orkaRoutines replays the run to get the routines that Orka would have logged.
func (s *setup) orkaRoutines(ctx context.Context, o *opened, tree *cct.Tree, how apicost.Options) ([]apicost.Routine, error) {
	replay, err := cct.NewReplay(ctx, o.metered, s.treeLimits(1))
	if err != nil {
		return nil, s.explainTree(err)
	}
	if replay.Sampled {
		return nil, fmt.Errorf("%s has the number of calls of each path but not their order, which --compat orka2016 needs: leave out --compat, or record "+
			"with diffprof record --sampling off", o.path)
	}
	log := apicost.NewLog(tree.Methods, how)
	if err := replay.Play(ctx, log); err != nil {
		return nil, s.explainTree(err)
	}
	return log.Routines(), nil
}

// Packages returns the packages that the table covers, such as "android.*".
func (c *APICosts) Packages() string {
	if len(c.Roots) > 3 {
		return "the packages of the table"
	}
	return strings.Join(c.Roots, ".*, ") + ".*"
}

// warnings returns the warnings about calls that have no cost, and about energies by thread.
func (c *APICosts) warnings() []trace.Warning {
	var list []trace.Warning
	if left := c.Calls - c.Costed; left > 0 {
		rest := "the other calls count as zero energy"
		if c.Guess {
			rest = fmt.Sprintf("%d other calls have a guessed cost, the median cost of their class", c.Guessed)
		}
		list = append(list, trace.Warning{Code: APICostsCode, Message: fmt.Sprintf(
			"%s has a cost for %d of %d calls into %s; %s", c.Path, c.Costed, c.Calls, c.Packages(), rest)})
	}
	if c.Bill != nil && c.Bill.Shared > 0 {
		list = append(list, trace.Warning{Code: "api-costs-threads", Message: fmt.Sprintf(
			"%s are on paths that several threads share; figures by thread divide the energy of these calls evenly", count(c.Bill.Shared, "call"))})
	}
	return list
}

// joinCosts adds up the API costs of repeated runs. It returns nil if a run has none.
func joinCosts(runs []reading) *APICosts {
	var sum *APICosts
	for _, r := range runs {
		c := r.in.APICosts
		switch {
		case c == nil:
			return nil
		case sum == nil:
			copied := *c
			sum = &copied
			continue
		}
		sum.Runs += c.Runs
		sum.Calls, sum.Costed, sum.Guessed, sum.Elsewhere = sum.Calls+c.Calls, sum.Costed+c.Costed, sum.Guessed+c.Guessed, sum.Elsewhere+c.Elsewhere
		sum.Bill = sum.Bill.Plus(c.Bill)
	}
	return sum
}

// checkCosts returns an error if the options have a table of API costs that was not applied to a
// stored run.
func (s *setup) checkCosts(in *Input) error {
	switch c := in.APICosts; {
	case s.costs != nil && c == nil:
		return fmt.Errorf("%s was added without API costs: add the recording again with --api-costs %s", in.Path, s.options.APICosts)
	case s.costs != nil && !slices.Equal([]any{c.Rows, c.Guess, c.Compat}, []any{len(s.costs.Rows), s.options.APIGuess, s.options.APICompat}):
		return fmt.Errorf("%s was added with other API costs (%s, %d rows): add the recording again with --api-costs %s", in.Path, c.Path, c.Rows, s.options.APICosts)
	}
	return nil
}
