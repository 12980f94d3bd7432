package outline

import (
	"bytes"
	"regexp"
)

// The texts that suppress findings.
var (
	suppressMark = []byte("diffprof")
	annotation   = regexp.MustCompile(`@(file\s*:\s*)?(?:java\.lang\.)?(?:SuppressWarnings|Suppress)\s*\([^()]*"diffprof"[^()]*\)`)
	comment      = regexp.MustCompile(`//[ \t]*diffprof:ignore\b`)
)

// suppressed returns the parts of a file in which its comments and annotations suppress findings.
// An annotation applies to its declaration. A comment after code applies to the line, or to the
// declaration that begins there. A comment on its own line applies to the declaration or line of
// code that follows.
func (b *builder) suppressed() []Extent {
	text := b.lines.text
	if !bytes.Contains(text, suppressMark) {
		return nil
	}
	var out []Extent
	for _, at := range annotation.FindAllSubmatchIndex(text, -1) {
		if at[2] >= 0 {
			return []Extent{b.lines.extent(0, uint32(len(text)))}
		}
		// In the tree of the Kotlin grammar, some annotations come before their declaration.
		if e, ok := b.declared(func(e Extent, name Place) bool {
			begin := uint32(at[0])
			return begin < name.Offset && (e.Start <= begin || !bytes.ContainsAny(text[at[1]:name.Offset], "{};="))
		}); ok {
			out = append(out, e)
		}
	}
	for _, at := range comment.FindAllIndex(text, -1) {
		line, _ := b.lines.position(uint32(at[0]))
		if len(bytes.TrimSpace(text[b.lines.starts[line]:at[0]])) == 0 {
			line = b.code(line + 1)
		}
		if int(line) >= len(b.lines.starts) {
			continue
		}
		e, ok := b.declared(func(e Extent, name Place) bool { return e.StartLine <= line && line <= name.Line })
		if !ok {
			end := uint32(len(text))
			if next := int(line) + 1; next < len(b.lines.starts) {
				end = b.lines.starts[next] - 1
			}
			e = b.lines.extent(b.lines.starts[line], end)
		}
		out = append(out, e)
	}
	return out
}

// code returns the first line with code at or after a line.
func (b *builder) code(line uint32) uint32 {
	for ; int(line) < len(b.lines.starts); line++ {
		end := len(b.lines.text)
		if next := int(line) + 1; next < len(b.lines.starts) {
			end = int(b.lines.starts[next])
		}
		if rest := bytes.TrimSpace(b.lines.text[b.lines.starts[line]:end]); len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) {
			break
		}
	}
	return line
}

// declared returns the extent of the outermost type or member for which accepts returns true. It
// does not consider lambdas.
func (b *builder) declared(accepts func(e Extent, name Place) bool) (found Extent, ok bool) {
	take := func(e Extent, name Place) {
		if accepts(e, name) && (!ok || e.Start <= found.Start && e.End >= found.End) {
			found, ok = e, true
		}
	}
	for i := range b.file.Types {
		if t := &b.file.Types[i]; t.Kind != Facade && t.Kind != Anonymous {
			take(t.Extent, t.At)
		}
	}
	for i := range b.file.Members {
		if m := &b.file.Members[i]; m.Kind != Lambda && m.Kind != Reference && !m.Primary {
			take(m.Extent, m.At)
		}
	}
	return found, ok
}

// Suppresses reports whether the file suppresses findings on a line, counted from 0.
func (f *File) Suppresses(line uint32) bool {
	for _, e := range f.Suppressed {
		if e.StartLine <= line && line <= e.EndLine {
			return true
		}
	}
	return false
}
