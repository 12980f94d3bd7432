package words_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the figures in testdata")

// figures are the expected texts of amounts. The tests of web, of the extension and of the plug-in
// for Neovim read the same file, so all of them must agree.
type figures struct {
	Percents []percent `json:"percents"`
	Energies []energy  `json:"energies"`
	// Heats are the colours of shares: Heats[n] has the colour of Percents[n].
	Heats []int `json:"heats"`
}

type percent struct {
	Share float64 `json:"share"`
	Text  string  `json:"text"`
}

// The unit of an energy is empty if the best unit is chosen.
type energy struct {
	Nanojoules units.Energy `json:"nanojoules"`
	Unit       string       `json:"unit"`
	Volts      float64      `json:"volts"`
	Text       string       `json:"text"`
}

// TestFigures compares figures with testdata. It has figures around each limit at which the form
// changes, and halves, because implementations may round them differently.
func TestFigures(t *testing.T) {
	const path = "testdata/figures.json"
	var made figures
	for _, share := range []float64{
		0, 1e-9, 0.000499, 0.0005, 0.00051, 0.001, 0.0125, 0.0225, 0.01225, 0.1225, 0.1275, 4.0 / 7, 2.5 / 7, 0.5 / 7,
		0.9994, 0.9995, 0.99951, 1.0 / 3, 2.0 / 3, 1, 0.0033, 0.0034, 0.0111, 0.0112, 0.0333, 0.0334, 0.0999, 0.1,
	} {
		made.Percents = append(made.Percents, percent{share, words.Percent(share)})
		made.Heats = append(made.Heats, words.Heat(share))
	}
	sizes := []units.Energy{
		0, 1, 7, 590, 999, 1000, 1234, 9995, 12345, 55600, 99949, 99950, 100500, 101500, 999499, 999500, 999950,
		1_000_500, 1_125_000, 1_375_000, 12_250_000, 12_350_000, 999_499_999, 999_500_000, 590_076_000, 1_005_000_000,
		2_699_600_000, 99_950_000_000, 123_456_789_012, 1<<53 - 1,
	}
	var shown []*units.Unit
	for _, name := range units.UnitNames() {
		u, err := units.ParseUnit(name)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, &u)
	}
	plain := units.Plain
	for _, unit := range append(shown, nil, &plain) {
		symbol := ""
		if unit != nil {
			symbol = unit.String()
		}
		scale := words.ScalePerFigure(unit, units.DefaultVoltage)
		for _, e := range sizes {
			for _, e := range []units.Energy{e, -e} {
				made.Energies = append(made.Energies, energy{e, symbol, scale.Volts(), scale.Energy(e)})
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(made); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("figures are other ones than in %s; run go test ./report/words -update and read the diff", path)
	}
}

func TestRounded(t *testing.T) {
	for _, c := range []struct {
		parts []units.Energy
		want  string
	}{
		{[]units.Energy{1, 1, 1}, "rounded"},
		{[]units.Energy{250, 400, 50}, "rounded"}, // 35.7, 57.1 and 7.1
		{[]units.Energy{0, 0, 7}, ""},
		{[]units.Energy{1, 5998, 1}, ""},
		{[]units.Energy{0, 0, 0}, ""},
		{[]units.Energy{1 << 60, 1 << 60, 1 << 61}, ""},
	} {
		total := units.Energy(0)
		for _, part := range c.parts {
			total += part
		}
		if got := words.Rounded(total, c.parts...); got != c.want {
			t.Errorf("%v: %q, want %q", c.parts, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -999: "-999"} {
		if got := words.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestTwoDigits checks that figures of fleets have two significant digits.
func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 47.6: "48", 0.00123: "0.0012", 4.06: "4.1", 283: "280", -12.4: "-12", 0.5: "0.5"} {
		if got := words.TwoDigits(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

// TestLives checks that the life of a charge with the app is shown next to the life without it, but
// not if the two are nearly equal.
func TestLives(t *testing.T) {
	for _, c := range []struct {
		with, without float64 // hours
		want          string
	}{{8.8, 20, "8.8 h, not 20 h"}, {11.6, 12, "about 12 h"}, {13, 12, "13 h, not 12 h"}} {
		reference := 100 / c.without / 3600
		if got := words.Lives(100/c.with/3600-reference, reference); got != c.want {
			t.Errorf("%v of %v hours are written %q, want %q", c.with, c.without, got, c.want)
		}
	}
	if got := words.MinutesBetween(144, 135, 153); got != "2.4 ± 0.15 h" {
		t.Errorf("144 minutes are written %q", got)
	}
	if got := words.Gain(44.2, 39.1, 49.6) + ", " + words.Gain(810, 740, 850); got != "44 min (39 to 50), 14 h (12 to 14)" {
		t.Errorf("gains are written %q", got)
	}
	if got := words.Drained(-1e-5, 3e-5); got != "perhaps nothing (-0.036 ± 0.11 %/h)" {
		t.Errorf("less than its error is written %q", got)
	}
}

// TestTicks checks that ticks cover an axis at equal distances, and have few digits.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		least, most units.Energy
		want        string
	}{
		{0, 734650, "0 200 400 600 800"},
		{78_600, 96_400, "75.0 80.0 85.0 90.0 95.0 100"},
		{5, 5, "0.00500"},
		{0, 3, "0 0.00100 0.00200 0.00300"},
		{1_499_000, 1_500_000, "1499 1499 1500 1500 1500"},
	} {
		micro := units.Micro
		s := words.ScalePerFigure(&micro, 0)
		ticks := s.Ticks(c.least, c.most)
		var texts []string
		for i, e := range ticks {
			texts = append(texts, s.Amount(e))
			if i > 1 && e-ticks[i-1] != ticks[1]-ticks[0] {
				t.Errorf("%d to %d has ticks at %d", c.least, c.most, ticks)
			}
		}
		if ticks[0] > c.least || ticks[len(ticks)-1] < c.most {
			t.Errorf("%d to %d has ticks at %d", c.least, c.most, ticks)
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%d to %d has the ticks %q, want %q", c.least, c.most, got, c.want)
		}
	}
}
