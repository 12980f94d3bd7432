package check_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
)

// A log has the properties of SARIF that these tests check.
type log struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
				}
			}
		}
		Results []struct {
			RuleID              string
			RuleIndex           int
			Message             struct{ Text string }
			PartialFingerprints map[string]string
			Locations           []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine int }
				}
			}
		}
	}
}

// writeError returns a document as SARIF.
func writeError(t *testing.T, d *report.Document, root string) (text []byte, read log) {
	t.Helper()
	var b bytes.Buffer
	if err := check.SARIF(&b, d, report.Options{Root: root}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), read
}

// sourced compares two runs of an app whose sources are in a folder.
func sourced(t *testing.T, folder, source, subject, reference string) *report.Document {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "Main.java"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return compared(t, analysis.Options{Sources: []string{folder}}, subject, reference)
}

const source = "package com.mine;\n\nclass Main {\n  void onClick() {\n  }\n}\n"

// gitHubTakes checks SARIF by GitHub's requirements. GitHub rejects a report if one result has no
// file.
func gitHubTakes(t *testing.T, l log) {
	t.Helper()
	run := l.Runs[0]
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" {
			t.Errorf("rule %+v lacks a text", rule)
		}
	}
	for _, r := range run.Results {
		if r.Message.Text == "" || r.PartialFingerprints["diffprof/v1"] == "" || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || len(r.Locations) != 1 {
			t.Errorf("result %+v lacks something", r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		uri, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || at.ArtifactLocation.URI == "" || at.Region.StartLine < 1 || strings.ContainsAny(at.ArtifactLocation.URI, " \\<>\"`|") {
			t.Errorf("%q, line %d: %v", at.ArtifactLocation.URI, at.Region.StartLine, err)
		} else if uri.IsAbs() != (uri.Scheme == "file") || uri.IsAbs() && at.ArtifactLocation.URIBaseID != "" {
			t.Errorf("%+v", at)
		}
	}
}

func TestResultsAreLocated(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "a: b", "grün & 100%")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	with, without := sourced(t, folder, source, hostile, modest), document(t, hostile, modest)
	for _, c := range []struct {
		d         *report.Document
		root      string
		uri, base string
	}{
		{with, root, "a:%20b/gr%C3%BCn%20&%20100%25/Main.java", "%SRCROOT%"},
		{with, t.TempDir(), "file://" + (&url.URL{Path: filepath.ToSlash(folder)}).EscapedPath() + "/Main.java", ""},
		{without, root, "com.mine.Main", ""},
	} {
		_, l := writeError(t, c.d, c.root)
		gitHubTakes(t, l)
		if len(l.Runs[0].Results) == 0 {
			t.Fatal("no results")
		}
		for _, r := range l.Runs[0].Results {
			if got := r.Locations[0].PhysicalLocation.ArtifactLocation; strings.TrimPrefix(got.URI, "./") != c.uri || got.URIBaseID != c.base {
				t.Errorf("%+v, want %s in %s", got, c.uri, c.base)
			}
		}
	}
}

// TestFingerprintsAreStable checks that fingerprints stay equal if lines move, figures change, and
// other findings appear and disappear.
func TestFingerprintsAreStable(t *testing.T) {
	fingerprints := func(source, subject string) map[string]int {
		_, l := writeError(t, sourced(t, t.TempDir(), source, subject, modest), "")
		lines := map[string]int{}
		for _, r := range l.Runs[0].Results {
			lines[r.PartialFingerprints["diffprof/v1"]] = r.Locations[0].PhysicalLocation.Region.StartLine
		}
		return lines
	}
	before := fingerprints(source, hostile)
	after := fingerprints("// Moved.\n\n\n"+source, added+strings.ReplaceAll(hostile, "0\n", "9\n"))
	if len(before) < 2 || len(after) != len(before)+1 {
		t.Fatalf("%d and %d results", len(before), len(after))
	}
	for print, line := range before {
		if after[print] != line+3 {
			t.Errorf("%s at line %d is at %d where the sources moved by 3; there are %v", print, line, after[print], slices.Collect(maps.Keys(after)))
		}
	}
}

// TestSARIFPassesMicrosoftsValidator runs Microsoft's validator, if `make deps` has installed it.
// There must be no error and no warning by the rules of SARIF and of GitHub. To show that the
// validator works, it must find the fault of a report whose rules have no texts.
func TestSARIFPassesMicrosoftsValidator(t *testing.T) {
	if testing.Short() {
		t.Skip("the validator takes seconds to start; TestSARIFIsValid checks the schema")
	}
	found, err := filepath.Glob("../../.cache/sarif-multitool-*/node_modules/@microsoft/*/Sarif.Multitool")
	if err != nil || len(found) == 0 {
		t.Skip("needs Microsoft's validator in .cache/, which scripts/multitool gets")
	}
	folder := t.TempDir()
	bad, l := writeError(t, document(t, hostile, modest), "")
	gitHubTakes(t, l)
	none, _ := writeError(t, document(t, hostile, hostile), "")
	sources, _ := writeError(t, sourced(t, folder, source, hostile, modest), folder)
	run, _ := writeError(t, profile(t), "")
	suspects, _ := writeError(t, suspected(t, 2, 1), "")
	for name, text := range map[string][]byte{"issues": bad, "none": none, "sources": sources, "run": run, "suspects": suspects} {
		if err := os.WriteFile(filepath.Join(folder, name+".sarif"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	validate := func() string {
		cmd := exec.Command(found[0], "validate", filepath.Join(folder, "*.sarif"), "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning")
		// Otherwise, the validator would open the addresses in the report, and would need a library
		// for languages.
		cmd.Env = append(os.Environ(), "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1")
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), ": error ") {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := validate(); strings.Contains(out, ": error ") || strings.Contains(out, ": warning ") || !strings.Contains(out, "5 files scanned") {
		t.Error(out)
	}
	bad = bytes.ReplaceAll(bad, []byte(`"help":`), []byte(`"helps":`))
	if err := os.WriteFile(filepath.Join(folder, "bad.sarif"), bad, 0o666); err != nil {
		t.Fatal(err)
	}
	if out := validate(); !strings.Contains(out, "bad.sarif") || !strings.Contains(out, "error GH2012") {
		t.Errorf("finds nothing wrong with a report without help:\n%s", out)
	}
}
