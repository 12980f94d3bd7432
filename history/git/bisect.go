package git

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Bisection is what lies between two commits: those that the later one has before it and the
// earlier one has not.
type Bisection struct {
	// Commits is how many there are between, without the two.
	Commits int
	// Middle is the hash of the one that git bisect would try first, empty if there are none.
	Middle string
	// Steps is how many of them have to be measured, one after the other, to find one.
	Steps int
}

// Bisect says what lies between two commits of the repository that a folder is in.
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
				return nil, fmt.Errorf("git says %q of the commits after %s", out, good)
			}
			b.Commits = max(all-1, 0) // without the later commit
		}
	}
	if b.Commits == 0 {
		b.Middle = ""
	}
	b.Steps = bits.Len(uint(b.Commits))
	return b, nil
}
