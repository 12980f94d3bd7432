package source

import (
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/name"
)

// Calls returns the places where the code of the caller calls the callee, sorted by path and
// position. The Range of each location is the name in the call expression. The result is empty if
// the caller or a matching call is not found. The [Reason] says how certain the caller is.
//
// Source code does not state which method a call will run. Calls are therefore matched in steps:
//
//  1. by the name of the method,
//  2. by the number and kinds of arguments,
//  3. by the visible declarations of the receiver.
//
// If several calls fit equally well, all are returned. A property, an operator or a loop may call a
// method without its name. Such code is returned only if no call by name fits.
//
// A call inside a lambda belongs to the lambda. It is returned for the caller in two cases: the
// lambda is passed to an inline function, or the caller has no matching call outside lambdas.
func (x *Index) Calls(caller, callee name.Method, recorded time.Time) []Location {
	x.mu.RLock()
	defer x.mu.RUnlock()
	answers, _ := x.find(caller, recorded)
	want := x.callee(callee)
	var out []Location
	in := map[*entry]int{}
	for i := range answers {
		if answers[i].code == noCode || caller != callee && x.sameLocation(&answers[i], callee) {
			continue
		}
		own, nested := x.bodies(&answers[i])
		sites := want.best(&answers[i], own)
		if len(sites) == 0 {
			sites = want.best(&answers[i], nested)
		}
		if answers[i].code == lambdaCode && !ofOneMember(sites) {
			continue
		}
		if len(sites) > 0 {
			in[answers[i].entry]++
		}
		if in[answers[i].entry] > 1 {
			// Several overloads of the caller call the callee. It is unknown which overload was
			// recorded.
			return nil
		}
		for _, s := range sites {
			out = append(out, Location{Path: answers[i].path, Range: nameRange(s.At), Body: callRange(s.At, s.Tail), Reason: answers[i].reason})
		}
	}
	return dedupe(out)
}

// ofOneMember reports whether all sites are in the same member.
func ofOneMember(sites []*outline.Site) bool {
	return !slices.ContainsFunc(sites, func(s *outline.Site) bool { return s.Owner != sites[0].Owner })
}

// sameLocation reports whether the caller and the callee have the same source location. If so, the
// compiler generated one of them to call the other, and the source contains no call.
func (x *Index) sameLocation(h *match, callee name.Method) bool {
	targets, _ := x.find(callee.At("", 0), time.Time{})
	return slices.ContainsFunc(targets, func(t match) bool { return t.entry == h.entry && t.typ == h.typ && t.member == h.member })
}

// dedupe keeps one location of each call, even if the reasons differ.
func dedupe(in []Location) []Location {
	seen := make(map[Location]bool, len(in))
	out := in[:0]
	for _, l := range in {
		key := l
		key.Reason = Exact
		if !seen[key] {
			seen[key] = true
			out = append(out, l)
		}
	}
	return out
}

// inlineFunctions are the library functions of Kotlin and Android whose lambda arguments are
// compiled into the caller.
var inlineFunctions = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`let run apply also with use takeIf takeUnless repeat synchronized
		runCatching onSuccess onFailure getOrElse getOrPut recoverCatching fold
		forEach forEachIndexed onEach map mapNotNull mapIndexed mapTo mapKeys mapValues flatMap filter filterNot
		filterIsInstance filterTo filterKeys filterValues any all none count first firstOrNull last lastOrNull single
		singleOrNull find findLast indexOfFirst indexOfLast associate associateBy associateWith groupBy partition
		sumOf sumBy maxOf minOf maxBy minBy maxByOrNull minByOrNull sortedBy sortedByDescending sortBy distinctBy
		reduce foldRight zip withLock measureTimeMillis measureNanoTime buildString buildList buildMap trace
		edit transaction withTranslation withRotation doOnLayout isVisible bundleOf ifEmpty ifBlank orElse
		suspendCoroutine suspendCancellableCoroutine contentValuesOf withStyledAttributes withSave requireNotNull
		checkNotNull require check`) {
		m[name] = true
	}
	return m
}()

// bodies returns the members whose calls count as calls of the method: the method itself, and the
// lambdas that are compiled into it. nested has all other members inside it.
func (x *Index) bodies(h *match) (own, nested map[int32]bool) {
	own, nested = map[int32]bool{}, map[int32]bool{}
	q := query{entry: h.entry, index: x, typ: h.typ}
	for _, i := range h.also {
		own[i] = true
	}
	if h.code == lambdaCode {
		for i := range h.Members {
			if m := &h.Members[i]; (m.Kind == outline.Lambda || m.Kind == outline.Reference) && m.Type == h.typ && h.encloses(m) {
				own[int32(i)] = true
			}
		}
		return own, nested
	}
	if h.member != outline.None {
		own[h.member] = true
	}
	if h.code == ownCode && h.also == nil && (h.member == outline.None || h.Members[h.member].Kind == outline.Constructor && !x.delegates(h)) {
		for _, i := range q.initializers(false) {
			own[i] = true
		}
	}
	// Enclosing members precede their nested members.
	for i := range h.Members {
		m := &h.Members[i]
		switch {
		case m.Parent == outline.None || own[int32(i)]:
		case own[m.Parent] && (m.Kind == outline.Reference || m.Kind == outline.Lambda && h.Kotlin && x.inlines(m.PassedTo)):
			own[int32(i)] = true
		case own[m.Parent] || nested[m.Parent]:
			nested[int32(i)] = true
		}
	}
	return own, nested
}

// encloses reports whether member m is inside the member of the answer.
func (h *match) encloses(m *outline.Member) bool {
	for parent := m.Parent; h.member != outline.None && parent != h.member; parent = h.Members[parent].Parent {
		if parent == outline.None {
			return false
		}
	}
	return true
}

// delegates reports whether a constructor begins with a call of another constructor of its class.
func (x *Index) delegates(h *match) bool {
	for i := range h.Sites {
		if s := &h.Sites[i]; s.Kind == outline.Super && s.Owner == h.member && h.Names[s.Name] == "this" {
			return true
		}
	}
	return false
}
