package git

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestBisect bisects a sequence of commits. Bisect must return the middle one, and bisecting must
// find each commit in the stated number of steps.
func TestBisect(t *testing.T) {
	ctx := context.Background()
	folder, do := runner(t)
	do("init", "-q", ".")
	var hashes []string
	for i := range 10 {
		do("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		hashes = append(hashes, do("rev-parse", "HEAD"))
	}
	for bad := 1; bad < 10; bad++ {
		first, err := Bisect(ctx, folder, hashes[0], hashes[bad])
		if err != nil || first.Commits != bad-1 {
			t.Fatalf("between 0 and %d there is %+v (%v)", bad, first, err)
		}
		for culprit := 1; culprit <= bad; culprit++ {
			good, to, steps := 0, bad, 0
			for {
				b, err := Bisect(ctx, folder, hashes[good], hashes[to])
				if err != nil {
					t.Fatal(err)
				}
				if b.Commits == 0 {
					break
				}
				middle := index(hashes, b.Middle)
				if middle <= good || middle >= to {
					t.Fatalf("between %d and %d is %d", good, to, middle)
				}
				if steps++; middle >= culprit {
					to = middle
				} else {
					good = middle
				}
			}
			if to != culprit || steps > first.Steps {
				t.Errorf("of %d commits, %d was found as %d in %d steps, not %d", bad-1, culprit, to, steps, first.Steps)
			}
		}
	}
	if _, err := Bisect(ctx, folder, hashes[0], strings.Repeat("1", 40)); err == nil || !strings.Contains(err.Error(), "does not know") {
		t.Errorf("of an unknown commit: %v", err)
	}
}

func index(hashes []string, hash string) int {
	for i, h := range hashes {
		if h == hash {
			return i
		}
	}
	return -1
}
