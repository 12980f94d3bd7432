package finding_test

import (
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestNothingRecorded checks that nothing was recorded if neither run has energy. It does not
// suffice that one of the runs has none.
func TestNothingRecorded(t *testing.T) {
	r := compare(t, "com.app.Main.run()V 90000002\n", "com.app.Main.run()V 50000001\n").Result
	for _, test := range []struct {
		subject, reference units.Energy
		want               bool
	}{{0, 0, true}, {0, r.Reference.Energy, false}, {r.Subject.Energy, 0, false}, {r.Subject.Energy, r.Reference.Energy, false}} {
		changed := *r
		changed.Subject.Energy, changed.Reference.Energy = test.subject, test.reference
		if got := finding.New(&changed).Headline().Verdict; (got == finding.NothingRecorded) != test.want {
			t.Errorf("energies of %d and %d: the verdict is %v", test.subject, test.reference, got)
		}
	}
}
