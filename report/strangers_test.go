package report_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
)

// nothingSaved is the only sentence about runs with little in common that may mention savings.
const nothingSaved = "These runs have little in common, so no difference is called a saving.\n"

// TestStrangersSaveNothing compares each real trace with each other trace, or a quarter of the pairs with -short. If
// few tasks of two apps have counterparts, no difference may be called a saving. A counterpart with another name must
// always state its evidence.
func TestStrangersSaveNothing(t *testing.T) {
	files, err := filepath.Glob("../../shared/data/art/*.trace*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the real traces are not at ../shared/data/art")
	}
	saving := regexp.MustCompile(`(?i)(^|[^.\w])sav(e|es|ed|ing|ings)\b`) // The name of a method may contain "save".
	pairs, strangers := 0, 0
	for i, subject := range files {
		for k, reference := range files {
			if subject == reference || testing.Short() && (i+k)%4 != 0 {
				continue
			}
			r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha})
			if err != nil {
				continue // One of the files has no readable trace.
			}
			pairs++
			name := filepath.Base(subject) + " against " + filepath.Base(reference)
			whole := report.New(finding.New(r), "test", 0)
			for _, task := range whole.Tasks {
				if task.Peer != nil && task.Peer.Method != task.Method && (task.Peer.How == "" || task.Peer.Confidence.Message == "") {
					t.Errorf("%s: %s is paired with %s (%s), and nothing says why", name, task.Method, task.Peer.Method, task.Peer.Match)
				}
				// In two versions of an app, tasks of the same method match even if different
				// callbacks call it.
				otherCallers := r.AppCode.OneApp && task.Peer != nil && strings.Contains(task.Peer.Confidence.Message, "no caller is the same")
				if task.Peer != nil && !otherCallers && *task.Peer.Confidence.Likelihood < 0.8 {
					t.Errorf("%s: %s counts as matched with a likelihood of %v", name, task.Method, *task.Peer.Confidence.Likelihood)
				}
			}
			if 10*whole.Summary.Matched >= whole.Summary.Tasks || r.AppCode.OneApp {
				continue // A task that only one version of an app has is a finding.
			}
			strangers++
			var b strings.Builder
			if err := text.Comparison(&b, whole, report.Options{}); err != nil {
				t.Fatal(err)
			}
			stated := false
			for line := range strings.Lines(b.String()) {
				if line == nothingSaved {
					stated = true
				} else if saving.MatchString(line) {
					t.Errorf("%s: %d of %d tasks match, and the report says: %s", name, whole.Summary.Matched, whole.Summary.Tasks, line)
				}
			}
			if head := whole.Judgement.Headline; stated != (head.Doubt == finding.LittleInCommon) || head.Rows != 0 || head.SavableMost != 0 {
				t.Errorf("%s: %d of %d tasks match, and %d rows count for %d (it says that nothing is a saving: %v)", name, whole.Summary.Matched, whole.Summary.Tasks, head.Rows, head.SavableMost, stated)
			}
		}
	}
	if !testing.Short() && (pairs < 100 || strangers < 10) {
		t.Errorf("%d pairs, %d of them strangers: too few to say anything", pairs, strangers)
	}
	t.Logf("%d pairs, %d of them strangers", pairs, strangers)
}
