// Package trend follows what an app drains from commit to commit: all that a run drains, a task,
// or a method with all it calls. It says from which commit on they cost more.
//
// A trend is of one app, device and scenario; entries that differ in these are never mixed. All
// runs are read as repeats of one program, so that trees of all versions have one shape: a task
// is the same where its call path is, and has the identity that package finding gives it. A
// version without it drained 0 there.
//
// Where the level changes is what package history/change finds, and where the median run of an
// entry lies is what package repeats says. Series that are judged together are corrected for
// it by Benjamini and Hochberg, as in package repeats.
//
// A Trend is not changed once it is read, and safe for concurrent use.
package trend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Trend is what the entries of one app, device and scenario have, in the order of their
// commits.
type Trend struct {
	Entries []history.Entry
	// Input is the mean of all runs, with each run beside it.
	Input *analysis.Input
	// of has the entry of each of its runs.
	of []int
}

// A Mixed error says that entries differ in what may not be mixed.
type Mixed struct {
	// What is app, device or scenario, and Names what there is of it.
	What  string
	Names []string
}

// Error says what to choose from.
func (e *Mixed) Error() string {
	names := make([]string, len(e.Names))
	for i, name := range e.Names {
		names[i] = fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("the history has runs of several %ss, which are never mixed: choose one with --%s: %s", e.What, e.What, strings.Join(names, ", "))
}

// Read reads the runs of some entries, which are in the order of their commits. Of o the
// sides are not looked at. Entries of unlike apps, devices or scenarios are a *Mixed error.
func Read(ctx context.Context, entries []history.Entry, o analysis.Options) (*Trend, error) {
	if err := alike(entries); err != nil {
		return nil, err
	}
	t := &Trend{Entries: entries}
	var names []string
	for i := range entries {
		for _, r := range entries[i].Runs {
			names, t.of = append(names, analysis.KeptPrefix+entries[i].Ref()+"/"+r.Name), append(t.of, i)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the history has no runs of it: diffprof history add adds some")
	}
	o.Subject.Path, o.Subject.Repeats = names[0], names[1:]
	o.Subject.Mapping, o.Subject.Flows, o.Subject.Process, o.Subject.With, o.Bundles = "", "", "", nil, false
	in, err := analysis.Read(ctx, o)
	if err != nil {
		return nil, err
	}
	t.Input = in
	t.warn()
	return t, nil
}

// mostNamed is how many runs a warning names at most.
const mostNamed = 5

// warn has a warning name runs that lie far from the others of their entry, in the place of
// those that lie far from all: the level may have changed.
func (t *Trend) warn() {
	read, in := *t.Input.Trace, *t.Input
	in.Trace, t.Input = &read, &in
	read.Warnings = slices.DeleteFunc(slices.Clone(read.Warnings), func(w trace.Warning) bool { return w.Code == analysis.OutlyingCode })
	totals := make([][]float64, len(t.Entries))
	for run, entry := range t.of {
		if len(in.Runs) > 0 {
			totals[entry] = append(totals[entry], float64(in.Runs[run].Energy))
		}
	}
	var far []string
	for i, of := range totals {
		for _, k := range repeats.Outlying(of) {
			far = append(far, fmt.Sprintf("%s of %s (%s times its median)", t.Entries[i].Runs[k].Name, t.Entries[i].Short(), units.Fixed(of[k]/repeats.Median(of), 2)))
		}
	}
	if len(far) == 0 {
		return
	}
	named := strings.Join(far[:min(len(far), mostNamed)], ", ")
	if more := len(far) - mostNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	read.Warnings = append(read.Warnings, trace.Warning{Code: analysis.OutlyingCode, Message: fmt.Sprintf(
		"runs that lie far from the others of their entry (%s), and count all the same: %s", repeats.OutlyingRule, named)})
}

// alike returns an error for entries that may not be mixed.
func alike(entries []history.Entry) error {
	for _, what := range []struct {
		name string
		of   func(*history.Entry) string
	}{
		{"app", func(e *history.Entry) string { return e.App }},
		{"device", func(e *history.Entry) string { return e.Device }},
		{"scenario", func(e *history.Entry) string { return e.Scenario }},
	} {
		var names []string
		for i := range entries {
			if name := what.of(&entries[i]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 1 {
			slices.Sort(names)
			return &Mixed{what.name, names}
		}
	}
	return nil
}

// Latest returns the entries of the app, device and scenario that runs were added of last, for
// readers who cannot choose.
func Latest(entries []history.Entry) []history.Entry {
	if len(entries) == 0 {
		return nil
	}
	last := slices.MaxFunc(entries, func(a, b history.Entry) int { return cmp.Or(added(&a).Compare(added(&b)), cmp.Compare(a.ID, b.ID)) })
	return slices.DeleteFunc(slices.Clone(entries), func(e history.Entry) bool {
		return e.App != last.App || e.Device != last.Device || e.Scenario != last.Scenario
	})
}

// added is when the entry's last run was.
func added(e *history.Entry) time.Time {
	last := e.Added
	for i := range e.Runs {
		if e.Runs[i].Added.After(last) {
			last = e.Runs[i].Added
		}
	}
	return last
}
