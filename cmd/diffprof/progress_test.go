package main

import (
	"strings"
	"testing"
	"time"
)

func TestProgressIsSilentAtFirstAndGoneAtLast(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out)
	clock := p.begun
	p.now = func() time.Time { return clock }
	p.update("reading", 1, 100)
	p.close()
	if out.Len() > 0 {
		t.Errorf("a short run shows %q", out.String())
	}
	p.update("reading", 2, 100)
	clock = clock.Add(2 * patience)
	p.update("matching", 30, 100)
	if shown := out.String(); !strings.Contains(shown, "matching") || !strings.Contains(shown, "30%") {
		t.Errorf("a long run shows %q", shown)
	}
	p.close()
	if shown := out.String(); !strings.HasSuffix(shown, "\r") {
		t.Errorf("the bar stays: %q", shown)
	}
	p.update("reading", 5, 0) // an unknown total
	p.close()
}
