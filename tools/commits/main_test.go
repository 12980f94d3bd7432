package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkedExample checks that docs/history.md names the commits of the project.
func TestWorkedExample(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	page, err := os.ReadFile("../../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "news")
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	for rev, subject := range map[string]string{"a133d0a": "Decode pictures at full size", "c711891": "Word 18 of the help", "d271c8f": "Word 16 of the help"} {
		if subjectLine, err := git(folder, 0, "show", "-s", "--format=%s", rev); err != nil || subjectLine != subject || !strings.Contains(string(page), rev) {
			t.Errorf("%s is %q (%v)", rev, subjectLine, err)
		}
		if found, _ := filepath.Glob(filepath.Join(folder, "runs", rev, "*.folded")); len(found) != runs {
			t.Errorf("%s has %d recordings", rev, len(found))
		}
	}
	script, err := os.ReadFile(filepath.Join(folder, "add.sh"))
	if err != nil || strings.Count(string(script), "diffprof history add") != commits/every {
		t.Errorf("the script is %s (%v)", script, err)
	}
}
