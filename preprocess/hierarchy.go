package preprocess

import (
	"iter"
	"slices"

	"github.com/diffprof/diffprof/name"
)

// objectClass is a supertype of every class, even if a table omits it.
const objectClass = "java.lang.Object"

// maxSupertypes is the maximum number of supertypes visited for a class, the nearest first. The
// deepest real hierarchies have a few dozen. Without the limit, a malicious class path could make
// the time quadratic in its size.
const maxSupertypes = 256

// overridden returns, for each method, the methods that it overrides: those with the same name and
// descriptor in supertypes of its class. Constructors count too, because they call the superclass's
// constructor just as an overriding method calls the overridden one.
func overridden(methods []*name.Method, supertypes func(class string) iter.Seq[string]) [][]LabelID {
	out := make([][]LabelID, len(methods))
	type signature struct{ name, descriptor string }
	groups := make(map[signature][]LabelID)
	for id, m := range methods {
		if m.Lang == name.JVM && !m.IsCallback() {
			s := signature{m.Name, m.Signature}
			groups[s] = append(groups[s], LabelID(id))
		}
	}
	h := hierarchy{supertypes: supertypes, ids: make(map[string]int32)}
	object := h.id(objectClass)
	class := make([]int32, len(methods)) // the class of each method that shares its name and descriptor with others
	// here is reused for each group. here[c] is the group's method in class c, or -1.
	var here []LabelID
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		for _, id := range group {
			class[id] = h.id(methods[id].Class())
			h.above(class[id])
		}
		for len(here) < len(h.names) {
			here = append(here, -1)
		}
		for _, id := range group {
			here[class[id]] = id
		}
		for _, id := range group {
			for _, super := range h.above(class[id]) {
				if here[super] >= 0 {
					out[id] = append(out[id], here[super])
				}
			}
			if class[id] != object && here[object] >= 0 {
				out[id] = append(out[id], here[object])
			}
			slices.Sort(out[id])
			out[id] = slices.Compact(out[id])
		}
		for _, id := range group {
			here[class[id]] = -1
		}
	}
	return out
}

// A hierarchy numbers classes and caches their supertypes.
type hierarchy struct {
	supertypes func(class string) iter.Seq[string]
	ids        map[string]int32
	names      []string
	// parents has the direct supertypes of each class, and all has all supertypes. They are nil
	// until needed.
	parents, all [][]int32
	seen         []int32 // marks the classes that the current call of above has visited, with its class plus 1
}

func (h *hierarchy) id(class string) int32 {
	id, ok := h.ids[class]
	if !ok {
		id = int32(len(h.names))
		h.ids[class] = id
		h.names = append(h.names, class)
		h.parents, h.all, h.seen = append(h.parents, nil), append(h.all, nil), append(h.seen, 0)
	}
	return id
}

// direct returns a class's direct supertypes.
func (h *hierarchy) direct(class int32) []int32 {
	if h.parents[class] == nil {
		parents := []int32{}
		for name := range h.supertypes(h.names[class]) {
			if parents = append(parents, h.id(name)); len(parents) == maxSupertypes {
				break
			}
		}
		h.parents[class] = parents
	}
	return h.parents[class]
}

// above returns a class's supertypes, the nearest first, without the class itself.
func (h *hierarchy) above(class int32) []int32 {
	if h.all[class] != nil {
		return h.all[class]
	}
	all := []int32{}
	h.seen[class] = class + 1
	for next := -1; next < len(all) && len(all) < maxSupertypes; next++ {
		from := class
		if next >= 0 {
			from = all[next]
		}
		for _, super := range h.direct(from) {
			if h.seen[super] != class+1 {
				h.seen[super] = class + 1
				all = append(all, super)
			}
		}
	}
	h.all[class] = all
	return all
}
