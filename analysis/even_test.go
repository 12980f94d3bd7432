package analysis_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
)

// folded writes folded stacks of one program, with amounts multiplied by a factor.
func folded(t *testing.T, path string, factor float64) string {
	t.Helper()
	var b strings.Builder
	for i, stack := range []string{"main;parse;tokenize", "main;parse;build", "main;index;hash", "main;index;store", "main;write;format", "main;write;flush"} {
		fmt.Fprintf(&b, "%s %d\n", stack, int(math.Round(factor*float64(1000+300*i))))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEvenRegression checks runs in which all rows cost 20% more. Rows must count if and only if
// the total does, and a stated noise must be used as stated.
func TestEvenRegression(t *testing.T) {
	dir := t.TempDir()
	o := analysis.Options{Subject: analysis.Side{Path: folded(t, filepath.Join(dir, "new.folded"), 1.2)}, Reference: analysis.Side{Path: folded(t, filepath.Join(dir, "old.folded"), 1)}}
	for noise, evident := range map[float64]bool{0: false, 1e-4: true, 0.02: true, 0.3: false} {
		o.Noise = noise
		r, err := analysis.Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		h := finding.New(r).Headline()
		if (r.Chance.Total.Verdict == repeats.Costlier) != evident || (h.Rows > 0) != evident {
			t.Errorf("noise %v: %d rows count, the total is %v", noise, h.Rows, r.Chance.Total.Verdict)
		}
		if math.Abs(h.CommonFactor.Factor-1.2) > 0.001 {
			t.Errorf("noise %v: the rows are %v times as large", noise, h.CommonFactor.Factor)
		}
		if noise > 0 && r.Chance.Noise != noise {
			t.Errorf("a stated noise of %v became %v", noise, r.Chance.Noise)
		}
	}
}

// TestSharedRuns checks that two sides with the same set of runs count as the same recordings, in
// any order. If only some runs are on both sides, there must be a warning.
func TestSharedRuns(t *testing.T) {
	dir := t.TempDir()
	var old, new []string
	for k, factor := range []float64{1, 1.1, 1.3} {
		old = append(old, folded(t, filepath.Join(dir, "old", fmt.Sprint(k, ".folded")), factor))
		new = append(new, folded(t, filepath.Join(dir, "new", fmt.Sprint(2-k, ".folded")), factor))
	}
	compare := func(subject, reference []string) *analysis.Result {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject: analysis.Side{Path: subject[0], Repeats: subject[1:]}, Reference: analysis.Side{Path: reference[0], Repeats: reference[1:]},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	warned := func(r *analysis.Result) bool {
		for _, w := range r.Comparability {
			if w.Code == "shared-runs" {
				return true
			}
		}
		return false
	}
	if r := compare([]string{new[2], new[0], new[1]}, old); !r.SameContent || warned(r) {
		t.Errorf("equal sets: same content %v, warned %v", r.SameContent, warned(r))
	}
	if r := compare(new[:2], old[1:]); r.SameContent || !warned(r) {
		t.Errorf("one run in both: same content %v, warned %v", r.SameContent, warned(r))
	}
	if r := compare(new[:1], old[1:]); r.SameContent || warned(r) {
		t.Errorf("no run in both: same content %v, warned %v", r.SameContent, warned(r))
	}
}
