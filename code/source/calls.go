package source

import (
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// Calls returns where the caller's code calls the callee: the names in the call
// expressions, in order of path and place. It returns nothing if the caller or
// such a call is not found. The locations' reasons are the caller's.
//
// A source does not state which method a call means. Calls are told apart by name,
// then by the number and kinds of arguments and by what the declarations in sight
// say about the receiver. If several calls fit equally well, all are returned. A
// property, an operator or a loop may call a method without its name; these count
// if no call by name fits. Calls in a lambda belong to the lambda. They count for
// the caller if the lambda is passed to an inline function, or if the caller has no
// such call itself.
func (x *Index) Calls(caller, callee name.Method, recorded time.Time) []Location {
	x.mu.RLock()
	defer x.mu.RUnlock()
	answers, _ := x.find(caller, recorded)
	want := x.callee(callee)
	var out []Location
	in := map[*entry]int{}
	for i := range answers {
		if answers[i].code == noCode || caller != callee && x.standsFor(&answers[i], callee) {
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
			// Several overloads call it, and it is not known which was recorded.
			return nil
		}
		for _, s := range sites {
			l := Location{Path: answers[i].path, Range: nameRange(s.At), Reason: answers[i].reason}
			l.Body = l.Range
			l.Body.End.Column += uint32(s.Tail.Width)
			l.Body.End.Offset += uint32(s.Tail.Bytes)
			out = append(out, l)
		}
	}
	return dedupe(out)
}

// ofOneMember reports whether all sites are in the same member.
func ofOneMember(sites []*outline.Site) bool {
	return !slices.ContainsFunc(sites, func(s *outline.Site) bool { return s.Owner != sites[0].Owner })
}

// standsFor reports whether a method that was found is also what is found for its
// callee: then the compiler made one of them to call the other.
func (x *Index) standsFor(h *answer, callee name.Method) bool {
	targets, _ := x.find(callee.At("", 0), time.Time{})
	return slices.ContainsFunc(targets, func(t answer) bool { return t.entry == h.entry && t.typ == h.typ && t.member == h.member })
}

// dedupe drops repeated locations.
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

// inlineFunctions are the functions of Kotlin's library whose lambdas are compiled
// into the caller.
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

// bodies returns the members whose call sites belong to the answer, and the members
// in lambdas that are nested in these.
func (x *Index) bodies(h *answer) (own, nested map[int32]bool) {
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
	// Enclosing members stand before the members in them.
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

// encloses reports whether a member lies in the answer.
func (h *answer) encloses(m *outline.Member) bool {
	for parent := m.Parent; h.member != outline.None && parent != h.member; parent = h.Members[parent].Parent {
		if parent == outline.None {
			return false
		}
	}
	return true
}

// delegates reports whether a constructor first calls another one of its class.
func (x *Index) delegates(h *answer) bool {
	for i := range h.Sites {
		if s := &h.Sites[i]; s.Kind == outline.Super && s.Owner == h.member && h.Names[s.Name] == "this" {
			return true
		}
	}
	return false
}

// A callee is the method whose call sites are looked for.
type callee struct {
	index *Index
	table *classes.Table
	class string
	// short is the class's last name.
	short string
	name  string
	// local is the name of a local function, whose compiled name begins with the name
	// of the function around it.
	local string
	sig   signature
}

func (x *Index) callee(m name.Method) *callee {
	c := &callee{index: x, table: x.table(), class: m.Class(), short: lastName(m.Class()), name: m.Name, sig: parseDescriptor(m.Signature)}
	if synthetic, ok := parseSynthetic(m.Name); ok && synthetic.kind == stubMethod && synthetic.base != "" {
		c.name, c.sig = synthetic.base, signature{}
		if i := strings.LastIndexByte(m.Name, '$'); i > 0 {
			c.local = m.Name[i+1:]
		}
	}
	return c
}

// The parts of a site's rank. The worse a site fits, the higher its rank; all sites
// of the lowest rank are taken.
const (
	byName     = 0
	byProperty = 8
	implied    = 16
	otherCount = 32
	otherType  = 64
	otherArgs  = 128
	never      = 1 << 20
)

// best returns the sites of the given owners that fit best.
func (c *callee) best(h *answer, owners map[int32]bool) []*outline.Site {
	if len(owners) == 0 {
		return nil
	}
	var out []*outline.Site
	lowest := never
	for i := range h.Sites {
		s := &h.Sites[i]
		if !owners[s.Owner] || s.Default() != (h.code == defaultCode) {
			continue
		}
		rank := c.rank(h, s)
		switch {
		case rank > lowest || rank == never:
		case rank < lowest:
			lowest, out = rank, []*outline.Site{s}
		default:
			out = append(out, s)
		}
	}
	return out
}

func (c *callee) rank(h *answer, s *outline.Site) int {
	rank := c.nameRank(h, s)
	if rank == never {
		return never
	}
	receiver := h.Names[s.Receiver]
	switch s.Kind {
	case outline.Read, outline.Ref:
		return rank + c.typeRank(h, s, receiver)
	case outline.Implied:
		if receiver == "StringBuilder" && (!sameType(receiver, c.class) || !c.appends(s)) {
			return never
		}
		return rank + c.typeRank(h, s, receiver)
	}
	if c.name == "<init>" {
		rank += c.constructedRank(h, s)
	} else {
		rank += c.typeRank(h, s, receiver)
	}
	return rank + c.argumentRank(h, s)
}

// appends reports whether one of the operands of a sum of texts can be the argument of
// the callee.
func (c *callee) appends(s *outline.Site) bool {
	if c.name != "append" || !c.sig.known || len(c.sig.params) != 1 || s.Count > outline.MaxArgs {
		return true
	}
	for i := range int(s.Count) {
		if appendedAs(c.sig.params[0], s.Arg(i)) {
			return true
		}
	}
	return false
}

// appendedAs reports whether a compiler appends an operand to a text by the method that
// takes the parameter.
func appendedAs(param string, operand outline.ArgKind) bool {
	switch operand {
	case outline.Unknown:
		return true
	case outline.String:
		return param == "java.lang.String"
	case outline.Char:
		return param == "char"
	case outline.Int:
		return param == "int"
	case outline.Long:
		return param == "long"
	case outline.Bool:
		return param == "boolean"
	case outline.Float:
		return param == "float" || param == "double"
	}
	return param == "java.lang.Object"
}

// constructedRank ranks a site by whether it constructs an object of the callee's class.
func (c *callee) constructedRank(h *answer, s *outline.Site) int {
	written := h.Names[s.Receiver]
	switch {
	case s.Kind == outline.Super:
		return 0
	case s.Kind == outline.Call && written == "":
		written = h.Names[s.Name]
	case s.Kind == outline.Call:
		written += "." + h.Names[s.Name]
	}
	if name := c.index.resolver(c.table).resolve(h.entry, h.typ, written); name != "" {
		if name != c.class {
			return otherType
		}
		return 0
	}
	// A class of a library, whose name may be qualified by the classes around it.
	if class := "." + strings.ReplaceAll(c.class, "$", "."); !strings.HasSuffix(class, "."+written) {
		return otherType
	}
	return 0
}

// nameRank ranks a site by the name that it calls; never if it is another name.
func (c *callee) nameRank(h *answer, s *outline.Site) int {
	name := h.Names[s.Name]
	if c.name == "<init>" {
		switch {
		case s.Kind == outline.New && name == c.short,
			s.Kind == outline.Ref && name == c.short,
			s.Kind == outline.Call && h.Kotlin && name == c.short,
			s.Kind == outline.Super && sameType(h.Names[s.Receiver], c.class) && h.Names[s.Receiver] != "":
			return byName
		case s.Kind == outline.Implied && name == "<init>" && c.class == "java.lang.StringBuilder":
			return implied
		}
		return never
	}
	switch s.Kind {
	case outline.Call, outline.Ref:
		if name == c.name || name == c.local && name != "" {
			return byName
		}
		if s.Kind == outline.Ref && h.Kotlin && isAccessor(c.name, name, false) {
			return byName
		}
	case outline.Read:
		if isAccessor(c.name, name, false) {
			return byName
		}
	case outline.Write:
		switch {
		case !isAccessor(c.name, name, true):
		case s.Arg(0) == outline.Unknown && len(c.sig.params) == 1 && !strings.Contains(c.sig.params[0], "."):
			// The property has the getter's type, and this overload may take another.
			return byProperty
		default:
			return byName
		}
	case outline.Implied:
		if name == c.name {
			return implied
		}
	}
	return never
}

// typeRank ranks a site by whether its receiver can be an instance of the callee's
// class.
func (c *callee) typeRank(h *answer, s *outline.Site, receiver string) int {
	if receiver == "" || receiver == "super" || sameType(receiver, c.class) {
		return 0
	}
	resolver := c.index.resolver(c.table)
	name := resolver.resolve(h.entry, h.typ, receiver)
	switch {
	case name == "":
		// An unknown type of a library. An object of it may be of any class, but its
		// static methods are its own.
		if s.Static() {
			return otherType
		}
		return 0
	case resolver.related(name, c.class):
		return 0
	}
	return otherType
}

// argumentRank ranks a site by whether its arguments can be the callee's.
func (c *callee) argumentRank(h *answer, s *outline.Site) int {
	if !c.sig.known {
		return 0
	}
	params, count := c.sig.params, int(s.Count)
	if c.name == "<init>" && len(params) == count+1 && s.Kind != outline.Super && strings.HasPrefix(c.class, params[0]+"$") {
		// An inner class's constructor takes the outer instance.
		params = params[1:]
	}
	spread := len(params) > 0 && strings.HasSuffix(params[len(params)-1], "[]")
	switch {
	case count == len(params):
	case spread && count >= len(params)-1:
		params = params[:len(params)-1]
	case s.Spread():
	default:
		return otherCount
	}
	for i := range min(count, len(params), outline.MaxArgs) {
		if spread && i == len(c.sig.params)-1 {
			break
		}
		if !accepts(params[i], s.Arg(i), h.Kotlin) {
			return otherArgs
		}
	}
	return 0
}

// accepts reports whether a parameter can take an argument.
func accepts(param string, arg outline.ArgKind, kotlin bool) bool {
	primitive := !strings.Contains(param, ".") && !strings.HasSuffix(param, "[]")
	switch arg {
	case outline.Unknown:
		return true
	case outline.String:
		return param == "java.lang.String" || param == "java.lang.CharSequence" || isBroad(param) && param != "java.lang.Number"
	case outline.Int:
		return primitive && param != "boolean" || isBroad(param) || param == "java.lang.Integer" || kotlin && boxedNumber(param)
	case outline.Long:
		return param == "long" || param == "float" || param == "double" || param == "java.lang.Long" || isBroad(param)
	case outline.Float:
		return param == "float" || param == "double" || param == "java.lang.Float" || param == "java.lang.Double" || isBroad(param)
	case outline.Char:
		return primitive && param != "boolean" && param != "byte" && param != "short" || param == "java.lang.Character" || isBroad(param)
	case outline.Bool:
		return param == "boolean" || param == "java.lang.Boolean" || isBroad(param)
	case outline.Null:
		return !primitive
	case outline.Array:
		return strings.HasSuffix(param, "[]") || isBroad(param)
	case outline.Function:
		return !primitive && param != "java.lang.String" && param != "java.lang.CharSequence" && !strings.HasSuffix(param, "[]")
	}
	// An object of a class that the source names, which is not String.
	return !primitive && param != "java.lang.String" && !strings.HasSuffix(param, "[]")
}

// isBroad reports whether a type is a supertype of boxed values.
func isBroad(param string) bool {
	switch param {
	case "java.lang.Object", "java.lang.Comparable", "java.io.Serializable", "java.lang.Number":
		return true
	}
	return false
}

func boxedNumber(param string) bool {
	switch param {
	case "java.lang.Long", "java.lang.Short", "java.lang.Byte":
		return true
	}
	return false
}
