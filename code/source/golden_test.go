package source_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

var update = flag.Bool("update", false, "write what is found into testdata and docs; read the diff")

// TestFindGolden runs the queries of testdata/find. The README there describes their format.
func TestFindGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/find/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v; want at least 40", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := newGolden(t, archive)
			got := c.answer()
			last := &archive.Files[len(archive.Files)-1]
			if last.Name != "want" {
				t.Fatalf("the last section is %s, not want", last.Name)
			}
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(last.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, last.Data)
			}
		})
	}
}

// A golden is a workspace on disk, with queries and their expected output.
type golden struct {
	t         *testing.T
	root      string
	index     *source.Index
	sources   map[string]string
	marks     map[string]int
	questions string
}

// recordedAt is the time of all recordings in the tests. Files are older, unless their names
// contain "newer".
var recordedAt = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newGolden(t *testing.T, archive *txtar.Archive) *golden {
	c := &golden{t: t, root: t.TempDir(), sources: map[string]string{}, marks: map[string]int{}}
	for _, f := range archive.Files {
		switch f.Name {
		case "want":
		case "ask":
			c.questions = string(f.Data)
		default:
			c.write(f.Name, f.Data)
		}
	}
	c.index = source.New(source.Options{Roots: []string{c.root}})
	if warnings, err := c.index.Load(context.Background(), nil); err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	return c
}

func (c *golden) write(name string, data []byte) {
	path := filepath.Join(c.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		c.t.Fatal(err)
	}
	when := recordedAt.Add(-time.Hour)
	if strings.Contains(name, "newer") {
		when = recordedAt.Add(time.Hour)
	}
	if err := os.Chtimes(path, when, when); err != nil {
		c.t.Fatal(err)
	}
	c.sources[name] = string(data)
	for i, line := range strings.Split(string(data), "\n") {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, "@=")
			if !ok {
				break
			}
			mark, _, _ := strings.Cut(strings.TrimSpace(after), " ")
			c.marks[mark] = i + 1
			rest = after
		}
	}
}

func (c *golden) answer() string {
	var out bytes.Buffer
	for question := range strings.Lines(c.questions) {
		question = strings.TrimSpace(question)
		fmt.Fprintf(&out, "%s\n", question)
		kind, rest, _ := strings.Cut(question, " ")
		switch kind {
		case "find", "slice":
			m := name.OfSlice(rest)
			if kind == "find" {
				m = c.method(rest)
			}
			locations, reason := c.index.Find(m, recordedAt)
			if len(locations) == 0 {
				fmt.Fprintf(&out, "\t%v\n", reason)
			}
			for _, l := range locations {
				fmt.Fprintf(&out, "\t%s %v\n", c.show(l), l.Reason)
			}
		case "calls":
			caller, callee, _ := strings.Cut(rest, " => ")
			locations := c.index.Calls(c.method(caller), c.method(callee), recordedAt)
			for _, l := range locations {
				fmt.Fprintf(&out, "\t%s\n", c.show(l))
			}
			if len(locations) == 0 {
				fmt.Fprintf(&out, "\tnone\n")
			}
		case "classes":
			for _, k := range c.index.Classes() {
				fmt.Fprintf(&out, "\t%s < %s %v\n", k.Name, k.Super, k.Interfaces)
			}
		case "edit":
			// "edit FILE OLD => NEW" edits a file as an editor does.
			name, change, _ := strings.Cut(rest, " ")
			from, to, _ := strings.Cut(change, " => ")
			text := strings.Replace(c.sources[name], from, strings.ReplaceAll(to, `\n`, "\n"), 1)
			c.sources[name] = text
			path := filepath.Join(c.root, filepath.FromSlash(name))
			if err := c.index.Update(context.Background(), path, []byte(text), int32(out.Len())); err != nil {
				c.t.Fatal(err)
			}
		case "#", "":
		default:
			c.t.Fatalf("%q is no question", question)
		}
	}
	return out.String()
}

// method parses LABEL[@MARK or @LINE][ in FILE.java].
func (c *golden) method(s string) name.Method {
	s, file, _ := strings.Cut(s, " in ")
	label, at, hasLine := strings.Cut(s, " @")
	m := name.Parse(label, name.JVM)
	if class, ok := strings.CutPrefix(label, "class "); ok {
		m = name.OfClass(class, "", "")
	}
	m.File = file
	if hasLine {
		line, err := strconv.Atoi(at)
		if err != nil {
			var ok bool
			if line, ok = c.marks[at]; !ok {
				c.t.Fatalf("no mark %s", at)
			}
		}
		m.Line = line
	}
	return m
}

// show writes file:line:columns and the line, with the range between « and ». It takes the range
// from lines and columns and again from offsets, which must agree.
func (c *golden) show(l source.Location) string {
	rel, err := filepath.Rel(c.root, l.Path)
	if err != nil {
		c.t.Fatal(err)
	}
	rel = filepath.ToSlash(rel)
	source := c.sources[rel]
	start, end := l.Range.Start, l.Range.End
	before, name, after := source[:start.Offset], source[start.Offset:end.Offset], source[end.Offset:]
	if got, want := offsetOf(source, start), int(start.Offset); got != want {
		c.t.Errorf("%s: offset %d, but line and column say %d", rel, want, got)
	}
	if got, want := offsetOf(source, end), int(end.Offset); got != want {
		c.t.Errorf("%s: offset %d, but line and column say %d", rel, want, got)
	}
	before = before[strings.LastIndexAny(before, "\r\n")+1:]
	if i := strings.IndexAny(after, "\r\n"); i >= 0 {
		after = after[:i]
	}
	after, _, _ = strings.Cut(after, " // @=")
	return fmt.Sprintf("%s:%d:%d-%d %s", rel, start.Line+1, start.Column+1, end.Column+1,
		strings.TrimSpace(before+"«"+name+"»"+after))
}
