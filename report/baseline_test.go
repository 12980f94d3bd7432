package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// stacked compares two texts of folded stacks.
func stacked(t *testing.T, subject, reference string) *finding.Set {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.folded": subject, "b.folded": reference} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{
		Subject: analysis.Side{Path: filepath.Join(folder, "a.folded")}, Reference: analysis.Side{Path: filepath.Join(folder, "b.folded")}, Alpha: analysis.AutoAlpha, Noise: 1e-4,
	})
	if err != nil {
		t.Fatal(err)
	}
	return finding.New(r)
}

// The stacks of a build with findings: a task and a row of app code that cost more.
const (
	frame    = "android.os.Handler.handle()V;p.A.run()V"
	costlier = frame + ";android.util.Log.i()I 90000000\n" + frame + ";p.B.work()V 50000000\n" + frame + " 7000000\n"
	cheaper  = frame + ";android.util.Log.i()I 30000000\n" + frame + ";p.B.work()V 20000000\n" + frame + " 7000000\n"
)

// TestBaselineKeepsFindings writes the findings of a comparison as JSON, reads them, and accepts
// them: the same comparison then has no findings, and a costlier one has those that got worse.
func TestBaselineKeepsFindings(t *testing.T) {
	set := stacked(t, costlier, cheaper)
	made := report.NewBaseline(set)
	var listed strings.Builder
	for _, k := range made.Findings {
		fmt.Fprintf(&listed, "%s saves %d, %d to %d, %d callers, %q\n", k.Method, k.Saving, k.Least, *k.Most, len(k.Callers), k.Code)
	}
	for i, want := range []string{"android.util.Log.i()I saves 60000000, 59971600 to 60028405, 1 callers", "*.run()V saves 30000000, 29978195 to 30021807, 2 callers"} {
		if lines := strings.Split(listed.String(), "\n"); len(lines) != 3 || lines[i] != want+`, ""` {
			t.Fatalf("the findings are\n%s", listed.String())
		}
	}
	var b bytes.Buffer
	if err := made.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	again, err := report.ReadBaseline(b.Bytes())
	if err != nil || again.Outdated() || len(again.Findings) != 2 || again.SchemaVersion != report.SchemaVersion {
		t.Fatalf("%+v, %v", again, err)
	}
	left, accepted := set.Accept(again.Accepted())
	if n := len(report.NewBaseline(left).Findings); n != 0 || accepted.Removed.Tasks+accepted.Removed.Code != 2 || len(accepted.Increases)+len(accepted.Gone) != 0 {
		t.Errorf("%d findings are left: %+v", n, accepted)
	}
	worse := stacked(t, strings.Replace(costlier, "I 90000000", "I 190000000", 1), cheaper)
	left, accepted = worse.Accept(again.Accepted())
	if found := report.NewBaseline(left).Findings; len(found) != 1 || found[0].Method != "android.util.Log.i()I" || len(accepted.Increases) != 1 {
		t.Errorf("%+v is left: %+v", found, accepted)
	}
	fixed := stacked(t, cheaper, cheaper)
	_, accepted = fixed.Accept(again.Accepted())
	if len(accepted.Gone) != 2 {
		t.Errorf("%+v", accepted)
	}
	again.Prune(accepted.Gone[:1])
	if len(again.Findings) != 1 || again.Findings[0].ID != accepted.Gone[1].ID {
		t.Errorf("%+v is left of two", again.Findings)
	}
}

// TestOldBaselines checks that entries without bounds are exact, and that they are called outdated.
func TestOldBaselines(t *testing.T) {
	most := units.Energy(9)
	b := report.Baseline{Findings: []report.KnownFinding{
		{ID: "1", Method: "p.A.run()V", Saving: 5, Least: 4, Most: &most, Callers: []finding.CallerSaving{{Method: "p.B.b", Saving: 5}}}, {ID: "2", Code: finding.LeftOn, Method: "p.C.c()V", Saving: 7},
	}}
	list := b.Accepted()
	for i, want := range []finding.Accepted{
		{ID: "1", Name: "p.A.run()V", Saving: 5, Interval: finding.Interval{Least: 4, Most: 9}}, {ID: "2", Waste: true, Name: "p.C.c()V", Saving: 7, Interval: finding.Interval{Least: 7, Most: 7}},
	} {
		got := list[i]
		if got.ID != want.ID || got.Waste != want.Waste || got.Name != want.Name || got.Method.Label() != want.Name || got.Saving != want.Saving || got.Interval != want.Interval || len(got.Callers) != 1-i {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if !b.Outdated() {
		t.Error("an entry without bounds is not outdated")
	}
	b.Prune([]finding.Accepted{{ID: "2"}, {ID: "3"}})
	if b.Outdated() || len(b.Findings) != 1 {
		t.Errorf("%+v is left", b.Findings)
	}
}

// TestReadBaselineErrors reads files that are no baselines. Each error states the line or the entry.
func TestReadBaselineErrors(t *testing.T) {
	const entry = `{"id":"0123456789abcdef","method":"p.A.run()V","savingNJ":5}`
	for text, want := range map[string]string{
		"":                                 ": it is empty; diffprof baseline writes baseline files",
		" \n":                              ": it is empty; ",
		`{"schemaVersion":99}`:             fmt.Sprintf(" has schemaVersion 99, and this diffprof reads %d: use the diffprof", report.SchemaVersion),
		`{"schemaVersion":1,"findings":[]`: ": unexpected end of JSON at byte 32; ",
		"{\n\n,}":                          ": line 3: invalid character",
		"{\"schemaVersion\":1,\n\"findings\":[{\"id\":7}]}":                                      ": line 2: findings.id is a number, not a string; ",
		`{"schemaVersion":1,"findings":{}}`:                                                      ": line 1: findings is an object, not a list; ",
		`{"schemaVersion":1,"findings":[true]}`:                                                  ": line 1: findings is true or false, not an object; ",
		`{"schemaVersion":1.5,"findings":[]}`:                                                    ": line 1: schemaVersion is a number, not a whole number; ",
		`{"schemaVersion":"1","findings":[]}`:                                                    ": line 1: schemaVersion is a string, not a whole number; ",
		`{"schemaVersion":1,"findings":[{"savingNJ":"x"}]}`:                                      ": line 1: findings.savingNJ is a string, not a whole number; ",
		`{"schemaVersion":1}`:                                                                    " has no findings; ",
		`{"schemaVersion":0,"findings":[]}`:                                                      " has no findings; ",
		"{\"schemaVersion\":1,\"findings\":[]}\n\n x":                                            ": line 3: text after the end of the baseline; ",
		`{"schemaVersion":1,"findings":[{"id":"0123"}]}`:                                         ": entry 1 has no id of 16 hexadecimal digits; ",
		`{"schemaVersion":1,"findings":[` + entry + `,{"id":"0123456789ABCDEF"}]}`:               ": entry 2 has no id of 16 hexadecimal digits; ",
		`{"schemaVersion":1,"findings":[` + entry + `,{"id":"1123456789abcdef"},` + entry + `]}`: ": entries 1 and 3 have the id 0123456789abcdef; remove one of them",
	} {
		if _, err := report.ReadBaseline([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if b, err := report.ReadBaseline([]byte("{\"schemaVersion\":1,\"findings\":[" + entry + "]}\n\n")); err != nil || len(b.Findings) != 1 || b.Findings[0].Saving != 5 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestKnownNotes checks the notes about known findings that got worse, that no longer occur, and
// that an older version wrote.
func TestKnownNotes(t *testing.T) {
	most := units.Energy(1)
	note := func(a finding.Acceptance, entries int) string {
		b := &report.Baseline{}
		for range entries {
			b.Findings = append(b.Findings, report.KnownFinding{Most: &most})
		}
		var all []string
		for _, n := range report.KnownNotes(a, b, "known.json", 0) {
			all = append(all, n.Code+": "+n.Message)
		}
		return strings.Join(all, "\n")
	}
	gone := func(n int) (a finding.Acceptance) {
		for i := range n {
			a.Gone = append(a.Gone, finding.Accepted{Name: fmt.Sprint("m", i)})
		}
		return a
	}
	worse := finding.Increase{Accepted: finding.Accepted{Name: "p.A.run()V", Saving: 2e9, Interval: finding.Interval{Least: 1e9, Most: 3e9}}, Now: 7e9, Bounds: finding.Interval{Least: 6e9, Most: 8e9}}
	at := worse
	at.Caller = "B.b"
	const prune = "; diffprof baseline --prune known.json removes what is gone"
	for _, c := range []struct {
		a       finding.Acceptance
		entries int
		want    string
	}{
		{finding.Acceptance{}, 3, ""},
		{gone(1), 3, "known-gone: 1 entry of known.json no longer occurs: m0" + prune},
		{gone(1), 1, "known-gone: 1 entry of known.json no longer occurs: m0" + prune},
		{gone(2), 3, "known-gone: 2 entries of known.json no longer occur: m0, m1" + prune},
		{gone(5), 9, "known-gone: 5 entries of known.json no longer occur: m0, m1, m2, m3, m4" + prune},
		{gone(7), 9, "known-gone: 7 entries of known.json no longer occur: m0, m1, m2, m3, m4, and 2 more" + prune},
		{gone(3), 3, "known-gone: no entry of known.json occurs in these runs: is it the baseline of another app? If all 3 are fixed, diffprof baseline --prune known.json removes them"},
		{finding.Acceptance{Increases: []finding.Increase{worse, at}}, 3, "worse-than-known: p.A.run()V costs more than its entry in known.json: it could save 7000 mJ (6000 to 8000), and the entry accepts 2000 mJ (1000 to 3000), so it is no longer accepted\n" +
			"worse-than-known: p.A.run()V costs more than its entry in known.json at B.b: it could save 7000 mJ (6000 to 8000), and the entry accepts 2000 mJ (1000 to 3000), so it is no longer accepted"},
	} {
		if got := note(c.a, c.entries); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	old := report.KnownNotes(finding.Acceptance{}, &report.Baseline{Findings: []report.KnownFinding{{}}}, "known.json", 0)
	if len(old) != 1 || old[0].Code != "old-baseline" {
		t.Errorf("%+v", old)
	}
}

// TestIgnoredNotes checks the notes about rows that rules and flags leave out.
func TestIgnoredNotes(t *testing.T) {
	r, p := &report.Report{}, &report.Profile{}
	r.NoteIgnored(finding.Removed{}, "rules")
	r.NoteForeign(0, 0)
	p.NoteIgnored(0, "rules")
	if len(r.Warnings)+len(p.Warnings) != 0 {
		t.Errorf("nothing is ignored, and the warnings are %+v, %+v", r.Warnings, p.Warnings)
	}
	r.NoteIgnored(finding.Removed{Tasks: 1}, "rules")
	r.NoteIgnored(finding.Removed{Tasks: 2, Code: 3, Wastes: 4}, "rules")
	r.NoteForeign(5, 1)
	r.NoteForeign(0, 1)
	r.NoteFiltered(7, 8, "--top")
	p.NoteIgnored(1, "rules")
	p.NoteIgnored(2, "rules")
	if r.Ignored != 1+2+5+7 || r.IgnoredCode != 3+1+1+8 {
		t.Errorf("%d tasks and %d rows are ignored", r.Ignored, r.IgnoredCode)
	}
	var got []string
	for _, n := range slices.Concat(r.Warnings, p.Warnings) {
		got = append(got, n.Code+": "+n.Message)
	}
	want := []string{
		"ignored-tasks: 1 task is ignored by rules; the totals include it, but --fail-on does not",
		"ignored-tasks: 2 tasks and 3 rows of app code and 4 findings of components are ignored by rules; the totals include them, but --fail-on does not",
		"only-own: only the app's own code is listed: 5 tasks and 1 row of app code belong only to libraries; the totals include them",
		"only-own: only the app's own code is listed: 0 tasks and 1 row of app code belong only to libraries; the totals include them",
		"filtered: 7 tasks and 8 rows of app code are left out by --top; the totals include their energy",
		"ignored-tasks: 1 finding of components is ignored by rules; the totals include it",
		"ignored-tasks: 2 findings of components are ignored by rules; the totals include them",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
