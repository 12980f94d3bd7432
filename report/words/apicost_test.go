package words_test

import (
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

func TestAPICosts(t *testing.T) {
	auto := words.ScalePerFigure(nil, 0)
	for want, got := range map[string]string{
		"API costs of 146 of 208 calls into android.* (70.2%)":                 words.APICosts(146, 208, 0, "android.*"),
		"API costs of 1 of 1 call into android.* (100.0%)":                     words.APICosts(1, 1, 0, "android.*"),
		"API costs of 0 of 0 calls into android.*":                             words.APICosts(0, 0, 0, "android.*"),
		"API costs of 1 of 4 calls into android.* (25.0%), guesses for 2 more": words.APICosts(1, 4, 2, "android.*"),
		"30 of 40 calls into these packages have a cost (75.0%)":               words.APIShare(30, 40),
		"0 of 0 calls into these packages have a cost":                         words.APIShare(0, 0),
		"1 of 1 call into these packages have a cost (100.0%)":                 words.APIShare(1, 1),
		"Toast.show 30 × 2.00 mJ = 60.0 mJ":                                    words.APICalls("Toast.show", 30, 2*units.Millijoule, 60*units.Millijoule, auto),
		"Toast.show 1 × 2.00 mJ":                                               words.APICalls("Toast.show", 1, 2*units.Millijoule, 2*units.Millijoule, auto),
		"Toast.show 2.00 mJ a call":                                            words.APICalls("Toast.show", 0, 2*units.Millijoule, 0, auto),
		"2.00 mJ a call":                                                       words.APICalls("", 0, 2*units.Millijoule, 0, auto),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
