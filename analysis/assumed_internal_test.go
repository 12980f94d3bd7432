package analysis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAssumedSamples checks the energy of a sample in recordings that do not state what their
// figures are. It is at least a 500th of the run, unless the user states the noise of a run.
func TestAssumedSamples(t *testing.T) {
	// many returns the stacks of n methods. Their amounts are 1 to n times each.
	many := func(n, each int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "com.mine.Feed.load%d %d\n", i, (i+1)*each)
		}
		return b.String()
	}
	for _, test := range []struct {
		name, text string
		stated     bool
		want       float64
	}{
		{"few round amounts", many(2, 1000), false, 1000},
		{"fine amounts", "com.mine.Feed.load 1000001\ncom.mine.Feed.save 2000000\n", false, 3000001.0 / 500},
		{"fine amounts, with stated noise", "com.mine.Feed.load 1000001\ncom.mine.Feed.save 2000000\n", true, 1},
		{"few round amounts, with stated noise", many(19, 1000), true, 1},
		{"many round amounts, with stated noise", many(20, 1000), true, 1000},
	} {
		path := filepath.Join(t.TempDir(), "run.folded")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		r := compareFiles(t, Options{Subject: Side{Path: path}, Reference: Side{Path: path}, Alpha: AutoAlpha})
		if got := newFigures(&r.Subject, test.stated).each; math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: a sample has %v nJ, want %v", test.name, got, test.want)
		}
	}
}
