package finding

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Kind classifies a row of a comparison: either by what it is, or by its result.
type Kind string

// The kinds. Each row has two: TaskKind or CodeKind, and one of the results.
const (
	TaskKind        Kind = "task"
	CodeKind        Kind = "app"
	SubjectOnlyKind Kind = "only-here"
	PossibleKind    Kind = "perhaps"
	DearerKind      Kind = "more"
	CheaperKind     Kind = "less"
	SameKind        Kind = "same"
)

// Kinds lists the kinds.
func Kinds() []Kind {
	return []Kind{TaskKind, CodeKind, SubjectOnlyKind, PossibleKind, DearerKind, CheaperKind, SameKind}
}

// FindKind returns the kind with a name. It also accepts the former names "dearer" and "cheaper".
func FindKind(text string) (Kind, bool) {
	switch text {
	case "dearer":
		return DearerKind, true
	case "cheaper":
		return CheaperKind, true
	}
	return Kind(text), slices.Contains(Kinds(), Kind(text))
}

// KindOf returns the kind of a row's result. The parameter perhaps is true if the row has a
// possible counterpart.
func KindOf(matched, perhaps bool, saving units.Energy) Kind {
	switch {
	case perhaps:
		return PossibleKind
	case !matched:
		return SubjectOnlyKind
	case saving > 0:
		return DearerKind
	case saving < 0:
		return CheaperKind
	}
	return SameKind
}

// A Filter selects the tasks and the rows of app code to list. A row must match all fields. The zero
// Filter selects all rows.
type Filter struct {
	// Packages select tasks by the package of their method, of a method that calls it, or of the
	// app's own method above the caller. They select app code by the packages of its methods. nil
	// selects all rows.
	Packages *platform.Packages
	// Threads are parts of thread names. They select the rows that run in a thread with one of
	// these parts in its name. Empty selects all rows.
	Threads []string
	// Kinds are the selected kinds. A row is selected if both of its kinds are. If Kinds has
	// neither TaskKind nor CodeKind, rows of both are selected, and likewise for the results.
	Kinds []Kind
}

// Filtered returns the set reduced to the matching tasks and rows of app code. It also returns the
// numbers of removed rows.
func (s *Set) Filtered(f *Filter) (left *Set, removed Removed) {
	r := s.Result
	foreign, foreignCode := make(map[int]bool), make(map[int]bool)
	origins := s.origins()
	for i := range r.Tasks {
		if !f.task(r, &r.Tasks[i], origins) {
			foreign[i] = true
		}
	}
	for i := range r.AppCode.Rows {
		if !f.code(r, &r.AppCode.Rows[i]) {
			foreignCode[i] = true
		}
	}
	out, removed := without(r, foreign, foreignCode)
	return s.listing(out), removed
}

func (f *Filter) task(r *analysis.Result, t *eflask.Task, origins *Origins) bool {
	tree := r.Subject.Tree
	in := func() bool {
		methods := []name.Method{tree.Labels.Method(tree.Nodes[t.Node].Label)}
		for _, c := range eflask.Callers(tree, t.Node) {
			if m := tree.Source.Nodes[c.Source].Method; m >= 0 {
				methods = append(methods, tree.Source.Methods[m])
			}
			methods = append(methods, origins.Origin(c.Source).Own)
		}
		return slices.ContainsFunc(methods, f.Packages.Has)
	}
	return f.has(TaskKind, CodeKind) && f.selects(KindOf(t.Found != eflask.Unmatched || t.Moved(), t.Perhaps != nil, t.Saving)) &&
		(f.Packages == nil || in()) && f.runs(ThreadNames(&r.Subject, t.Node))
}

func (f *Filter) code(r *analysis.Result, row *appcode.Row) bool {
	if !f.has(CodeKind, TaskKind) || !f.selects(KindOf(row.Peer != nil, false, row.Saving)) {
		return false
	}
	return slices.ContainsFunc(row.Parts, func(p appcode.Part) bool {
		return (f.Packages == nil || f.Packages.Has(r.Subject.Tree.Source.Methods[p.Method])) &&
			f.runs(ThreadNames(&r.Subject, p.Node))
	})
}

// selects reports whether rows with this result are selected.
func (f *Filter) selects(kind Kind) bool {
	return f.has(kind, SubjectOnlyKind, PossibleKind, DearerKind, CheaperKind, SameKind)
}

// has reports whether the filter selects rows of a kind. It does if it names this kind, or if it
// names no alternative (others).
func (f *Filter) has(kind Kind, others ...Kind) bool {
	return slices.Contains(f.Kinds, kind) ||
		!slices.ContainsFunc(f.Kinds, func(k Kind) bool { return slices.Contains(others, k) })
}

// runs reports whether the filter selects at least one of the threads.
func (f *Filter) runs(threads []string) bool {
	return len(f.Threads) == 0 || slices.ContainsFunc(threads, func(name string) bool {
		return slices.ContainsFunc(f.Threads, func(part string) bool { return strings.Contains(name, part) })
	})
}
