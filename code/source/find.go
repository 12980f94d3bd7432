package source

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// Find returns where a method of a recording is. Recorded is when it was
// recorded, the zero time if unknown. The reason is that of the locations or, if
// there are none, says why: [Gone] or [Missing]. Where several files have the
// class, as the flavours of an app do, the recording's file name and line decide;
// what they leave is returned in order of path.
//
// A method without a descriptor or line is found by what there is; one without a
// name is its class.
func (x *Index) Find(m name.Method, recorded time.Time) ([]Location, Reason) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	found, reason := x.find(m, recorded)
	var out []Location
	for i := range found {
		out = append(out, found[i].location())
	}
	return out, reason
}

// A hit is a piece of source that answers for a method.
type hit struct {
	*entry
	typ int32
	// member is None where the type itself answers.
	member int32
	reason Reason
	// lambdas narrows a type that answers to its lambdas.
	lambdas bool
	// also has what a static initialiser runs beside the member.
	also []int32
}

func (h *hit) location() Location {
	l := Location{Path: h.path, Reason: h.reason}
	if h.member == outline.None {
		t := &h.Types[h.typ]
		l.Range, l.Body = nameRange(t.At), bodyRange(t.Extent)
	} else {
		m := &h.Members[h.member]
		l.Range, l.Body = nameRange(m.At), bodyRange(m.Extent)
	}
	return l
}

// A query is a method that is looked for in one file.
type query struct {
	*entry
	index *Index
	typ   int32
	// rest are the segments of the class's name that name no type.
	rest []string
	name string
	sig  signature
	// line is that of the present text, 0 if unknown; stated is whether the
	// recording gave one.
	line   int
	stated bool
	// newer is set where the file was written after the recording.
	newer bool
	// made is how a class that the compiler made came from typ.
	made madeClass
}

// find is Find with mu held.
func (x *Index) find(m name.Method, recorded time.Time) ([]hit, Reason) {
	types, rest, made := x.class(m.Class())
	if len(types) == 0 {
		return nil, Missing
	}
	types = sortedByFile(types, m.File)
	var all []hit
	for _, t := range types {
		q := query{
			entry: t.entry, index: x, typ: t.typ, rest: rest, made: made,
			name: m.Name, sig: parseDescriptor(m.Signature), line: t.edits.line(m.Line), stated: m.Line > 0,
			newer: !recorded.IsZero() && t.modified.After(recorded),
		}
		all = append(all, q.find()...)
	}
	if len(all) == 0 {
		return nil, Gone
	}
	// Of several files the most certain answer.
	best := slices.MinFunc(all, func(a, b hit) int { return cmp.Compare(a.reason, b.reason) }).reason
	all = slices.DeleteFunc(all, func(h hit) bool { return h.reason != best })
	return all, best
}

// sortedByFile orders types by path, and drops those in other files than the
// recording names, if one is in such a file.
func sortedByFile(types []typeRef, file string) []typeRef {
	types = slices.Clone(types)
	slices.SortFunc(types, func(a, b typeRef) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.typ, b.typ))
	})
	named := func(t typeRef) bool { return file != "" && baseName(t.path) == file }
	if slices.ContainsFunc(types, named) {
		types = slices.DeleteFunc(types, func(t typeRef) bool { return !named(t) })
	}
	return types
}

// baseName is a path's last part, for either kind of slash.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// find resolves the query in its file.
func (q *query) find() []hit {
	switch {
	case q.name == "" && len(q.rest) == 0:
		if q.made != notMade {
			return q.whole(Caused)
		}
		return q.whole(Exact)
	case q.made == madeLambda:
		return q.lambdaClass()
	case len(q.rest) > 0:
		return q.nested()
	}
	hits := q.method(q.name, q.sig)
	if len(hits) == 0 || q.Types[q.typ].Kind == outline.Anonymous && hits[0].reason != Exact {
		// The compiler may number anonymous classes otherwise than we do.
		if others := q.anonymousByLine(); len(others) > 0 {
			return others
		}
	}
	return hits
}

// at makes a hit of a member whose place the line confirms, or not.
func (q *query) at(member int32, reason Reason) hit {
	return hit{entry: q.entry, typ: q.Members[member].Type, member: member, reason: q.judge(member, reason)}
}

// whole makes a hit of the type.
func (q *query) whole(reason Reason) []hit {
	if q.newer && reason == Exact {
		reason = Changed
	}
	return []hit{{entry: q.entry, typ: q.typ, member: outline.None, reason: reason}}
}

// judge holds a member that was found by name against the recording's line.
func (q *query) judge(member int32, reason Reason) Reason {
	if reason != Exact {
		return reason
	}
	m := &q.Members[member]
	switch {
	case q.line > 0 && (m.Extent.HasLine(q.line) || q.header(m).HasLine(q.line)):
		return Exact
	case q.newer, q.stated && q.line == 0:
		// The line is in a part that was edited, or the whole file is newer.
		return Changed
	case !q.stated, m.Abstract:
		return Exact
	case q.Kotlin && q.line > int(q.Lines):
		// Code of an inline function has lines beyond the file's end.
		return Exact
	case q.Kotlin && m.Kind != outline.Lambda && q.Types[m.Type].Extent.HasLine(q.line) && m.Kind == outline.Constructor:
		// A constructor's first line may be that of a property.
		return Exact
	}
	return Mismatch
}

// header is what a compiler may take the line of a method without code of its own
// from: that of its type up to the body.
func (q *query) header(m *outline.Member) outline.Extent {
	if m.Kind != outline.Constructor {
		return outline.Extent{StartLine: 1}
	}
	t := &q.Types[m.Type]
	return outline.Extent{StartLine: t.Extent.StartLine, EndLine: t.HeaderEndLine}
}

// members yields the indexes of the type's own members that a function accepts.
func (q *query) members(accept func(m *outline.Member) bool) []int32 {
	var out []int32
	for i := range q.Members {
		if m := &q.Members[i]; m.Type == q.typ && accept(m) {
			out = append(out, int32(i))
		}
	}
	return out
}

// choose picks among members by descriptor, then by line.
func (q *query) choose(candidates []int32, sig signature, fit func(m *outline.Member, sig signature) int) []hit {
	if len(candidates) == 0 {
		return nil
	}
	best, worst := []int32(nil), 1<<30
	if sig.known {
		for _, c := range candidates {
			n := fit(&q.Members[c], sig)
			switch {
			case n < 0 || n > worst:
			case n < worst:
				best, worst = []int32{c}, n
			default:
				best = append(best, c)
			}
		}
	}
	if len(best) == 0 {
		best, worst = candidates, 1
	}
	if len(best) > 1 && q.line > 0 && !q.newer {
		if on := q.onLine(best); len(on) > 0 {
			best = on
		}
	}
	if len(best) == 1 {
		reason := Exact
		if sig.known && worst > 0 && q.line > 0 && q.typeHeader().HasLine(q.line) && !q.Members[best[0]].Extent.HasLine(q.line) {
			// A bridge: javac gives it the line of the class.
			reason = Caused
		}
		return []hit{q.at(best[0], reason)}
	}
	var out []hit
	for _, c := range best {
		out = append(out, hit{entry: q.entry, typ: q.typ, member: c, reason: Ambiguous})
	}
	return out
}

func (q *query) typeHeader() outline.Extent {
	t := &q.Types[q.typ]
	return outline.Extent{StartLine: t.Extent.StartLine, EndLine: t.HeaderEndLine}
}

// onLine returns those members that have the query's line, the innermost if they
// are nested in each other.
func (q *query) onLine(members []int32) []int32 {
	var on []int32
	for _, c := range members {
		if q.Members[c].Extent.HasLine(q.line) {
			on = append(on, c)
		}
	}
	if len(on) < 2 {
		return on
	}
	// The line is that of the first instruction: what begins there, or nearest
	// before it, comes first.
	start := func(c int32) uint32 { return q.Members[c].Extent.StartLine }
	latest := start(slices.MaxFunc(on, func(a, b int32) int { return cmp.Compare(start(a), start(b)) }))
	return slices.DeleteFunc(on, func(c int32) bool { return start(c) != latest })
}
