package server

import (
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestModelled: a figure that was modelled says so, one that the recording states
// does not.
func TestModelled(t *testing.T) {
	for provenance, want := range map[trace.Provenance]string{
		trace.NoEnergy: "", trace.Given: "", trace.CPUTime: "modelled from processor time", trace.WallTime: "modelled from elapsed time",
	} {
		if got := modelled(&trace.Trace{Energy: provenance}); got != want {
			t.Errorf("energy by %v is %q, want %q", provenance, got, want)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		query, name string
		want        bool
	}{
		{"", "A.b", true},
		{"ab", "A.b", true},
		{"crq", "ContentResolver.query", true},
		{"CRq", "ContentResolver.query", true},
		{"Q", "ContentResolver.query", false},
		{"qq", "ContentResolver.query", false},
		{"ü", "A.Übung", true},
	} {
		if got := fits(c.query, c.name); got != c.want {
			t.Errorf("fits(%q, %q) = %v", c.query, c.name, got)
		}
	}
}
