package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPatternsFindTheHabit(t *testing.T) {
	for text, want := range map[string]string{
		"the energy is that of a thread":           "is that of",
		"what of it":                               "what of, of what",
		"it says of a method":                      "says of",
		"it reports that there is no such file":    "that there is",
		"Of two tasks":                             "",
		"Of the tasks one is dear":                 "Of which first",
		"two runs, of which one is cut":            "Of which first",
		"as Go has it":                             "as X has it",
		"a task is of its own":                     "is of X",
		"nothing but for this":                     "but for",
		"a file beside it":                         "beside",
		"it stands in the table":                   "stands, lies",
		"nothing tells them apart":                 "tells apart, told from",
		"one file a run":                           "an X a Y",
		"nobody asked":                             "nobody, none is",
		"it has so many rows":                      "so many, so much",
		"whoever and those who makes it":           "who asks",
		"T stands for a type":                      "",
		"it is of the form a=b":                    "",
		"it reports that there is a file":          "",
		"a list of what is missing":                "",
		"it had so many rows that the table broke": "",
		"the server parts from the client":         "",
		"return a string if a method has one":      "",
	} {
		got := ""
		if found := find(text); len(found) > 0 {
			got = found[0].name
		}
		if got != want {
			t.Errorf("find(%q) = %q, want %q", text, got, want)
		}
	}
}

// texts joins lines for comparison. It marks the start of a paragraph with ¶, and a sentence in
// code with a quote.
func texts(lines []line) string {
	var out strings.Builder
	for _, l := range lines {
		mark := " "
		if l.breaks {
			mark = "¶"
		}
		if l.sentence {
			mark += `"`
		}
		out.WriteString(mark + l.text + "\n")
	}
	return out.String()
}

func TestReadGo(t *testing.T) {
	source := `// Package p has
// two lines.
//
//	code of two lines
//
// And an end.
package p

import "a b c d/e"

//go:embed x
var x = "one two " + "three four" // a remark

type t struct {
	A int ` + "`json:\"a b c d\"`" + `
}

/* A block
of two lines. */
var y = "two words"
`
	for name, want := range map[string]string{
		"p.go":      "¶Package p has\n two lines.\n¶And an end.\n¶a remark\n¶A block\n of two lines.\n¶\"one two three four\n",
		"p_test.go": "¶Package p has\n two lines.\n¶And an end.\n¶a remark\n¶A block\n of two lines.\n",
	} {
		lines, err := readGo(name, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(lines); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	if _, err := readGo("p.go", []byte("pack")); err == nil {
		t.Error("a broken file is no error")
	}
}

func TestReadScript(t *testing.T) {
	s := scripts
	s.markup = true
	source := `// One comment
// goes on.
const a = "http://not a comment here"; // a remark
/**
 * Several lines
 * of words.
 */
const b = x.replace(/["'// not]/g, '') + ` + "`some words ${f({a: 'a few more words'})} and the end`" + `;
const c = <p>Text between the tags {a} and more of it.</p>;
const d = <p>{a} and the app's own text</p>; // after it
`
	want := `¶One comment
 goes on.
¶"http://not a comment here
¶a remark
¶Several lines
 of words.
¶"a few more words
¶"and the end
¶"Text between the tags
¶after it
`
	if got := texts(readScript(s, []byte(source))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	source = "-- A comment.\nlocal a = 'it isn\\'t a comment' -- it is\n--[[ Two\nlines. ]]\n"
	want = "¶A comment.\n¶\"it isn't a comment\n¶it is\n¶Two\n lines.\n"
	if got := texts(readScript(lua, []byte(source))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReadersEndAtTheEndOfTheSource(t *testing.T) {
	for _, source := range []string{"`${", "'\\", "/*", "/[", "x = /\\", "`${{}", "<p>", "--[["} {
		readScript(scripts, []byte(source))
		readScript(lua, []byte(source))
	}
}

func TestReadMarkdown(t *testing.T) {
	source := "# Title\nText `code of what`\ngoes on.\n\n```\nno text\n```\n- an item\n- another\n\n    code\n"
	want := "¶Title\n¶Text `X`\n goes on.\n¶an item\n¶another\n"
	if got := texts(readMarkdown([]byte(source), false)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	source = "# Changes\n## 2.0\nnew\n## 1.0\nold\n"
	want = "¶Changes\n¶2.0\n¶new\n"
	if got := texts(readMarkdown([]byte(source), true)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReadShell(t *testing.T) {
	want := "¶A comment\n of two lines.\n¶another\n"
	if got := texts(readShell([]byte("#!/bin/sh\n# A comment\n# of two lines.\necho # no\n\n  # another\n"))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSchemasAreDocumentation checks that sentences in schemas count like Markdown, and that
// sentences in package.json do not.
func TestSchemasAreDocumentation(t *testing.T) {
	for name, want := range map[string]bool{"a.schema.json": false, "package.json": true} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(`{"description": "The energy of a task."}`), 0o666); err != nil {
			t.Fatal(err)
		}
		lines, err := readFile(path)
		if err != nil || len(lines) != 1 || lines[0].sentence != want {
			t.Errorf("readFile(%s) = %+v, %v, want one line, a sentence of a program: %t", name, lines, err, want)
		}
	}
}

func TestRunFailsAboveTheLimit(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	write(t, "bad/a.md", "It is that\nof a task.\nGood.\n\nIt says of it.\n")
	write(t, "good/a.md", "Good.\n")
	write(t, "good/b.md", "<!-- Written by go generate ./x. -->\nIt is that of a.\nIt is that of b.\n")
	var out strings.Builder
	if err := run(&out, nil, true, limits{comments: 50, sentences: 100}, ""); err != nil {
		t.Errorf("half of the lines are not above 50 %%: %v", err)
	}
	if want := "bad/a.md:1: It is that   [is that of]\nbad/a.md:5: It says of it.   [says of]\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("output\n%s\nwant\n%s", out.String(), want)
	}
	err := run(&out, nil, false, limits{comments: 49, sentences: 100}, "")
	if err == nil || !strings.Contains(err.Error(), "above the limit: bad;") {
		t.Errorf("error %v, want one that names the room", err)
	}
	if err := run(&out, []string{"good"}, false, limits{}, ""); err != nil {
		t.Error(err)
	}
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`{"a": 1, "b": "some words"}`, `{"a": 1, "b": "other words"}`, ""},
		{`{"b": "some 1 words"}`, `{"b": "some 2 words"}`, "line 1 has 2, before 1"},
		{`{"b": "rule-x"}`, `{"b": "rule-y"}`, `line 1 has "rule-y", before "rule-x"`},
		{`{"a b": ""}`, `{"a c": ""}`, `line 1 has "a c", before "a b"`},
		{"costs 1.5 J", "uses 1.5 J", ""},
		{"1\n2", "1\n3", "line 2 has 3, before 2"},
		{`{"a": 1}`, `{"b": 1}`, `line 1 has "b", before "a"`},
		{"1 2", "1", "line 1 of the base has 2, which is gone"},
		{"1", "1 2", "line 1 adds 2"},
	} {
		if got := differ(c.before, c.after); got != c.want {
			t.Errorf("differ(%q, %q) = %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func TestCompareGoldens(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	commit := func() {
		t.Helper()
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "m"}} {
			if _, err := git(".", args...); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, "p/testdata/a.txt", "costs 1 J")
	write(t, "p/a.txt", "1")
	commit()
	write(t, "p/testdata/a.txt", "uses 1 J")
	write(t, "p/a.txt", "2")
	commit()
	var out strings.Builder
	if err := run(&out, nil, false, limits{}, "HEAD~1..HEAD"); err != nil || out.String() != "1 golden files differ only in words, 0 in more than words\n" {
		t.Errorf("%v, %s", err, out.String())
	}
	write(t, "p/testdata/a.txt", "uses 2 J")
	commit()
	if err := run(&out, nil, false, limits{}, "HEAD~2..HEAD"); err == nil {
		t.Error("a changed number is no error")
	}
	if err := run(&out, nil, false, limits{}, "HEAD"); err == nil {
		t.Error("one commit is no error")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestStaleNames finds names in comments that were not changed when the code was renamed.
func TestStaleNames(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "p/a.go", `package p

import "example.com/trace"

type row struct{ width int }

// one is a function. first is its parameter. out is a result. width is a field. inner is local.
// perf writes it, and nil is nothing.
func one(first int) (out *trace.Event) {
	inner := first
	_ = inner
	return nil
}

// two calls each for every row, and calls other once. from is gone. low, high and mean are gone, too, e.g. here, of Huang et al. and
// others.
//
//	code is not read.
//
// other is declared in another file. It is a noun.
func two(low int) {}
`)
	write(t, "p/b.go", "package p\n\nvar other = 1\n")
	write(t, "p/b_test.go", "package p\n\n// test has no limit. anything goes.\nfunc test() {}\n")
	found, err := staleNames([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		got = append(got, fmt.Sprintf("%s:%d %s %s", s.file, s.line, s.function, s.name))
	}
	if want := []string{"p/a.go:15 two each", "p/a.go:15 two from", "p/a.go:15 two high", "p/a.go:15 two mean"}; !slices.Equal(got, want) {
		t.Errorf("stale names\n%q, want\n%q", got, want)
	}
	if err := run(io.Discard, []string{"p"}, false, limits{100, 100}, ""); err == nil || !strings.Contains(err.Error(), "4 things that do not exist") {
		t.Errorf("error %v, want one that counts the names", err)
	}
}
