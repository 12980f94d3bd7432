package name_test

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/code/name"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// read reads the texts of a recording as formats do.
func read(texts []string) []name.Method {
	var census name.Census
	methods := make([]name.Method, len(texts))
	var open []int
	for i, text := range texts {
		m, sure := census.Read(text)
		if methods[i] = m; !sure {
			open = append(open, i)
		}
	}
	for _, i := range open {
		methods[i] = census.Settle(texts[i])
	}
	return methods
}

// TestLanguages reads the frames of each testdata/*.txtar as those of one recording
// and compares the parts of their names. The short names come first, told apart.
func TestLanguages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts := strings.Split(strings.TrimSuffix(string(archive.Files[0].Data), "\n"), "\n")
		methods := read(texts)
		apart := name.Apart(methods)
		var got bytes.Buffer
		for i, m := range methods {
			fmt.Fprintf(&got, "%s\n  %s", apart[i], cmp.Or(m.Lang.String(), "unknown"))
			for _, part := range []struct{ what, text string }{
				{"short", m.Short()}, {"scope", m.Scope}, {"type", m.Type}, {"name", m.Name}, {"signature", m.Signature},
				{"mark", m.Mark}, {"module", m.Module}, {"file", m.File}, {"label", m.Label()},
			} {
				if part.text != "" && (part.what != "short" || part.text != apart[i]) && (part.what != "label" || part.text != texts[i]) {
					fmt.Fprintf(&got, ", %s %s", part.what, part.text)
				}
			}
			if m.Line != 0 {
				fmt.Fprintf(&got, ", line %d", m.Line)
			}
			got.WriteByte('\n')
		}
		if *update {
			archive.Files = []txtar.File{archive.Files[0], {Name: "methods", Data: got.Bytes()}}
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(archive.Files) < 2 || !bytes.Equal(archive.Files[1].Data, got.Bytes()) {
			t.Errorf("%s: got\n%s", file, got.Bytes())
		}
	}
}

// TestRealFrames reads the frames of real recordings: no short name is empty, longer
// than the frame, or ends as one that was cut off.
func TestRealFrames(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.folded", "*.collapsed", "*-all.txt", "*-flamegraph.txt", "*.foldedstack*"} {
		more, _ := filepath.Glob("../../../shared/data/folded/" + pattern)
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("no real data")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		var texts []string
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			stack := lines.Text()
			if i := strings.LastIndexByte(stack, ' '); i > 0 {
				stack = stack[:i]
			}
			for text := range strings.SplitSeq(stack, ";") {
				if text != "" && !seen[text] {
					seen[text] = true
					texts = append(texts, text)
				}
			}
		}
		for i, m := range read(texts) {
			short := m.Short()
			if short == "" || len(short) > len(texts[i]) || strings.ContainsAny(short[len(short)-1:], ".:") {
				t.Errorf("%s: %q is %q: %+v", filepath.Base(file), texts[i], short, m)
			}
		}
	}
}
