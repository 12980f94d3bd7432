package units_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/units"
)

func TestParseValueUnit(t *testing.T) {
	for _, name := range units.ValueUnitNames() {
		u, err := units.ParseValueUnit(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := units.ParseValueUnit(u.String()); err != nil || again != u {
			t.Errorf("ParseValueUnit(%q) = %v, %v", u, again, err)
		}
	}
	if u, err := units.ParseValueUnit("µs"); err != nil || u.String() != "us" || !u.IsTime() {
		t.Errorf("ParseValueUnit(µs) = %v, %v", u, err)
	}
	if _, err := units.ParseValueUnit("min"); err == nil || !strings.Contains(err.Error(), "nJ, uJ, mJ, J, uAh, ns, us, ms, s") {
		t.Errorf("ParseValueUnit(min): error %v", err)
	}
}
