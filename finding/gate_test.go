package finding_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
)

func TestParseGate(t *testing.T) {
	for text, want := range map[string]string{
		"saving>5%":                           "",
		"saving:5%":                           "column 7: write saving>5%: a condition has > between the measure and the amount",
		"total>+3% and evidence or row>2mJ":   "",
		"unmatched>0.5uAh and evidence":       "",
		"wasted>5% or evidence":               "",
		"":                                    "column 1: a condition is missing: write one such as saving>5%, total>+3%, unmatched>2mJ or evidence",
		"evidence and":                        "column 13: a condition is missing after and",
		"evidence evidence":                   `column 10: write "and" or "or" between conditions, not "evidence"`,
		"or evidence":                         `column 1: "or" is not a condition: write one without spaces, such as saving>5%, total>+3%, unmatched>2mJ or evidence`,
		"evidence or speed>5%":                `column 13: unknown measure "speed": use one of saving, row, unmatched, total, wasted`,
		"saving>5 %":                          `column 9: after 5 write % or one of nJ, uJ, mJ, J, uAh, not ""`,
		"saving>x%":                           `column 8: write an amount such as 5% or 2mJ, not "x%"`,
		"total>+3kWh":                         `column 9: after 3 write % or one of nJ, uJ, mJ, J, uAh, not "kWh"`,
		"saving>-5%":                          `column 8: write an amount such as 5% or 2mJ, not "-5%"`,
		"µnmatched>1%":                        `column 1: unknown measure "µnmatched": use one of saving, row, unmatched, total, wasted`,
		"evidence and saving>1% xor total>1%": `column 24: write "and" or "or" between conditions, not "xor"`,
	} {
		got := ""
		if _, err := finding.ParseGate(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParseRunGate(t *testing.T) {
	for text, want := range map[string]string{
		"wasted>5% or wasted>2mJ": "",
		"saving>5%":               `column 1: unknown measure "saving": use one of wasted`,
		"evidence":                `column 1: "evidence" is not a condition: write one without spaces, such as wasted>5% or wasted>2mJ`,
		"wasted>x":                `column 8: write an amount such as 5% or 2mJ, not "x"`,
	} {
		got := ""
		if _, err := finding.ParseRunGate(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestGateOfLess checks a version that uses less in total. It must pass the condition saving, but
// not the condition row.
func TestGateOfLess(t *testing.T) {
	const stack = "android.os.Looper.loop()V;com.app.Main.run()V;com.app.Sort."
	version := func(total string) *finding.Set {
		return compare(t, stack+"more()V 50000001\n"+stack+"all()V "+total+"\n", stack+"more()V 1000003\n"+stack+"all()V 900000001\n")
	}
	another := version("300000007")
	another.Result.Comparability = append(another.Result.Comparability, trace.Warning{Code: "length"})
	for _, c := range []struct {
		name    string
		set     *finding.Set
		verdict finding.Verdict
		fails   map[string]bool
	}{
		{"less", version("300000007"), finding.Less, map[string]bool{"saving>5%": false, "saving>1mJ": false, "row>5%": true}},
		{"more", version("900000007"), finding.More, map[string]bool{"saving>5%": true, "row>5%": true}},
		{"less in runs of unlike lengths", another, finding.Less, map[string]bool{"saving>5%": true}},
	} {
		if h := c.set.Headline(); h.Verdict != c.verdict || h.Rows != 1 {
			t.Errorf("%s: %s, %d rows", c.name, h.Verdict, h.Rows)
		}
		for text, want := range c.fails {
			gate, err := finding.ParseGate(text)
			if err != nil {
				t.Fatal(err)
			}
			if fired, err := gate.Met(c.set); err != nil || len(fired) > 0 != want {
				t.Errorf("%s: %s holds %v, %v", c.name, text, fired, err)
			}
		}
		saving := words.NewHeadline(c.set, words.ScalePerFigure(nil, 0)).Saving
		if less := strings.HasPrefix(saving, "Yet some rows cost more: "); less != (c.verdict == finding.Less) {
			t.Errorf("%s: %s", c.name, saving)
		}
	}
}
