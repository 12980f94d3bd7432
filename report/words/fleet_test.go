package words_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/report/words"
)

// TestSuspicion checks that each agreement has a sentence of its own.
func TestSuspicion(t *testing.T) {
	c := &claim.Claim{App: "com.app", Hog: true, Judged: true, Clients: 100, At: claim.Drain{Excess: 0.001, Half: 0.0001, Reference: 0.002}, Drain: claim.Drain{Excess: 0.001, Half: 0.0001, Reference: 0.002}}
	seen := make(map[string]finding.Agreement)
	for agreement, part := range map[finding.Agreement]string{
		finding.Agrees:        ": these runs show about the same excess as the fleet",
		finding.ShowsMore:     ": these runs show a larger excess than the fleet",
		finding.ShowsLess:     ": these runs do not show the excess that the fleet shows",
		finding.NoFigure:      ": there is nothing to compare these runs with",
		finding.NoBattery:     "set --battery, or battery in diffprof.yaml",
		finding.NoDuration:    "since one recording has no duration",
		finding.TooShort:      "since one recording is shorter than five seconds",
		finding.NoEnergy:      "since one recording has no energy",
		finding.TooNoisy:      ": these runs vary too much to confirm or disprove this",
		finding.NoSuchAccount: "since they do not show the energy of gps",
		finding.ProcessorOnly: "--power-model adds the other components",
	} {
		text := words.Suspicion(&finding.Suspicion{Claim: c, Agreement: agreement, Components: []string{"gps"}}, &analysis.Result{})
		if !strings.Contains(text, part) {
			t.Errorf("%s: %s", agreement, text)
		}
		if other, ok := seen[text]; ok {
			t.Errorf("%s and %s are both %q", agreement, other, text)
		}
		seen[text] = agreement
	}
}
