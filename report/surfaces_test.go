package report_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// found maps the IDs of findings to their severities, in the words of one surface.
type found map[string]string

// in converts severities to the words of a surface.
func (f found) in(words map[string]string) found {
	severities := found{}
	for id, severity := range f {
		severities[id] = words[severity]
	}
	return severities
}

// findings lists the findings of a report.
func findings(r *report.Report) found {
	list := found{}
	for _, task := range r.Tasks {
		if task.IsFinding {
			list[task.ID] = task.Severity
		}
	}
	for _, code := range r.AppCode {
		if code.IsFinding {
			list[code.ID] = code.Severity
		}
	}
	return list
}

// TestSurfacesAgree checks that all outputs that show a comparison's findings show the same
// findings with the same severity and verdict. GitHub's annotations have no IDs, and at most ten
// are shown.
func TestSurfacesAgree(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases in testdata", err)
	}
	severities := map[string]int{}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c, _ := compareCase(t, archive)
			// By default, no threshold gives the severity "error".
			for _, s := range []finding.Severity{finding.DefaultSeverity(), {Error: 0.3, Warning: 0.1, Information: 0.02}} {
				set := finding.New(c.result)
				set.Severity = s
				for _, severity := range surfacesAgree(t, report.NewComparison(set, report.New(set, "test", 0))) {
					severities[severity]++
				}
			}
		})
	}
	for _, severity := range []string{"error", "warning", "information", "hint"} {
		if severities[severity] == 0 {
			t.Errorf("no finding of a case is of severity %q: %v", severity, severities)
		}
	}
}

// surfacesAgree compares all outputs of a comparison with its JSON. It returns the findings in the
// JSON.
func surfacesAgree(t *testing.T, d *report.Document) found {
	var made report.Report
	if err := json.Unmarshal([]byte(rendered(t, d, "json", report.Options{})), &made); err != nil {
		t.Fatal(err)
	}
	want, verdict := findings(&made), made.Judgement.Sentences[0]
	if made.Judgement.Headline.Rows != len(want) {
		t.Errorf("the headline counts %d rows of %d", made.Judgement.Headline.Rows, len(want))
	}
	same := func(surface string, got, want found) {
		t.Helper()
		if !maps.Equal(got, want) {
			t.Errorf("%s has %v, want %v", surface, got, want)
		}
	}
	begins := func(surface, text string) {
		t.Helper()
		if !strings.HasPrefix(text, verdict) {
			t.Errorf("%s says %q, the JSON %q", surface, text, verdict)
		}
	}

	page, err := readPage(rendered(t, d, "html", report.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	same("the page", findings(&page.Report), want)
	begins("the page", page.Report.Judgement.Sentences[0])
	if page.Report.Judgement.Headline.Verdict != made.Judgement.Headline.Verdict {
		t.Errorf("the page has the verdict %q, the JSON %q", page.Report.Judgement.Headline.Verdict, made.Judgement.Headline.Verdict)
	}

	var sarif struct {
		Runs []struct {
			Results []struct {
				Level               string
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(rendered(t, d, "sarif", report.Options{})), &sarif); err != nil {
		t.Fatal(err)
	}
	got := found{}
	for _, r := range sarif.Runs[0].Results {
		got[r.PartialFingerprints["diffprof/v1"]] = r.Level
	}
	same("SARIF", got, want.in(map[string]string{"error": "error", "warning": "warning", "information": "note", "hint": "note"}))

	var gitlab []struct{ Fingerprint, Severity string }
	if err := json.Unmarshal([]byte(rendered(t, d, "gitlab", report.Options{})), &gitlab); err != nil {
		t.Fatal(err)
	}
	got = found{}
	for _, q := range gitlab {
		got[q.Fingerprint] = q.Severity
	}
	same("GitLab", got, want.in(map[string]string{"error": "critical", "warning": "major", "information": "minor", "hint": "info"}))

	rows, err := csv.NewReader(strings.NewReader(rendered(t, d, "csv", report.Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	got = found{}
	for _, row := range rows[1:] {
		if counts := row[column["counts"]] == "true"; counts {
			got[row[column["id"]]] = row[column["severity"]]
		} else if row[column["severity"]] != "" {
			t.Errorf("CSV has a severity for a row that does not count: %q", row)
		}
	}
	same("CSV", got, want)

	var junit struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(rendered(t, d, "junit", report.Options{})), &junit); err != nil {
		t.Fatal(err)
	}
	got = found{}
	for _, c := range junit.Cases {
		if at := strings.LastIndex(c.Name, " ["); at >= 0 {
			got[strings.TrimSuffix(c.Name[at+2:], "]")] = fmt.Sprint(c.Failure != nil)
		}
	}
	same("JUnit", got, want.in(map[string]string{"error": "true", "warning": "true", "information": "false", "hint": "false"}))
	begins("JUnit", junit.Cases[0].Out)

	levels := map[string]string{"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}
	lines := strings.Split(strings.TrimSuffix(rendered(t, d, "github", report.Options{}), "\n"), "\n")
	begins("GitHub", strings.ReplaceAll(strings.TrimPrefix(lines[0], "::notice title=diffprof::"), "%25", "%"))
	annotated, expected := map[string]int{}, map[string]int{}
	for _, line := range lines[1:] {
		level, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		annotated[level]++
	}
	for _, severity := range want {
		expected[levels[severity]]++
	}
	if len(want) > 9 {
		t.Fatalf("%d findings are more than GitHub shows", len(want))
	}
	if !maps.Equal(annotated, expected) {
		t.Errorf("GitHub has %v, want %v", annotated, expected)
	}
	return want
}
