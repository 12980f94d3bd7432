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
