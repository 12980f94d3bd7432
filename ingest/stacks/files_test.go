package stacks_test

import (
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/ingest/stacks"
)

// TestFilesAreBounded lists more files and problems than a message names. Files with more frames
// come first.
func TestFilesAreBounded(t *testing.T) {
	for n, want := range []string{"", "a; b", "a; b; c", "a; b; c and 1 more", "a; b; c and 2 more"} {
		problems := []string{"a", "b", "c", "d", "e"}[:n+1]
		if want == "" {
			problems = nil
		}
		if got := stacks.ListProblems(problems); got != want {
			t.Errorf("%d problems: %q, want %q", len(problems), got, want)
		}
	}
	frames := map[string]int64{"/lib/c.so": 1, "/lib/b.so": 5, "/bin/d": 1, "/lib/a.so": 5}
	if sum, files := stacks.WithoutName(frames); sum != 12 || files != "a.so, b.so, d, 1 more" {
		t.Errorf("%d frames in %q", sum, files)
	}
	for i := range 3 {
		frames[fmt.Sprint("/z/", i)] = 0
	}
	if _, files := stacks.WithoutName(frames); files != "a.so, b.so, d, 4 more" {
		t.Errorf("files %q", files)
	}
	if sum, files := stacks.WithoutName(nil); sum != 0 || files != "" {
		t.Errorf("no files are %d %q", sum, files)
	}
}
