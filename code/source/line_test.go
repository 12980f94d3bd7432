package source

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLinesOfEditedFiles converts lines on disk to lines of the open text, and asks which lines
// suppress findings.
func TestLinesOfEditedFiles(t *testing.T) {
	const text = "package p;\nclass A {\n  // diffprof:ignore\n  void f() {\n    g();\n  }\n  void h() {\n    g();\n  }\n}\n"
	folder := t.TempDir()
	path, none := filepath.Join(folder, "A.java"), filepath.Join(folder, "B.java")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	x := New(Options{Roots: []string{folder}})
	if _, err := x.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check := func(what string, lines map[int]int, suppressed []int) {
		t.Helper()
		for line, want := range lines {
			if got := x.Line(path, line); got != want {
				t.Errorf("%s: line %d is %d, want %d", what, line, got, want)
			}
		}
		found := map[int]bool{}
		for _, line := range suppressed {
			found[line] = true
		}
		for line := range 20 {
			if got := x.Suppressed(path, line); got != found[line] {
				t.Errorf("%s: line %d is suppressed: %v", what, line, got)
			}
		}
	}
	check("on disk", map[int]int{1: 1, 5: 5, 10: 10, 100: 0}, []int{3, 4, 5})
	if err := x.Update(t.Context(), path, []byte("// one\n// two\n"+text), 1); err != nil {
		t.Fatal(err)
	}
	check("with two more lines", map[int]int{1: 3, 5: 7, 10: 12, 100: 0}, []int{5, 6, 7})
	if x.Line(none, 1) != 0 || x.Suppressed(none, 0) {
		t.Error("a file that is not in the index has lines")
	}
}

// TestLargeFiles compares sizes around the limit, in memory and on disk.
func TestLargeFiles(t *testing.T) {
	for size, want := range map[int]bool{0: false, largeFile - 1: false, largeFile: true} {
		content := bytes.Repeat([]byte("x"), size)
		path := filepath.Join(t.TempDir(), "A.java")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if Large(content) != want || LargeFile(path) != want {
			t.Errorf("%d bytes are large: %v and %v, want %v", size, Large(content), LargeFile(path), want)
		}
	}
	if LargeFile(filepath.Join(t.TempDir(), "none")) {
		t.Error("a missing file is large")
	}
}
