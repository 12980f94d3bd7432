package buffer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/server/internal/buffer"
)

func Example() {
	b := buffer.New("a😀b\r\nc")
	at := b.Offset(buffer.Position{Line: 0, Column: 3}, buffer.UTF16)
	fmt.Println(at, b.Position(at, buffer.UTF8), b.Position(at, buffer.UTF32))
	b = b.Replace(buffer.Position{Line: 0, Column: 3}, buffer.Position{Line: 1, Column: 0}, "-", buffer.UTF16)
	fmt.Printf("%q\n", b.Text())
	// Output:
	// 5 {0 5} {0 2}
	// "a😀-c"
}

// slowLines is the oracle. It cuts a text into lines that include their line ends, and drops the
// byte order mark of the first line.
func slowLines(text string) (lines, ends []string) {
	for {
		at := strings.IndexAny(text, "\r\n")
		if at < 0 {
			return append(lines, text), append(ends, "")
		}
		end := text[at : at+1]
		if strings.HasPrefix(text[at:], "\r\n") {
			end = "\r\n"
		}
		lines, ends = append(lines, text[:at]), append(ends, end)
		text = text[at+len(end):]
	}
}

// slowOffset is the oracle of Offset: it counts from the beginning of the text.
func slowOffset(text string, p buffer.Position, e buffer.Encoding) int {
	lines, ends := slowLines(text)
	if p.Line >= len(lines) {
		return len(text)
	}
	offset := 0
	for i := range max(p.Line, 0) {
		offset += len(lines[i]) + len(ends[i])
	}
	line, column := lines[max(p.Line, 0)], p.Column
	if p.Line < 0 {
		column = 0
	}
	if p.Line <= 0 && strings.HasPrefix(line, "\uFEFF") {
		offset += 3
		line = line[3:]
	}
	used := 0
	for i, r := range line {
		size := 1
		if r != utf8.RuneError {
			size = utf8.RuneLen(r)
		} else if strings.HasPrefix(line[i:], "\uFFFD") {
			size = 3
		}
		width := map[buffer.Encoding]int{buffer.UTF8: size, buffer.UTF16: max(utf16.RuneLen(r), 1), buffer.UTF32: 1}[e]
		if used+width > column {
			return offset + i
		}
		used += width
	}
	return offset + len(line)
}

var encodings = []buffer.Encoding{buffer.UTF8, buffer.UTF16, buffer.UTF32}

func check(t *testing.T, text string) {
	t.Helper()
	b := buffer.New(text)
	lines, _ := slowLines(text)
	if b.Lines() != len(lines) {
		t.Fatalf("%q has %d lines, want %d", text, b.Lines(), len(lines))
	}
	for _, e := range encodings {
		for line := -1; line <= len(lines); line++ {
			for column := range len(text) + 2 {
				p := buffer.Position{Line: line, Column: column}
				got := b.Offset(p, e)
				if want := slowOffset(text, p, e); got != want {
					t.Fatalf("Offset(%q, %v, %v) = %d, want %d", text, p, e, got, want)
				}
				// Converting an offset to a position and back must give the same offset.
				if back := b.Offset(b.Position(got, e), e); back != got {
					t.Fatalf("%q, %v: byte %d becomes %v, which is byte %d", text, e, got, b.Position(got, e), back)
				}
			}
		}
	}
}

func TestOffset(t *testing.T) {
	for _, text := range []string{
		"", "\n", "\r", "\r\n", "\n\r", "a", "ab\ncd", "ab\r\ncd\r\n", "ä😀\n😀ß", "\uFEFFa\nb", "\uFEFF", "\uFEFF\r\n", "\xff\xfea\n\xf0\x9f", "a\u2028b",
	} {
		check(t, text)
	}
}

func FuzzOffset(f *testing.F) {
	f.Add("a😀\r\n\uFEFFb\rc\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 40 {
			t.Skip("the oracle is cubic")
		}
		check(t, text)
	})
}

// TestReplace makes edits at random places, and compares the results with cutting the text at the
// oracle's offsets.
func TestReplace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "\n", "\r\n", "😀", "ä", "bc", "\r"}
	text := ""
	b := buffer.New(text)
	for range shorten.Count(3000) {
		e := encodings[r.IntN(len(encodings))]
		from := buffer.Position{Line: r.IntN(6), Column: r.IntN(8)}
		to := buffer.Position{Line: r.IntN(6), Column: r.IntN(8)}
		first, last := slowOffset(text, from, e), slowOffset(text, to, e)
		if first > last {
			first, last = last, first
		}
		put := parts[r.IntN(len(parts))]
		text = text[:first] + put + text[last:]
		b = b.Replace(from, to, put, e)
		if b.Text() != text {
			t.Fatalf("the text is %q, want %q", b.Text(), text)
		}
		if len(text) > 60 {
			text, b = "", buffer.New("")
		}
	}
}

func TestLine(t *testing.T) {
	b := buffer.New("\uFEFFone\r\ntwo")
	for line, want := range map[int]string{-1: "", 0: "one", 1: "two", 2: ""} {
		if got := b.Line(line); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
}

// TestLineEnd asks texts with and without several lines for their line end.
func TestLineEnd(t *testing.T) {
	for text, want := range map[string]string{"": "\n", "one": "\n", "one\ntwo\r\n": "\n", "one\r\ntwo\n": "\r\n", "one\r\n": "\r\n", "\uFEFFone\r\ntwo": "\r\n"} {
		if got := buffer.New(text).LineEnd(); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func BenchmarkReplace(bench *testing.B) {
	b := buffer.New(strings.Repeat("        int value = compute(argument);\n", 5000))
	at := buffer.Position{Line: 2500, Column: 10}
	for bench.Loop() {
		b.Replace(at, at, "x", buffer.UTF16)
	}
}
