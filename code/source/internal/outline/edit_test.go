package outline

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestEdits applies the hunks of random pairs of texts. The result must be the text after the edit.
// The hunks' positions are compared with a scan from the start of the text.
func TestEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b();\n", "\n", "\r\n", "\r", "é", "😀x", "  c.d(e)\n", "}\n", "{ ", "\tz\n", "\uFEFF"}
	text := func() []byte {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces)-1)])
		}
		return []byte(b.String())
	}
	for range shorten.Count(20000) {
		before := text()
		after := slices.Clone(before)
		for range 1 + random.IntN(3) {
			from := random.IntN(len(after) + 1)
			to := from + random.IntN(min(len(after)-from, 5)+1)
			after = slices.Concat(after[:from], text()[:0], []byte(pieces[random.IntN(len(pieces)-1)]), after[to:])
		}
		now := before
		for _, h := range NewEdit(before, after).hunks {
			if h.end < h.start || int(h.end) > len(now) {
				t.Fatalf("%q to %q: %+v", before, after, h)
			}
			was := newLines(now)
			now = slices.Concat(now[:h.start], after[h.start:h.newEnd], now[h.end:])
			is := newLines(now)
			for _, p := range []struct {
				lines        *lines
				at           uint32
				line, column uint32
			}{{was, h.start, h.startLine, h.startColumn}, {was, h.end, h.endLine, h.endColumn}, {is, h.newEnd, h.newLine, h.newColumn}} {
				if line, column := p.lines.position(p.at); line != p.line || column != p.column {
					t.Fatalf("%q to %q: offset %d of %q is at %d:%d, not at %d:%d", before, after, p.at, p.lines.text, line, column, p.line, p.column)
				}
			}
		}
		if !bytes.Equal(now, after) {
			t.Fatalf("%q to %q came to %q", before, after, now)
		}
	}
}

// TestMovedNames checks that a name that an edit does not touch is still at its text afterwards.
// Its position must be the same as after parsing the new text.
func TestMovedNames(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	names := []string{"alpha", "beta", "gamma", "delta"}
	for range shorten.Count(5000) {
		var b strings.Builder
		f := &File{}
		var at []int
		for i := range names {
			b.WriteString([]string{"\n", "  ", "é😀 ", "x;\r\n", "(\n"}[random.IntN(5)])
			at = append(at, b.Len())
			b.WriteString(names[i])
		}
		before := []byte(b.String() + "\n")
		l := newLines(before)
		for i, offset := range at {
			f.Sites = append(f.Sites, Site{At: l.place(uint32(offset), uint32(offset+len(names[i])))})
		}
		after, moved := before, f
		for range 1 + random.IntN(3) {
			from, was := random.IntN(len(after)+1), after
			after = slices.Concat(was[:from], []byte([]string{"\n", "/**", "😀", "if (x) {\n", "\"", " "}[random.IntN(6)]), was[from:])
			moved = moved.Moved(NewEdit(was, after))
		}
		l = newLines(after)
		for i, name := range names {
			offset := bytes.Index(after, []byte(name))
			if offset < 0 {
				continue // The edit is inside the name.
			}
			want := l.place(uint32(offset), uint32(offset+len(name)))
			if !slices.ContainsFunc(moved.Sites, func(s Site) bool { return s.At == want }) {
				t.Fatalf("%q to %q: %s (%d) is at none of %+v, want %+v", before, after, name, i, moved.Sites, want)
			}
		}
	}
}
