package git

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Bisection describes the commits between two commits: the ancestors of the later commit that are
// not ancestors of the earlier one.
type Bisection struct {
	// Commits is the number of commits between the two.
	Commits int
	// Middle is the hash of the commit that git bisect would try first, or "" if there are no
	// commits in between.
	Middle string
	// Steps is the number of successive measurements needed to find the commit of a change.
	Steps int
}

// Bisect describes the commits between two commits. folder must be in the repository.
func Bisect(ctx context.Context, folder, good, bad string) (*Bisection, error) {
	for _, hash := range []string{good, bad} {
		if _, err := Find(ctx, folder, hash); err != nil {
			return nil, fmt.Errorf("git does not know the commit %.7s here", hash)
		}
	}
	out, err := run(ctx, folder, "rev-list", "--bisect-vars", bad, "^"+good)
	if err != nil {
		return nil, err
	}
	b := new(Bisection)
	for _, line := range strings.Split(out, "\n") {
		switch name, value, _ := strings.Cut(line, "="); name {
		case "bisect_rev":
			b.Middle = strings.Trim(value, "'")
		case "bisect_all":
			all, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("unexpected output of git, %q, for the commits after %s", out, good)
			}
			b.Commits = max(all-1, 0) // Without the later commit.
		}
	}
	if b.Commits == 0 {
		b.Middle = ""
	}
	b.Steps = bits.Len(uint(b.Commits))
	return b, nil
}
