package outline

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Moved returns the outline with its positions adjusted to an edit. The new text is not parsed, so
// the outline lacks added code. Sites and sections whose names were deleted are removed. Other
// deleted names get length 0.
func (f *File) Moved(e *Edit) *File {
	out := *f
	out.Types, out.Members, out.Sites = slices.Clone(f.Types), slices.Clone(f.Members), slices.Clone(f.Sites)
	out.Suppressed, out.Sections = slices.Clone(f.Suppressed), slices.Clone(f.Sections)
	for i := range e.hunks {
		out.move(&e.hunks[i])
	}
	return &out
}

// move adjusts the positions of the outline to a hunk, in place.
func (f *File) move(h *hunk) {
	f.Lines += h.newLine - h.endLine
	for i := range f.Types {
		t := &f.Types[i]
		t.At, t.Extent, t.HeaderEndLine = h.place(t.At), h.extent(t.Extent), h.line(t.HeaderEndLine)
	}
	for i := range f.Members {
		m := &f.Members[i]
		m.At, m.Extent, m.First = h.place(m.At), h.extent(m.Extent), h.line(m.First)
	}
	for i := range f.Suppressed {
		f.Suppressed[i] = h.extent(f.Suppressed[i])
	}
	sites := f.Sites[:0]
	for _, s := range f.Sites {
		at := h.place(s.At)
		if at.Bytes == 0 {
			continue
		}
		s.At, s.Tail = at, h.tail(s.At.Offset+uint32(s.At.Bytes), s.Tail)
		sites = append(sites, s)
	}
	f.Sites = sites
	sections := f.Sections[:0]
	for _, s := range f.Sections {
		if at := h.place(s.At); at.Bytes > 0 {
			s.At, s.Tail = at, h.tail(s.At.Offset+uint32(s.At.Bytes), s.Tail)
			sections = append(sections, s)
		}
	}
	f.Sections = sections
}

// A comparisonKey is a key for comparing two outlines. It identifies a type, a member or a site.
type comparisonKey struct {
	at              uint32
	kind            MemberKind
	typ, name, path string
	number          int
	site, receiver  string
	does            SiteKind
}

func (f *File) knownType(t *Type) comparisonKey { return comparisonKey{at: t.At.Offset, typ: t.Name} }

func (f *File) knownMember(i int, numbers *Numbers) comparisonKey {
	m := &f.Members[i]
	return comparisonKey{at: m.At.Offset, kind: m.Kind, typ: f.Types[m.Type].Name, name: m.Name, path: m.Path, number: numbers.Number(int32(i))}
}

func (f *File) knownSite(s *Site) comparisonKey {
	k := comparisonKey{at: s.At.Offset, site: f.Names[s.Name], receiver: f.Names[s.Receiver], does: s.Kind}
	if s.Owner != None {
		owner := &f.Members[s.Owner]
		k.typ, k.name = f.Types[owner.Type].Name, owner.Name
	}
	return k
}

// Missing finds a declaration or call site of another outline that is missing or different in f. It
// returns the offset of its name, or false if there is none. Offsets before from are ignored.
//
// Both outlines describe the text after the edit e. Missing ignores types and members whose names
// were edited, and everything inside them.
func (f *File) Missing(other *File, e *Edit, from uint32) (at uint32, ok bool) {
	have := make(map[comparisonKey]bool, len(f.Types)+len(f.Members)+len(f.Sites))
	for i := range f.Types {
		have[f.knownType(&f.Types[i])] = true
	}
	numbers := f.Numbers(nil)
	for i := range f.Members {
		have[f.knownMember(i, numbers)] = true
	}
	for i := range f.Sites {
		have[f.knownSite(&f.Sites[i])] = true
	}
	renamed := other.renamed(e)
	lacks := func(p Place, name string, within int32, k comparisonKey) bool {
		return p.Offset >= from && p.Bytes > 0 && (name == "" || e.hasWord(p, name)) && !have[k] && (within == None || !renamed[within])
	}
	for i := range other.Types {
		if t := &other.Types[i]; lacks(t.At, simple(t.Name), t.Owner, other.knownType(t)) {
			return t.At.Offset, true
		}
	}
	numbers = other.Numbers(nil)
	for i := range other.Members {
		if m := &other.Members[i]; lacks(m.At, m.Name, int32(i), other.knownMember(i, numbers)) {
			return m.At.Offset, true
		}
	}
	for i := range other.Sites {
		if s := &other.Sites[i]; lacks(s.At, other.Names[s.Name], s.Owner, other.knownSite(s)) {
			return s.At.Offset, true
		}
	}
	return 0, false
}

// renamed reports, for each member, whether the edit changed its name or that of an enclosing type
// or member.
func (f *File) renamed(e *Edit) []bool {
	members, types := make([]bool, len(f.Members)), make([]bool, len(f.Types))
	for i := range f.Types {
		t := &f.Types[i]
		types[i] = e.touches(t.At) || t.Outer != None && t.Outer < int32(i) && types[t.Outer]
	}
	for i := range f.Members {
		m := &f.Members[i]
		members[i] = e.touches(m.At) || types[m.Type] || m.Parent != None && m.Parent < int32(i) && members[m.Parent]
	}
	return members
}

// simple returns the last part of a binary name.
func simple(name string) string { return name[strings.LastIndexByte(name, '$')+1:] }

// hasWord reports whether the new text has the name as a whole word at a position.
func (e *Edit) hasWord(at Place, name string) bool {
	text := e.after
	from, to := int(at.Offset), int(at.Offset)+int(at.Bytes)
	if to > len(text) || string(text[from:to]) != name {
		return false
	}
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= utf8.RuneSelf || text[i] == '_' || text[i] == '$' ||
			text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
	}
	return !letter(from-1) && !letter(to)
}
