package finding_test

import (
	"testing"

	"github.com/diffprof/diffprof/finding"
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
		"evidence evidence":                   `column 10: write and or or between conditions, not "evidence"`,
		"or evidence":                         `column 1: "or" is no condition: write one without blanks, such as saving>5%, total>+3%, unmatched>2mJ or evidence`,
		"evidence or speed>5%":                `column 13: nothing measures "speed": use one of saving, row, unmatched, total, wasted`,
		"saving>5 %":                          `column 9: after 5 write % or one of nJ, uJ, mJ, J, uAh, not ""`,
		"saving>x%":                           `column 8: write an amount such as 5% or 2mJ, not "x%"`,
		"total>+3kWh":                         `column 9: after 3 write % or one of nJ, uJ, mJ, J, uAh, not "kWh"`,
		"saving>-5%":                          `column 8: write an amount such as 5% or 2mJ, not "-5%"`,
		"µnmatched>1%":                        `column 1: nothing measures "µnmatched": use one of saving, row, unmatched, total, wasted`,
		"evidence and saving>1% xor total>1%": `column 24: write and or or between conditions, not "xor"`,
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
		"saving>5%":               `column 1: nothing measures "saving": use one of wasted`,
		"evidence":                `column 1: "evidence" is no condition: write one without blanks, such as wasted>5% or wasted>2mJ`,
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
