// Package fleet finds what drains the batteries of many devices (Carat, SenSys 2013). A hog is an
// app that uses more energy on all devices. A bug is an app that uses more on one client than on
// others. The package also finds the conditions under which they do, and gives the error of each
// estimate.
//
// The analysis reads the samples of all clients once per stage. A stage adds up sums over clients.
// The results of one stage decide what the next stage adds up. A fleet consists of its table of
// sums: hogs, bugs, trees and scores are computed from the table when they are requested.
//
// There are two methods. Within compares each client with itself (package within). Paper is the
// method of the paper (package paper). docs/fleet.md compares both with fleets whose truth is
// known.
//
// Laws: sums are whole numbers over whole clients, so the sums of any shares of the clients, added
// in any order, give the same bytes. The fleet does not contain any client's name. A group of fewer
// than MinGroup clients is not shown.
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

// MinGroup is the minimum number of clients of a group that is shown.
const MinGroup = 5

// A Method defines what an anomaly is.
type Method string

// The methods.
const (
	Within Method = "within"
	Paper  Method = "paper"
)

// Options configure the analysis of a fleet. The zero value is not ready: use Defaults.
type Options struct {
	Method Method
	// H is the error model of the paper's method.
	H paper.H
	// Within are features that must have the same value at both ends of a pair. All means every
	// other condition too: the samples' features, the hour, the level, the charging phase and the
	// date, while there are enough pairs.
	Within []string
	// Rate is the accepted share of false positives among hogs, BugRate among bugs.
	Rate, BugRate float64
	// MinClients is the minimum number of clients that have time both with and without an app, for
	// the app to be judged.
	MinClients int
	// Workers is the number of goroutines that read samples; 0 is one per processor.
	Workers int
}

// All in Options.Within means every condition that the samples have.
const All = "all"

// Defaults are the options that docs/fleet.md measures.
func Defaults() Options {
	return Options{Method: Within, Within: []string{samples.Screen, All}, Rate: 0.05, BugRate: 0.05, MinClients: 10}
}

// Check returns an error for invalid options.
func (o *Options) Check() error {
	switch {
	case o.Method != Within && o.Method != Paper:
		return fmt.Errorf("method %q: say %s or %s", o.Method, Within, Paper)
	case !(o.Rate > 0 && o.Rate < 1) || !(o.BugRate > 0 && o.BugRate < 1):
		return errors.New("a false discovery rate is between 0 and 1")
	case o.MinClients < MinGroup:
		return fmt.Errorf("the minimum number of clients is %d: smaller groups are not shown", MinGroup)
	}
	return nil
}

// A Fleet is the result of an analysis.
type Fleet struct {
	Options
	// Features are the names of the samples' features.
	Features []string
	// Sums are the sums of all stages.
	Sums *sums.Table

	mark   samples.ID // of the key for the clients' hashes
	judged *judgement
}

// New returns a fleet without sums. The order of the features does not matter.
func New(o Options, features []string) (*Fleet, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	f := &Fleet{Options: o, Features: slices.Sorted(slices.Values(features)), Sums: sums.New()}
	// A feature that the samples lack cannot be held constant. If the screen should be held, no app
	// is a hog without it.
	f.Within = slices.DeleteFunc(slices.Clone(o.Within), func(name string) bool {
		return name != All && name != samples.Screen && !slices.Contains(features, name)
	})
	return f, nil
}

// A stage adds up sums over clients. Each goroutine has its own.
type stage interface {
	add(c *samples.Client, w *pairs.Work)
	rows(t *sums.Table)
}

// A choosy stage reads only some apps.
type choosy interface{ wants(app uint32) bool }

// StagesOf returns the names of a method's stages, in their order.
func StagesOf(m Method) []string {
	if m == Paper {
		return []string{"prior", "rates", "detail", "trees"}
	}
	return []string{"apps", "joint", "scores", "detail", "trees"}
}

// Stages returns the names of the fleet's stages, in their order.
func (f *Fleet) Stages() []string { return StagesOf(f.Method) }

// maker returns a constructor of a stage, one for each goroutine. It uses the sums of the earlier
// stages.
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
	return nil, fmt.Errorf("unknown stage %q: the stages are %s", name, strings.Join(f.Stages(), ", "))
}

// Analyze runs all stages on the samples of a set. It calls progress with the number of parts done
// and their total. progress may be nil.
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
		return nil, total.noSamples()
	}
	return f, nil
}

// left writes the counts of samples that make no pair.
func left(t *sums.Table, w *pairs.Work) {
	for cause, n := range w.Left {
		if n > 0 {
			t.Add(sums.Key("left", pairs.Causes[cause]), n)
		}
	}
}

// Clock are the conditions that samples without further columns have.
var Clock = []string{"hour", "level", "charging phase", "date"}

// Held returns the names of the conditions that are held, the most important one first.
func (f *Fleet) Held() []string {
	if f.Method != Within {
		return nil
	}
	held := append(f.Explicit(), f.further()...)
	if slices.Contains(f.Within, All) && f.Sums.Get(sums.Key("total", ""))[1] != (sums.Int{}) {
		held = append(held, Clock...)
	}
	return held
}

// Explicit returns the features of Options.Within, without All.
func (f *Fleet) Explicit() []string {
	return slices.DeleteFunc(slices.Clone(f.Within), func(name string) bool { return name == All || !f.Knows(name) })
}

// Unscreened reports whether the screen should be held, but the samples do not have it. Use of a
// device and waste look the same then, so no app is a hog and no client has a bug.
func (f *Fleet) Unscreened() bool {
	return f.Method == Within && slices.Contains(f.Within, samples.Screen) && !f.Knows(samples.Screen)
}

// further returns the features that are held while there are enough pairs, the most important one
// first. A model does not change on a client.
func (f *Fleet) further() []string {
	if f.Method != Within || !slices.Contains(f.Within, All) {
		return nil
	}
	var first, rest []string
	for _, name := range f.Features {
		switch {
		case name == samples.Model || slices.Contains(f.Within, name):
		case name == samples.Network:
			first = append(first, name)
		default:
			rest = append(rest, name)
		}
	}
	return append(first, rest...)
}

// strata returns the options of pairs.
func (f *Fleet) strata(set *samples.Set) pairs.Options {
	o := pairs.Options{Model: set.Feature(samples.Model)}
	if f.Method != Within {
		return o
	}
	for _, name := range f.Within {
		if i := set.Feature(name); i >= 0 {
			o.Within = append(o.Within, i)
		}
	}
	for _, name := range f.further() {
		o.Others = append(o.Others, set.Feature(name))
	}
	o.Clock = slices.Contains(f.Within, All)
	return o
}
