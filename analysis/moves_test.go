package analysis

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/name"
)

// TestMovesOfClasses checks that lines of a class of the reference become lines of the subject, for
// several classes of one file in any order. Lines of classes that a folder lacks must not move.
func TestMovesOfClasses(t *testing.T) {
	folder := t.TempDir()
	write := func(side, file, text string) string {
		path := filepath.Join(folder, side, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(folder, side)
	}
	const before = "package com.mine;\nclass Feed {\n  void bind() {\n    load();\n    old(1, 2, 3);\n  }\n}\nclass Row {\n  void show() {\n    draw();\n  }\n}\n"
	const after = "package com.mine;\n\n// Feed binds.\nclass Feed {\n  void bind() {\n    load();\n  }\n}\nclass Row {\n  void show() {\n    draw();\n  }\n}\n"
	was, is := write("before", "Feed.java", before), write("after", "Feed.java", after)
	write("before", "Gone.java", "package com.mine;\nclass Gone {\n  void go() { }\n}\n")
	index, _, err := loadSources(t.Context(), is)
	if err != nil {
		t.Fatal(err)
	}
	in := &Input{}
	in.indexes = append(in.indexes, index)
	move, err := Moves(t.Context(), in, []string{was})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second call uses the stored results of the first
		for _, c := range []struct {
			class, method string
			line, want    int
		}{
			{"com.mine.Feed", "bind", 4, 6},
			{"com.mine.Feed$1", "run", 3, 5},
			{"com.mine.Row", "show", 10, 11},
			{"com.mine.Feed", "bind", 5, 0}, // the method is gone
			{"com.mine.Gone", "go", 3, 3},   // the subject has no such class
			{"com.other.Feed", "bind", 4, 4},
		} {
			if got := move(name.OfClass(c.class, c.method, "()V"), c.line); got != c.want {
				t.Errorf("line %d of %s.%s is now line %d, want %d", c.line, c.class, c.method, got, c.want)
			}
		}
	}
	if _, err := Moves(t.Context(), in, []string{filepath.Join(was, "Feed.java")}); err == nil {
		t.Error("a file as a folder of sources is no error")
	}
}
