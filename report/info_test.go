package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
)

// describe reads files and describes them.
func describe(t *testing.T, paths ...string) *report.Info {
	t.Helper()
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := make([]report.File, len(paths))
	for i, path := range paths {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
		files[i] = report.NewFile(path, in, err, known)
	}
	return report.NewInfo("test", files...)
}

// Every file has either a recording or a problem, and a format.
func TestInfo(t *testing.T) {
	traces, err := filepath.Glob("../testdata/cases/*/*.trace")
	if err != nil || len(traces) == 0 {
		t.Fatal("no traces", err)
	}
	put := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folded := put("a.folded", "[main];java.lang.Thread.run;app.Main.run;native 5\n")
	damaged := put("b.folded", "a;b 5\na;b\n")
	unknown := put("c", "\x89PNG\r\n\x1a\n")
	all := len(ingest.Formats())
	tests := []struct {
		paths    []string
		formats  int
		problems []bool // whether the format of each file with a problem is known, in order
	}{
		{nil, all, nil},
		{traces, 1, nil},
		{[]string{folded}, 1, nil},
		{append([]string{folded}, traces...), 2, nil},
		{[]string{folded, damaged}, 1, []bool{true}},
		{[]string{damaged}, 1, []bool{true}},
		{[]string{folded, unknown}, all, []bool{false}},
		{[]string{filepath.Join(t.TempDir(), "none"), folded, t.TempDir()}, all, []bool{true, false}},
	}
	schema := compileSchemas(t)["info"]
	for _, test := range tests {
		info := describe(t, test.paths...)
		if len(info.Files) != len(test.paths) || len(info.Formats) != test.formats {
			t.Errorf("%v: %d files and %d formats, want %d", test.paths, len(info.Files), len(info.Formats), test.formats)
		}
		var problems []bool
		for i, f := range info.Files {
			if f.Path != test.paths[i] || (f.Recording == nil) == (f.Problem == nil) {
				t.Errorf("%s: %+v", test.paths[i], f)
			}
			if f.Problem != nil {
				problems = append(problems, f.Problem.Known)
			} else if stat, err := os.Stat(f.Path); err != nil || f.Recording.Size != stat.Size() || f.Recording.Input.Events == 0 {
				t.Errorf("%s: %+v, %v", f.Path, f.Recording, err)
			}
		}
		if !slices.Equal(problems, test.problems) {
			t.Errorf("%v: known are %v, want %v", test.paths, problems, test.problems)
		}
		var b, page bytes.Buffer
		if err := info.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b.Bytes())
		if err := text.Info(&page, info, report.Options{}); err != nil || page.Len() == 0 {
			t.Errorf("%v: %d bytes of text, %v", test.paths, page.Len(), err)
		}
	}
}
