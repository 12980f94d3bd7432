package trend

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/git"
)

// A Next advises what to measure next for a series.
type Next struct {
	// Between has two indices of entries: the change is between these entries. If no change was
	// found, it is the most likely place of one. Both are 0 if there are fewer than two entries.
	Between [2]int
	// Commits describes the commits between these entries. If git cannot list them, Commits is nil
	// and Unknown is the reason.
	Commits *git.Bisection
	Unknown string
	// Repeats lists entries that need more runs, and how many. With these runs it will become clear
	// where the change is, or whether there is one, if they are like the existing runs. The Point
	// of a Want is the index of an entry.
	Repeats []change.ExtraRuns
}

// A Bisect returns the commits between two commits of a repository.
type Bisect func(ctx context.Context, good, bad string) (*git.Bisection, error)

// targetP is the p-value that a change must reach with the runs in Repeats. It is well below
// change.Rate, because real runs will not be exactly like the existing ones.
const targetP = change.Rate / 5

// Next advises what to measure next for the series s.
func (t *Trend) Next(ctx context.Context, s *Series, bisect Bisect) *Next {
	n := new(Next)
	at := s.Found.Next
	settled := func(r *change.Result) bool {
		return slices.ContainsFunc(r.Changes, func(c change.Change) bool { return c.Earliest <= at && at <= c.Latest && c.P <= targetP })
	}
	var unsure []int
	if c := s.Latest(); c != nil {
		at = c.At
		// The points from Earliest to Latest, except At itself, may be before or after the change.
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
	if len(unsure) > 0 && !s.Found.WholePoints {
		n.Repeats = change.NeededRuns(s.Points, unsure, settled)
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
