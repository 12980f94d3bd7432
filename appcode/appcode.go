// Package appcode compares what the app's own code drains in two runs: the energy of
// A-methods themselves, without what they call.
//
// Tasks say what the app has the framework do. The rest of what an app drains is in its
// own methods, which preprocess merges into callbacks. [Compare] parts each callback's
// energy by the A-methods that it was made from, and lists rows:
//
//   - where both runs are of one app, a row for each A-method, over all contexts that it
//     is called in;
//   - where they are not, a row for each A-method that both runs have, such as those of a
//     library, and a row for what is left of each callback.
//
// # One app
//
// [Basis] lists the evidence that two runs belong to one app. Names come first: own classes, own
// functions of one program or source file, own functions of a program under another name, own
// packages. A quarter of the names in the run with fewer names has to occur in the other run.
// It is half for packages and for functions of another program, because two apps may share
// some. Libraries do not count, since many apps ship them. Names of one or two letters, as
// obfuscators give, do not count, nor do names such as main: two apps have them by chance.
//
// Where the names show nothing, the shape may. The framework's names are anchors: no shrinker
// changes them. [Compare] aligns callbacks with equal paths, and pairs their A-methods from the
// callback down. A place agrees if both runs show the same feature there: the F-method that an own
// method calls, or the own method's descriptor with the framework's classes. A feature
// that few places have weighs more.
//
// A sampled run misses rare calls, so two runs of one app never show the same places. Each
// place therefore counts by the chance that a second run shows it again, and the agreement is
// compared with its expectation. The estimate of the chance is Turing's (I. J. Good, "The population
// frequencies of species and the estimation of population parameters", Biometrika 40, 1953).
// Two runs belong to one app if they agree in half of the expectation, or in three quarters
// where no run is sampled, by ten own methods or more. The run that shows less decides.
// Methods under other names are then counterparts by votes: each pair of calls in the same place
// votes for a pair of methods.
//
// A shrinker may rename one build alone, or spare some packages. Then the names show one app, and
// own methods whose class only one run has pair by shape, if five of them or more agree as above.
//
// # Laws
//
// The energies of a tree's callbacks are parted exactly: what the rows have and what
// [Comparison] says of the reference's own rows is the energy of the trees' App nodes.
// A row's Own is what lies outside of tasks, so that the sum over all tasks and rows
// counts nothing twice. Results depend on the arguments alone.
package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Kind says what a row is about.
type Kind uint8

// The kinds.
const (
	// Method is an A-method, in all contexts that it is called in.
	Method Kind = iota
	// Callback is one callback with the A-methods that merged into it, without those
	// that have rows of their own.
	Callback
)

// A Match says how a row's counterpart was found.
type Match uint8

// The ways, in order of trust.
const (
	// None: the reference has none, or none can be told.
	None Match = iota
	// Exact: the same method.
	Exact
	// Signature: the class has one method of that name on either side, with other
	// parameters.
	Signature
	// Moved: a method of the same name and parameters in another class, called from
	// the same callback, and the only one; one of the two classes is in one run alone.
	Moved
	// Tasks: a callback of the same name half of whose tasks are the same: matched, and of
	// one name.
	Tasks
	// Alike: a method under another name that is called from the same place and calls the same.
	Alike
)

// String names the way as reports do.
func (m Match) String() string {
	return [...]string{"none", "exact", "signature", "moved", "tasks", "alike"}[m]
}

// A Row is what a piece of the subject's own code drains.
type Row struct {
	Kind Kind
	Side
	// Peer is nil where there is no counterpart.
	Peer  *Side
	Match Match
	// Saving is Energy less the peer's.
	Saving units.Energy
	// Split parts the Saving of an A-method's row as that of a task is parted; nil
	// unless both inputs count calls and some of either method's.
	Split *eflask.Split
}

// A Side is what one run drains in a piece of code itself, without what that calls.
type Side struct {
	// Method is the A-method as it was recorded, or what several methods are compared by
	// (see [preprocess.Tree.Compared]). That of a Callback has no class.
	Method name.Method
	// Energy is all that the code drains itself. Own is what of it lies outside of
	// tasks: the rest is in the energy of the tasks around it.
	Energy, Own units.Energy
	// Calls counts the calls, as cct.Tree.Counted says: of an A-method all of them, of
	// a callback those that entered it.
	Calls int64
	// Parts are the callbacks and A-methods that make it up, the dearest first.
	Parts []Part
}

// A Part is what an A-method drains itself within a callback.
type Part struct {
	// Node is the callback's node in the run's tree.
	Node   int32
	Method trace.MethodID
	Energy units.Energy
	// Runs is what the A-method drained in each of the runs that Energy is the mean of;
	// nil where there is one.
	Runs []units.Energy
}

// Runs is what the code drained in each of the runs that Energy is the mean of; nil where
// there is one.
func (s *Side) Runs() []units.Energy {
	var runs []units.Energy
	for _, p := range s.Parts {
		runs = plus(runs, p.Runs)
	}
	return runs
}

// plus adds what a part drained in each run to what others did.
func plus(sum, part []units.Energy) []units.Energy {
	if sum == nil {
		return slices.Clone(part)
	}
	for k, e := range part {
		sum[k] += e
	}
	return sum
}

// A Comparison is what the app's own code drains in two runs.
type Comparison struct {
	// OneApp reports whether both runs belong to one app, and By is the evidence.
	OneApp bool
	By     Basis
	// Rows are the subject's, most saving first; those that drain nothing in either
	// run are left out.
	Rows []Row
	// Sum adds all rows up, those too that somebody leaves out of Rows.
	Sum Sum
	// Only is what code of the reference drains that is in no row: Own is what of it
	// lies outside of tasks, and Sides are the methods and callbacks that drain it.
	Only struct {
		Energy, Own units.Energy
		Sides       []Side
	}
}

// A Sum adds rows up: MatchedEnergy + UnmatchedEnergy is all that they have, Own what of
// it lies outside of tasks.
type Sum struct {
	Rows, Matched                       int
	MatchedEnergy, UnmatchedEnergy, Own units.Energy
}

// add adds a row.
func (s *Sum) add(r *Row) {
	s.Rows++
	s.Own += r.Own
	if r.Peer != nil {
		s.Matched++
		s.MatchedEnergy += r.Energy
	} else {
		s.UnmatchedEnergy += r.Energy
	}
}

// Compare compares the app's code in two trees that share their Labels. tasks are
// those that [eflask.Tasks] lists for them: the matched ones tell which callbacks
// of different apps are counterparts. own says whether a method of either run is of the
// app itself, rather than of a library in it.
func Compare(subject, reference *preprocess.Tree, tasks []eflask.Task, own [2]func(trace.MethodID) bool) *Comparison {
	s, r := bothSides(func(k int) *run { return collect([]*preprocess.Tree{subject, reference}[k]) })
	c := &Comparison{By: s.names(own[0]).basis(r.names(own[1]))}
	pairs := newPairs()
	s.matchNames(r, pairs)
	isOwn := func(run int, s *side) bool { return own[run](s.Parts[0].Method) }
	switch {
	case c.By == NoBasis:
		if votes := s.vote(r, pairs.labels(), isOwn); votes.oneApp() {
			c.By = Shape
			votes.elect(pairs, func(_, _ *side) bool { return true })
		}
		s.byCallback(func(side *side) bool { _, ok := pairs.peers[side]; return ok })
		r.byCallback(func(side *side) bool { return pairs.taken[side] })
		if c.By == Shape {
			s.matchPlaces(r, pairs)
		}
		s.matchCallbacks(r, tasks, pairs)
	case s.hasShrunk() && r.hasShrunk():
		if votes := s.vote(r, pairs.labels(), isOwn); votes.renamed(s, r) {
			votes.elect(pairs, func(s, r *side) bool { return shrunk(s.Method) && shrunk(r.Method) })
			s.matchVersions(r, pairs, func(s *side) bool { return !shrunk(s.Method) })
			break
		}
		fallthrough
	default:
		s.matchVersions(r, pairs, func(*side) bool { return true })
	}
	if c.By != NoBasis && c.By != Shape {
		s.matchRenamed(r, pairs, isOwn)
	}
	c.OneApp = c.By != NoBasis
	counted := eflask.BothCount(subject, reference)
	bothSides(func(k int) bool { []*run{s, r}[k].rank(); return true })
	for _, side := range s.sides {
		row := Row{Kind: side.kind, Side: side.Side, Saving: side.Energy}
		if p, ok := pairs.peers[side]; ok {
			row.Match, row.Peer = p.match, &p.side.Side
			row.Saving -= p.side.Energy
			if counted && side.kind == Method {
				row.Split = eflask.NewSplit(row.Saving, row.Calls, p.side.Calls, p.side.Energy)
			}
		}
		if row.Energy != 0 || row.Saving != 0 {
			c.Rows = append(c.Rows, row)
			c.Sum.add(&row)
		}
	}
	for _, side := range r.sides {
		if !pairs.taken[side] {
			c.Only.Energy += side.Energy
			c.Only.Own += side.Own
			if side.Energy != 0 {
				c.Only.Sides = append(c.Only.Sides, side.Side)
			}
		}
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(b.Energy, a.Energy))
	})
	return c
}
