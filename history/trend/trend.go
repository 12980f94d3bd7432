// Package trend follows the energy use of an app from commit to commit, for a whole run, a task,
// or of a method including its callees. It finds the commit with which the app began to use more.
//
// A trend is for one app, device and scenario. Entries that differ in these are never mixed. All
// runs are read as repeats of the same program, so the trees of all versions have the same shape.
// Tasks with the same call path are the same task; package finding defines a task's identity. In a
// version without the task, the energy of the task is 0.
//
// Package history/change finds the changes. Package repeats computes the median run of an entry. If
// several series are tested together, their p-values are corrected by the procedure of Benjamini
// and Hochberg, as in package repeats.
//
// A Trend does not change after it was read. It is safe for concurrent use.
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

// A Trend has the entries of an app, device and scenario, in the order of their commits.
type Trend struct {
	Entries []history.Entry
	// Input has the mean of all runs, and each run separately.
	Input *analysis.Input
	// entryOf has an index into Entries for each run of Input.
	entryOf []int
}

// A MixedError is the error for entries that differ in app, device or scenario.
type MixedError struct {
	// What is "app", "device" or "scenario". Names has its different values.
	What  string
	Names []string
}

// Error lists the values from which the user can choose.
func (e *MixedError) Error() string {
	names := make([]string, len(e.Names))
	for i, name := range e.Names {
		names[i] = fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("the history has runs of several %ss, which are never mixed: choose one with --%s: %s", e.What, e.What, strings.Join(names, ", "))
}

// Read reads the runs of entries. The entries must be in the order of their commits. Read ignores
// o.Subject and o.Reference. If the entries differ in app, device or scenario, the error is a
// *MixedError.
func Read(ctx context.Context, entries []history.Entry, o analysis.Options) (*Trend, error) {
	if err := checkComparable(entries); err != nil {
		return nil, err
	}
	t := &Trend{Entries: entries}
	var names []string
	for i := range entries {
		for _, r := range entries[i].Runs {
			names, t.entryOf = append(names, analysis.StoredPrefix+entries[i].Ref()+"/"+r.Name), append(t.entryOf, i)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the history has no runs: diffprof history add adds some")
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

// maxNamed is the maximum number of runs in a warning.
const maxNamed = 5

// warn adds a warning about runs that differ much from the other runs of their entry. It removes
// the warning that compares runs of all entries, because the energy may have changed between them.
func (t *Trend) warn() {
	read, in := *t.Input.Trace, *t.Input
	in.Trace, t.Input = &read, &in
	read.Warnings = slices.DeleteFunc(slices.Clone(read.Warnings), func(w trace.Warning) bool { return w.Code == analysis.OutlyingCode })
	totals := make([][]float64, len(t.Entries))
	for run, entry := range t.entryOf {
		if len(in.Runs) > 0 {
			totals[entry] = append(totals[entry], float64(in.Runs[run].Energy))
		}
	}
	var far []string
	for i, list := range totals {
		for _, k := range repeats.Outlying(list) {
			far = append(far, fmt.Sprintf("%s of %s (%s times its median)", t.Entries[i].Runs[k].Name, t.Entries[i].Short(), units.Fixed(list[k]/repeats.Median(list), 2)))
		}
	}
	if len(far) == 0 {
		return
	}
	named := strings.Join(far[:min(len(far), maxNamed)], ", ")
	if more := len(far) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	read.Warnings = append(read.Warnings, trace.Warning{Code: analysis.OutlyingCode, Message: fmt.Sprintf(
		"runs far from the others of their entry (%s), which still count: %s", repeats.OutlyingRule, named)})
}

// checkComparable returns a *MixedError if the entries differ in app, device or scenario.
func checkComparable(entries []history.Entry) error {
	for _, what := range []struct {
		name  string
		value func(*history.Entry) string
	}{
		{"app", func(e *history.Entry) string { return e.App }},
		{"device", func(e *history.Entry) string { return e.Device }},
		{"scenario", func(e *history.Entry) string { return e.Scenario }},
	} {
		var names []string
		for i := range entries {
			if name := what.value(&entries[i]); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 1 {
			slices.Sort(names)
			return &MixedError{what.name, names}
		}
	}
	return nil
}

// Latest returns the entries that have the same app, device and scenario as the run that was added
// last. It is for callers that do not let the user choose.
func Latest(entries []history.Entry) []history.Entry {
	if len(entries) == 0 {
		return nil
	}
	last := slices.MaxFunc(entries, func(a, b history.Entry) int { return cmp.Or(added(&a).Compare(added(&b)), cmp.Compare(a.ID, b.ID)) })
	return slices.DeleteFunc(slices.Clone(entries), func(e history.Entry) bool {
		return e.App != last.App || e.Device != last.Device || e.Scenario != last.Scenario
	})
}

// added returns the time at which the entry's last run was added.
func added(e *history.Entry) time.Time {
	last := e.Added
	for i := range e.Runs {
		if e.Runs[i].Added.After(last) {
			last = e.Runs[i].Added
		}
	}
	return last
}
