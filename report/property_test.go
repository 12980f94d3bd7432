package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// pairs returns pairs of inputs for tests of laws: the pairs of the golden cases, and real traces
// if they are present.
func pairs(t *testing.T) map[string][2]string {
	t.Helper()
	found := map[string][2]string{}
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		var pair [2]string
		for _, f := range archive.Files {
			switch name, _, _ := strings.Cut(f.Name, "."); name {
			case "subject":
				pair[0] = filepath.Join(dir, writeInput(t, dir, f.Name, string(f.Data)))
			case "reference":
				pair[1] = filepath.Join(dir, writeInput(t, dir, f.Name, string(f.Data)))
			}
		}
		found[filepath.Base(file)] = pair
	}
	const real = "../../shared/data/art/"
	if _, err := os.Stat(real); err != nil {
		t.Logf("without real traces, which are not at %s", real)
		return found
	}
	found["real"] = [2]string{real + "firefox-art-regular.trace.gz", real + "firefox-art-streaming.trace.gz"}
	return found
}

func compare(t *testing.T, o analysis.Options) *report.Report {
	t.Helper()
	result, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report.New(finding.New(result), "test", 0)
}

// before reports whether a row is out of order, because it should come before the row above it.
// Rows that cost more by more than chance come first. Both these rows and the other rows are sorted
// by saving, the largest first.
func before(set *finding.Set, at finding.Ranked, saving, above units.Energy) bool {
	costlier := set.Standing(at).Costlier()
	at.Index--
	if set.Standing(at).Costlier() != costlier {
		return costlier
	}
	return saving > above
}

// TestReportKeepsItsLaws checks the invariants of reports for all values of alpha, and the JSON of the
// reports against the schema.
func TestReportKeepsItsLaws(t *testing.T) {
	schema := compileSchemas(t)["report"]
	for name, pair := range pairs(t) {
		for alpha := analysis.AutoAlpha; alpha <= 3; alpha++ {
			result, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: alpha})
			if err != nil {
				t.Fatal(err)
			}
			set := finding.New(result)
			r := report.New(set, "test", 0)
			s := r.Summary
			ids := map[string]bool{}
			if sum := s.MatchedEnergy + s.UnmatchedEnergy + s.OutsideTasksEnergy; sum != r.Subject.Energy {
				t.Errorf("%s, α %d: the parts add up to %d, the whole is %d", name, alpha, sum, r.Subject.Energy)
			}
			there := s.Reference
			if sum := there.MatchedEnergy + there.UnmatchedEnergy + there.OutsideTasksEnergy; sum != r.Reference.Energy {
				t.Errorf("%s, α %d: the reference's parts add up to %d, the whole is %d", name, alpha, sum, r.Reference.Energy)
			}
			for side, o := range map[units.Energy]report.Outside{s.OutsideTasksEnergy: s.Outside, there.OutsideTasksEnergy: there.Outside} {
				if sum := o.AppCode + o.System + o.Recorder + o.Waiting + o.Toplevel; sum != side {
					t.Errorf("%s, α %d: what lies outside of tasks adds up to %d, not %d", name, alpha, sum, side)
				}
			}
			var code, within, codePeers units.Energy
			for i, c := range r.AppCode {
				code += c.Own
				within += c.Energy
				saving := c.Energy
				if c.Peer != nil {
					saving -= c.Peer.Energy
					codePeers += c.Peer.Energy
				}
				if c.Saving != saving || i > 0 && before(set, finding.Ranked{Code: true, Index: i}, c.Saving, r.AppCode[i-1].Saving) || ids[c.ID] {
					t.Errorf("%s, α %d: app code %d: %+v", name, alpha, i, c)
				}
				ids[c.ID] = true
				if c.Split != nil && c.Split.Calls+c.Split.PerCall != c.Saving {
					t.Errorf("%s, α %d: app code %d: the split %+v is not of %d", name, alpha, i, *c.Split, c.Saving)
				}
			}
			if code != s.Outside.AppCode || within != s.AppCode.MatchedEnergy+s.AppCode.UnmatchedEnergy {
				t.Errorf("%s, α %d: app code adds up to %d and %d, the summary says %+v", name, alpha, code, within, s)
			}
			if sum := codePeers + s.AppCode.ReferenceOnly; sum < there.Outside.AppCode {
				t.Errorf("%s, α %d: the reference's app code adds up to %d, of which %d are outside of tasks", name, alpha, sum, there.Outside.AppCode)
			}
			var subject, reference, subjects, references units.Energy
			for _, p := range r.Packages {
				subject, reference = subject+p.Subject, reference+p.Reference
			}
			for _, th := range r.Threads {
				subjects, references = subjects+th.Subject, references+th.Reference
			}
			if subjects != r.Subject.Energy || references != r.Reference.Energy {
				t.Errorf("%s: threads add up to %d and %d, the runs are %d and %d", name, subjects, references, r.Subject.Energy, r.Reference.Energy)
			}
			if subject != r.Subject.Energy || reference != r.Reference.Energy {
				t.Errorf("%s: packages add up to %d and %d, the runs are %d and %d", name, subject, reference, r.Subject.Energy, r.Reference.Energy)
			}
			used := slices.IndexFunc(r.Alpha.Coverage, func(c report.Coverage) bool { return c.Alpha == r.Alpha.Used })
			if used < 0 {
				t.Fatalf("%s, α %d: no coverage at α = %d", name, alpha, r.Alpha.Used)
			}
			at := r.Alpha.Coverage[used]
			// The coverage does not include tasks that are matched only because calls moved.
			if at.Matched > s.Matched || at.MatchedEnergy > s.MatchedEnergy || at.MatchedEnergyShare > s.MatchedEnergyShare {
				t.Errorf("%s, α %d: coverage is %+v, the summary is %+v", name, alpha, at, s)
			}
			var matched, unmatched units.Energy
			for i, task := range r.Tasks {
				if ids[task.ID] {
					t.Errorf("%s, α %d: two tasks have the id %s", name, alpha, task.ID)
				}
				ids[task.ID] = true
				if i > 0 && before(set, finding.Ranked{Index: i}, task.Saving, r.Tasks[i-1].Saving) {
					t.Errorf("%s, α %d: task %d belongs before the one before it", name, alpha, i)
				}
				if task.Split != nil && task.Split.Calls+task.Split.PerCall != task.Saving {
					t.Errorf("%s, α %d: task %d: the split %+v is not of %d", name, alpha, i, *task.Split, task.Saving)
				}
				if task.Status == "matched" {
					matched += task.Own
				} else {
					unmatched += task.Own
				}
			}
			if matched != s.MatchedEnergy || unmatched != s.UnmatchedEnergy {
				t.Errorf("%s, α %d: tasks add up to %d and %d, the summary says %d and %d",
					name, alpha, matched, unmatched, s.MatchedEnergy, s.UnmatchedEnergy)
			}
			var b bytes.Buffer
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			validate(t, schema, b.Bytes())
		}
	}
}

func TestSelfComparisonHasNothingToSave(t *testing.T) {
	for name, pair := range pairs(t) {
		for _, path := range pair {
			r := compare(t, analysis.Options{Subject: analysis.Side{Path: path}, Reference: analysis.Side{Path: path}, Alpha: analysis.AutoAlpha})
			if r.Matching.Size != r.Subject.TreeNodes || r.Matching.Pairs != r.Subject.TreeNodes {
				t.Errorf("%s: %+v of %d contexts", name, r.Matching, r.Subject.TreeNodes)
			}
			for _, code := range r.AppCode {
				if code.Status != "matched" || code.Saving != 0 {
					t.Errorf("%s: app code %s is %s and saves %d", name, code.Method, code.Status, code.Saving)
				}
			}
			for _, task := range r.Tasks {
				if task.Status != "matched" || task.Peer.Match != "exact" || task.Saving != 0 {
					t.Errorf("%s: %s is %s and saves %d", name, task.Method, task.Status, task.Saving)
				}
			}
		}
	}
}

// TestMirroredComparison swaps subject and reference. The matching must have the same size, and the
// two sides must be swapped.
func TestMirroredComparison(t *testing.T) {
	for name, pair := range pairs(t) {
		for alpha := 0; alpha <= 3; alpha++ {
			there := compare(t, analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: alpha})
			back := compare(t, analysis.Options{Subject: analysis.Side{Path: pair[1]}, Reference: analysis.Side{Path: pair[0]}, Alpha: alpha})
			if there.Matching.Size != back.Matching.Size {
				t.Errorf("%s, α %d: sizes %d and, mirrored, %d", name, alpha, there.Matching.Size, back.Matching.Size)
			}
			if !reflect.DeepEqual(there.Subject, back.Reference) || !reflect.DeepEqual(there.Reference, back.Subject) {
				t.Errorf("%s, α %d: mirrored inputs differ", name, alpha)
			}
		}
	}
}

// TestThreadsDoNotChangeTheReport checks that the JSON and the matching have the same bytes for any
// number of threads.
func TestThreadsDoNotChangeTheReport(t *testing.T) {
	for name, pair := range pairs(t) {
		var want []byte
		for _, threads := range []int{1, 2, 8} {
			result, err := analysis.Compare(t.Context(), analysis.Options{
				Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: 3, Matching: eflask.Options{Threads: threads},
			})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := report.New(finding.New(result), "test", 0).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if err := report.WriteMatching(&b, result); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = b.Bytes()
			} else if !bytes.Equal(want, b.Bytes()) {
				t.Errorf("%s: %d threads give other bytes than 1", name, threads)
			}
		}
	}
}
