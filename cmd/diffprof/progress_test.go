package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestProgressIsSilentAtFirstAndGoneAtLast(t *testing.T) {
	for _, columns := range []int{120, 80, 30, 1} {
		var out strings.Builder
		p := newProgress(&out, func() int { return columns })
		clock := p.begun
		p.now = func() time.Time { return clock }
		p.update("reading", 1, 100)
		p.close()
		if out.Len() > 0 {
			t.Errorf("a short run shows %q", out.String())
		}
		clock = clock.Add(2 * patience)
		p.update("reading", 50, 0) // an unknown total
		p.update("matching", 30, 100)
		p.update("matching", 31, 100)
		clock = clock.Add(redraw)
		p.update("matching", 352_880, 352_894)
		shown := out.String()
		if columns >= 80 && !strings.Contains(shown, "matching  30% |██████              | 2 s\r") {
			t.Errorf("a long run shows %q", shown)
		}
		if strings.Contains(shown, "31%") {
			t.Errorf("the line is drawn again at once: %q", shown)
		}
		for line := range strings.SplitSeq(shown, "\r") {
			if n := utf8.RuneCountInString(strings.TrimRight(line, " ")); n >= columns {
				t.Errorf("a line of %d cells on %d columns: %q", n, columns, line)
			}
		}
		p.close()
		lines := strings.Split(out.String(), "\r")
		if last := lines[len(lines)-2]; strings.TrimSpace(last) != "" {
			t.Errorf("the line stays: %q", out.String())
		}
	}
}
