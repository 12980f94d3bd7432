package outline

import (
	"hash/maphash"
	"strconv"
)

// DeclarationHash returns a hash of the declarations that can affect results about other files: the
// types of the file, the signatures of their members, and the names of trace sections. Positions
// and code are not part of it. It is never 0.
func (f *File) DeclarationHash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	text := func(parts ...string) {
		for _, s := range parts {
			_, _ = h.WriteString(s)
			_ = h.WriteByte(0)
		}
		_ = h.WriteByte(1)
	}
	number := func(n int) { text(strconv.Itoa(n)) }
	flags := func(set ...bool) {
		for i, b := range set {
			if b {
				number(i)
			}
		}
		_ = h.WriteByte(2)
	}
	text(f.Package, f.Facade)
	flags(f.Kotlin)
	for _, i := range f.Imports {
		text(i.Name, i.Alias)
		flags(i.Wildcard, i.Static)
	}
	for _, a := range f.Aliases {
		text(a.Name, a.Type)
	}
	inline := func(member int32) bool { return member != None && f.Members[member].Inline }
	for i := range f.Types {
		t := &f.Types[i]
		text(t.Name, t.Super)
		text(t.Interfaces...)
		number(int(t.Kind))
		flags(t.Inner, t.Local, t.Data, t.Value, inline(t.Owner))
	}
	for i := range f.Members {
		m := &f.Members[i]
		if m.Parent != None && !m.Inline && !inline(m.Parent) {
			continue // The member is part of the code of another member.
		}
		text(f.Types[m.Type].Name, m.Name, m.PassedTo, m.JVM, m.JVMSetter, m.Result, m.Inferred)
		text(m.Params...)
		number(int(m.Kind))
		number(m.Defaults)
		flags(m.Static, m.Suspend, m.Inline, m.Abstract, m.Varargs, m.Overloads, m.Delegated, m.Primary, m.Field, m.Local, m.Extension, m.Crossinline)
	}
	for i := range f.Sections {
		text(f.Sections[i].Text)
	}
	return h.Sum64() | 1
}
