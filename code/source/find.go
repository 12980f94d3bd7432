package source

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/name"
)

// Find returns the source locations of a recorded method. recorded is the time of the recording, or
// the zero time if unknown. The reason applies to all locations. If there are no locations, it is
// [NoMethod] or [NoClass]. Several files may declare the class, for example in different flavors of
// an app. The recording's file name and line then decide. If several files remain, their locations
// are sorted by path.
//
// m may lack a descriptor or a line. If it lacks a method name, the result is the class. If m is a
// trace slice, the results are the calls that begin slices of this name.
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

// A match is a piece of source code that Find found for a method.
type match struct {
	*entry
	typ int32
	// member is None if the answer is the whole type.
	member int32
	reason Reason
	// code identifies the part of the member that is the method's code.
	code codeKind
	// also lists all members that a static initializer runs. It is nil for other methods.
	also []int32
	// section is the call that begins a trace slice. It is nil for methods.
	section *outline.Section
}

// A codeKind identifies which part of a member is the method's code.
type codeKind uint8

const (
	// ownCode is the member's body, and for a constructor the initializers that it runs.
	ownCode codeKind = iota
	// defaultCode is the default values of the member's parameters.
	defaultCode
	// lambdaCode is the body of one of the lambdas in the member or the type. It is unknown which
	// lambda.
	lambdaCode
	// noCode means that the method has no source code. The compiler generated it, and it at most
	// calls the member.
	noCode
)

func (h *match) location() Location {
	l := Location{Path: h.path, Reason: h.reason}
	if s := h.section; s != nil {
		l.Range, l.Body = nameRange(s.At), callRange(s.At, s.Tail)
	} else if h.member == outline.None {
		t := &h.Types[h.typ]
		l.Range, l.Body = nameRange(t.At), bodyRange(t.Extent)
	} else {
		m := &h.Members[h.member]
		l.Range, l.Body = nameRange(m.At), bodyRange(m.Extent)
	}
	return l
}

// A query looks for a method in one file.
type query struct {
	*entry
	index *Index
	typ   int32
	// rest has the segments of the class name that follow the type's name, such as bar and 1 for
	// the type Foo and the class Foo$bar$1.
	rest []string
	name string
	sig  signature
	// line is the recorded line, converted to the current text. It is 0 if the recording has no
	// line or the line was edited. stated is set if the recording has a line.
	line   int
	stated bool
	// fileNewer reports whether the file was written after the recording.
	fileNewer bool
	// synthetic describes what the compiler generated the class for. It is notSynthetic for a
	// declared class.
	synthetic syntheticClass
	// inlined is set if kotlinc copied the class from an inline function.
	inlined inlinedClass
	// facade is set for a class that joins the functions of several files, as with Kotlin's
	// annotation JvmMultifileClass.
	facade bool
}

// find implements Find. The caller holds mu.
func (x *Index) find(m name.Method, recorded time.Time) ([]match, Reason) {
	if m.IsSlice() {
		return x.findSlice(m.Name, recorded)
	}
	types, rest, synthetic := x.class(m.Class())
	class, inlined := cutInlined(m.Class())
	if inlined.function != "" {
		types, rest, synthetic = x.class(class)
	}
	if len(types) == 0 {
		return nil, NoClass
	}
	types = sortedByFile(types, m.File)
	var all []match
	for _, t := range types {
		line := m.Line
		if m.File != "" && baseName(t.path) != m.File {
			// The line belongs to an inline function in another file.
			line = 0
		}
		q := query{
			entry: t.entry, index: x, typ: t.typ, rest: rest, synthetic: synthetic,
			name: m.Name, sig: parseDescriptor(m.Signature), line: t.edits.line(line), stated: line > 0,
			inlined:   inlined,
			facade:    t.Facade != "" && m.Class() == t.withPackage(t.Facade),
			fileNewer: !recorded.IsZero() && t.modified.After(recorded),
		}
		all = append(all, q.find()...)
	}
	// In an open text that does not parse, drop code that was deleted.
	all = slices.DeleteFunc(all, func(h match) bool { return h.stale && h.location().Range.empty() })
	if len(all) == 0 {
		if slices.ContainsFunc(types, func(t typeRef) bool { return t.stale || t.Broken }) {
			return nil, NoClass
		}
		return nil, NoMethod
	}
	// Keep the most certain answers.
	best := slices.MinFunc(all, func(a, b match) int { return cmp.Compare(a.reason, b.reason) }).reason
	all = slices.DeleteFunc(all, func(h match) bool { return h.reason != best })
	return all, best
}

// sortedByFile sorts types by the paths of their files, and drops unlikely types:
//
//   - types in test sources, unless all types are there,
//   - types in files with another base name, unless no file has the given name.
func sortedByFile(types []typeRef, file string) []typeRef {
	types = slices.Clone(types)
	slices.SortFunc(types, func(a, b typeRef) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.typ, b.typ))
	})
	if slices.ContainsFunc(types, func(t typeRef) bool { return !ofTests(t.path) }) {
		types = slices.DeleteFunc(types, func(t typeRef) bool { return ofTests(t.path) })
	}
	named := func(t typeRef) bool { return file != "" && baseName(t.path) == file }
	if slices.ContainsFunc(types, named) {
		types = slices.DeleteFunc(types, func(t typeRef) bool { return !named(t) })
	}
	return types
}

// ofTests reports whether a file is in a source set for tests, such as src/test, src/androidTest or
// src/commonTest.
func ofTests(path string) bool {
	_, set, found := strings.Cut(strings.ReplaceAll(path, `\`, "/"), "/src/")
	set, _, _ = strings.Cut(set, "/")
	return found && (strings.HasPrefix(set, "test") || strings.HasPrefix(set, "androidTest") || strings.HasSuffix(set, "Test"))
}

// baseName returns the last part of a path with slashes or backslashes.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// find resolves the query in its file.
func (q *query) find() []match {
	switch {
	case q.name == "" && len(q.rest) == 0:
		if q.synthetic != notSynthetic || q.facade {
			return q.wholeType(Generated)
		}
		return q.wholeType(Exact)
	case q.inlined.function != "" && q.Kotlin:
		return q.inlinedCode()
	case q.synthetic == syntheticLambda:
		return q.lambdaClass()
	case len(q.rest) > 0:
		return q.nested()
	}
	answers := q.method(q.name, q.sig)
	if q.facade {
		// The facade class joins several files. Its methods only call those in the classes of the
		// files.
		answers = generated(answers)
	}
	if len(answers) == 0 || q.Types[q.typ].Kind == outline.Anonymous && answers[0].reason != Exact {
		// Some compilers number anonymous classes differently.
		if others := q.anonymousByLine(); len(others) > 0 {
			return others
		}
	}
	return answers
}

// at returns the answer for a member. It replaces the reason Exact if the line does not fit.
func (q *query) at(member int32, reason Reason) match {
	return match{entry: q.entry, typ: q.Members[member].Type, member: member, reason: q.checkLine(member, reason)}
}

// wholeType returns the answer for the type itself.
func (q *query) wholeType(reason Reason) []match {
	if q.fileNewer && reason == Exact {
		reason = Changed
	}
	return []match{{entry: q.entry, typ: q.typ, member: outline.None, reason: reason, code: noCode}}
}

// checkLine returns Exact if the recording's line fits a member that was found by name. Otherwise
// it returns the reason why the line does not fit. It leaves other reasons than Exact unchanged.
func (q *query) checkLine(member int32, reason Reason) Reason {
	if reason != Exact {
		return reason
	}
	m := &q.Members[member]
	switch {
	case q.line > 0 && (m.Extent.HasLine(q.line) || q.header(m).HasLine(q.line)):
		return Exact
	case q.fileNewer, q.stated && q.line == 0:
		// The line is in an edited part, or the whole file is newer than the recording.
		return Changed
	case !q.stated, m.Abstract:
		return Exact
	case q.Kotlin && q.line > int(q.Lines):
		// Kotlin gives the code of inlined functions lines beyond the end of the file.
		return Exact
	case q.Kotlin && m.Kind != outline.Lambda && q.Types[m.Type].Extent.HasLine(q.line) && m.Kind == outline.Constructor:
		// The first line of a constructor may be that of a property's initializer.
		return Exact
	}
	return Mismatch
}

// header returns the lines from the start of a type to the opening of its body. A compiler may give
// these lines to a constructor. The extent is empty for members that are not constructors.
func (q *query) header(m *outline.Member) outline.Extent {
	if m.Kind != outline.Constructor {
		return outline.Extent{StartLine: 1}
	}
	t := &q.Types[m.Type]
	return outline.Extent{StartLine: t.Extent.StartLine, EndLine: t.HeaderEndLine}
}

// members returns the indices of those members of the type for which accept returns true.
func (q *query) members(accept func(m *outline.Member) bool) []int32 {
	var out []int32
	for i := range q.Members {
		if m := &q.Members[i]; m.Type == q.typ && accept(m) {
			out = append(out, int32(i))
		}
	}
	return out
}

// bestFit returns the members that fit best. The descriptor decides first, then the line.
func (q *query) bestFit(candidates []int32, sig signature, fit func(m *outline.Member, sig signature) int) []match {
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
	if len(best) > 1 && sig.known {
		best = q.samePackages(best, sig)
	}
	if len(best) > 1 && q.line > 0 && !q.fileNewer {
		if on := q.onLine(best); len(on) > 0 {
			best = on
		}
	}
	if len(best) == 1 {
		if sig.known && worst > 0 && q.line > 0 && q.typeHeader().HasLine(q.line) && !q.Members[best[0]].Extent.HasLine(q.line) {
			// The method is a bridge. javac gives bridges the line of the class.
			return generated([]match{q.at(best[0], Exact)})
		}
		return []match{q.at(best[0], Exact)}
	}
	var out []match
	for _, c := range best {
		out = append(out, match{entry: q.entry, typ: q.typ, member: c, reason: Ambiguous})
	}
	return out
}

// samePackages drops members with a parameter type from another package than in the descriptor, for
// example java.sql.Date for java.util.Date. If no member would remain, it keeps all.
func (q *query) samePackages(members []int32, sig signature) []int32 {
	resolver := q.index.resolver(q.index.table())
	same := slices.DeleteFunc(slices.Clone(members), func(c int32) bool {
		params := q.Members[c].Params
		for i := range min(len(params), len(sig.params)) {
			written := strings.TrimRight(params[i], "[]")
			compiled := strings.TrimRight(sig.params[i], "[]")
			if name := resolver.resolve(q.entry, q.typ, written); name != "" && name != compiled && lastName(name) == lastName(compiled) {
				return true
			}
			if dotted := strings.ReplaceAll(compiled, "$", "."); strings.Contains(written, ".") && dotted != written && !strings.HasSuffix(dotted, "."+written) {
				return true
			}
		}
		return false
	})
	if len(same) == 0 {
		return members
	}
	return same
}

func (q *query) typeHeader() outline.Extent {
	t := &q.Types[q.typ]
	return outline.Extent{StartLine: t.Extent.StartLine, EndLine: t.HeaderEndLine}
}

// onLine returns the members at the query's line. Of nested members, it returns the innermost one.
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
	// The line has the method's first instruction. The method is therefore the member that starts
	// last, on or before this line.
	start := func(c int32) uint32 { return q.Members[c].Extent.StartLine }
	latest := start(slices.MaxFunc(on, func(a, b int32) int { return cmp.Compare(start(a), start(b)) }))
	return slices.DeleteFunc(on, func(c int32) bool { return start(c) != latest })
}
