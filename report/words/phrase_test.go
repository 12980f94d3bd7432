package words

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestPhrase checks that a phrase written with a scale equals the sentence with that scale, and
// that its JSON has the energies as numbers.
func TestPhrase(t *testing.T) {
	sentence := func(s Scale) string {
		return fmt.Sprintf("A uses %s here, %s there (%s to %s)", s.Energy(1_500_000_000), s.Energy(0), s.Amount(-7), s.Amount(20_000_000))
	}
	p := NewPhrase(sentence)
	for _, unit := range []units.Unit{units.One, units.Milli, units.Nano, units.MicroampereHour} {
		scale := ScalePerFigure(&unit, 0)
		if got, want := p.In(scale), sentence(scale); got != want {
			t.Errorf("in %s: %q, want %q", unit, got, want)
		}
	}
	data, err := json.Marshal(p)
	if want := `["A uses ",1500000000," here, ",0," there (",[-7]," to ",[20000000],")"]`; err != nil || string(data) != want {
		t.Errorf("%s, want %s (%v)", data, want, err)
	}
	for _, no := range []string{"no energy", "", "\x00e12\x00"} {
		if p := NewPhrase(func(Scale) string { return no }); p != nil {
			t.Errorf("%q gives %v", no, p)
		}
	}
	if p := NewPhrase(func(s Scale) string { return s.Energy(5) + "\x00" }); p != nil {
		t.Errorf("a name with a mark gives %v", p)
	}
	if data, _ := json.Marshal(NewPhrase(func(s Scale) string { return s.Energy(5) })); string(data) != `["",5]` {
		t.Errorf("a phrase begins with a text: %s", data)
	}
}

func TestCompared(t *testing.T) {
	for _, c := range []struct {
		one, other units.Energy
		want       string
	}{
		{5, 0, ""}, {0, 0, ""}, {1000, 1000, ""}, {10_004, 10_000, ""}, {10_006, 10_000, " (+0.1%)"}, {1099, 1000, " (+9.9%)"},
		{1100, 1000, " (1.1 times)"}, {9990, 1000, " (10.0 times)"}, {10_000, 1000, " (10 times)"}, {59_400, 1000, " (59 times)"},
		{500, 1000, " (-50.0%)"}, {1, 1000, " (-99.9%)"}, {0, 1000, " (-100.0%)"},
	} {
		if got := compared(c.one, c.other); got != c.want {
			t.Errorf("%d and %d: %q, want %q", c.one, c.other, got, c.want)
		}
	}
}
