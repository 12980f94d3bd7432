// Package group compares all apps of a group with each other, as in the evaluation of DiffProf
// (Jindal and Hu, OSDI 2018, Section 5.2). It counts the tasks of each app by the number of other
// apps that share them. It computes the energy of an app's unique tasks (Table 3) and the overlap
// of any two apps (Figure 2). It finds the app that uses the least energy for a task.
//
// Comparisons run concurrently. The result of a comparison is stored in a folder. Its key is the
// content of its files and kept runs, and its settings. Only complete results are stored, so a run
// that was stopped continues where it ended. Each additional app needs one comparison with each
// other app.
//
// Two recordings are compared once. The matching is symmetric, so a comparison has the results for
// both sides. The contents of the recordings decide which one is the subject, so the order of a
// group does not matter.
package group

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/memory"
	"github.com/diffprof/diffprof/units"
)

// A Member is an app of a group, or a version of one.
type Member struct {
	// Name is shown to users. It is unique in a group.
	Name string
	// App is the name without Version. Members with the same App are versions of it. Both may be
	// empty.
	App, Version string
	// Runs are its recordings, at least one. Patterns, folders and names of kept runs are allowed.
	// The results for several recordings are means.
	Runs []string
	// Mapping, Flows and Process have the same meaning as in analysis.Options for a side. They may
	// be empty.
	Mapping, Flows, Process string
}

// Path returns the first recording.
func (m *Member) Path() string { return m.Runs[0] }

// Options configure the comparisons.
type Options struct {
	// Compare has the settings of all comparisons. Its fields for the two sides are ignored. So is
	// Normalize, because the energies of the apps are compared as recorded.
	Compare analysis.Options
	// Workers is the number of concurrent comparisons; 0 means one per processor. All comparisons
	// together use at most Compare.MaxMemory.
	Workers int
	// Cache is the folder for results; if it is empty, results are not stored.
	Cache string
	// Fingerprint identifies the program and its settings. A result depends on the fingerprint and
	// on the content of the files.
	Fingerprint string
	// Progress is called with the number of finished comparisons. It may be nil. Calls do not
	// overlap.
	Progress func(done, total int64)
}

// A Group has the results of all comparisons. It does not change once it is made, and may be read
// concurrently.
type Group struct {
	Members []Member
	// pairs has the result for members i < j at index(i, j). It is nil if the comparison failed.
	pairs []*pair
	// Failures are the comparisons that failed, with the reasons, sorted by their members.
	Failures []Failure
	// Kept is the number of comparisons from the cache. Compared is the number of new ones.
	Kept, Compared int
	// Unsaved is the number of new comparisons that could not be stored, and UnsavedReason is the
	// first reason. The next run repeats them.
	Unsaved       int
	UnsavedReason error
	options       Options
}

// A Failure is a comparison that failed.
type Failure struct {
	// A and B are indices of Members.
	A, B int
	Err  error
}

// Run compares all members with each other. It returns an error if no comparison succeeds, or ctx's
// error if ctx is cancelled; results until then are stored.
func Run(ctx context.Context, members []Member, o Options) (*Group, error) {
	members, err := expanded(ctx, members, o.Compare.Store)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	n := len(members)
	g := &Group{Members: members, pairs: make([]*pair, n*(n-1)/2)}
	o.Workers = min(o.Workers, len(g.pairs))
	o.Compare.Progress, o.Compare.Normalize, o.Compare.SliceTasks = nil, analysis.Normalization{}, true
	switch {
	case o.Compare.MaxMemory == 0:
		o.Compare.MaxMemory = memory.Free() / 4 * 3 / int64(o.Workers)
	case o.Compare.MaxMemory > 0:
		o.Compare.MaxMemory = max(o.Compare.MaxMemory/int64(o.Workers), 1)
	}
	g.options = o
	r := &runner{Options: o, group: g, store: openStore(o), names: make(map[string]string), failed: make([]error, len(g.pairs))}
	type two struct{ i, j int }
	var all []two
	for i := range n {
		for j := i + 1; j < n; j++ {
			all = append(all, two{i, j})
		}
	}
	each(ctx, o.Workers, len(all), func(at int) { r.pair(ctx, all[at].i, all[at].j) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for at, err := range r.failed {
		if err != nil {
			g.Failures = append(g.Failures, Failure{all[at].i, all[at].j, err})
		}
	}
	if len(g.Failures) == len(g.pairs) {
		return nil, g.Failures[0].Err
	}
	return g, nil
}

// expanded returns the members with the recordings and kept runs that their Runs refer to. It
// returns an error if the members do not make a group.
func expanded(ctx context.Context, members []Member, keep analysis.Store) ([]Member, error) {
	if len(members) < 2 {
		return nil, errors.New("a group needs at least two recordings")
	}
	if len(members) > maxMembers {
		return nil, fmt.Errorf("a group has at most %d apps", maxMembers)
	}
	members = slices.Clone(members)
	seen := make(map[string]bool)
	for i := range members {
		m := &members[i]
		if seen[m.Name] {
			return nil, fmt.Errorf("two apps of the group have the name %q: give them different names, with NAME=FILE", m.Name)
		}
		seen[m.Name] = true
		var err error
		if m.Runs, err = analysis.Expand(ctx, m.Runs...); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if m.Runs, err = analysis.StoredRuns(ctx, keep, m.Runs); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		for _, run := range m.Runs {
			var missing *os.PathError
			if _, err := os.Stat(run); errors.As(err, &missing) && !analysis.NamesStored(run) {
				return nil, fmt.Errorf("open %s: %w", run, missing.Err)
			}
		}
	}
	return members, nil
}

// maxMembers is the maximum size of a group: a thousand apps need half a million comparisons.
const maxMembers = 1000

// index returns the index of the pair of members i < j.
func (g *Group) index(i, j int) int {
	n := len(g.Members)
	return i*(2*n-i-1)/2 + j - i - 1
}

// between returns the results for i from the comparison of members i and j. It is nil if the
// comparison failed.
func (g *Group) between(i, j int) *side {
	p := g.pairs[g.index(min(i, j), max(i, j))]
	switch {
	case p == nil:
		return nil
	case i < j:
		return &p.Sides[0]
	}
	return &p.Sides[1]
}

// Unstated reports whether a recording does not state the unit of its numbers. The numbers of the
// group are then not energies.
func (g *Group) Unstated() bool {
	for _, p := range g.pairs {
		if p != nil && (p.Sides[0].Unstated || p.Sides[1].Unstated) {
			return true
		}
	}
	return false
}

// Voltage returns the battery voltage of the comparisons.
func (g *Group) Voltage() units.Voltage {
	for _, p := range g.pairs {
		if p != nil {
			return p.Voltage
		}
	}
	return units.DefaultVoltage
}

// A runner makes the comparisons of a group.
type runner struct {
	Options
	group *Group
	store *store

	mu   sync.Mutex
	done int64
	// names has each text of the pairs once, since the same tasks appear in several pairs.
	names  map[string]string
	failed []error
}

// pair compares two members, or reads the stored result.
func (r *runner) pair(ctx context.Context, i, j int) {
	a, b := r.group.Members[i], r.group.Members[j]
	at, swapped, err := r.store.place(ctx, a, b)
	var p *pair
	var unkept error
	kept := false
	if err == nil {
		p, kept = r.store.load(at)
	}
	if err == nil && !kept {
		subject, reference := a, b
		if swapped {
			subject, reference = b, a
		}
		if p, err = compare(ctx, subject, reference, r.Compare); err == nil {
			unkept = r.store.save(at, p)
		}
	}
	if swapped && p != nil {
		p.Sides[0], p.Sides[1] = p.Sides[1], p.Sides[0]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(i, j, p, kept, unkept, err)
}

// count records the result of the comparison of members i and j.
func (r *runner) count(i, j int, p *pair, kept bool, unkept, err error) {
	a, b := r.group.Members[i], r.group.Members[j]
	at := r.group.index(i, j)
	if err != nil {
		r.failed[at] = fmt.Errorf("comparing %s with %s: %w", a.Name, b.Name, err)
	} else {
		p.intern(r.names)
		r.group.pairs[at] = p
	}
	switch {
	case err != nil:
	case kept:
		r.group.Kept++
	default:
		r.group.Compared++
	}
	if unkept != nil {
		r.group.Unsaved++
		r.group.UnsavedReason = cmp.Or(r.group.UnsavedReason, unkept)
	}
	if r.done++; r.Progress != nil {
		r.Progress(r.done, int64(len(r.failed)))
	}
}

// Repeat repeats comparisons, for callers that need more than the stored results. The first member
// of a pair is the subject. Each comparison uses the α of the stored comparison. Repeat calls do
// with each result and the index of the pair. Calls do not overlap. It omits pairs that cannot be
// compared.
func (g *Group) Repeat(ctx context.Context, pairs [][2]int, do func(i int, r *analysis.Result)) error {
	var mu sync.Mutex
	done := int64(0)
	each(ctx, g.options.Workers, len(pairs), func(at int) {
		i, j := pairs[at][0], pairs[at][1]
		o := g.options.Compare
		if p := g.pairs[g.index(min(i, j), max(i, j))]; p != nil {
			o.Alpha = p.Alpha
		}
		r, err := between(ctx, g.Members[i], g.Members[j], o)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			do(at, r)
		}
		if done++; g.options.Progress != nil {
			g.options.Progress(done, int64(len(pairs)))
		}
	})
	return ctx.Err()
}

// each does n jobs with a number of workers, until ctx is cancelled.
func each(ctx context.Context, workers, n int, do func(int)) {
	jobs := make(chan int)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for at := range jobs {
				if ctx.Err() == nil {
					do(at)
				}
			}
		})
	}
	for at := range n {
		jobs <- at
	}
	close(jobs)
	running.Wait()
}
