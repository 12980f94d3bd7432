package classes

import (
	_ "embed"
	"iter"
	"slices"
	"sync"
)

// objectClass is the root of the hierarchy. Tables omit it. A third of all classes extend only this
// class, so the built-in table needs no entries for them.
const objectClass = "java.lang.Object"

// A Class is a class or an interface, with its direct supertypes.
type Class struct {
	// Name is the class's binary name with dots, such as android.view.View$1.
	Name string
	// Super is the superclass. It is "" for java.lang.Object, or if the superclass is unknown.
	Super string
	// Interfaces are the interfaces that a class implements or an interface extends.
	Interfaces []string
}

// A Table lists the packages of the platform and the supertypes of classes. The zero Table is
// empty.
type Table struct {
	versions []string
	packages frontCoded
	names    frontCoded
	// added has the direct supertypes that With added, by class.
	added map[string][]string
}

//go:embed table.bin
var tableFile []byte

var builtIn = sync.OnceValues(func() (*Table, error) { return decode(tableFile) })

// BuiltIn returns the table that is embedded in the program. An error means that the program was
// built with a damaged table; each call then returns it. The first call computes a checksum, and
// later calls cost nothing. Queries do not decode the whole table.
func BuiltIn() (*Table, error) { return builtIn() }

// Versions returns the sources of the table, the oldest first, such as "android-all
// 6.0.1_r3-robolectric-r1" and "jdk 17.0.15". The caller may modify the slice.
func (t *Table) Versions() []string { return slices.Clone(t.versions) }

// Lists reports whether a package belongs to the platform in any version of the table. pkg has dots
// between its parts.
func (t *Table) Lists(pkg string) bool {
	_, ok := t.packages.find(pkg)
	return ok
}

// Packages yields the platform's packages in order.
func (t *Table) Packages() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.packages.count {
			if pkg, ok := t.packages.at(i); !ok || !yield(pkg) {
				return
			}
		}
	}
}

// Classes yields the platform's classes with known supertypes or subclasses, in order.
func (t *Table) Classes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.names.count {
			if class, ok := t.names.at(i); !ok || !yield(class) {
				return
			}
		}
	}
}

// Related reports whether one of the classes a and b is a direct or indirect subtype of the other.
// It is symmetric. It returns false if a equals b.
func (t *Table) Related(a, b string) bool { return t.Subtype(a, b) || t.Subtype(b, a) }

// Subtype reports whether sub directly or indirectly extends or implements super. It returns false
// if sub equals super. An unknown class is a subtype only of java.lang.Object. The time grows with
// the number of supertypes and is usually a few microseconds, so inner loops cache the results.
func (t *Table) Subtype(sub, super string) bool {
	if sub == super || sub == objectClass || sub == "" || super == "" {
		return false
	}
	if super == objectClass {
		return true
	}
	// Most hierarchies are short, so the queue is on the stack, and is also searched for visited
	// classes. For a long hierarchy, as in a malicious app, a map is used instead.
	var few [32]string
	queue := append(few[:0], sub)
	var seen map[string]bool
	for next := 0; next < len(queue); next++ {
		found := false
		t.supertypes(queue[next], func(parent string) bool {
			if parent == super {
				found = true
				return false
			}
			if seen == nil && len(queue) == len(few) {
				seen = make(map[string]bool, 2*len(few))
				for _, name := range queue {
					seen[name] = true
				}
			}
			if seen != nil {
				if seen[parent] {
					return true
				}
				seen[parent] = true
			} else if slices.Contains(queue, parent) {
				return true
			}
			queue = append(queue, parent)
			return true
		})
		if found {
			return true
		}
	}
	return false
}

// Supertypes yields the known direct supertypes of a class. It may omit java.lang.Object.
func (t *Table) Supertypes(name string) iter.Seq[string] {
	return func(yield func(string) bool) { t.supertypes(name, yield) }
}

// supertypes calls yield with each direct supertype of name, until yield returns false.
func (t *Table) supertypes(name string, yield func(string) bool) {
	for _, parent := range t.added[name] {
		if !yield(parent) {
			return
		}
	}
	entry, ok := t.names.find(name)
	if !ok {
		return
	}
	for id := range entry.links() {
		if parent, ok := t.names.at(id); ok && !yield(parent) {
			return
		}
	}
}

// With returns a copy of t that also contains the given classes. The list of packages stays the
// same, because a package does not become part of the platform when an app ships a class in it. If
// a class was already in t, it gets the new supertypes in addition, because the device may have
// another version of the class.
func (t *Table) With(more ...Class) *Table {
	out := *t
	out.added = make(map[string][]string, len(t.added)+len(more))
	for name, parents := range t.added {
		// Clip makes a later append copy the list, so the list in t does not change.
		out.added[name] = slices.Clip(parents)
	}
	for _, class := range more {
		parents := out.added[class.Name]
		for parent := range class.supertypes() {
			if len(parents) >= maxUniqueParents || !slices.Contains(parents, parent) {
				parents = append(parents, parent)
			}
		}
		if len(parents) > 0 {
			out.added[class.Name] = parents
		}
	}
	return &out
}

// maxUniqueParents is the number of supertypes above which With does not search for duplicates.
// Duplicates do no harm. Without this limit, adding a malicious class with 65,535 interfaces would
// be slow.
const maxUniqueParents = 64

// supertypes yields the direct supertypes of c, except java.lang.Object.
func (c Class) supertypes() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if c.Super != "" && c.Super != objectClass && !yield(c.Super) {
			return
		}
		for _, name := range c.Interfaces {
			if name != "" && name != objectClass && !yield(name) {
				return
			}
		}
	}
}
