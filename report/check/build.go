package check

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/report"
)

// maxAnnotations is the number of annotations of one kind that GitHub shows per step.
const maxAnnotations = 10

// GitHub writes workflow commands. GitHub shows at most ten of them as annotations next to the
// lines. The last annotation states the number of omitted annotations.
func GitHub(w io.Writer, d *report.Document, o report.Options) error {
	p, out := newPage(d, o), bufio.NewWriter(w)
	fmt.Fprintf(out, "::notice title=diffprof::%s\n", data(p.verdict())) // A bufio.Writer keeps its first error.
	most := maxAnnotations
	if slices.ContainsFunc(p.issues, issue.note) {
		most-- // The verdict is also a notice.
	}
	for n, i := range p.issues {
		if left := len(p.issues) - n; n == most-1 && left > 1 {
			fmt.Fprintf(out, "::warning title=diffprof::%d more findings are in the step summary\n", left)
			break
		}
		place := ""
		if i.path != "" {
			place = "file=" + property(i.path) + ","
			if i.line > 0 {
				place += "line=" + strconv.Itoa(i.line) + ","
			}
		}
		level := map[string]string{"error": "error", "warning": "warning"}[i.severity]
		if level == "" {
			level = "notice"
		}
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", level, place, property(i.title), data(i.message))
	}
	return writeError("GitHub's annotations", out.Flush())
}

// data escapes the text of a workflow command. property escapes the value of a property.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string { return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s)) }

// A quality is an entry of GitLab's code quality report.
type quality struct {
	Description string    `json:"description"`
	CheckName   string    `json:"check_name"`
	Fingerprint string    `json:"fingerprint"`
	Severity    string    `json:"severity"`
	Location    qualityAt `json:"location"`
}

type qualityAt struct {
	Path  string       `json:"path"`
	Lines qualityLines `json:"lines"`
}

type qualityLines struct {
	Begin int `json:"begin"`
}

// GitLab writes a report of code quality, a JSON array. Each entry needs a file and a line.
func GitLab(w io.Writer, d *report.Document, o report.Options) error {
	list := []quality{}
	p := newPage(d, o)
	for _, i := range p.issues {
		severity := map[string]string{"error": "critical", "warning": "major", "information": "minor", "hint": "info"}[i.severity]
		list = append(list, quality{i.message, string(i.code), i.id, severity, qualityAt{p.where(&i), qualityLines{max(i.line, 1)}}})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return writeError("GitLab's code quality", e.Encode(list))
}

// These are the elements of JUnit's XML by the schemas of Jenkins (junit-10.xsd) and Surefire
// (surefire-test-report-3.0.xsd). Surefire's root is a suite. A suite has no output, so a test has the
// headline. Neither schema has attributes for files and lines, so the text of a failure has them.
type (
	suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *failure `xml:"failure"`
		Out     string   `xml:"system-out,omitempty"`
	}
	failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes one test that always passes and has the headline, and one test per issue. The test of an
// issue fails if the issue is a warning or an error.
func JUnit(w io.Writer, d *report.Document, o report.Options) error {
	p := newPage(d, o)
	s := suite{Name: "diffprof", Cases: []testcase{{Class: "diffprof", Name: "energy", Time: "0", Out: p.verdict()}}}
	for _, i := range p.issues {
		c := testcase{Class: i.place(), Name: i.title + " [" + i.id + "]", Time: "0"}
		text := i.message
		if i.path != "" {
			text += " (" + i.path
			if i.line > 0 {
				text += ":" + strconv.Itoa(i.line)
			}
			text += ")"
		}
		if i.note() {
			c.Out = text
		} else {
			c.Failure = &failure{string(i.code), i.title, text}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return writeError("JUnit's XML", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return writeError("JUnit's XML", err)
	}
	_, err := io.WriteString(w, "\n")
	return writeError("JUnit's XML", err)
}

func writeError(what string, err error) error {
	if err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}
