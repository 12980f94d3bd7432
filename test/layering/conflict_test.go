package layering

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
)

// conflictCases are files that have a conflict marker on purpose, with the number of markers.
var conflictCases = map[string]int{
	"cmd/diffprof/testdata/script/baselinelife.txtar": 1,
}

// TestNoConflictMarkers checks that no file of the repository has a marker of an unresolved merge.
func TestNoConflictMarkers(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", ".cache", "node_modules", "build", "bin", "dist":
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || d.Name() == ".git" {
			return nil
		}
		text, err := os.ReadFile(root + "/" + p)
		if err != nil {
			return err
		}
		files++
		lines := conflicts(text)
		if want := conflictCases[p]; len(lines) != want {
			t.Errorf("%s: conflict markers in the lines %v, want %d: resolve the merge", p, lines, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Errorf("found only %d files", files)
	}
	for p := range conflictCases {
		if _, err := os.Stat(root + "/" + p); err != nil {
			t.Errorf("conflictCases lists %s: %v", p, err)
		}
	}
}

// conflicts returns the numbers of the lines that begin or end a conflict. It ignores a line of
// equals signs, because it may also underline a heading.
func conflicts(text []byte) []int {
	var lines []int
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			lines = append(lines, number)
		}
	}
	return lines
}

func TestConflictsFindsMarkers(t *testing.T) {
	ours, theirs := "<<<<<<<"+" HEAD\n", ">>>>>>>"+" topic\r\n"
	for text, want := range map[string]int{
		"":                                      0,
		"Heading\n=======\n<<<<<<<\n":           0,
		"a " + ours:                             0,
		ours + "a\n=======\nb\n" + theirs + "c": 2,
		"a\n" + theirs[:len(theirs)-2]:          1,
	} {
		if got := conflicts([]byte(text)); len(got) != want {
			t.Errorf("conflicts(%q) = %v, want %d", text, got, want)
		}
	}
}
