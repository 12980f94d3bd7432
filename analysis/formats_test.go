package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
)

// TestFormatsOfOneRunAgree compares recordings of the same runs in two formats. Only one of the
// formats has descriptors, numbers of lambdas and threads. The totals and the trees must be equal:
// each tree has all contexts of the other tree, with the same energies. Everything must be matched,
// and there must be no saving.
func TestFormatsOfOneRunAgree(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "data")
	for k, cpu := range []string{"4.78s", "6.13s", "4.82s", "6.98s"} {
		jfr := filepath.Join(dir, "jfr", fmt.Sprintf("cortex-kafka-cpu-%d.jfr.gz", k))
		pprof := filepath.Join(dir, "pprof", fmt.Sprintf("pyroscope-kafka-cpu-%d.pb.gz", k))
		if _, err := os.Stat(jfr); err != nil {
			t.Skipf("no recordings in %s", dir)
		}
		for _, o := range []analysis.Options{{Subject: analysis.Side{Path: jfr}, Reference: analysis.Side{Path: pprof}}, {Subject: analysis.Side{Path: pprof}, Reference: analysis.Side{Path: jfr}}} {
			r := compare(t, o)
			s := &r.Subject
			if s.CPU.String() != cpu || s.CPU != r.Reference.CPU || s.Energy != r.Reference.Energy {
				t.Errorf("run %d: %v and %v, %d and %d nJ", k, s.CPU, r.Reference.CPU, s.Energy, r.Reference.Energy)
			}
			if here, there := energies(s), energies(&r.Reference); strings.Join(here, "\n") != strings.Join(there, "\n") {
				t.Errorf("run %d: the trees differ", k)
			}
			if r.Matching.Size != len(s.Tree.Nodes) {
				t.Errorf("run %d: %d of %d contexts are matched", k, r.Matching.Size, len(s.Tree.Nodes))
			}
			if sum := &r.Summary; sum.Matched != sum.Tasks || sum.UnmatchedEnergy != 0 {
				t.Errorf("run %d: %+v", k, sum)
			}
			for _, task := range r.Tasks {
				if task.Saving != 0 {
					t.Errorf("run %d: %v saves %d nJ", k, s.Tree.Path(task.Node), task.Saving)
				}
			}
			for _, row := range r.AppCode.Rows {
				if row.Saving != 0 {
					t.Errorf("run %d: %s saves %d nJ", k, row.Method.Label(), row.Saving)
				}
			}
		}
	}
}

// energies lists the contexts of a run with their exclusive energies.
func energies(in *analysis.Input) []string {
	var list []string
	for i := range in.Tree.Nodes {
		list = append(list, fmt.Sprint(strings.Join(in.Tree.Path(int32(i)), ";"), " ", in.Tree.Energy.Self(int32(i))))
	}
	return list
}
