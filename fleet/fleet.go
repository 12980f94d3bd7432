// Package fleet finds what drains the batteries of many devices: hogs, apps that drain
// wherever they run; bugs, apps that drain one client more than others; the conditions under
// which they do; and how sure that is (Carat, SenSys 2013).
//
// The samples of all clients are gone through a few times, once a stage. A stage adds up sums over
// clients, and what one stage finds tells the next what to add up. All that is known of a fleet is
// its table of sums: hogs, bugs, trees and scores are computed of it whenever they are asked for.
//
// Two methods decide. Within compares each client with itself (package within); Paper does as
// the paper has it (package paper). docs/fleet.md holds both to fleets whose truth is known.
//
// Laws: sums are whole numbers over whole clients, so any shares of the clients, added up in
// any order, give the same bytes. Nothing here knows a client's name. A group of fewer than
// MinGroup clients is not shown.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// MinGroup is how many clients a group must have to be shown.
const MinGroup = 5

// A Method decides what an anomaly is.
type Method string

// The methods.
const (
	Within Method = "within"
	Paper  Method = "paper"
)

// Options say how a fleet is judged. The zero value is not ready: use Defaults.
type Options struct {
	Method Method
	// H is the error of the paper's method.
	H paper.H
	// Within are features that must be the same at both ends of what is compared.
	Within []string
	// Rate is the share of false ones among hogs that is put up with, BugRate among bugs.
	Rate, BugRate float64
	// MinClients is how many clients must run an app, and at other times not, for it to be
	// judged.
	MinClients int
	// Workers is how many goroutines go through samples; 0 is one a processor.
	Workers int
}

// Defaults are the options that docs/fleet.md measures.
func Defaults() Options {
	return Options{Method: Within, Within: []string{samples.Screen}, Rate: 0.05, BugRate: 0.05, MinClients: 10}
}

// Check says what is wrong with options.
func (o *Options) Check() error {
	switch {
	case o.Method != Within && o.Method != Paper:
		return fmt.Errorf("method %q: say %s or %s", o.Method, Within, Paper)
	case !(o.Rate > 0 && o.Rate < 1) || !(o.BugRate > 0 && o.BugRate < 1):
		return errors.New("a share of false ones lies between 0 and 1")
	case o.MinClients < MinGroup:
		return fmt.Errorf("at least %d clients must run an app for it to be judged: fewer are not shown", MinGroup)
	}
	return nil
}

// A Fleet is what is known of a fleet.
type Fleet struct {
	Options
	// Features are the names of the features that samples had.
	Features []string
	// Sums is what the stages added up.
	Sums *sums.Table

	mark   samples.ID // of the key of the clients' hashes
	judged *judgement
}

// New returns a fleet of which nothing is known yet. The order of the features does not matter.
func New(o Options, features []string) (*Fleet, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	f := &Fleet{Options: o, Features: slices.Sorted(slices.Values(features)), Sums: sums.New()}
	// A feature that is not there can't be held the same.
	f.Within = slices.DeleteFunc(slices.Clone(o.Within), func(name string) bool { return !slices.Contains(features, name) })
	return f, nil
}

// A stage adds up sums over clients. Each goroutine has its own.
type stage interface {
	add(c *samples.Client, w *pairs.Work)
	rows(t *sums.Table)
}

// A choosy stage looks at some apps alone.
type choosy interface{ wants(app uint32) bool }

// StagesOf are the names of the stages of a method, in their order.
func StagesOf(m Method) []string {
	if m == Paper {
		return []string{"prior", "rates", "detail", "trees"}
	}
	return []string{"apps", "joint", "scores", "detail", "trees"}
}

// Stages are the names of the stages that the fleet goes through, in their order.
func (f *Fleet) Stages() []string { return StagesOf(f.Method) }

// maker returns what makes a stage for a goroutine, of what is known so far.
func (f *Fleet) maker(name string, set *samples.Set) (func() stage, error) {
	switch name {
	case "apps":
		return func() stage { return &appStage{set: set} }, nil
	case "joint":
		return f.jointStage(set), nil
	case "scores":
		return f.scoreStage(set)
	case "prior":
		return func() stage { return &priorStage{} }, nil
	case "rates":
		return f.rateStage(set), nil
	case "detail":
		return f.detailStage(set)
	case "trees":
		return f.treeStage(set)
	}
	return nil, fmt.Errorf("no stage is called %q: there are %s", name, strings.Join(f.Stages(), ", "))
}

// Analyze goes through all stages with the samples of a set. progress is told how many parts
// of all are done; it may be nil.
func Analyze(ctx context.Context, set *samples.Set, o Options, progress func(done, of int)) (*Fleet, error) {
	f, err := New(o, set.Features)
	if err != nil {
		return nil, err
	}
	for i, name := range f.Stages() {
		table, err := f.Share(ctx, set, name, func(done, of int) {
			if progress != nil {
				progress(i*of+done, of*len(f.Stages()))
			}
		})
		if err != nil {
			return nil, err
		}
		f.Add(name, table)
	}
	if total := f.Total(); total.Samples == 0 {
		return nil, total.nothing()
	}
	return f, nil
}

// left writes what was no pair.
func left(t *sums.Table, w *pairs.Work) {
	for cause, n := range w.Left {
		if n > 0 {
			t.Add(sums.Key("left", pairs.Causes[cause]), n)
		}
	}
}

// within are the places of the features that are held the same.
func (f *Fleet) within(set *samples.Set) []int {
	var places []int
	for _, name := range f.Within {
		if i := set.Feature(name); i >= 0 && f.Method == Within {
			places = append(places, i)
		}
	}
	return places
}
