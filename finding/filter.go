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

// A Kind is a kind of row of a comparison: either what the row is about, or how the subject
// compares.
type Kind string

// The kinds. A row has two: it is a task or app code, and has one of the other kinds.
const (
	TaskKind     Kind = "task"
	CodeKind     Kind = "app"
	OnlyHereKind Kind = "only-here"
	PerhapsKind  Kind = "perhaps"
	DearerKind   Kind = "dearer"
	CheaperKind  Kind = "cheaper"
	SameKind     Kind = "same"
)

// Kinds lists the kinds.
func Kinds() []Kind {
	return []Kind{TaskKind, CodeKind, OnlyHereKind, PerhapsKind, DearerKind, CheaperKind, SameKind}
}

// KindOf returns how the subject compares in a row that is matched, has a possible counterpart
// (perhaps) or neither, and has this saving.
func KindOf(matched, perhaps bool, saving units.Energy) Kind {
	switch {
	case perhaps:
		return PerhapsKind
	case !matched:
		return OnlyHereKind
	case saving > 0:
		return DearerKind
	case saving < 0:
		return CheaperKind
	}
	return SameKind
}

// A Filter selects the tasks and the rows of app code to list: those that match all fields. The
// zero Filter selects all.
type Filter struct {
	// Packages select tasks by the package of their method, of a method that calls it, or of the
	// app's own method above the caller. They select app code by the packages of its methods. nil
	// selects all.
	Packages *platform.Packages
	// Threads are parts of thread names. A row is selected if such a thread runs it. Empty selects
	// all.
	Threads []string
	// Kinds are the kinds to list, kinds of subject matter and of comparison. If
	// no kind of a group is listed, the group selects all.
	Kinds []Kind
}

// Only returns the set without the tasks and the rows of app code that do not match, and the
// numbers of rows removed.
func (s *Set) Only(f *Filter) (left *Set, fewer Fewer) {
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
	out, fewer := without(r, foreign, foreignCode)
	return s.listing(out), fewer
}

func (f *Filter) task(r *analysis.Result, t *eflask.Task, origins *Origins) bool {
	tree := r.Subject.Tree
	in := func() bool {
		methods := []name.Method{tree.Labels.Method(tree.Nodes[t.Node].Label)}
		for _, c := range eflask.Callers(tree, t.Node) {
			if m := tree.Source.Nodes[c.Source].Method; m >= 0 {
				methods = append(methods, tree.Source.Methods[m])
			}
			methods = append(methods, origins.Of(c.Source).Own)
		}
		return slices.ContainsFunc(methods, f.Packages.Has)
	}
	return f.has(TaskKind, CodeKind) && f.does(KindOf(t.Found != eflask.Unmatched || t.Moved(), t.Perhaps != nil, t.Saving)) &&
		(f.Packages == nil || in()) && f.runs(ThreadNames(&r.Subject, t.Node))
}

func (f *Filter) code(r *analysis.Result, row *appcode.Row) bool {
	if !f.has(CodeKind, TaskKind) || !f.does(KindOf(row.Peer != nil, false, row.Saving)) {
		return false
	}
	return slices.ContainsFunc(row.Parts, func(p appcode.Part) bool {
		return (f.Packages == nil || f.Packages.Has(r.Subject.Tree.Source.Methods[p.Method])) &&
			f.runs(ThreadNames(&r.Subject, p.Node))
	})
}

// does reports whether rows are listed in which the subject compares like this.
func (f *Filter) does(kind Kind) bool {
	return f.has(kind, OnlyHereKind, PerhapsKind, DearerKind, CheaperKind, SameKind)
}

// has reports whether rows of a kind are listed: the kind is named, or no kind of the others is.
func (f *Filter) has(kind Kind, others ...Kind) bool {
	return slices.Contains(f.Kinds, kind) ||
		!slices.ContainsFunc(f.Kinds, func(k Kind) bool { return slices.Contains(others, k) })
}

// runs reports whether one of the threads is selected.
func (f *Filter) runs(threads []string) bool {
	return len(f.Threads) == 0 || slices.ContainsFunc(threads, func(name string) bool {
		return slices.ContainsFunc(f.Threads, func(part string) bool { return strings.Contains(name, part) })
	})
}
