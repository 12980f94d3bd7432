package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// formats are the formats of compare other than JSON and HTML, with their checks.
var formats = []struct {
	name  string
	check func(a *agreement, text string, r *report.Report, rows []row) error
}{
	{"text", inText}, {"markdown", inMarkdown}, {"github", inGitHub}, {"gitlab", inGitLab}, {"sarif", inSARIF}, {"junit", inJUnit}, {"csv", inCSV},
}

// The words for severities on build servers.
var (
	sarifLevels  = map[string]string{"error": "error", "warning": "warning", "information": "note", "hint": "note"}
	gitlabLevels = map[string]string{"error": "critical", "warning": "major", "information": "minor", "hint": "info"}
	githubLevels = map[string]string{"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}
	junitLevels  = map[string]string{"error": "failed", "warning": "failed", "information": "passed", "hint": "passed"}
)

func sameFindings(a *agreement, got, want map[string]string) {
	if !maps.Equal(got, want) {
		a.differs("the findings are %v, the JSON has %v", got, want)
	}
}

// scaleOf returns the unit of a report's columns.
func scaleOf(r *report.Report) words.Scale {
	var unit *units.Unit
	if r.Subject.Unit == "unknown" || r.Reference.Unit == "unknown" {
		plain := units.Plain
		unit = &plain
	}
	return words.ScaleFor(unit, 0, r.Subject.Energy)
}

// plainly replaces each sequence of white space by one space.
func plainly(text string) string { return strings.Join(strings.Fields(text), " ") }

// figuresOf returns the numbers of a row as they are printed in columns.
func figuresOf(row *row, s words.Scale) string {
	peer := "–"
	if row.peer != nil {
		peer = s.Amount(*row.peer)
	}
	return words.Saving(row.verdict, row.savings, s) + " " + s.Amount(row.energy) + " " + peer
}

// textRow matches a row of the table in text: number, verdict, saving, and the columns after it.
var textRow = regexp.MustCompile(`^ *(app|\d+)  +(only here|perhaps|costs more|costs less|the same|unclear)  +(.*)$`)

func inText(a *agreement, text string, r *report.Report, rows []row) error {
	head, _, _ := strings.Cut(text, "\n\n")
	same(a, "the headline", plainly(head), plainly(strings.Join(r.Judgement.Sentences, " ")))
	s, at := scaleOf(r), 0
	split := strings.Contains(text, "more calls  more per call")
	for line := range strings.Lines(text) {
		found := textRow.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if found == nil {
			continue
		}
		if at == len(rows) {
			return fmt.Errorf("more than %d rows", at)
		}
		row := &rows[at]
		at++
		columns := strings.Fields(found[3])
		saving, columns := columns[0], columns[1:]
		if split {
			columns = columns[2:]
		}
		same(a, fmt.Sprintf("row %d", at), found[2]+" "+saving+" "+columns[0]+" "+columns[2], row.verdict.Words()+" "+figuresOf(row, s))
		if (found[1] == "app") != row.code {
			a.differs("row %d has the mark %s", at, found[1])
		}
	}
	return few(at, 20, rows)
}

// few checks the number of rows of a table that shows at most the first most rows.
func few(got, most int, rows []row) error {
	if want := min(most, len(rows)); got != want {
		return fmt.Errorf("%d rows instead of %d", got, want)
	}
	return nil
}

// escape matches an escaped character of Markdown.
var escape = regexp.MustCompile("\\\\([\\\\`*_{}\\[\\]<>|#~&])")

func inMarkdown(a *agreement, text string, r *report.Report, rows []row) error {
	_, text, ok := strings.Cut(text, "\n### ")
	if !ok {
		return errors.New("no heading")
	}
	head, rest, _ := strings.Cut(text, "\n")
	sentence, _, _ := strings.Cut(strings.TrimPrefix(rest, "\n"), "\n\n")
	if len(r.Judgement.Sentences) == 1 {
		sentence = ""
	}
	clean := func(s string) string { return escape.ReplaceAllString(strings.ReplaceAll(s, "**", ""), "$1") }
	same(a, "the headline", plainly(clean(head)+". "+clean(sentence)), plainly(strings.Join(r.Judgement.Sentences, " ")))
	s, at := scaleOf(r), 0
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) < 5 {
			continue
		}
		number := strings.TrimSpace(cells[0])
		if _, err := strconv.Atoi(number); err != nil && number != report.CodeMark {
			continue
		}
		if at == len(rows) {
			return fmt.Errorf("more than %d rows", at)
		}
		saving, _, _ := strings.Cut(cells[1], "<br>")
		same(a, fmt.Sprintf("row %d", at+1), saving+" "+cells[2]+" "+cells[3], figuresOf(&rows[at], s))
		at++
	}
	return few(at, 10, rows)
}

func inGitHub(a *agreement, text string, r *report.Report, rows []row) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	verdict := strings.NewReplacer("%25", "%", "%0A", " ").Replace(strings.TrimPrefix(lines[0], "::notice title=diffprof::"))
	sentences := strings.Join(r.Judgement.Sentences, " ")
	if !strings.HasPrefix(verdict, sentences) {
		a.differs("the headline is %s, the JSON has %s", short(verdict), short(sentences))
	}
	want := []string{}
	for i := range rows {
		if rows[i].IsFinding {
			want = append(want, githubLevels[rows[i].Severity])
		}
	}
	for i, line := range lines[1:] {
		level, rest, _ := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		if strings.Contains(rest, " more findings are in the step summary") {
			return nil
		}
		if i >= len(want) || level != want[i] {
			return fmt.Errorf("annotation %d is a %s; the findings are %v", i+1, level, want)
		}
	}
	if len(lines)-1 < len(want) {
		a.differs("%d annotations of %d findings", len(lines)-1, len(want))
	}
	return nil
}

func inGitLab(a *agreement, text string, _ *report.Report, rows []row) error {
	var list []struct{ Fingerprint, Severity string }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	got := make(map[string]string)
	for _, q := range list {
		got[q.Fingerprint] = q.Severity
	}
	sameFindings(a, got, findings(rows, gitlabLevels))
	return nil
}

func inSARIF(a *agreement, text string, _ *report.Report, rows []row) error {
	var log struct {
		Runs []struct {
			Results []struct {
				Level               string
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		return err
	}
	got := make(map[string]string)
	for _, r := range log.Runs[0].Results {
		got[r.PartialFingerprints["diffprof/v1"]] = r.Level
	}
	sameFindings(a, got, findings(rows, sarifLevels))
	return nil
}

func inJUnit(a *agreement, text string, r *report.Report, rows []row) error {
	var suite struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(text), &suite); err != nil {
		return err
	}
	got, failed := make(map[string]string), 0
	for _, c := range suite.Cases[1:] {
		result := "passed"
		if c.Failure != nil {
			result = "failed"
			failed++
		}
		got[strings.TrimSuffix(c.Name[strings.LastIndex(c.Name, " [")+2:], "]")] = result
	}
	sameFindings(a, got, findings(rows, junitLevels))
	same(a, "the number of failures", suite.Failures, failed)
	if sentences := strings.Join(r.Judgement.Sentences, " "); !strings.HasPrefix(suite.Cases[0].Out, sentences) {
		a.differs("the headline is %s, the JSON has %s", short(suite.Cases[0].Out), short(sentences))
	}
	return nil
}

func inCSV(a *agreement, text string, _ *report.Report, rows []row) error {
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	column := make(map[string]int)
	for i, name := range table[0] {
		column[name] = i
	}
	if len(table)-1 != len(rows) {
		return fmt.Errorf("%d rows instead of %d", len(table)-1, len(rows))
	}
	for i, line := range table[1:] {
		cell := func(name string) string { return line[column[name]] }
		r := &rows[i]
		peer := ""
		if r.peer != nil {
			peer = strconv.FormatInt(int64(*r.peer), 10)
		}
		same(a, fmt.Sprintf("row %d", i+1),
			strings.Join([]string{cell("id"), cell("verdict"), cell("energyNJ"), cell("referenceNJ"), cell("savingNJ"), cell("counts"), cell("whyNot"), cell("severity")}, " "),
			strings.Join([]string{r.id, string(r.verdict), fmt.Sprint(int64(r.energy)), peer, fmt.Sprint(int64(r.savings)), fmt.Sprint(r.IsFinding), string(r.Doubt), r.Severity}, " "))
	}
	return nil
}
