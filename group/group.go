// Package group compares each app of a group with each other, as the evaluation of
// DiffProf does (Jindal and Hu, OSDI 2018, Section 5.2): how many of an app's tasks none,
// one, two or more of the others do, what its unique tasks drain (Table 3), how much any
// two have in common (Figure 2), and who does a task for least.
//
// Comparisons run side by side. What a comparison said is kept in a folder by the content
// of its files and by its settings, each in a file that is renamed when it is whole: a run
// that was stopped goes on where it was, and one more app costs as many comparisons as
// there are others.
//
// Two recordings are compared once. The matching is of pairs, so what it says of one side
// it says of the other.
package group

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/memory"
	"github.com/diffprof/diffprof/units"
)

// A Member is an app of a group, or a version of one.
type Member struct {
	// Name is what people call it; no two members share one.
	Name string
	// Path is its recording. Mapping, Flows and Process are as analysis.Options has them of
	// a side, and may be empty.
	Path, Mapping, Flows, Process string
}

// Options say how to compare.
type Options struct {
	// Compare has what all comparisons share. Its fields of either side are not looked at.
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
	if err := check(members); err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	n := len(members)
	g := &Group{Members: members, pairs: make([]*pair, n*(n-1)/2)}
	o.Workers = min(o.Workers, len(g.pairs))
	switch {
	case o.Compare.MaxMemory == 0:
		o.Compare.MaxMemory = memory.Free() / 4 * 3 / int64(o.Workers)
	case o.Compare.MaxMemory > 0:
		o.Compare.MaxMemory = max(o.Compare.MaxMemory/int64(o.Workers), 1)
	}
	kept, err := openStore(o)
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o, group: g, store: kept, names: make(map[string]string), failed: make([]error, len(g.pairs))}
	r.run(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if err := r.failed[g.index(i, j)]; err != nil {
				g.Failures = append(g.Failures, Failure{i, j, err})
			}
		}
	}
	if len(g.Failures) == len(g.pairs) {
		return nil, g.Failures[0].Err
	}
	return g, nil
}

// check says what makes members no group.
func check(members []Member) error {
	if len(members) < 2 {
		return errors.New("a group takes two recordings or more")
	}
	if len(members) > math.MaxUint16 {
		return fmt.Errorf("a group takes %d recordings at most", math.MaxUint16)
	}
	seen := make(map[string]bool)
	for _, m := range members {
		if seen[m.Name] {
			return fmt.Errorf("two apps of the group are called %q: give each a name of its own, as NAME=FILE", m.Name)
		}
		seen[m.Name] = true
	}
	return nil
}

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

// run makes all comparisons, and returns when they are done or ctx is cancelled.
func (r *runner) run(ctx context.Context) {
	type job struct{ i, j int }
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for at := range jobs {
				if ctx.Err() == nil {
					r.pair(ctx, at.i, at.j)
				}
			}
		})
	}
	for i := range r.group.Members {
		for j := i + 1; j < len(r.group.Members); j++ {
			jobs <- job{i, j}
		}
	}
	close(jobs)
	workers.Wait()
}

// pair compares two members, or reads what a run before this one kept of them.
func (r *runner) pair(ctx context.Context, i, j int) {
	a, b := r.group.Members[i], r.group.Members[j]
	p, err := r.store.load(a, b)
	kept := p != nil
	if err == nil && !kept {
		p, err = compare(ctx, a, b, r.Compare)
		if err == nil {
			err = r.store.save(a, b, p)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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
	if r.done++; r.Progress != nil {
		r.Progress(r.done, int64(len(r.failed)))
	}
}
