package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// judgedBands are the bands of likelihood in docs/matching.md.
var judgedBands = []float64{0, 0.2, 0.5, 0.8, 0.9, 1.01}

// judgedTable counts how many judged pairs are right, by diffprof's likelihood.
func judgedTable(t *testing.T) string {
	t.Helper()
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| pairs | said | pairs | right | kind | wrong |\n|---|---|---|---|---|---|\n")
	for _, set := range []struct {
		name        string
		fit, unlike bool
	}{{"unlike apps, seen by the fit", true, true}, {"unlike apps, not seen", false, true}, {"alike apps, mostly one", false, false}} {
		for i, least := range judgedBands[:len(judgedBands)-1] {
			counts := make(map[string]int)
			n := 0
			for k := range pairs {
				j := &pairs[k]
				if p := j.stated(); j.unlike == set.unlike && (j.fit == set.fit || !set.unlike) && p >= least && p < judgedBands[i+1] {
					counts[j.verdict]++
					n++
				}
			}
			if n > 0 {
				fmt.Fprintf(&b, "| %s | %.0f to %.0f %% | %d | %d | %d | %d |\n", set.name, 100*least, 100*min(judgedBands[i+1], 1), n, counts["right"], counts["kind"], counts["wrong"])
			}
		}
	}
	return b.String()
}

// docs/matching.md has the table of judged pairs for the present weights.
func TestJudgedTableIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/matching.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := judgedTable(t); !strings.Contains(string(docs), table) {
		t.Errorf("docs/matching.md lacks this table:\n%s", table)
	}
}

// Most likely pairs of different apps are right, and few unlikely ones.
func TestJudgedPairsOfUnlikeApps(t *testing.T) {
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	var likely, unlikely, right, missed int
	for i := range pairs {
		switch j := &pairs[i]; {
		case !j.unlike || j.fit:
		case j.stated() >= 0.8:
			likely++
			if j.right() {
				right++
			}
		case j.stated() < 0.5:
			unlikely++
			if j.right() {
				missed++
			}
		}
	}
	if likely == 0 || 3*right < 2*likely || 10*missed > unlikely {
		t.Errorf("%d of %d likely pairs and %d of %d unlikely ones are right", right, likely, missed, unlikely)
	}
}
