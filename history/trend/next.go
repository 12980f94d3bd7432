package trend

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/git"
)

// A Next is what to measure next to know more of a series.
type Next struct {
	// Between are the entries on either side of the change, or of where one would most
	// likely be; both are 0 where there are fewer than two entries.
	Between [2]int
	// Commits is what git says of the commits between these entries, which were not measured; nil
	// where it says nothing, and then Unknown says why.
	Commits *git.Bisection
	Unknown string
	// Repeats are the entries whose runs do not tell on which side of the change they are, or
	// do not tell a change from chance, and how many more runs would, if they turn out as those so
	// far. Points of Want are entries.
	Repeats []change.Want
}

// Bisect says which commits lie between two, in some repository.
type Bisect func(ctx context.Context, good, bad string) (*git.Bisection, error)

// settling is the P of a change that more runs are to make evident. It is well below change.Rate:
// they will not turn out just as those so far.
const settling = change.Rate / 5

// Next says what to measure next.
func (t *Trend) Next(ctx context.Context, s *Series, bisect Bisect) *Next {
	n := new(Next)
	at := s.Found.Next
	settled := func(r *change.Result) bool {
		return slices.ContainsFunc(r.Changes, func(c change.Change) bool { return c.Earliest <= at && at <= c.Latest && c.P <= settling })
	}
	var unsure []int
	if c := s.Latest(); c != nil {
		at = c.At
		// The points from Earliest to Latest but At itself lie on either side, perhaps.
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
		n.Unknown = "this is no git repository"
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
