package classes

import (
	_ "embed"
	"iter"
	"slices"
	"sync"
)

// objectClass is the root of the hierarchy. Tables do not store it: so a third of all
// classes need no entry in the built-in table.
const objectClass = "java.lang.Object"

// A Class is one class or interface and what it directly extends.
type Class struct {
	// Name is the class's binary name with dots: android.view.View$1.
	Name string
	// Super is the superclass; empty for java.lang.Object itself and where none
	// is known.
	Super string
	// Interfaces are those the class implements, or an interface extends.
	Interfaces []string
}

// A Table lists the packages of the platform and says which classes extend which.
// The zero Table lists no package and no class.
type Table struct {
	versions []string
	packages frontCoded
	names    frontCoded
	// added holds the direct supertypes that With added, by class.
	added map[string][]string
}

//go:embed table.bin
var tableFile []byte

var builtIn = sync.OnceValues(func() (*Table, error) { return decode(tableFile) })

// BuiltIn returns the table that is part of the program. An error means that the build
// is damaged; it is the same at each call. The table is searched without decoding it,
// so the first call costs a checksum, and further calls nothing.
func BuiltIn() (*Table, error) { return builtIn() }

// Versions names what t was made from, oldest first: "android-all
// 6.0.1_r3-robolectric-r1", "jdk 17.0.15". The slice is the caller's.
func (t *Table) Versions() []string { return slices.Clone(t.versions) }

// Lists says whether the package pkg, written with dots, is one of the platform's
// in the versions that t was made from.
func (t *Table) Lists(pkg string) bool {
	_, ok := t.packages.find(pkg)
	return ok
}

// Packages yields the platform's packages in the versions that t was made from, in
// order.
func (t *Table) Packages() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.packages.count {
			if pkg, ok := t.packages.at(i); !ok || !yield(pkg) {
				return
			}
		}
	}
}

// Classes yields the platform's classes that the table knows supertypes or subclasses of,
// in order.
func (t *Table) Classes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.names.count {
			if class, ok := t.names.at(i); !ok || !yield(class) {
				return
			}
		}
	}
}

// Related says whether one of the classes a and b is a subtype of the other,
// directly or not. It is symmetric, and false where a equals b.
func (t *Table) Related(a, b string) bool { return t.Subtype(a, b) || t.Subtype(b, a) }

// Subtype says whether sub is a class that extends or implements super, directly
// or not. It is false if sub equals super. A class that the table does not know is
// a subtype of java.lang.Object alone. The cost grows with the number of sub's
// supertypes: some microseconds as a rule, so inner loops keep the answers.
func (t *Table) Subtype(sub, super string) bool {
	if sub == super || sub == objectClass || sub == "" || super == "" {
		return false
	}
	if super == objectClass {
		return true
	}
	// Most hierarchies are short, so the queue lies on the stack and is searched for
	// classes that were seen. A long one, as in a hostile app, gets a map.
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

// Supertypes yields what a class directly extends and implements, as far as the
// table knows; java.lang.Object may be left out.
func (t *Table) Supertypes(name string) iter.Seq[string] {
	return func(yield func(string) bool) { t.supertypes(name, yield) }
}

// supertypes calls yield with name's direct supertypes until it returns false.
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

// With returns a table that also knows the given classes; t stays as it is. The list
// of packages is t's: a class that an app ships does not make its package part of the
// platform. A class that both know has the supertypes of both, since the device's
// version of a class may differ from the table's.
func (t *Table) With(more ...Class) *Table {
	out := *t
	out.added = make(map[string][]string, len(t.added)+len(more))
	for name, parents := range t.added {
		// The clip makes a later append copy: t's lists must not grow.
		out.added[name] = slices.Clip(parents)
	}
	for _, class := range more {
		parents := out.added[class.Name]
		for parent := range class.supertypes() {
			if len(parents) >= manyParents || !slices.Contains(parents, parent) {
				parents = append(parents, parent)
			}
		}
		if len(parents) > 0 {
			out.added[class.Name] = parents
		}
	}
	return &out
}

// manyParents is the number of supertypes from which With no longer looks for
// repeated ones. Repeats are harmless; searching a hostile class's 65,535 interfaces
// for each one would be slow.
const manyParents = 64

// supertypes yields what c directly extends, java.lang.Object left out.
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
