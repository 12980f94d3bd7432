package outline

import (
	"encoding/binary"
	"errors"
	"math"
)

// Encoded returns the file as bytes, which [Decoded] reads. Their format may differ between builds
// of the program.
func (f *File) Encoded() []byte {
	c := coder{}
	copied := *f
	c.file(&copied)
	out := binary.AppendUvarint(nil, uint64(len(c.numbers)))
	return append(append(out, c.numbers...), c.text...)
}

// errDamaged is returned for bytes that do not encode a file.
var errDamaged = errors.New("not an outline")

// Decoded returns a file from its encoding. It fails if the bytes are truncated, if bytes follow
// the file, or if a number is out of range. It does not detect all other damage.
func Decoded(data []byte) (*File, error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, errDamaged
	}
	data = data[size:]
	// All texts of a file share the memory of one string.
	c := coder{decodes: true, numbers: data[:n], rest: string(data[n:])}
	f := new(File)
	if c.file(f); c.damaged || len(c.numbers) > 0 || c.rest != "" {
		return nil, errDamaged
	}
	return f, nil
}

// A coder encodes the fields of a file as numbers and texts, or decodes them. Each of its methods
// does both for one kind of field.
type coder struct {
	decodes bool
	// An encoding coder appends to numbers and text. For a decoding coder, numbers and rest are the
	// remaining input.
	numbers, text []byte
	rest          string
	damaged       bool
}

func (c *coder) varint(v int64) int64 {
	if !c.decodes {
		c.numbers = binary.AppendVarint(c.numbers, v)
		return v
	}
	v, size := binary.Varint(c.numbers)
	if size <= 0 {
		c.damaged = true
		return 0
	}
	c.numbers = c.numbers[size:]
	return v
}

func number[T ~uint8 | ~uint16 | ~uint32 | ~int32 | ~int](c *coder, p *T) {
	v := c.varint(int64(*p))
	if *p = T(v); int64(*p) != v {
		c.damaged = true
	}
}

// count codes the length of a list. Each element of the list must take at least one byte of
// numbers, so a damaged length cannot allocate much memory.
func (c *coder) count(n int) int {
	number(c, &n)
	if n < 0 || c.decodes && n > len(c.numbers) {
		c.damaged = true
		return 0
	}
	return n
}

func list[T any](c *coder, p *[]T, each func(*T)) {
	n := c.count(len(*p))
	if c.decodes && n > 0 {
		*p = make([]T, n)
	}
	for i := 0; i < n && !c.damaged; i++ {
		each(&(*p)[i])
	}
}

func (c *coder) texts(fields ...*string) {
	for _, p := range fields {
		n := len(*p)
		number(c, &n)
		switch {
		case !c.decodes:
			c.text = append(c.text, *p...)
		case n < 0 || n > len(c.rest):
			c.damaged = true
		default:
			*p, c.rest = c.rest[:n], c.rest[n:]
		}
	}
}

func (c *coder) flags(fields ...*bool) {
	var bits uint32
	for i, p := range fields {
		if *p {
			bits |= 1 << i
		}
	}
	if number(c, &bits); bits >= 1<<len(fields) {
		c.damaged = true
	}
	for i, p := range fields {
		*p = bits>>i&1 != 0
	}
}

func (c *coder) place(p *Place) {
	number(c, &p.Offset)
	number(c, &p.Line)
	number(c, &p.Column)
	number(c, &p.Bytes)
	number(c, &p.Width)
}

func (c *coder) extent(e *Extent) {
	for _, p := range []*uint32{&e.Start, &e.End, &e.StartLine, &e.StartColumn, &e.EndLine, &e.EndColumn} {
		number(c, p)
	}
}

func (c *coder) file(f *File) {
	c.texts(&f.Package, &f.Facade)
	c.flags(&f.Kotlin, &f.Broken)
	number(c, &f.Lines)
	list(c, &f.Imports, func(i *Import) {
		c.texts(&i.Name, &i.Alias)
		c.flags(&i.Wildcard, &i.Static)
	})
	list(c, &f.Aliases, func(a *Alias) { c.texts(&a.Name, &a.Type) })
	list(c, &f.Types, c.typ)
	list(c, &f.Members, c.member)
	list(c, &f.Sites, c.site)
	list(c, &f.Sections, c.section)
	list(c, &f.Suppressed, c.extent)
	list(c, &f.Names, func(name *string) { c.texts(name) })
	list(c, &f.args, func(name *uint32) { number(c, name) })
	c.damaged = c.damaged || !f.sound()
}

func (c *coder) typ(t *Type) {
	c.texts(&t.Name, &t.Super)
	list(c, &t.Interfaces, func(name *string) { c.texts(name) })
	number(c, &t.Kind)
	c.flags(&t.Inner, &t.Local, &t.Data, &t.Value)
	number(c, &t.Outer)
	number(c, &t.Owner)
	c.place(&t.At)
	c.extent(&t.Extent)
	number(c, &t.HeaderEndLine)
}

func (c *coder) member(m *Member) {
	number(c, &m.Kind)
	c.flags(&m.Static, &m.Suspend, &m.Inline, &m.Abstract, &m.Varargs, &m.Overloads, &m.Delegated, &m.Primary,
		&m.Field, &m.Local, &m.Extension, &m.Counted, &m.Crossinline)
	number(c, &m.Type)
	number(c, &m.Parent)
	c.texts(&m.Name, &m.PassedTo, &m.JVM, &m.JVMSetter, &m.Path, &m.Result, &m.Inferred)
	list(c, &m.Params, func(param *string) { c.texts(param) })
	number(c, &m.Defaults)
	number(c, &m.First)
	c.place(&m.At)
	c.extent(&m.Extent)
}

func (c *coder) site(s *Site) {
	c.place(&s.At)
	number(c, &s.Name)
	number(c, &s.Receiver)
	number(c, &s.Owner)
	number(c, &s.kinds)
	number(c, &s.types)
	number(c, &s.Count)
	number(c, &s.Kind)
	number(c, &s.flags)
	number(c, &s.Tail.Bytes)
	number(c, &s.Tail.Width)
}

func (c *coder) section(s *Section) {
	c.texts(&s.Text)
	c.place(&s.At)
	number(c, &s.Tail.Bytes)
	number(c, &s.Tail.Width)
	number(c, &s.Owner)
}

// sound reports whether all indices in the file are valid.
func (f *File) sound() bool {
	index := func(i int32, n int, none bool) bool { return i == None && none || i >= 0 && int(i) < n }
	for i := range f.Types {
		if t := &f.Types[i]; !index(t.Outer, len(f.Types), true) || !index(t.Owner, len(f.Members), true) {
			return false
		}
	}
	for i := range f.Members {
		if m := &f.Members[i]; !index(m.Type, len(f.Types), false) || !index(m.Parent, len(f.Members), true) {
			return false
		}
	}
	for i := range f.Sites {
		s := &f.Sites[i]
		if !index(s.Owner, len(f.Members), true) || max(s.Name, s.Receiver) > math.MaxInt32 || int(max(s.Name, s.Receiver)) >= len(f.Names) {
			return false
		}
		if s.types > 0 && int(s.types)+min(int(s.Count), MaxArgs) > len(f.args) {
			return false
		}
	}
	for i := range f.Sections {
		if !index(f.Sections[i].Owner, len(f.Members), false) {
			return false
		}
	}
	for _, name := range f.args {
		if uint64(name) >= uint64(len(f.Names)) {
			return false
		}
	}
	return true
}
