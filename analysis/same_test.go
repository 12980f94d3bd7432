package analysis_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
)

// TestSameContent compares a recording with itself, with copies, and with a recording that has the
// same energy but another name in it.
func TestSameContent(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := []byte(strings.Repeat("com.example.App.run;java.lang.String.valueOf 5\n", 20_000))
	zip := func(level int) []byte {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	run := write("run.folded", text)
	renamed := bytes.Replace(text, []byte("App.run"), []byte("App.fun"), 1)
	for name, c := range map[string]struct {
		o    analysis.Options
		want bool
	}{
		"one file":          {analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: run}}, true},
		"a copy":            {analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: write("copy.folded", text)}}, true},
		"compressed copies": {analysis.Options{Subject: analysis.Side{Path: write("a.gz", zip(1))}, Reference: analysis.Side{Path: write("b.gz", zip(9))}}, true},
		"one compressed":    {analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: write("c.gz", zip(6))}}, true},
		"a name differs":    {analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: write("renamed.folded", renamed)}}, false},
		"one is longer":     {analysis.Options{Subject: analysis.Side{Path: run}, Reference: analysis.Side{Path: write("longer.folded", append(text, "a 1\n"...))}}, false},
		"several runs":      {analysis.Options{Subject: analysis.Side{Path: run, Repeats: []string{filepath.Join(dir, "copy.folded")}}, Reference: analysis.Side{Path: run}}, false},
	} {
		r, err := analysis.Compare(t.Context(), c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if r.SameContent != c.want {
			t.Errorf("%s: SameContent is %t", name, r.SameContent)
		}
	}
}
