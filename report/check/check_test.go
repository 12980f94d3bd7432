package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
	"github.com/diffprof/diffprof/report/render"
)

// document compares two runs, given as folded stacks.
func document(t *testing.T, subject, reference string) *report.Document {
	t.Helper()
	return compared(t, analysis.Options{}, subject, reference)
}

// compared compares two runs, given as folded stacks, by options.
func compared(t *testing.T, o analysis.Options, subject, reference string) *report.Document {
	t.Helper()
	runs := t.TempDir()
	o.Subject.Path, o.Reference.Path = filepath.Join(runs, "subject.folded"), filepath.Join(runs, "reference.folded")
	for path, text := range map[string]string{o.Subject.Path: subject, o.Reference.Path: reference} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report.NewComparison(finding.New(r), report.New(finding.New(r), "1.2.3", 0))
}

const stack = "android.view.View.performClick()Z;com.mine.Main.onClick()V;"

// hostile has names with all characters that have a meaning in one of the formats.
const hostile = stack + "java.lang.A.b%::,]\"<&>'|`c()V 900000010\n" + stack + "java.io.File.exists()Z 100000030\n"

// modest is a run of the same app that clearly uses less. added is in only one run.
const (
	modest = stack + "java.io.File.exists()Z 5000010\n"
	added  = stack + "java.io.File.length()J 70000010\n"
)

// TestSARIFIsValid validates reports with and without issues against the schema of SARIF 2.1.0.
func TestSARIFIsValid(t *testing.T) {
	for name, d := range map[string]*report.Document{
		"issues": document(t, hostile+added, modest),
		"none":   document(t, hostile, hostile),
	} {
		validSARIF(t, name, d, name == "issues")
	}
	validSARIF(t, "a run", profile(t), true)
	validSARIF(t, "suspects", suspected(t, 2, 1), true)
}

// profile returns a run whose components use energy without need.
func profile(t *testing.T) *report.Document {
	t.Helper()
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: "testdata/pictures.json"}, PowerModel: "passion", Bundles: true})
	if err != nil {
		t.Fatal(err)
	}
	return &report.Document{View: report.EnergyProfile, Input: in, Profile: report.NewProfile(in, "1.2.3", report.ProfileOptions{})}
}

// validSARIF validates a document's report against the schema, and checks whether it has issues.
func validSARIF(t *testing.T, name string, d *report.Document, issues bool) {
	t.Helper()
	var b bytes.Buffer
	if err := check.SARIF(&b, d, report.Options{}); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	// OASIS publishes the schema at its $id.
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", name, err, b.String())
	}
	var plain struct {
		Runs []struct{ Results []any }
	}
	if err := json.Unmarshal(b.Bytes(), &plain); err != nil || len(plain.Runs) != 1 || plain.Runs[0].Results == nil {
		t.Errorf("%s: %v, and a run has no list of results", name, err)
	}
	if results := len(plain.Runs[0].Results); (results > 0) != issues {
		t.Errorf("%s: %d results", name, results)
	}
	if strings.Contains(b.String(), "-1") {
		t.Errorf("%s: writes what is not set:\n%s", name, b.String())
	}
}

// TestGitHubFormatIsValid checks that each line is one command, even with hostile names, and that
// there are at most as many lines as GitHub shows.
func TestGitHubFormatIsValid(t *testing.T) {
	many := ""
	for i := range 30 {
		many += stack + "java.lang.Many.m" + string(rune('a'+i%26)) + strings.Repeat("x", i) + fmt.Sprintf("()V %d\n", 100_000_001+7*i)
	}
	var b bytes.Buffer
	if err := check.GitHub(&b, document(t, hostile+many, modest), report.Options{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, line := range lines {
		if !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") {
			t.Errorf("%q is no command", line)
		}
		properties, _, _ := strings.Cut(line[2:], "::")
		if strings.ContainsAny(strings.SplitN(properties, " ", 2)[1], ":\r\n") {
			t.Errorf("%q has a colon in its properties", line)
		}
	}
	if warnings := strings.Count(b.String(), "::warning"); warnings != 10 || !strings.Contains(b.String(), "more findings are in the step summary") {
		t.Errorf("%d warnings:\n%s", warnings, b.String())
	}
}

// TestCommentFits checks that a comment with very many tasks is not larger than GitHub allows, that
// it states how much it omits, and that it begins with its marker.
func TestCommentFits(t *testing.T) {
	var many strings.Builder
	for i := range 900 {
		many.WriteString(stack + "java.lang.Many.method" + strings.Repeat("x", i%80) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "()V 100\n")
	}
	var b bytes.Buffer
	markdown, _ := render.Find(report.Comparison, "markdown")
	if err := markdown.Render(&b, document(t, many.String(), stack+"java.io.File.exists()Z 50\n"), report.Options{}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 65_536 || b.Len() < 20_000 || !strings.Contains(b.String(), "do not fit into a comment") || !strings.HasPrefix(b.String(), "<!-- diffprof: comparison -->\n") {
		t.Errorf("%d bytes:\n%.300s", b.Len(), b.String())
	}
}
