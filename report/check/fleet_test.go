package check_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
)

// suspected compares two versions of an app. According to the fleet, the app uses more energy on
// mobile data. Both versions connect at the same number of places. In the subject, the given number
// of these calls costs ten times as much as in the reference. All other calls cost the same, so the
// runs have most of their energy in common.
func suspected(t *testing.T, places, dearer int) *report.Document {
	t.Helper()
	var subject, reference strings.Builder
	for i := range places {
		call, energy := fmt.Sprintf("android.os.Thing.t%d()V;com.mine.Main.go()V;java.net.Socket.connect()V", i), 100_000_007+3*i
		fmt.Fprintln(&reference, call, energy)
		if i < dearer {
			energy *= 10
		}
		fmt.Fprintln(&subject, call, energy)
	}
	for i := range places + 1 {
		for _, run := range []*strings.Builder{&subject, &reference} {
			fmt.Fprintf(run, "android.os.Thing.c%d()V;com.mine.Main.go()V;android.util.Log.d()I %d\n", i, 100_000_037+i)
		}
	}
	d := document(t, subject.String(), reference.String())
	drain := claim.Drain{Excess: 0.0009, Half: 0.0003, Reference: 0.002}
	s, err := finding.NewSuspicion(d.Set.Result, &claim.Claim{
		App: "com.mine", Judged: true, Hog: true, Clients: 500, Drain: drain, At: drain, Conditions: []claim.Condition{{Feature: "network", Value: "mobile"}},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != places {
		t.Fatalf("%d of %d tasks are suspect", s.Len(), places)
	}
	r := s.SuspectsFirst(d.Set.Result)
	return report.NewComparison(finding.New(r).WithSuspicion(s), report.New(finding.New(r).WithSuspicion(s), "1.2.3", 0))
}

// TestGitHubShowsTenOfAKind checks that the verdict and the suspects that do not cost more are
// notices. GitHub shows ten notices.
func TestGitHubShowsTenOfAKind(t *testing.T) {
	for _, c := range []struct{ places, dearer, notices, warnings int }{
		{4, 2, 3, 2},
		{9, 0, 10, 0},
		{10, 0, 9, 1},
		{30, 0, 9, 1},
		{30, 30, 1, 10},
	} {
		var b bytes.Buffer
		if err := check.GitHub(&b, suspected(t, c.places, c.dearer), report.Options{}); err != nil {
			t.Fatal(err)
		}
		notices, warnings := strings.Count(b.String(), "::notice "), strings.Count(b.String(), "::warning ")
		if notices != c.notices || warnings != c.warnings {
			t.Errorf("%+v: %d notices and %d warnings:\n%s", c, notices, warnings, b.String())
		}
	}
}

// TestCheaperSuspectsAreNoFailures checks that suspects which cost less are passing tests in JUnit,
// with the reason for the suspicion.
func TestCheaperSuspectsAreNoFailures(t *testing.T) {
	var b bytes.Buffer
	if err := check.JUnit(&b, suspected(t, 5, 2), report.Options{}); err != nil {
		t.Fatal(err)
	}
	var made struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Failure *struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"failure"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(b.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	if made.Tests != 6 || made.Failures != 2 || len(made.Cases) != 6 {
		t.Fatalf("%d of %d tests fail:\n%s", made.Failures, made.Tests, b.String())
	}
	for i, c := range made.Cases[1:] { // The first has the headline.
		text := c.Out
		if i < 2 {
			if c.Failure == nil || c.Failure.Type != string(finding.CostlierTask) {
				t.Fatalf("test %d does not fail as a costlier task:\n%s", i+1, b.String())
			}
			text = c.Failure.Text
		} else if c.Failure != nil {
			t.Errorf("test %d fails:\n%s", i+1, b.String())
		}
		if !strings.Contains(text, "suspect: it uses cellular in java.net.Socket.connect; in the fleet com.mine costs ") {
			t.Errorf("test %d says %q", i+1, text)
		}
	}
}
