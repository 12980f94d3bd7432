package finding

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// An Accepted is a known finding, listed in a baseline.
type Accepted struct {
	ID string
	// Waste is true if the finding is about the waste of a component, not about a task or app code.
	Waste bool
	// Name is the label of the method, for readers of the file. Method is the parsed method.
	Name   string
	Method name.Method
	// Saving is the known saving. Interval has its bounds.
	Saving   units.Energy
	Interval Interval
	// Callers divides the known saving by app method. If it is nil, only the whole saving is
	// compared.
	Callers []CallerSaving
}

// A CallerSaving is the part of a row's saving that belongs to one app method.
type CallerSaving struct {
	// Method is the method with its class, without the package.
	Method string       `json:"method"`
	Saving units.Energy `json:"savingNJ"`
}

// An Increase is a known finding that now costs more than the baseline allows.
type Increase struct {
	Accepted
	// Now is the current saving. Bounds has its bounds.
	Now    units.Energy
	Bounds Interval
	// Caller is the app method whose part got worse. It is empty if the whole row got worse.
	Caller string
}

// An Acceptance is the result of [Set.Accept].
type Acceptance struct {
	Removed   Removed
	Increases []Increase
	// Gone has the known findings that no longer occur.
	Gone []Accepted
}

const (
	// minRise is the growth that is always accepted, as a share of the known saving.
	minRise = 0.02
	// maxWasteGrowth is the factor by which the waste of a component may grow and still be
	// accepted. It is a fixed factor because a single run has no bounds.
	maxWasteGrowth = 1.5
)

// Accept returns the set without the known findings.
//
// A known finding stays in the set if it got worse. It got worse if its saving, or the part of one
// app method, exceeds the known amount by more than the bounds of both amounts explain. The bounds
// are compared by the MOVER method for the difference of two estimates.
func (s *Set) Accept(known []Accepted) (*Set, Acceptance) {
	byID := make(map[string]*Accepted, len(known))
	for i := range known {
		byID[known[i].ID] = &known[i]
	}
	var a Acceptance
	left := make(map[string]bool, len(known)) // the known findings that still occur
	judge := func(at Ranked, id string, saving units.Energy) (accepted bool) {
		k := byID[id]
		if k == nil {
			return false
		}
		standing := s.Standing(at)
		now := Increase{Accepted: *k, Now: saving, Bounds: standing.Saving}
		left[k.ID] = standing.IsFinding || s.judged.all != NoDoubt || !exceeds(k.Saving, k.Interval.Least, saving, standing.Saving.Most)
		if !standing.IsFinding {
			return saving > 0
		}
		if s.increase(at, &now) {
			a.Increases = append(a.Increases, now)
			return false
		}
		return true
	}
	r := s.Result
	tasks, code := make(map[int]bool), make(map[int]bool)
	for i := range r.Tasks {
		if judge(Ranked{Index: i}, s.ID(i), r.Tasks[i].Saving) {
			tasks[i] = true
		}
	}
	s.movedEntries(byID)
	for i := range r.AppCode.Rows {
		if judge(Ranked{Code: true, Index: i}, s.CodeID(i), r.AppCode.Rows[i].Saving) {
			code[i] = true
		}
	}
	without, removed := s.excusing(tasks, code)
	subject, wastes := AcceptWastes(&without.Result.Subject, known)
	without.Result.Subject = *subject
	a.Removed, a.Increases = removed, append(a.Increases, wastes.Increases...)
	a.Removed.Wastes = wastes.Removed.Wastes
	a.Gone = wastes.Gone
	for _, k := range known {
		if !k.Waste && !left[k.ID] && s.judged.all == NoDoubt {
			a.Gone = append(a.Gone, k)
		}
	}
	return without, a
}

// movedEntries finds the known findings whose class moved to another package. It adds each to byID
// under the method's current identity. The class name, the method and the parameters must be equal,
// and unique among known findings and among rows.
func (s *Set) movedEntries(byID map[string]*Accepted) {
	const ambiguous = -1
	moved := make(map[string]int) // the row of each key, ambiguous if several rows have the key
	r, ids := s.Result, CodeIDs(s.Result)
	present := make(map[string]bool, len(ids))
	for i, id := range ids {
		present[id] = true
		row := &r.AppCode.Rows[i]
		if row.Kind != appcode.Method || byID[id] != nil || row.Method.Type == "" {
			continue
		}
		key := row.Method.Short() + row.Method.Signature
		if _, taken := moved[key]; taken {
			i = ambiguous
		}
		moved[key] = i
	}
	if len(moved) == 0 {
		return
	}
	entries := make(map[string]*Accepted)
	for id, k := range byID {
		if k.Waste || present[id] || codeID(k.Name) != id {
			continue
		}
		key := k.Method.Short() + k.Method.Signature
		if _, taken := entries[key]; taken {
			k = nil
		}
		entries[key] = k
	}
	for key, k := range entries {
		if i, ok := moved[key]; ok && i != ambiguous && k != nil {
			byID[ids[i]] = k
		}
	}
}

// AcceptWastes returns the run without the known wastes of components.
func AcceptWastes(in *analysis.Input, known []Accepted) (*analysis.Input, Acceptance) {
	var a Acceptance
	found := make(map[string]*Waste)
	for _, w := range Wastes(in) {
		found[w.ID] = &w
	}
	accepted := make(map[string]bool)
	for _, k := range known {
		w := found[k.ID]
		switch {
		case !k.Waste || in.Bundles == nil:
		case w == nil:
			a.Gone = append(a.Gone, k)
		case float64(w.Saving.Most) > maxWasteGrowth*float64(k.Saving):
			a.Increases = append(a.Increases, Increase{Accepted: k, Now: w.Saving.Most, Bounds: w.Saving})
		default:
			accepted[k.ID] = true
		}
	}
	left, fewer := WithoutWastes(in, func(id, _ string, _ iter.Seq[string]) bool { return accepted[id] })
	a.Removed.Wastes = fewer
	return left, a
}

// increase reports whether a row costs more than the baseline allows. It sets now.Caller if the
// whole row is within its bounds but the part of one app method is not.
func (s *Set) increase(at Ranked, now *Increase) bool {
	if exceeds(now.Now, now.Bounds.Least, now.Saving, now.Interval.Most) {
		return true
	}
	if now.Callers == nil {
		return false
	}
	margin := max(math.Hypot(float64(now.Now-now.Bounds.Least), float64(now.Interval.Most-now.Saving)), minRise*float64(now.Saving))
	parts := make(map[string]units.Energy)
	for _, c := range now.Callers {
		parts[c.Method] = c.Saving
	}
	for _, c := range s.Callers(at) {
		if float64(c.Saving-parts[c.Method]) > margin {
			now.Caller = c.Method
			return true
		}
	}
	return false
}

// exceeds reports whether one amount is larger than the other by more than their bounds explain.
// least is the lower bound of the first amount, and most the upper bound of the second.
func exceeds(amount, least, other, most units.Energy) bool {
	difference := float64(amount - other)
	return difference > minRise*float64(other) && difference > math.Hypot(float64(amount-least), float64(most-other))
}

// Callers divides a row's saving by app method, the largest part first.
func (s *Set) Callers(at Ranked) []CallerSaving {
	sums := make(map[string]units.Energy)
	r := s.Result
	if at.Code {
		row := &r.AppCode.Rows[at.Index]
		for _, p := range row.Parts {
			if row.Energy > 0 {
				sums[r.Subject.Tree.Source.Methods[p.Method].Short()] += units.Energy(units.MulDiv(int64(max(row.Saving, 0)), int64(p.Energy), int64(row.Energy)))
			}
		}
	} else {
		t := &r.Tasks[at.Index]
		callers := eflask.Callers(r.Subject.Tree, t.Node)
		savings := shares(t, callers, true)
		for i, c := range callers {
			if r.Subject.Tree.Source.Nodes[c.Source].Method >= 0 {
				sums[s.site(c).Method.Short()] += savings[i]
			}
		}
	}
	list := make([]CallerSaving, 0, len(sums))
	for _, method := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, CallerSaving{method, sums[method]})
	}
	slices.SortStableFunc(list, func(a, b CallerSaving) int { return cmp.Compare(b.Saving, a.Saving) })
	return list
}
