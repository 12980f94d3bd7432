package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/nearest"
)

func Example() {
	fmt.Println(nearest.Name("aplha", []string{"alpha", "app-package"}))
	// Output: alpha
}

func TestName(t *testing.T) {
	names := []string{"compare", "flask", "Tree", "trees"}
	for written, want := range map[string]string{
		"flsk": "flask", "comp": "compare", "flasks-of-both": "flask", "COMPARE": "compare", "tree": "Tree", "tres": "Tree",
		"": "", "x": "", "fl": "", "fla": "flask", "co": "", "com": "compare", "something else": "", strings.Repeat("a", 1<<20): "",
	} {
		if got := nearest.Name(written, names); got != want {
			t.Errorf("%.20q: %q, want %q", written, got, want)
		}
	}
}

func TestChoice(t *testing.T) {
	names := []string{"mJ", "uAh", "html"}
	for written, want := range map[string]string{
		"mah": "use one of mJ, uAh, html; did you mean uAh?", "htm": "use one of mJ, uAh, html; did you mean html?",
		"htlm": "use one of mJ, uAh, html; did you mean html?", "yaml": "use one of mJ, uAh, html", "": "use one of mJ, uAh, html",
	} {
		if got := nearest.Choice(written, names); got != want {
			t.Errorf("%q: %s, want %s", written, got, want)
		}
	}
}
