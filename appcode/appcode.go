// Package appcode compares the energy of the app's own code in two runs, the subject and the
// reference.
//
// An A-method is a method of the app, and an F-method a method of the framework. A callback is an
// A-method that an F-method calls, such as onClick. Tasks are the framework's work for the app,
// such as a call of TextView.setText (see package eflask). The rest of an app's energy is used in
// its own methods, which package preprocess merges into callbacks. [Compare] divides the energy of
// each callback back among its A-methods. The energy of an A-method excludes its callees. The result
// has these rows:
//
//   - If both runs show the same app, there is a row for each A-method, over all its contexts.
//   - If not, there is a row for each A-method that both runs have, such as a library's, and a row
//     for the rest of each callback. Trace slices are not parts of callbacks. They have rows by
//     name.
//
// # One app
//
// [Basis] lists the evidence that two runs belong to one app. Names are tried first, in this order:
//
//  1. own classes;
//  2. own functions of one program or source file;
//  3. own functions of a program with another name;
//  4. own packages.
//
// At least a quarter of the names must be common, counted in the run with fewer names. For the last
// two it is half of the names, because two apps may have some of them in common. Names of libraries
// do not count, because many apps contain them. Names that two apps may have by chance do not count
// either: names of one or two letters, which obfuscators give, and names such as main. For trace
// slices, the process decides if it is known.
//
// If names are no evidence, the shape of the calls may be. A shrinker does not rename the
// framework, so [Compare] starts from the callbacks that have the same path in both runs. From each
// callback down, it pairs the A-methods. A place in the call tree agrees if both runs have the same
// feature there. A feature is an F-method that own code calls, or the descriptor of an own method
// with the framework's classes. Rarer features have more weight.
//
// A sampled run misses rare calls, so even two runs of one app do not have all the same places. The
// weight of a place is therefore the chance that a second run has it again, and the agreement is
// compared with its expectation. The chance is estimated by Turing's method (I. J. Good, "The
// population frequencies of species and the estimation of population parameters", Biometrika 40,
// 1953). Two runs belong to one app if they agree in half of the expectation, or in three quarters
// if no run is sampled. At least ten own methods must agree. The run with the smaller expectation
// decides.
//
// Then methods with different names are matched by vote. Each pair of calls in the same place is a
// vote for its pair of methods.
//
// A shrinker may rename only one build, or leave some packages unchanged. The names then show that
// both builds belong to one app. Own methods whose class is in only one run are matched by shape,
// if at least five of them agree as above.
//
// # Laws
//
// The parts of a callback add up to its energy exactly. The rows and [Comparison.Only] add up to
// the energy of all callbacks and slices of the tree (its App nodes). A row's Own leaves out code
// that runs within tasks, so the sum over all tasks and rows counts no energy twice. Results depend
// only on the arguments.
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
	// Method is an A-method (a method of the app), in all its contexts.
	Method Kind = iota
	// Callback is an A-method that the framework calls. The row includes the A-methods that were
	// merged into it, except those with rows of their own.
	Callback
)

// A Match tells how the counterpart of a row was found.
type Match uint8

// The kinds of match. After None they are sorted from the surest to the least sure.
const (
	// None means that the reference has no known counterpart.
	None Match = iota
	// Exact means the same method.
	Exact
	// Signature means a method of the same class and name with other parameters. In each run, it is
	// the only such method without a counterpart.
	Signature
	// Moved means a method with the same name and parameters in another class. It is the only such
	// method without a counterpart, and is called from the same callback. At least one of the two
	// classes is in only one run.
	Moved
	// Tasks means a callback with the same name and at least half of its tasks in common. A common
	// task has a counterpart with the same name.
	Tasks
	// Alike means a method with another name but similar callers and callees, or a callback with
	// another name and at least half of its tasks in common.
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
	// Peer is the counterpart. It is nil if there is none.
	Peer  *Side
	Match Match
	// Saving is Energy minus the peer's energy.
	Saving units.Energy
	// Split divides the Saving of an A-method into fewer calls and cheaper calls, like
	// eflask.Task.Split. It is nil unless both inputs count calls and one of the methods was
	// called.
	Split *eflask.Split
}

// A Side is a piece of code in one run. Its energy does not include callees.
type Side struct {
	// Method is the A-method as it was recorded. If several methods are compared as one, it is
	// their common name (see [preprocess.Tree.Compared]). The Method of a Callback has no class.
	Method name.Method
	// Energy is the energy of the code without callees. Own is the part that is used outside of
	// tasks. The rest is also counted in the energy of the tasks around it.
	Energy, Own units.Energy
	// Calls counts all calls of an A-method, or the calls that entered a callback. They may be
	// estimates: see cct.Tree.Counted.
	Calls int64
	// Parts has one entry for each A-method and callback. They are sorted by energy.
	Parts []Part
}

// A Part is the energy of an A-method (a method of the app) in one callback, without its callees.
type Part struct {
	// Node is the callback's node in the run's tree.
	Node   int32
	Method trace.MethodID
	Energy units.Energy
	// Runs has the energy in each run if Energy is the mean of several runs. Otherwise it is nil.
	Runs []units.Energy
}

// Runs returns the energy of the code in each run if Energy is the mean of several runs. Otherwise
// it returns nil.
func (s *Side) Runs() []units.Energy {
	var runs []units.Energy
	for _, p := range s.Parts {
		runs = plus(runs, p.Runs)
	}
	return runs
}

// plus adds the energies of a part to sum, run by run, and returns sum.
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
	// OneApp is true if both runs belong to one app. By is the evidence.
	OneApp bool
	By     Basis
	// Rows are the subject's rows, sorted by saving. Rows without energy in both runs are left out.
	Rows []Row
	// Sum is the sum of all rows, including rows that a caller later removes from Rows.
	Sum Sum
	// Only is the reference's code that has no row. Own is its energy outside of tasks. Sides are
	// its methods and callbacks.
	Only struct {
		Energy, Own units.Energy
		Sides       []Side
	}
}

// A Sum is a sum of rows. Their energy is MatchedEnergy + UnmatchedEnergy, and Own is the part
// outside of tasks.
type Sum struct {
	Rows, Matched                       int
	MatchedEnergy, UnmatchedEnergy, Own units.Energy
}

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

// Compare compares the app's code in two trees that share their Labels. tasks is the result of
// [eflask.Tasks]. It shows which callbacks of different apps are counterparts. own[0] and own[1]
// report whether a method of the subject or the reference belongs to the app itself. They return
// false for the app's libraries.
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
			votes.pairByVotes(pairs, func(_, _ *side) bool { return true })
		}
		s.byCallback(func(side *side) bool { _, ok := pairs.peers[side]; return ok })
		r.byCallback(func(side *side) bool { return pairs.taken[side] })
		if c.By == Shape {
			s.matchPlaces(r, pairs)
		}
		s.matchCallbacks(r, tasks, pairs)
	case s.hasShrunk() && r.hasShrunk():
		if votes := s.vote(r, pairs.labels(), isOwn); votes.renamed(s, r) {
			votes.pairByVotes(pairs, func(s, r *side) bool { return shrunk(s.Method) && shrunk(r.Method) })
			s.matchVersions(r, pairs, func(s *side) bool { return !shrunk(s.Method) })
			break
		}
		fallthrough
	default:
		s.matchVersions(r, pairs, func(*side) bool { return true })
	}
	if c.By != NoBasis && c.By != Shape {
		s.matchRenamedCallbacks(r, tasks, pairs)
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
