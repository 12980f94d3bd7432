package markdown_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func compare(t testing.TB, subject, reference string) *analysis.Result {
	t.Helper()
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Ingest: ingest.Options{Unit: nano}, Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha, Matching: eflask.Options{Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGolden renders the first tasks of some of the case studies, and of the folded
// stacks in the archive.
func TestGolden(t *testing.T) {
	const path = "testdata/flask.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: archive.Comment}
	want := map[string]string{}
	dir := t.TempDir()
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
		if strings.HasSuffix(f.Name, ".folded") {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
			out.Files = append(out.Files, f)
		}
	}
	render := func(name string, r *analysis.Result, tasks int) {
		for task := range min(tasks, len(r.Tasks)) {
			var b bytes.Buffer
			if err := markdown.Flask(&b, finding.New(r), task, report.Options{}); err != nil {
				t.Fatal(err)
			}
			f := txtar.File{Name: fmt.Sprintf("%s, task %d", name, task+1), Data: b.Bytes()}
			out.Files = append(out.Files, f)
			if got := b.String(); !*update && got != want[f.Name] {
				t.Errorf("%s:\n%s\nwant:\n%s\nIf that is right, run go test ./report/markdown -update and read the diff.", f.Name, got, want[f.Name])
			}
		}
	}
	render("folded", compare(t, filepath.Join(dir, "subject.folded"), filepath.Join(dir, "reference.folded")), 9)
	for _, name := range []string{"pandora57-pandora83", "spotify-pandora83", "hangouts-whatsapp"} {
		folder := filepath.Join("../../testdata/cases", name)
		s, _ := filepath.Glob(folder + "/subject.trace*")
		r, _ := filepath.Glob(folder + "/reference.trace*")
		render(name, compare(t, s[0], r[0]), 1)
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNamesAreNoMarkup uses names of methods that are Markdown or HTML. They must be shown as code,
// and the tables must keep their three columns.
func TestNamesAreNoMarkup(t *testing.T) {
	methods := []name.Method{
		name.OfClass("android.os.Looper", "loop", "()V"),
		name.OfClass("com.app.A", "`b`|<img src=x onerror=alert(1)>", "()V"),
		name.OfClass("java.io.F<script>", "[l](http://x)**`m\u2028`**|c", "()V"),
		name.OfClass("java.io.G", "`|e_d_", "()V"),
	}
	var events []artwrite.Event
	for i := range 2 * len(methods) {
		e := artwrite.Event{Method: i, CPU: time.Duration(i) * time.Millisecond, Wall: time.Duration(i) * time.Millisecond}
		if i >= len(methods) {
			e.Method, e.Action = 2*len(methods)-1-i, artwrite.Exit
		}
		events = append(events, e)
	}
	path := filepath.Join(t.TempDir(), "x.trace")
	var recording bytes.Buffer
	if err := artwrite.Write(&recording, &artwrite.Trace{
		Methods: methods, Threads: []artwrite.Thread{{ID: 1, Name: "main"}}, Events: slices.Values(events), Elapsed: time.Second,
	}, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, recording.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	r := compare(t, path, path)
	if len(r.Tasks) != 1 {
		t.Fatalf("%d tasks", len(r.Tasks))
	}
	var b bytes.Buffer
	if err := markdown.Flask(&b, finding.New(r), 0, report.Options{}); err != nil {
		t.Fatal(err)
	}
	whole := report.NewComparison(finding.New(r), report.New(finding.New(r), "test", 0))
	whole.Report.Warnings = append(whole.Report.Warnings, report.Note{Message: "<img src=x> [l](http://x) `|"})
	var comment bytes.Buffer
	if err := markdown.Write(&comment, whole, report.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), comment.String()} {
		outside := regexp.MustCompile("`[^`\n]*`|\\\\.|</?(details|summary|sub|br)>").ReplaceAllString(strings.TrimPrefix(text, markdown.Marker), "")
		for _, odd := range []string{"<", "`", "[", "\u2028"} {
			if strings.Contains(outside, odd) {
				t.Errorf("%q outside of code in\n%s", odd, text)
			}
		}
	}
	for line := range strings.Lines(comment.String()) {
		if bars := strings.Count(line, "|"); strings.HasPrefix(line, "|") && bars != 6 {
			t.Errorf("columns in %q", line)
		}
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 4 {
			t.Errorf("columns in %q", line)
		}
	}
}

// TestFlaskIsShort checks that renderings fit into a hover.
func TestFlaskIsShort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep.folded")
	var b strings.Builder
	b.WriteString("android.os.Looper.loop;com.app.A.onClick")
	for i := range 3000 {
		fmt.Fprintf(&b, ";java.io.B%d.m", i)
	}
	b.WriteString(" 10\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "android.os.Looper.loop;com.app.A.onClick;java.io.B0.m;java.io.C%d.%s 10\n", i, strings.Repeat("x", 500))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	r := compare(t, path, path)
	var out bytes.Buffer
	for task := range r.Tasks {
		out.Reset()
		if err := markdown.Flask(&out, finding.New(r), task, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 4000 {
			t.Errorf("%d bytes:\n%.6000s", out.Len(), out.String())
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	subject, reference := filepath.Join(dir, "s"), filepath.Join(dir, "r")
	for path, text := range map[string]string{
		subject:   "android.os.Looper.loop;com.app.A.onClick;java.io.F.read 900\n",
		reference: "android.os.Looper.loop;com.app.A.onClick;java.io.F.read 200\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
	r, err := analysis.Compare(context.Background(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}})
	if err != nil {
		panic(err)
	}
	if err := markdown.Flask(os.Stdout, finding.New(r), 0, report.Options{}); err != nil {
		panic(err)
	}
	// Output:
	// **`F.read`** — 700 units more than in the reference
	//
	// |                  |         subject |       reference |
	// |:-----------------|----------------:|----------------:|
	// | total            |       900 units |       200 units |
	// | share of the run |          100.0% |          100.0% |
	// | figures          | unit not stated | unit not stated |
	//
	// Most of the difference is in the method itself.
	//
	// From: `A.onClick`
	//
	// Path: `*.onClick` › `F.read`
}
