package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/eflask"
)

// judgedBands are the bands of likelihood in README.md.
var judgedBands = []float64{0, 0.2, 0.5, 0.8, 0.9, 1.01}

// judgedSets are the sets of pairs in the table. They leave out pairs of two apps that were used to
// fit the weights.
var judgedSets = []struct {
	name string
	has  func(*judged) bool
}{
	{"unlike apps", func(j *judged) bool { return j.apps == "unlike" && !j.fit }},
	{"similar apps", func(j *judged) bool { return j.apps == "similar" && !j.fit }},
	{"one app, two versions", func(j *judged) bool { return j.apps == "one" && j.fit }},
	{"one app, one version", func(j *judged) bool { return j.apps == "one" && !j.fit }},
}

// judgedTable counts how many judged pairs are right, by the likelihood that diffprof states.
func judgedTable(t *testing.T) string {
	t.Helper()
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| pairs | stated | pairs | right | kind | wrong |\n|---|---|---|---|---|---|\n")
	for _, set := range judgedSets {
		for i, least := range judgedBands[:len(judgedBands)-1] {
			counts := make(map[string]int)
			n := 0
			for k := range pairs {
				j := &pairs[k]
				if p := j.says(); set.has(j) && p >= least && p < judgedBands[i+1] {
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

// TestJudgedTableIsInTheDocs checks that README.md has the table of judged pairs for the current
// weights.
func TestJudgedTableIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := judgedTable(t); !strings.Contains(string(docs), table) {
		t.Errorf("README.md lacks this table:\n%s", table)
	}
}

// TestUnseenPairsAreAsLikelyAsStated checks the likelihoods of pairs that were not used to fit the
// weights: in each band enough pairs were judged, and enough of them are right.
func TestUnseenPairsAreAsLikelyAsStated(t *testing.T) {
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	for _, band := range []struct {
		apps     string
		from, to float64
		fewest   int
		least    float64
	}{
		{"unlike", 0.9, 1.01, 35, 0.90},
		{"unlike", 0.8, 1.01, 40, 0.85},
		{"similar", 0.8, 1.01, 30, 0.80},
		{"similar", 0.9, 1.01, 10, 0.85},
		{"one", 0.9, 1.01, 30, 0.90},
		{"", 0.9, 1.01, 60, 0.90},
		{"", 0.8, 1.01, 60, 0.85},
	} {
		n, right := 0, 0
		for i := range pairs {
			if j := &pairs[i]; !j.fit && (band.apps == "" || j.apps == band.apps) && j.says() >= band.from && j.says() < band.to {
				n++
				if j.right() {
					right++
				}
			}
		}
		if share := float64(right) / float64(max(n, 1)); n < band.fewest || share < band.least {
			t.Errorf("%d of %d pairs of %s apps stated at %.2f to %.2f are right", right, n, band.apps, band.from, band.to)
		}
	}
}

// TestUnseenPairsAreNoLessAndNoMoreLikely checks that in each band of likelihood, unseen pairs of
// unlike apps are right as often as stated, no less and no more. Chance exceeds the tolerance for
// one band in ten.
func TestUnseenPairsAreNoLessAndNoMoreLikely(t *testing.T) {
	const tolerance = 1.645
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	for k, least := range judgedBands[:len(judgedBands)-1] {
		var n, right, stated, variance float64
		for i := range pairs {
			p := pairs[i].says()
			if j := &pairs[i]; !j.fit && j.apps == "unlike" && p >= least && p < judgedBands[k+1] {
				n++
				stated, variance = stated+p, variance+p*(1-p)
				if j.right() {
					right++
				}
			}
		}
		t.Logf("from %.2f: %.0f of %.0f pairs are right, %.1f are stated, with a deviation of %.1f", least, right, n, stated, math.Sqrt(variance))
		if n == 0 || math.Abs(right-stated) > tolerance*math.Sqrt(variance) {
			t.Errorf("from %.2f: %.0f of %.0f pairs are right, %.1f are stated", least, right, n, stated)
		}
	}
}

// TestEqualPathsAreAsLikelyAsStated checks the stated likelihoods of equal paths between similar
// apps on pairs that were not used to fit the weights. The share of right pairs must be at least
// the stated one less a twentieth, and no pair is stated above EqualPaths.
func TestEqualPathsAreAsLikelyAsStated(t *testing.T) {
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	var n, right, stated float64
	for i := range pairs {
		j := &pairs[i]
		if !j.equalPaths() {
			continue
		}
		if j.says() > eflask.EqualPaths {
			t.Errorf("%s and %s: %.2f is stated", j.subject, j.reference, j.says())
		}
		if j.fit {
			continue
		}
		n++
		stated += j.says()
		if j.right() {
			right++
		}
	}
	t.Logf("%.0f of %.0f pairs are right, %.1f are stated", right, n, stated)
	if n < 20 || right < stated-0.05*n {
		t.Errorf("%.0f of %.0f pairs are right, %.1f are stated", right, n, stated)
	}
}

// TestDoubtsSpareRightPairs checks that enough of the pairs that count as matched are right, for
// two versions of one app and for similar apps. Right pairs must not become possible counterparts
// only.
func TestDoubtsSpareRightPairs(t *testing.T) {
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	var matched, right, all, kept, sure, sureRight float64
	for i := range pairs {
		j := &pairs[i]
		switch {
		case j.apps == "one" && j.fit && j.says() >= 0.9:
			sure, sureRight = sure+1, sureRight+number(j.right())
		case j.apps == "similar" && !j.fit:
			if j.matched() {
				matched, right = matched+1, right+number(j.right())
			}
			if j.right() && (j.equalPaths() || j.likelihood >= 0.8) {
				all, kept = all+1, kept+number(j.matched())
			}
		}
	}
	t.Logf("similar apps: %.0f of %.0f are right, %.0f of %.0f right ones count; two versions: %.0f of %.0f", right, matched, kept, all, sureRight, sure)
	if matched < 25 || right < 0.85*matched {
		t.Errorf("%.0f of %.0f pairs of similar apps that count as matched are right", right, matched)
	}
	if kept < 0.85*all {
		t.Errorf("%.0f of %.0f right pairs of similar apps count as matched", kept, all)
	}
	if sure < 25 || sureRight < 0.85*sure {
		t.Errorf("%.0f of %.0f pairs of two versions that are stated at 90%% or more are right", sureRight, sure)
	}
}

// TestPrecisionIsInTheReadme checks that README.md states how many of the judged pairs that count
// as matched are right, by kind. The weights were not fitted to these pairs.
func TestPrecisionIsInTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	precision := func(has func(*judged) bool) string {
		n, right := 0, 0
		for i := range pairs {
			if j := &pairs[i]; has(j) && j.matched() {
				n++
				if j.right() {
					right++
				}
			}
		}
		return fmt.Sprintf("%d of %d", right, n)
	}
	for _, want := range []string{
		precision(func(j *judged) bool { return j.apps == "one" && !j.fit }) + " are right for two runs of one version",
		precision(func(j *judged) bool { return j.apps == "one" && j.fit }) + " for two versions",
		precision(func(j *judged) bool { return j.apps == "similar" && !j.fit }) + " for similar apps",
		precision(func(j *judged) bool { return j.apps == "unlike" && !j.fit }) + " for unlike apps",
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
			t.Errorf("README.md lacks %q", want)
		}
	}
}

// TestUnseenPairsAreOfOtherRuns checks that no pair of runs is in both sets.
func TestUnseenPairsAreOfOtherRuns(t *testing.T) {
	pairs, err := judgedPairs()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[[2]string]bool)
	for i := range pairs {
		if j := &pairs[i]; j.fit {
			seen[[2]string{j.subject, j.reference}], seen[[2]string{j.reference, j.subject}] = true, true
		}
	}
	for i := range pairs {
		if j := &pairs[i]; !j.fit && seen[[2]string{j.subject, j.reference}] {
			t.Errorf("%s and %s are in both sets", j.subject, j.reference)
		}
	}
}
