package meter

import "testing"

// TestMoments reads times without a unit. The number of digits before the point shows the unit, and
// whether the time counts from 1970.
func TestMoments(t *testing.T) {
	for cell, want := range map[string]struct {
		ns    int64
		epoch bool
	}{
		"12345678": {12345678e9, false}, "100000000": {100000000e9, true}, "1700000000": {1700000000e9, true},
		"99999999.5": {99999999_500_000_000, false}, "000000012": {12e9, false}, "-100000000": {-100000000e9, false},
		"100000000000": {100000000000e6, true}, "100000000000000": {100000000000000e3, true}, "100000000000000000": {100000000000000000, true},
		"1.7e12": {1_700_000_000e9, true}, "1.7E12": {1_700_000_000e9, true}, "1e2": {100e9, false}, "0": {0, false}, "1,5": {1_500_000_000, false},
		"1970-01-01T00:00:01Z": {1e9, true}, "1970-01-02 00:00:00.25": {86_400_250_000_000, true},
	} {
		ns, epoch, err := moment(cell)
		if err != nil || ns != want.ns || epoch != want.epoch {
			t.Errorf("%s is %d ns, from 1970 %v, %v; want %d, %v", cell, ns, epoch, err, want.ns, want.epoch)
		}
	}
	for _, cell := range []string{"x", "1.2.3", "2026-13-01", "1,2,3", "1e", "1e99"} {
		if ns, _, err := moment(cell); err == nil {
			t.Errorf("%s is %d ns", cell, ns)
		}
	}
}

// TestDecimalCommas reads numbers with a comma or a point.
func TestDecimalCommas(t *testing.T) {
	for cell, want := range map[string]int64{"1,5": 1500, ",5": 500, "1.5": 1500, "-1,5": -1500, "7": 7000, "7,": 7000} {
		if got, err := number(cell, [2]int64{1000, 1}); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", cell, got, err, want)
		}
	}
	for _, cell := range []string{"1,000.5", "1,000,000", "1.000,5"} {
		if got, err := number(cell, [2]int64{1000, 1}); err == nil {
			t.Errorf("%s is %d", cell, got)
		}
	}
}
