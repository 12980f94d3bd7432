// Package appcode compares the energy of the app's own code in two runs: the exclusive energy of
// A-methods.
//
// Tasks are the framework's work for the app. The rest of an app's energy is in its own methods,
// which preprocess merges into callbacks. [Compare] divides each callback's energy among the
// A-methods that it was made from, and lists rows:
//
//   - if both runs are of the same app, a row for each A-method, over all its contexts;
//   - if not, a row for each A-method that both runs have, such as a library's, and a row for the
//     rest of each callback.
//
// # One app
//
// [Basis] lists the evidence that two runs belong to one app. Names come first: own classes, own
// functions of one program or source file, own functions of a program under another name, own
// packages. A quarter of the names in the run with fewer names has to occur in the other run. It is
// half for packages and for functions of another program, because two apps may share some.
// Libraries do not count, since many apps ship them. Names of one or two letters, as obfuscators
// give, do not count, nor do names such as main: two apps may share them by chance.
//
// If the names are no evidence, the shape may be. The framework's names are anchors: no shrinker
// changes them. [Compare] aligns callbacks with equal paths, and pairs their A-methods from the
// callback down. A place agrees if both runs show the same feature there: the F-method that an own
// method calls, or the own method's descriptor with the framework's classes. Rarer features have
// more weight.
//
// A sampled run misses rare calls, so two runs of one app never show the same places. Each place
// therefore counts by the chance that a second run shows it again, and the agreement is compared
// with its expectation. The estimate of the chance is Turing's (I. J. Good, "The population
// frequencies of species and the estimation of population parameters", Biometrika 40, 1953). Two
// runs belong to one app if they agree in half of the expectation, or in three quarters if no run
// is sampled, by ten own methods or more. The run with the smaller expectation decides. Methods
// under other names are then matched by votes: each pair of calls in the same place votes for a
// pair of methods.
//
// A shrinker may rename only one build, or spare some packages. Then the names show one app. Own
// methods whose class only one run has are matched by shape, if at least five of them agree as
// above.
//
// # Laws
//
// The energies of a tree's callbacks are divided exactly: the rows and [Comparison.Only] add up to
// the energy of the trees' App nodes. A row's Own excludes tasks, so the sum over all tasks and
// rows counts nothing twice. Results depend only on the arguments.
package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Kind is the kind of a row.
type Kind uint8

// The kinds.
const (
	// Method is an A-method, in all its contexts.
	Method Kind = iota
	// Callback is one callback. It includes the A-methods that were merged into it, except those with
	// rows of their own.
	Callback
)

// A Match is how a row's counterpart was found.
type Match uint8

// The kinds of match, the surest first.
const (
	// None means that the reference has no counterpart, or that it is unknown.
	None Match = iota
	// Exact means the same method.
	Exact
	// Signature means that the class has one method of this name on each side, with different
	// parameters.
	Signature
	// Moved means a method of the same name and parameters in another class, called from the same
	// callback, and the only one. One of the two classes occurs in only one run.
	Moved
	// Tasks means a callback of the same name that shares half of its tasks: they are matched and
	// have the same name.
	Tasks
	// Alike means a method under another name that has the same callers and callees.
	Alike
)

// String returns the name of the match in reports.
func (m Match) String() string {
	return [...]string{"none", "exact", "signature", "moved", "tasks", "alike"}[m]
}

// A Row is a piece of the subject's own code, with its energy.
type Row struct {
	Kind Kind
	Side
	// Peer is the counterpart, nil if there is none.
	Peer  *Side
	Match Match
	// Saving is Energy minus the peer's energy.
	Saving units.Energy
	// Split divides the Saving of an A-method's row as a task's saving is divided. It is nil unless
	// both inputs count calls and one of the two methods was called.
	Split *eflask.Split
}

// A Side is a piece of code in one run, with its exclusive energy.
type Side struct {
	// Method is the A-method as it was recorded. For several methods it is the method that they are
	// compared by (see [preprocess.Tree.Compared]). The method of a Callback has no class.
	Method name.Method
	// Energy is the exclusive energy of the code. Own is the part outside of tasks: the rest is in
	// the energy of the tasks around it.
	Energy, Own units.Energy
	// Calls counts calls, as in cct.Tree.Counted: all calls of an A-method, and the calls that
	// entered a callback.
	Calls int64
	// Parts are the callbacks and A-methods that it consists of, sorted by energy.
	Parts []Part
}

// A Part is the exclusive energy of an A-method in a callback.
type Part struct {
	// Node is the callback's node in the run's tree.
	Node   int32
	Method trace.MethodID
	Energy units.Energy
	// Runs has the energy in each run if Energy is the mean of several, and is nil otherwise.
	Runs []units.Energy
}

// Runs returns the energy of the code in each run if Energy is the mean of several, and nil
// otherwise.
func (s *Side) Runs() []units.Energy {
	var runs []units.Energy
	for _, p := range s.Parts {
		runs = plus(runs, p.Runs)
	}
	return runs
}

// plus adds the energies of a part in each run to a sum.
func plus(sum, part []units.Energy) []units.Energy {
	if sum == nil {
		return slices.Clone(part)
	}
	for k, e := range part {
		sum[k] += e
	}
	return sum
}

// A Comparison compares the energy of the app's own code in two runs.
type Comparison struct {
	// OneApp reports whether both runs belong to one app, and By is the evidence.
	OneApp bool
	By     Basis
	// Rows are the subject's rows, sorted by saving. Rows without energy in both runs are left out.
	Rows []Row
	// Sum sums up all rows, including those that a caller removes from Rows.
	Sum Sum
	// Only is the reference's code that is in no row. Own is the part outside of tasks, and Sides
	// are the methods and callbacks.
	Only struct {
		Energy, Own units.Energy
		Sides       []Side
	}
}

// A Sum sums up rows. MatchedEnergy + UnmatchedEnergy is their energy, and Own the part outside of
// tasks.
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

// Compare compares the app's code in two trees that share their Labels. tasks are the result of
// [eflask.Tasks]: the matched tasks show which callbacks of different apps are counterparts. own
// reports whether a method of either run belongs to the app itself, not to a library in it.
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
