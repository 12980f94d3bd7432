package outline

import (
	"strings"
	"testing"
)

// TestJustAbove types a line above a target, with other lines between them. One line of code may be
// between them. Blank lines and comments do not count.
func TestJustAbove(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"typed();\nint target", true},
		{"typed();\none();\nint target", true},
		{"typed();\none();\ntwo();\nint target", false},
		{"typed();\n\n  // about it\n/* more */\n * and more\none();\n  int target", true},
		{"typed();\n/x\n*y\nint target", true},
		{"typed(); int target", false},
		{"int target\ntyped();", false},
		{"typed();" + strings.Repeat("\n", 100) + "int target", true},
		{"typed();" + strings.Repeat("\n", 300) + "int target", false},
	} {
		e := NewEdit([]byte(strings.Replace(c.text, "typed();", "", 1)), []byte(c.text))
		if got := e.JustAbove(uint32(strings.Index(c.text, "target"))); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

// TestLinesOfExtents asks for the first and the last line of an extent, and for the lines next to
// it. Suppresses counts lines from 0 and HasLine from 1.
func TestLinesOfExtents(t *testing.T) {
	f := &File{Suppressed: []Extent{{StartLine: 2, EndLine: 4}, {StartLine: 7, EndLine: 7}}}
	for line, want := range []bool{false, false, true, true, true, false, false, true, false} {
		if got := f.Suppresses(uint32(line)); got != want {
			t.Errorf("line %d is suppressed: %v, want %v", line, got, want)
		}
		got := f.Suppressed[0].HasLine(line+1) || f.Suppressed[1].HasLine(line+1)
		if got != want {
			t.Errorf("an extent has line %d: %v, want %v", line+1, got, want)
		}
	}
	if (Extent{EndLine: 9}).HasLine(0) || (Extent{EndLine: 9}).HasLine(-1) {
		t.Error("an extent has a line before the first")
	}
}

// TestMovedTails edits the text around and inside the tail of a call, which is "tail" at offset 4.
func TestMovedTails(t *testing.T) {
	const before = "f(x)tail;"
	for _, c := range []struct {
		after string
		want  Tail
	}{
		{"f(xy)tail;", Tail{4, 4}},   // The edit is above the tail.
		{"f(x)tail; g", Tail{4, 4}},  // It is below the tail.
		{"f(x)ta😀il;", Tail{8, 6}},   // It is inside the tail.
		{"f(x)tl;", Tail{2, 2}},      // It deletes text of the tail.
		{"f(x)ta\nil;", Tail{2, 2}},  // It breaks the line of the tail.
		{"f(x)é_\nl;", Tail{0, 0}},   // It replaces the start of the tail by several lines.
		{"f(yy;", Tail{}},            // It replaces text above the tail and in the tail.
		{"f(x)tai!; g", Tail{3, 3}},  // It replaces the last letter and text below.
		{"f(x)ta!\nx g", Tail{2, 2}}, // It goes beyond the end of the tail.
	} {
		e := NewEdit([]byte(before), []byte(c.after))
		begin, tail := uint32(4), Tail{4, 4}
		for i := range e.hunks {
			tail = e.hunks[i].tail(begin, tail)
			begin = e.hunks[i].offset(begin)
		}
		if tail != c.want {
			t.Errorf("%q: %+v, want %+v (%+v)", c.after, tail, c.want, e.hunks)
		}
	}
}

// TestEditsAreSmall changes lines in several places of a text. The lines between them are not part of
// the edit.
func TestEditsAreSmall(t *testing.T) {
	const before = "one\ntwo\nthree\n}\nfour\n}\nfive\nsix\n"
	for _, c := range []struct {
		after string
		hunks int // 0 means any number
		bytes int // the deleted and the inserted bytes
	}{
		{before, 0, 0}, {"one\nX\ntwo\nthree\n}\nfour\n}\nY\nfive\nsix\n", 2, 4}, {"two\nthree\n}\nfour\n}\nfive\n", 2, 8}, {"one\ntwo\nthree\n}\n}\nfive\nsix\n", 0, 5},
		{"one\ntwo\nthree\n}\nfourth\n}\nfive\nsixth\n", 2, 4}, {"five\none\ntwo\nthree\n}\nfour\n}\nsix\n", 0, 10},
	} {
		e := NewEdit([]byte(before), []byte(c.after))
		bytes := 0
		for _, h := range e.hunks {
			bytes += int(h.end - h.start + h.newEnd - h.start)
		}
		if c.hunks > 0 && len(e.hunks) != c.hunks || bytes > c.bytes {
			t.Errorf("%q: %d hunks with %d bytes, want %d with %d", c.after, len(e.hunks), bytes, c.hunks, c.bytes)
		}
	}
}
