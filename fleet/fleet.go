// Package fleet finds apps that discharge the batteries of many devices (Carat, SenSys 2013). A
// client is one device. A hog is an app that uses more energy on all clients. A bug is an app that
// uses more energy on one client than on others. The package also finds the conditions under which
// they use more energy, such as a network or a version. Each estimate has its error.
//
// The analysis has several stages. Each stage reads the samples of all clients and computes sums.
// What a stage computes can depend on the sums of earlier stages. A [Fleet] is the table of these
// sums. Hogs, bugs, trees and scores are computed from it on demand.
//
// There are two methods. The method Within compares each client with itself (package within). The
// method Paper is the method of the paper (package paper). docs/fleet.md compares both methods on
// fleets with known hogs and bugs.
//
// The following laws hold:
//   - All sums are whole numbers. Clients can be divided into shares and added in any order.
//     The result has the same bytes.
//   - A fleet does not contain the names of clients.
//   - Groups of fewer than MinGroup clients are not shown.
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

// A Method is a way to find hogs and bugs.
type Method string

// The methods.
const (
	Within Method = "within"
	Paper  Method = "paper"
)

// Options configure the analysis of a fleet. The zero Options are not valid. Defaults returns valid
// options.
type Options struct {
	Method Method
	// H is how the paper's method computes errors.
	H paper.H
	// Within lists the features that are held constant: only pairs with equal values are compared.
	// The element All adds every other condition: other features, the hour, the level, the charging
	// phase and the date. They are held constant as long as there are enough pairs.
	Within []string
	// Rate is the accepted share of false positives among hogs. BugRate is the same for bugs.
	Rate, BugRate float64
	// MinClients is the minimum number of clients for judging an app. A client counts if it has
	// time with the app and time without it.
	MinClients int
	// Workers is the number of goroutines that read samples. 0 means one per processor.
	Workers int
}

// All is an element of Options.Within. It means every condition that the samples have.
const All = "all"

// Defaults returns the options for which docs/fleet.md states measurements.
func Defaults() Options {
	return Options{Method: Within, Within: []string{samples.Screen, All}, Rate: 0.05, BugRate: 0.05, MinClients: 10}
}

// Check returns an error for invalid options.
func (o *Options) Check() error {
	switch {
	case o.Method != Within && o.Method != Paper:
		return fmt.Errorf("method %q: use %s or %s", o.Method, Within, Paper)
	case !(o.Rate > 0 && o.Rate < 1) || !(o.BugRate > 0 && o.BugRate < 1):
		return errors.New("a false discovery rate must be between 0 and 1")
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

	// effects has the mean effect of each app on discharge rates, if all stages run in one process.
	// Otherwise Sums has them.
	effects byName[effect]

	mark   samples.ID // mark identifies the key with which the clients' names were hashed.
	judged *judgement
	likely *candidates // likely is nil until the candidates are needed.
	common commonApps  // common has no names until a stage needs it.
}

// New returns a fleet without sums. The order of the features does not matter.
func New(o Options, features []string) (*Fleet, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	f := &Fleet{Options: o, Features: slices.Sorted(slices.Values(features)), Sums: sums.New()}
	// A feature that the samples lack cannot be held constant. The screen stays in the list: if it
	// should be held constant but the samples lack it, no app is a hog.
	f.Within = slices.DeleteFunc(slices.Clone(o.Within), func(name string) bool {
		return name != All && name != samples.Screen && !slices.Contains(features, name)
	})
	return f, nil
}

// A stage adds up sums over clients. Each goroutine has its own stage.
type stage interface {
	add(c *samples.Client, w *pairs.Work)
	rows(t *sums.Table)
}

// A wholeStage can write less if it has read all clients of the fleet, and not only a share.
type wholeStage interface {
	stage
	// join adds the sums of another stage, which has read other clients. The other stage must not
	// be used again.
	join(other stage)
	// whole writes the sums, or keeps them in the fleet.
	whole(f *Fleet, t *sums.Table)
}

// An appSelector is a stage that reads only the apps that it wants.
type appSelector interface{ selects(app uint32) bool }

// StagesOf returns the names of a method's stages, in their order.
func StagesOf(m Method) []string {
	if m == Paper {
		return []string{"prior", "rates", "detail", "trees"}
	}
	return []string{"apps", "joint", "scores", "detail", "trees"}
}

// Stages returns the names of the fleet's stages, in their order.
func (f *Fleet) Stages() []string { return StagesOf(f.Method) }

// maker returns a constructor of the named stage. Each goroutine constructs its own stage. Earlier
// stages must be finished.
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

// Analyze runs all stages on a set of samples. It calls progress after each part of the work,
// unless progress is nil.
func Analyze(ctx context.Context, set *samples.Set, o Options, progress func(done, whole int)) (*Fleet, error) {
	f, err := New(o, set.Features)
	if err != nil {
		return nil, err
	}
	for i, name := range f.Stages() {
		table, err := f.share(ctx, set, name, true, func(done, whole int) {
			if progress != nil {
				progress(i*whole+done, whole*len(f.Stages()))
			}
		})
		if err != nil {
			return nil, err
		}
		f.Add(name, table)
	}
	total := f.Total()
	if total.Samples == 0 {
		return nil, total.noSamples()
	}
	if over := total.overFull(); over > maxOverFull*float64(total.Samples) {
		return nil, fmt.Errorf("%w: %.0f %% of the samples have a level over 100; convert the column to per cent", ErrLevels, 100*over/(over+float64(total.Samples)))
	}
	return f, nil
}

// writeUnpaired writes the number of samples that are in no pair, by cause.
func writeUnpaired(t *sums.Table, w *pairs.Work) {
	for cause, n := range w.Unpaired {
		if n > 0 {
			t.Add(sums.Key("left", pairs.Causes[cause]), n)
		}
	}
}

// Clock lists the conditions that are known for all samples, from their time, level and charging
// state.
var Clock = []string{"hour", "level", "charging phase", "date"}

// HeldConditions returns the names of the conditions that are held constant. The most important is
// first.
func (f *Fleet) HeldConditions() []string {
	if f.Method != Within {
		return nil
	}
	held := append(f.Explicit(), f.further()...)
	if slices.Contains(f.Within, All) && f.Sums.Get(sums.Key("total", ""))[1] != (sums.Int{}) {
		held = append(held, Clock...)
	}
	return held
}

// UnreadColumns returns the columns of the input that were not read. They cannot be held constant.
func (f *Fleet) UnreadColumns() (columns []string) {
	f.Sums.Each("unread", func(rest []string, _ *sums.Row) { columns = append(columns, rest[0]) })
	return columns
}

// Explicit returns the features of Options.Within, without All.
func (f *Fleet) Explicit() []string {
	return slices.DeleteFunc(slices.Clone(f.Within), func(name string) bool { return name == All || !f.HasFeature(name) })
}

// Unscreened reports whether the screen should be held constant but the samples do not have it. Use
// of a device then looks like waste, so no app is a hog and no client has a bug.
func (f *Fleet) Unscreened() bool {
	return f.Method == Within && slices.Contains(f.Within, samples.Screen) && !f.HasFeature(samples.Screen)
}

// further returns the features that All adds to Options.Within. The most important is first. The
// model is left out because a client has only one.
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

// strata returns the options for computing pairs.
func (f *Fleet) strata(set *samples.Set) pairs.Options {
	o := pairs.Options{Model: set.Feature(samples.Model), Number: set.Names.Number}
	if f.Method != Within {
		return o
	}
	for _, name := range f.Within {
		if i := set.Feature(name); i >= 0 {
			o.Within = append(o.Within, i)
			if name == samples.Screen {
				o.Known = append(o.Known, i)
			}
		}
	}
	for _, name := range f.further() {
		o.Others = append(o.Others, set.Feature(name))
	}
	o.Clock = slices.Contains(f.Within, All)
	return o
}
