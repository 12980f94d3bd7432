package trend

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/git"
)

// A Next is advice on what to measure next for a series.
type Next struct {
	// Between has the entries on both sides of the change, or of the most likely place of a change.
	// Both are 0 if there are fewer than two entries.
	Between [2]int
	// Commits describes the commits between these entries. These commits were not measured. It is
	// nil if git cannot list them. Unknown is then the reason.
	Commits *git.Bisection
	Unknown string
	// Repeats has the entries that need more runs. Either their side of the change is unclear, or a
	// change cannot be distinguished from chance. Each has the number of additional runs. They
	// suffice if they are like the existing runs. In a Want of Repeats, Point is an entry.
	Repeats []change.Want
}

// Bisect returns the commits between two commits of a repository.
type Bisect func(ctx context.Context, good, bad string) (*git.Bisection, error)

// targetP is a P. Repeats expects that a change with a smaller P will be shown. It is well below
// change.Rate, because new runs will not be exactly like the existing runs.
const targetP = change.Rate / 5

// Next returns what to measure next.
func (t *Trend) Next(ctx context.Context, s *Series, bisect Bisect) *Next {
	n := new(Next)
	at := s.Found.Next
	settled := func(r *change.Result) bool {
		return slices.ContainsFunc(r.Changes, func(c change.Change) bool { return c.Earliest <= at && at <= c.Latest && c.P <= targetP })
	}
	var unsure []int
	if c := s.Latest(); c != nil {
		at = c.At
		// Except for At itself, the points from Earliest to Latest may be on either side.
		for i := c.Earliest; i <= c.Latest; i++ {
			if i < c.At {
				unsure = append(unsure, i)
			} else if i > c.At {
				unsure = append(unsure, i-1)
			}
		}
		width := c.Latest - c.Earliest
		settled = func(r *change.Result) bool {
			return slices.ContainsFunc(r.Changes, func(d change.Change) bool {
				return d.Earliest >= c.Earliest && d.Latest <= c.Latest && d.Latest-d.Earliest < width
			})
		}
	} else if at > 0 {
		unsure = []int{at - 1, at}
	}
	if at == 0 {
		return n
	}
	n.Between = [2]int{at - 1, at}
	if len(unsure) > 0 && !s.Found.Whole {
		n.Repeats = change.Wanted(s.Points, unsure, settled)
	}
	good, bad := &t.Entries[at-1], &t.Entries[at]
	switch {
	case good.Commit == "" || bad.Commit == "":
		n.Unknown = "the entries have no commits"
	case bisect == nil:
		n.Unknown = "this is not a git repository"
	default:
		between, err := bisect(ctx, good.Commit, bad.Commit)
		if err != nil {
			n.Unknown = err.Error()
			break
		}
		n.Commits = between
	}
	return n
}
