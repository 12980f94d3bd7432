package analysis

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// TestDefaults checks that a setup has all defaults filled in, and that memory is bounded unless
// the caller says otherwise.
func TestDefaults(t *testing.T) {
	s, err := newSetup(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := s.options
	all := preprocess.AllSteps()
	if o.Voltage != units.DefaultVoltage || *o.Merge != all || o.MaxMemory <= 0 || o.MaxMemory > math.MaxInt64/4*3 {
		t.Errorf("options %+v", o)
	}
	if s, err = newSetup(t.Context(), Options{MaxMemory: -1}); err != nil || s.options.MaxMemory != math.MaxInt64 {
		t.Errorf("unbounded: %d bytes (%v)", s.options.MaxMemory, err)
	}
}
