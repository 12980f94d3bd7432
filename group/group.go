// Package group compares each app of a group with each other, as the evaluation of
// DiffProf does (Jindal and Hu, OSDI 2018, Section 5.2): how many of an app's tasks none,
// one, two or more of the others do, what its unique tasks drain (Table 3), how much any
// two have in common (Figure 2), and who does a task for least.
//
// Comparisons run side by side. What a comparison said is kept in a folder by the content
// of its files and kept runs and by its settings, each in a file that is renamed when it is whole: a run
// that was stopped goes on where it was, and one more app costs as many comparisons as
// there are others.
//
// Two recordings are compared once. The matching is of pairs, so what it says of one side
// it says of the other. Which of them is the subject follows from their contents alone, so that
// the order of a group decides nothing.
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
	// Name is what people call it; no two members share one.
	Name string
	// App is what its name has without Version. Members of one App are versions of it. Both may
	// be empty.
	App, Version string
	// Runs are its recordings, one or more, or patterns, folders and names of kept runs that stand
	// for some; of several the mean counts.
	Runs []string
	// Mapping, Flows and Process are as analysis.Options has them of a side, and may be empty.
	Mapping, Flows, Process string
}

// Path is its first recording.
func (m *Member) Path() string { return m.Runs[0] }

// Options say how to compare.
type Options struct {
	// Compare has what all comparisons share. Its fields of either side and Normalize are not
	// looked at: each app counts as it was recorded.
	Compare analysis.Options
	// Workers is how many comparisons run at a time; 0 is one for each processor. They
	// share Compare.MaxMemory.
	Workers int
	// Cache is the folder that keeps what comparisons said; empty keeps nothing.
	Cache string
	// Fingerprint stands for all that decides what a comparison says beside its files: the
	// program and its settings.
	Fingerprint string
	// Progress is told how many comparisons are done; may be nil. Calls do not overlap.
	Progress func(done, total int64)
}

// A Group is what the comparisons said between them. It is not changed once made and may
// be read concurrently.
type Group struct {
	Members []Member
	// pairs has what is known of members i < j at index(i, j); nil where their comparison
	// failed.
	pairs []*pair
	// Failures say which comparisons failed, and why, in the order of their members.
	Failures []Failure
	// Kept counts the comparisons that were in the cache, Compared those that were made.
	Kept, Compared int
	// Unkept counts those that were made and could not be kept, and UnkeptWhy is the first
	// reason; the next run makes them again.
	Unkept    int
	UnkeptWhy error
	options   Options
}

// A Failure is a comparison that could not be made.
type Failure struct {
	// A and B are indices of Members.
	A, B int
	Err  error
}

// Run compares each member with each other. It fails if no comparison succeeds, or once ctx
// is cancelled, with ctx's error; what was compared by then is kept.
func Run(ctx context.Context, members []Member, o Options) (*Group, error) {
	members, err := expanded(ctx, members, o.Compare.Keep)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	n := len(members)
	g := &Group{Members: members, pairs: make([]*pair, n*(n-1)/2)}
	o.Workers = min(o.Workers, len(g.pairs))
	o.Compare.Progress, o.Compare.Normalize = nil, analysis.Normalization{}
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

// expanded returns members with the recordings and the kept runs that their runs stand for, or
// says what makes them no group.
func expanded(ctx context.Context, members []Member, keep analysis.Keep) ([]Member, error) {
	if len(members) < 2 {
		return nil, errors.New("a group takes two recordings or more")
	}
	if len(members) > mostMembers {
		return nil, fmt.Errorf("a group takes %d apps at most", mostMembers)
	}
	members = slices.Clone(members)
	seen := make(map[string]bool)
	for i := range members {
		m := &members[i]
		if seen[m.Name] {
			return nil, fmt.Errorf("two apps of the group are called %q: give each a name of its own, as NAME=FILE", m.Name)
		}
		seen[m.Name] = true
		var err error
		if m.Runs, err = analysis.Expand(ctx, m.Runs...); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		if m.Runs, err = analysis.KeptRuns(ctx, keep, m.Runs); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		for _, run := range m.Runs {
			if _, err := os.Stat(run); err != nil && !analysis.InKeep(run) {
				return nil, fmt.Errorf("opening %w", err)
			}
		}
	}
	return members, nil
}

// mostMembers bounds a group: a thousand apps are half a million comparisons.
const mostMembers = 1000

// index is the place of the pair of members i < j.
func (g *Group) index(i, j int) int {
	n := len(g.Members)
	return i*(2*n-i-1)/2 + j - i - 1
}

// between returns what the comparison of members i and j says of i; nil if it failed.
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

// Unstated reports whether a recording does not state the unit of its numbers, so that none
// of the group's are energy.
func (g *Group) Unstated() bool {
	for _, p := range g.pairs {
		if p != nil && (p.Sides[0].Unstated || p.Sides[1].Unstated) {
			return true
		}
	}
	return false
}

// Voltage is the battery's that the comparisons were made with.
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
	// names has each text of the pairs once: the same tasks come again in pair after pair.
	names  map[string]string
	failed []error
}

// pair compares two members, or reads what a run before this one kept of them.
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

// count takes in what became of the comparison of members i and j.
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
		r.group.Unkept++
		r.group.UnkeptWhy = cmp.Or(r.group.UnkeptWhy, unkept)
	}
	if r.done++; r.Progress != nil {
		r.Progress(r.done, int64(len(r.failed)))
	}
}

// Again compares pairs of members again, the first of each as the subject, for callers that need
// more than what is kept, with the α that their comparison had. It hands each result, with the
// pair's index, to do, of which calls do not overlap. Pairs that cannot be compared are left out.
func (g *Group) Again(ctx context.Context, pairs [][2]int, do func(i int, r *analysis.Result)) error {
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

// each does n jobs, so many at a time, until ctx is cancelled.
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
