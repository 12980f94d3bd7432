package check_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
)

// An element is a rule of the schemas for JUnit's XML. Attributes and children are those that both
// Jenkins' junit-10.xsd and Surefire's surefire-test-report-3.0.xsd know. Required are the attributes
// that either requires. The order of children is Surefire's.
type element struct {
	attributes, required []string
	children             []string
	text                 bool
}

var junit = map[string]element{
	"":           {children: []string{"testsuite"}},
	"testsuite":  {[]string{"name", "time", "tests", "errors", "skipped", "failures", "group"}, []string{"name", "tests", "errors", "skipped", "failures"}, []string{"properties", "testcase"}, false},
	"testcase":   {[]string{"name", "classname", "group", "time"}, []string{"name", "time"}, []string{"failure", "skipped", "error", "system-out", "system-err"}, false},
	"failure":    {[]string{"message", "type"}, []string{"type"}, nil, true},
	"system-out": {text: true},
}

// seconds is the form of times.
var seconds = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?$`)

// TestJUnitIsValid checks reports by the rules of both schemas, and that the numbers are true.
func TestJUnitIsValid(t *testing.T) {
	for name, d := range map[string]*report.Document{
		"issues": document(t, hostile+added, modest), "none": document(t, hostile, hostile), "a run": profile(t), "suspects": suspected(t, 2, 1),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := check.JUnit(&b, d, report.Options{}); err != nil {
				t.Fatal(err)
			}
			followsJUnit(t, b.Bytes())
		})
	}
}

func followsJUnit(t *testing.T, text []byte) {
	t.Helper()
	open, last, counts, declared := []string{""}, []int{0}, map[string]int{}, map[string]string{}
	for decoder := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		top := len(open) - 1
		rule := junit[open[top]]
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			counts[name]++
			at := slices.Index(rule.children, name)
			if at < 0 || at < last[top] {
				t.Errorf("%s is not allowed here in %q", name, open[top])
			}
			last[top] = max(at, 0)
			rule := junit[name]
			given := map[string]string{}
			for _, a := range token.Attr {
				given[a.Name.Local] = a.Value
				if !slices.Contains(rule.attributes, a.Name.Local) {
					t.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
				if a.Name.Local == "time" && !seconds.MatchString(a.Value) {
					t.Errorf("the time %s", a.Value)
				}
			}
			for _, a := range rule.required {
				if _, ok := given[a]; !ok {
					t.Errorf("%s lacks the attribute %s", name, a)
				}
			}
			if name == "testsuite" {
				declared = given
			}
			open, last = append(open, name), append(last, 0)
		case xml.EndElement:
			open, last = open[:top], last[:top]
		case xml.CharData:
			if !rule.text && len(bytes.TrimSpace(token)) > 0 {
				t.Errorf("%q has text", open[top])
			}
		}
	}
	for attribute, name := range map[string]string{"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"} {
		if declared[attribute] != strconv.Itoa(counts[name]) {
			t.Errorf("%s=%s, and there are %d", attribute, declared[attribute], counts[name])
		}
	}
	if counts["testsuite"] != 1 {
		t.Errorf("%d suites", counts["testsuite"])
	}
}

// TestCodeQualityIsValid checks reports by the rules that GitLab documents: each entry has these
// properties, a severity of GitLab's list, a relative path, a line of at least 1, and a unique
// fingerprint.
func TestCodeQualityIsValid(t *testing.T) {
	for name, d := range map[string]*report.Document{
		"issues": document(t, hostile+added, modest), "none": document(t, hostile, hostile), "a run": profile(t), "suspects": suspected(t, 2, 1),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := check.GitLab(&b, d, report.Options{}); err != nil {
				t.Fatal(err)
			}
			followsCodeQuality(t, b.Bytes())
		})
	}
}
